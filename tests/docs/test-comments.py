# SPDX-License-Identifier: LGPL-2.1-or-later
"""What documentation comments must say: test-comments.py GIR.

Every comment of a public function, type, callback or constant begins with a verb in the third person, which verbs.txt beside this
file lists: “Returns …”, not a fragment.

Those of operations on arrays tell what is given back and who owns it, since when, how long a callback is kept, what it costs, and
what goes wrong. A comment that says “as [method@Array.x]” says by that what the comment of x says of costs and errors."""

import os
import re
import sys
import xml.etree.ElementTree as ElementTree

CORE = '{http://www.gtk.org/introspection/core/1.0}'
C = '{http://www.gtk.org/introspection/c/1.0}'
GLIB = '{http://www.gtk.org/introspection/glib/1.0}'

FUNCTIONS = [CORE + tag for tag in ('function', 'method', 'constructor')]
TYPES = [CORE + tag for tag in ('class', 'interface', 'record', 'union', 'enumeration', 'bitfield', 'callback')]
# What the parser finds in C without a comment, as the numbers of the version.
OPTIONAL = [CORE + tag for tag in ('constant', 'virtual-method')]

VERBS = os.path.join(os.path.dirname(os.path.abspath(__file__)), 'verbs.txt')
COSTS = re.compile(r'\b(linear\sin|constant\stime|O\(|takes\sas\slong\sas)', re.I)
ERRORS = re.compile(r'%ACC_ERROR_\w+|\bNo\serrors\b')
REFERENCE = re.compile(r'\b[Aa]s\s\[(?:method|ctor|func)@Array\.(\w+)\]')


def operations(gir):
    """Functions of arrays that give one or several."""
    found = {}
    for element in ElementTree.parse(gir).iter(CORE + 'class'):
        if element.get('name') != 'Array':
            continue
        for function in element:
            kind = function.find(f'{CORE}return-value/{CORE}type')
            if kind is not None and kind.get(C + 'type') in ('AccArray*', 'GPtrArray*'):
                found[function.get(C + 'identifier')[len('acc_array_'):]] = function
    return found


def text(element):
    found = element.find(CORE + 'doc')
    return found.text if found is not None else ''


def says(pattern, name, found, seen=()):
    """Whether the comment of @name does, or one that it refers to."""
    words = text(found[name])
    if pattern.search(words + text(found[name].find(CORE + 'return-value'))):
        return True
    return any(other in found and other not in seen and says(pattern, other, found, (*seen, name)) for other in REFERENCE.findall(words))


def lacks(name, found):
    function = found[name]
    given = function.find(CORE + 'return-value')
    if not text(given):
        yield 'Returns:'
    if given.get('transfer-ownership') not in ('full', 'container'):
        yield '(transfer full)'
    for parameter in function.iter(CORE + 'parameter'):
        if not text(parameter) and parameter.get('closure') is None:
            yield f'@{parameter.get("name")}:'
        kind = parameter.find(CORE + 'type')
        if kind is not None and re.match(r'(Acc)?ExprFunc', kind.get('name', '')) and (parameter.get('scope') is None or parameter.get('closure') is None):
            yield f'(scope) and (closure) of @{parameter.get("name")}'
    if not says(COSTS, name, found):
        yield 'costs'
    if not says(ERRORS, name, found):
        yield 'errors'


def public(gir):
    """What has a comment, or must have one, by its name in C."""
    namespace = ElementTree.parse(gir).find(CORE + 'namespace')
    found = {}
    for owner in (namespace, *namespace):
        for element in owner:
            wanted = FUNCTIONS + (TYPES if owner is namespace else [])
            if element.tag in OPTIONAL and text(element) or element.tag in wanted and element.get(GLIB + 'is-gtype-struct-for') is None:
                name = element.get('name') if owner is namespace else f'{owner.get("name")}.{element.get("name")}'
                found[element.get(C + 'identifier') or element.get(C + 'type') or name] = element
    return found


def begins_badly(words, verbs):
    """What is wrong with how a comment begins; nothing where it is a verb and more."""
    first = words.split(None, 2)
    if not first:
        return 'lacks a first sentence'
    if first[0].rstrip(',') not in verbs:
        return f'begins with “{first[0]}”, which is no verb of verbs.txt'
    return 'has nothing after the verb' if len(first) == 1 else None


def main():
    found, commented = operations(sys.argv[1]), public(sys.argv[1])
    with open(VERBS, encoding='utf-8') as file:
        listed = file.read().split('\n')[:-1]
    verbs = set(listed)
    results = [('verbs.txt', [] if listed == sorted(verbs) else ['is not sorted, or has a verb twice'])]

    for name in sorted(commented):
        bad = begins_badly(text(commented[name]), verbs)
        results.append((name, [bad] if bad else []))
    for name in sorted(found):
        results.append((f'acc_array_{name} says all', [f'lacks {what}' for what in lacks(name, found)]))

    print(f'1..{len(results)}')
    for number, (name, complaints) in enumerate(results, 1):
        print(f'{"not ok" if complaints else "ok"} {number} {name}' + ''.join(f'\n#   {what}' for what in complaints))
    return 0 if len(found) > 100 and len(commented) > 400 and not any(complaints for _, complaints in results) else 1


if __name__ == '__main__':
    sys.exit(main())
