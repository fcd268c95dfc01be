#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Checks the links of pages to files of the tree, and to headings in them: check-links.py [ROOT]. Ends with 1 where one leads nowhere."""

import os
import re
import sys


def list_anchors(path):
    text = re.sub(r'^```.*?^```', '', open(path, encoding='utf-8').read(), flags=re.MULTILINE | re.DOTALL)
    headings = re.findall(r'^#+ (.*?)\s*$', text, re.MULTILINE)
    return {re.sub(r'[^\w\- ]', '', re.sub(r'\[(.*?)\]\(.*?\)', r'\1', heading).lower()).replace(' ', '-') for heading in headings}


def main():
    root = sys.argv[1] if len(sys.argv) > 1 else os.path.join(os.path.dirname(os.path.abspath(__file__)), '..', '..')
    pages = [os.path.join(folder, name) for top in ('docs', 'bindings', 'demos') for folder, _, names in os.walk(os.path.join(root, top))
             for name in names if name.endswith('.md')]
    pages += [os.path.join(root, name) for name in ('README.md', 'CONTRIBUTING.md')]
    problems, n_links = [], 0

    for page in sorted(pages):
        text = re.sub(r'^```.*?^```', '', open(page, encoding='utf-8').read(), flags=re.MULTILINE | re.DOTALL)
        for target in re.findall(r'\]\(([^)\s]+)\)', text):
            if '://' in target or target.startswith('mailto:'):
                continue
            n_links += 1
            name, _, anchor = target.partition('#')
            path = os.path.join(os.path.dirname(page), name) if name else page
            if not os.path.exists(path):
                problems.append(f'{os.path.relpath(page, root)}: {target} leads to no file')
            elif anchor and path.endswith('.md') and anchor not in list_anchors(path):
                problems.append(f'{os.path.relpath(page, root)}: {target} leads to no heading')

    print('\n'.join(problems) or f'{n_links} links on {len(pages)} pages lead somewhere')
    return 1 if problems else 0


if __name__ == '__main__':
    sys.exit(main())
