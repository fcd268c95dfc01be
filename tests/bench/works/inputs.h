/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "contender.h"

/* Inputs of works that are more than hashes; peers in Python make the same. */

/* [side,side]: squares of 32 pixels, each of one brightness, and noise of 0 to 31; picture[y][x] =
 * ((y >> 5 ^ x >> 5) * 37 & 127) + (hash (y * side + x, 1) >> 27) * 2. For free(). */
guint8 *input_picture (gsize side);

/* [side,side], "label": 1 where hash (y * side + x, 1) is below 0.593 · 2^32, near the threshold of percolation, and else 0. For free(). */
guint8 *input_speckles (gsize side);

/* Thresholds of the work "edges", parts of the largest gradient */
#define EDGES_LOW  0.05
#define EDGES_HIGH 0.15

/* The market of "black-scholes"; spots from 5 to 30 (seed 1), strikes from 1 to 100 (2), years from 0.25 to 10 (3) */
#define OPTIONS_RATE       0.02
#define OPTIONS_VOLATILITY 0.3

/* What "mandelbrot" looks at, a square, and when it gives up; a multiple of 8. No row lies on the real axis,
 * where rounding decides. */
#define MANDELBROT_LEFT   -2.f
#define MANDELBROT_TOP    1.237f
#define MANDELBROT_ACROSS 2.5f
#define MANDELBROT_LIMIT  256

/* "n-body": coordinates from -1 to 1 (seeds 1 to 3), masses from 0.5 / n to 1.5 / n (4); softened as demos/n-body does */

/* "k-means": this many clusters in the plane; coordinates from -10 to 10 (seeds 1, 2), centres are the first points */
#define N_CLUSTERS 64

/* "attention": this many numbers in each query, key and value; queries from -8 to 8 (seed 1), keys (2) and values (3) from
 * -1 to 1 */
#define ATTENTION_DEPTH 64

/* Digest of sums of squares: what is as often below 0 as above would cancel itself in a sum. */
double  input_digest_squares (const float * const *parts, guint n_parts, gsize n);

/* Parts of "nested-" works: where those of @n elements begin, and where the last ends: each of 1 to 32 elements, or as
 * contender_skewed() has them. For free(). */
gint64 *input_parts (gsize n, gboolean skewed, gsize *n_parts);

/* Parts of "nested-placed-": of 1 to 2 * @length - 1 elements, each as often; or @skewed, of 1 to @length, by a power law: as many parts of
 * up to ten as of ten to a hundred, and so on. For free(). */
gint64 *input_parts_of (gsize n, gsize length, gboolean skewed, gsize *n_parts);

/* "nested-pictures": rows and columns of @n pictures, from 4 to INPUT_MAX_SIDE; gives how many pixels there are. For free(). */
#define INPUT_MAX_SIDE 20
gsize   input_picture_sizes (gsize n, gint64 **rows, gint64 **columns);

/* "nested-hulls": where each of @n clouds begins, and where the last ends: 16 to 112 points of a disc. For free(). */
gint64 *input_clouds (gsize n);

/* Files of lines that no folder has any more when these return; their paths, which are good as long as the process. For g_free().
 * "seq-log": answers of a web server, with a status of 200, 301, 304, 404 or 500 and up to 999 999 bytes. "seq-md5": words of 4 to
 * 19 letters; input_word() writes one of them, and tells how long it is. */
#define INPUT_LONGEST_WORD 19
char   *input_log   (gsize n);
char   *input_words (gsize n);
gsize   input_word  (gsize number, char *letters);

/* "seq-log": classes of answers, by the first digit of their status; 0: none of these */
#define LOG_CLASSES 6

/* "seq-md5": what is looked for are the digests of this many of the words, at even distances. The tables of RFC 1321: what is added in
 * each of 64 steps, and how far each turns. */
#define MD5_WANTED 4
void    input_md5_wanted (gsize n, guint32 wanted[MD5_WANTED][4]);
guint32 input_md5_sine   (guint step);
guint   input_md5_turn   (guint step);

/* "seq-frames", "seq-audio": frames of this many rows and columns; windows of samples, and how far the next one is; weights, for free() */
#define FRAME_SIDE  256
#define WINDOW_SIZE 1024
#define WINDOW_STEP 512
float  *input_window (void);

/* "seq-pagerank": as many pages link to a page as a row of contender_rows() is long, those of contender_words() (seed 2). What each page
 * has at first, 1 / n, and how many links each has, at least 1; for free(). */
#define PAGERANK_ROUNDS  10
#define PAGERANK_DAMPING 0.85f
float  *input_first_ranks (gsize n);
float  *input_out_links   (const guint32 *sources, gsize n_links, gsize n);

/* "quickhull": points of the unit disc, as (x,y) pairs; of a point of the square from -1 to 1 (seeds 1, 2) the distance from the
 * middle becomes that of the nearest side: p · max (|x|, |y|) / √(x² + y²), in double. For free(). */
float  *input_disc (gsize n);
