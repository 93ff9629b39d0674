/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* All numbers by which the search and the estimate decide, each with its reason. Costs are in cycles of a current core,
 * roughly; only their ratios count. */
#ifndef TSR_THRESHOLDS_H
#define TSR_THRESHOLDS_H

/* ---- what the estimate counts with --------------------------------------------------------------------- */

/* What a parameter is taken for where nothing is known of it: large, as sizes are for which it pays to change loops. What
 * runs where they are small is asked at run time (ast/sizes/size_test.c). */
#define ASSUMED_PARAMETER 1000
#define ISSUE 0.33 /* an operation: three are issued in a cycle */
/* As many of them at once in a vector loop, if a vector has as many. With 8, products of floats whose inner dimension is 2
 * to 8 were taken to register tiles, in which they took 1.2 to 2 times as long (Zen 4). */
#define VECTOR_LANES 16.0
/* Rows of fewer elements are as well counted through: their ends are much of what loops over them do. A choice. */
#define LEAST_ROW 16
#define NARROW_VECTOR 16 /* bytes */
/* .. of which an access or a shuffle takes this share of an operation, as more of them are issued beside the others.
 * Products of matrices in plain loops take .18 ns for each multiplication in vectors of 16 bytes, .10 in those of 32; in
 * register tiles .115 and .04 (Emerald Rapids). */
#define NARROW_ACCESS 0.5
/* Elements of a vector may be so far apart: LLVM loads what is between, and shuffles. */
#define MOST_INTERLEAVED 4
/* Where LLVM's checks for overlaps keep it from that: numbers next to each other in straight code, as of a complex one, are
 * computed at once, with shuffles. Measured: updates of columns of complex numbers. */
#define STRAIGHT_LANES 2.5
/* .. as are so many, where they aren't kept from it: a row of five doubles of five-point stencils took as long as loops over
 * whole rows (Zen 4). */
#define LEAST_TOGETHER 4
#define SHORT_ROW 16      /* a row of fewer elements, as of colours, is next to its neighbours. A choice */
#define GUARDED_LANES 2.0 /* the same where stores, or loads, depend on data: many targets do these lane by lane */
/* The share of instances that change something, where they rarely do: the blocks that these are in run one by one. Maxima of
 * 32000 random numbers change 10 times. A choice. */
#define RARE_SHARE 0.0625
#define LOOP_OVERHEAD 20.0 /* one run of the innermost loop: a branch that isn't predicted, and the loop's set-up */
#define FORK_OVERHEAD 5e3  /* one run of a parallel loop: to wake a team of libgomp's */
#define BLOCK_OVERHEAD 500 /* one block of a doacross loop: another core is told, and told of one. Not measured */

/* ---- instances at once (access/issue.c) ------------------------------------------------------------------ */

/* A vector, from the second cache: what tiles and lanes walk along is too much for the nearest. */
#define LOAD 1.0
#define STORE 2.0
#define NARROW_LOAD 0.33 /* of these, for vectors of NARROW_VECTOR bytes: three come in a cycle */
#define SHUFFLE 0.5      /* of rows of a matrix, for each time that the lanes can be halved */
#define LANE 1.5         /* to load or store one lane's number alone */
/* Where data says one of so many elements, what it has said before is in a cache. A choice, not measured. */
#define DATA_AT_HAND 8192
#define DIVISION 10.0 /* one, of vectors, */
/* .. of numbers: one is begun every 4 or 5 cycles. With 0, 8 tridiagonal systems of 33 stay as they are, which gain 3.6 in
 * lanes (Zen 5). */
#define DIVISION_ALONE 4.0
/* What a chain takes longer where its value goes through memory: LLVM can't tell that other chains don't write it. */
#define FORWARD 8.0
/* .. and parts of complex numbers, in vectors of 64 bytes, which cross lines of the cache as a rule, and are shuffled: rows
 * of 16 took 50 cycles each, of 20 36 (Zen 5). */
#define FORWARD_PARTS 37.0
/* A tile leaves one of so many registers free: instructions are reordered for speed before registers are given to them.
 * With but one of 32 to spare some sums have gone to memory and back. */
#define SPARE_OF 16
/* Registers for what picks every other number, or the like, of vectors in a register tile, and for what is computed of each
 * row besides, such as conjugates: without them sums went to memory and back (complex solves, half as fast). */
#define SPREAD_REGISTERS 3
/* .. where there are more operations than those for each part of the operand that vectors are of: complex products have no
 * more, and are as fast with all registers (Zen 5). */
#define COMPLEX_PRODUCT 2
/* Data of known size is in the cache that holds it so many times. 640 KB were as fast as from the second one of 1 MB
 * (TSVC's s211, Zen 5: 4.7 times as fast in vectors). */
#define HELD_TIMES 2
/* Of two tiles that cost about the same, the smaller has fewer edges. */
#define SAME_TILE 0.98
/* Lanes are worth it where they take no more than that of what the instances take one by one, .. */
#define LANES_WORTH_IT 0.5
/* .. and twice the vectors where they take less than that of half of them. */
#define LANES_WORTH_CODE 0.7

/* ---- what code costs at small sizes (ast/sizes/size_costs.c), in the same cycles -------------------------------
 *
 * Measured with bench/sizes on a core with vectors of 64 bytes: with these numbers the cost of a product of matrices, of a
 * matrix and a vector, of filters and triangular ones is mostly within a factor of 1.5, from one to a million instances. */

/* A step of a loop around others, or a condition. */
#define STEP_COST 1.0
/* One run of an innermost loop that is short: its branches are predicted. */
#define ENTRY_COST 2.0
/* The same where its vectors are preceded by a look at two arrays that may overlap. Hand-tiled products of 2 arrays beside
 * the one that is written, with rows of 16 and 32 elements: 8 and 14 cycles more than the vectors (Emerald Rapids). */
#define OVERLAP_COST 3.0
/* One run of a register tile. */
#define TILE_COST 8.0
/* With data at hand vectors of fewer than WIDE_VECTOR bytes take less than the estimate says, and tiles of these less still
 * if they are longer than NARROW_VECTOR. Products of matrices, cycles for a multiplication: in loops .55 of 16 bytes, .4 of
 * 32, in tiles .42 and .17; .67, .5, .36 and .29 by the estimate (Emerald Rapids, 60 x 70 x 80). */
#define WIDE_VECTOR 64
#define SHORT_VECTOR_WORK 0.7
#define MOST_OF_VECTOR 0.6 /* what takes more than that of an instance alone is no vector */
#define SHORT_TILE_WORK 0.6
/* Of what an operation takes, in a loop that is no vector loop: short ones overlap with what is around, and .. */
#define SHORT_WORK 0.6
/* .. of an accumulator neither load nor store is there. */
#define WAITING_WORK 0.5
/* Instructions that a core begins before one that waits: runs of a loop overlap with those behind. */
#define LOOKAHEAD 300.0
/* Loops of so few iterations, if it is known how many, clang makes straight code of, and vectors of that: what an operation
 * takes there, of what it takes in short loops. */
#define MOST_UNROLLED 16
#define STRAIGHT_WORK 0.1
/* Parts of a number, such as a complex one, are computed at once in short loops, and shuffled: so much less each takes.
 * Products of a complex symmetric matrix from the left took .4 of what was said of them at 16 x 16 (Zen 5), in part for what
 * is no matter of parts: with 1.3 new code begins where it gains. */
#define PARTS_AT_ONCE 1.3
/* A vector that is loaded, changed, and stored, under a mask. */
#define EDGE_COST 2.5
/* Times that where every other element is stored, or the like: two vectors, shuffles and masks, which tiles have ready;
 * edges make them anew, and load operands as well. By instructions: 10 and 28. */
#define HOLES_OF_TILE 1.2
#define HOLES_OF_EDGE 5.0
/* Vectors of NARROW_VECTOR bytes have no masks: elements that are left go one by one, and take so many times as long.
 * Triangular products of 33 x 8, in tiles of 6 columns, took 1.6 times as long as sums one by one (Emerald Rapids). */
#define WITHOUT_MASKS 3.0
/* A number that is stored alone, where a vector that has it is loaded next, waits for the cache: a triangular product in
 * place, which does that once a column, takes 16 cycles more for each. What is around it is taken for dearer than it is:
 * with 4 the product runs from 256 rows on, and gains from 150 on. */
#define MIXED_STORE 4.0
/* What the next operation waits for, of its latency, where masks and addresses are computed around it. */
#define MASKED_LATENCY 1.7
/* Times what lanes of an outer loop take where there are many: conditions, and iterations that are left beside them. */
#define LANES_COST 1.5
/* An element that is copied into a buffer, of many in a row, or of few, or from different rows. */
#define COPY_COST 0.4
#define ALONE_COPY_COST 1.5
/* A call of the new code, which saves and uses all registers. */
#define CALL_COST 30.0
/* One comparison of the bytes of two arrays. */
#define CHECK_COST 8.0
/* malloc, free, errno as it was, and lines of buffers that aren't in the nearest cache. */
#define MEMORY_COST 80.0
/* Buffers of more bytes than that may go back to the system each time that they are freed, .. */
#define KEPT_MEMORY 122880
/* .. and then cost so much for each page of them (Harris of 60 x 60 pixels with buffers of 230 KB: 5000). */
#define PAGE 4096
#define PAGE_COST 3000.0

/* ---- from which sizes on (ast/sizes/size_test.c) ----------------------------------------------------------------- */

/* New code runs at sizes at which it takes no more than that of the original. The costs of new code are rather too high:
 * with 0.8 no point of bench/sizes was better, and the mean gain 1.14 in place of 1.17. */
#define LEAST_GAIN_OF_SIZES 0.9
/* The same of vectors of NARROW_VECTOR bytes, of which less is known: distances of 16 points to 8 took 1.3 times as long as
 * by the original, with 0.9. */
#define LEAST_GAIN_OF_NARROW 0.75
/* The same of strips of complex numbers' sums, of which the original computes both parts at once, and where these read what
 * the nest writes: strips' own rows wait for each other. Products of a triangular matrix, transposed, and a vector took as
 * long as the original for 100 rows, .77 by the costs for 48; solves for 200, .36 by the costs (Zen 5). */
#define LEAST_GAIN_OF_PARTS 0.62
#define LEAST_GAIN_IN_PLACE 0.37
/* Where it takes more at large sizes, too, the gain is with caches: then no more than that times what it takes there. */
#define AS_LARGE 1.1
/* Where the gain is of caches alone, and what stages pass on is in memory as before, all data takes more than that: a third
 * cache, of which one core may have more than its share. Unsharp masks of 200 x 300 (4 MB) took 1.2 times what they took
 * without tiles, of 400 x 401 (10 MB) .9, of 640 x 640 (25 MB) .75. */
#define BEYOND_CACHES 16777216.0
/* Of panels it is their own array that has to be larger. All data is so many times that as a rule, and the number of steps
 * is a factor of the sizes' product, too. */
#define DATA_OF_PANELS 4
/* Strips of time steps save lines from the second cache. Where these take less than this share of what it takes to issue the
 * original, nothing is gained by that. Measured with data in the second cache (Emerald Rapids), share and speed-up: five
 * points .38: .97, .55: .88 to .93, 1.1: 1.12; three fields on a grid .71: 1.25, .96: 1.20; heat in three dimensions .67:
 * .99. */
#define SHARE_OF_NEAR 0.6
/* Where the last cache that is known is the second one, machines have up to so many times its size. Five points on 250 x 250
 * doubles, 1 MB, take 1.04 to 1.07 times as long in strips of time steps, in vectors of 16 or 32 bytes, where that is 2 MB.
 */
#define UNKNOWN_CACHE 4.0
/* Of all data an array is much if it is so much of it: a row of boundary values for each time step isn't. */
#define MUCH_OF_DATA 0.1
/* Vectors of the original lie across lines (tsr_issue_across), and lanes of outer loops are better, where there are so many
 * of them: with 33 rows of floats one is left for itself, and solves with 400 columns take 1.17 times as long (Zen 4). */
#define SEVERAL_VECTORS 4
/* .. and data is that much more than what would be in the nearest cache: where columns of 104 x 104 doubles begin with
 * lines, the original takes .77 of the time, from 128 x 128 on 1.2 times as long or more, wherever they begin. */
#define ACROSS_A_CACHE 3.5
/* The original of loops of few, known iterations is straight code, of which less is known: new code of which more is
 * expected was slower on filters of 8 taps (0.76) and triangular solves. It is left alone else: no gain with
 * caches makes up for that. Filters of three colours take .5 to .54 by this count, and .2 to .45 of the time, once arrays
 * are known to be apart (Emerald Rapids). */
#define LEAST_GAIN_OF_STRAIGHT 0.65
/* What is beside a sum that has become an array takes this share of its time in the program, where the sum is in a register
 * and waits. By the model's own numbers, of symmetric products by dot products: 4 cycles an iteration for the sum, which
 * waits, 2.7 for the rest, which fits into that but for a little. */
#define SHARE_BESIDE_SUMS 0.3
/* Data is in the next cache where there is so many times what a cache holds. A choice, not measured: with 1, some of it is
 * still there. */
#define TIMES_A_CACHE 2.0
/* Where all sizes are known, and the original takes fewer cycles than that, its data is in a cache. */
#define IN_CACHE 1e5
/* A product of sizes that is asked for only where some of them are small may be so much more than one of equal sizes. */
#define MOST_OF_SKINNY 2.0
/* A variant for small sizes is there where tiles ask for a product of sizes of that at least, and it for so much less, .. */
#define LEAST_OF_TILES 128
#define LESS_OF_SMALL 4
/* .. and none of them much larger: it needs a few vectors of the size that lanes run along, of which tiles ask 1 to 4 (a
 * complex solve from the right: 20), .. */
#define MORE_OF_SMALL 32
/* .. each at least that: with less, products of a matrix of 33 x 2 and itself took 1.5 times as long (Emerald Rapids). */
#define LEAST_OF_SMALL 4
/* Where one asks for less of some size and for more of another, what is in front of both asks for a product of sizes of
 * that: else calls that find nothing to do count. Products of 2 x 8 x 4 took 1.25 times as long (Emerald Rapids). */
#define ENOUGH_TO_ASK 128.0
#define LESS_OF_BOTH 2 /* so much less must then be left */
/* .. and where it takes no more than that of the original at the least sizes at which tiles are faster than that. */
#define GAIN_OF_SMALL 0.75
/* Tiles run instead of it where they take no more than that of what it does. Complex solves: what is beside tiles takes more
 * than the estimate says, so that these take 1.6 times as long at 100 x 100, .9 at 150, .7 at 1000. */
#define GAIN_OF_TILES 0.85
/* .. or, where the costs at sizes never say so, at sizes so many times as large as those at which they beat the original:
 * complex solves from the left do that from 192 on, and plain loops from 350 on. */
#define LATER_TILES 2
/* No product of sizes is compared to more. */
#define MAX_PRODUCT 1048576.0

/* ---- when a change is worth it ------------------------------------------------------------------------- */

/* Cycles for a page that is touched for the first time, of memory that was just allocated: the kernel finds and clears it.
 * In a virtual machine (Zen 5) 1.5 microseconds, as measured; without one about a third of that. */
#define FRESH_PAGE 1500
/* Blocks that are smaller are used again, when they were freed: glibc's M_MMAP_THRESHOLD at first. */
#define FRESH_BYTES (128 * 1024)

/* With fewer instances than that no change is: what is checked at run time costs about as much. */
#define MIN_INSTANCES 1e4
/* An instance that may change what the next one asks about, as in a search for a maximum and its place, waits for the one
 * before, whatever else runs: it takes as long as so many others. */
#define RARE_INSTANCES 16
/* In a run of such a loop so many iterations are taken to run as they are, after they were looked over: in data without an
 * order the k-th block changes the maximum once in k cases. */
#define UNSURE_ITERATIONS (3 * TSR_RARE_BLOCK)
/* Where loops behind a condition on data run in any case, how often it holds, counted in front, must speak for them by so
 * much: walks along 2000 rows in place of down columns were estimated at .227, took .12 to .20 (Zen). */
#define MARGIN_OF_OFTEN 1.25
/* Caches do better than predicted where little is reused: tiled transpositions are slower at 0.7. */
#define MIN_GAIN 0.65
/* Strips of time steps, panels and overlapped tiles that leave arrays out keep the innermost loops as they are: what is
 * predicted is about caches alone, and less than true. (Not where all arrays are written still: a blur of two passes was
 * predicted 0.79, and took 1.85 times as long.) */
#define MIN_GAIN_OF_STRIPS 0.8
/* Where arrays are left out, what pages of new memory take counts for a third of what was measured at most (FRESH_PAGE): two
 * passes of a filter of five taps are predicted 0.80, and take 0.36 of the time (Emerald Rapids). */
#define MIN_GAIN_OF_LESS 0.85
/* Nests fused row by row store what they stored, where they did, in the same loops, and nothing twice: an interpolation is
 * predicted 0.89 and takes 0.87 to 0.93, fluxes 0.90 and 0.83, blending 0.85 and 0.81, a raw image 0.91 and 0.65. */
#define MIN_GAIN_OF_ROWS 0.92
/* Loops that store past the caches stay as they are, too, and what they gain is known: sums of two arrays of 64 to 128 MB
 * are predicted 0.75 and take 0.69 to 0.73, sums of five neighbours .67 and .80 (Zen 4). */
#define MIN_GAIN_OF_STREAMS 0.92
/* Tiles with buffers that leave no array out, beside nests fused row by row, take so much more than is predicted: a blur of
 * two passes is predicted 0.96 of rows and takes 1.86, an unsharp mask 0.91 and 1.15, fluxes 0.87 and 1.27, a filter of
 * nights 0.85 and 0.92. */
#define WRITTEN_BESIDE 1.16
/* Register tiles gain more than caches do: what is loaded and stored between. Of a vector loop that is predicted to take 1.4
 * times as much as tiles they were 1.7 times as fast (a triangular product of doubles, vectors of 32 bytes). */
#define MIN_GAIN_OF_TILES 0.8
/* Outer loops in lanes with buffers, the same: triangular solves and products from the right, backwards, are predicted .69
 * to .81 and take .45 to .70 of the time from 150 x 150 on (Zen 4). */
#define MIN_GAIN_OF_LANES 0.85
/* Tiles must hardly be dearer where memory is so many times as slow, as it is for more data than was assumed: distances
 * of floats in four dimensions, whose sums' first values are a pass over memory of their own, took 0.5 to 0.75 of the time
 * up to 1500 x 1500, twice as long from 2000 x 2000 on (Zen 4). */
#define FAR_AS_DEAR 2
/* .. Strips of sums of two matrices gain nothing there, by the model's own numbers: 1.06. Those distances are 1.37. */
#define AS_DEAR_FAR 1.1
/* Where vectors are made in place of numbers in loops in pieces, and memory is waited for, loops at borders, which the
 * estimate adds to that, may make it so much dearer. */
#define AS_DEAR 1.1
/* .. and where they have one form by so little: loops split at the element that they all read (TSVC's s1113, s122) have an
 * end more, .1 % dearer, and took .25 to .5 of the time where data was at hand (Zen 4). */
#define EQUALLY_DEAR 1.01
/* A model with sums as arrays is chosen without a look at the one without if it costs no more than that of the original:
 * with scalars a sum is a chain, and no order makes vectors of it. Saves the time of the other plan; a choice, not measured.
 */
#define CLEAR_GAIN 0.4
/* Else it must cost no more than that of what it costs with scalars. A choice, not measured: about what the estimate is good
 * for (MIN_GAIN). Of the original, what register tiles may cost (MIN_GAIN_OF_TILES): a triangular solve of floats that skips
 * zeros is predicted .79 and takes .37 (Zen 4). */
#define EXPANSION_GAIN 0.75
/* The same where both have register tiles, whose parts cost alike: with scalars what runs once in a loop around is in the
 * tiles' edges, at strides. Triangular products from the left are predicted .83 and .90, and take .52 and .76 of the time
 * (floats and doubles, Zen 5). */
#define EXPANSION_GAIN_OF_TILES 0.92
/* A part that costs this much of the original in its best candidate is not worth a change. */
#define NO_GAIN 0.85

/* ---- loops in pieces (tree/access_pieces.c) --------------------------------------------------------------------- */

/* Iterations that are one after the other in the code, for subscripts such as i / 2: more of them LLVM makes no shuffles of.
 */
#define MOST_PIECES_UNROLLED 4
/* Loops of so many iterations together, if it is known how many, are unrolled, so that what is around is a vector loop:
 * filters of 5 x 5 taps, of 3 x 3 for three colours. */
#define MOST_STRAIGHT 27
/* .. and no more operations than that: LLVM's limit for loops that it unrolls whole. */
#define MOST_STRAIGHT_CODE 300
/* Of a loop's iterations those in which accesses have one form are no less than that. A choice: the estimate, which sees how
 * many there are, decides. */
#define LEAST_REGULAR 0.5

/* ---- overlapped tiles (tree/stages/overlapped_tiles.c) ------------------------------------------------------------- */

/* A stage is computed in the tiles that read it if they compute no more than this many times its instances. A choice, as is
 * the next: what a tile computes again the estimate counts, and whether all is worth it it decides. */
#define MOST_OVERLAP 1.5
/* Times that an element which is written crosses what is between a core and memory: it is fetched, written back, and read. A
 * stage with several readers may be computed in each of them for as long as that takes. */
#define CROSSINGS 3
/* Of vectors that only LLVM may make of such a stage, as with gathers, each lane takes so many times as long. A choice, not
 * measured. */
#define LANES_OF_OTHERS 2.0
/* Where vectors have halves, loops that wait for memory have these, if so much of the wait is for lines that they write: an
 * Emerald Rapids takes 1.45 times as long for four arrays whose vectors don't begin at a line, one or two of which are read,
 * and hardly longer where nothing is stored. */
#define STORED_OF_STREAMS 0.25
#define HALF_VECTOR 32 /* bytes */
/* All buffers of a tile take no more than this of the second cache, in which there is more than buffers. */
#define BUFFERS_OF_CACHE 0.6
/* The innermost loop of a tile: long enough for vectors, short enough for rows of several buffers in the nearest cache.
 * Harris of 6400 x 9600 in tiles of 8 x 256 .042 s, 16 x 256 .042, 64 x 256 .041, 16 x 512 .043, 32 x 128 .045, 32 x 64
 * .050, 8 x 8192 .050. */
#define TILE_COLUMNS 256
/* Longer, where so many rows of all buffers fit in the second cache. A blur in two passes of numbers of 16 bits, 2832 x
 * 4256, in tiles of 64 x 256 5.9 ms, 64 x 512 5.6, 64 x 1024 5.2, 64 x 4096 2.7; an unsharp mask 64 x 256 24, 64 x 512 22.
 */
#define MOST_COLUMNS 4096
/* The same where tiles write what the caller sees: memory is what they wait for, and rows that begin anew cost more than
 * rows in the nearest cache gain. An unsharp mask of 1600 x 1600 in tiles of 64 x 256 .031 s, 32 x 1024 .027, 32 x 2048
 * .017, 8 x 4096 .017, without tiles .025; of 2832 x 4256 .127, .090, .087, .084, .123. */
#define LONG_COLUMNS 2048
/* Loops of so few iterations, as over channels, aren't cut. */
#define SHORT_LOOP 16
/* Tiles of fewer rows compute too much again, of more have no less to compute that counts. */
#define LEAST_ROWS 8
#define MOST_ROWS 64

/* ---- which candidates are tried, and which wins ------------------------------------------------------------ */

/* A candidate in the original order is taken if it costs no more than this times the scheduler's best: the model can't tell
 * such two apart, and of the two it is the one that the programmer chose. Not where threads are asked for: the scheduler
 * looks for work for them. */
#define TIE 1.02
/* By default Feautrier's schedule is a candidate, too, if so much of the budget is left: it is found quickly, and where it
 * wins, it does so clearly. */
#define ENOUGH_LEFT 0.75
#define CLEARLY 0.9
/* Feautrier's schedule and panels improve on what is good already: of some 200 nests (the kernels, those of GSL and opus
 * that take longest) they won in none in which no other candidate cost less than this much of the original. But panels are
 * looked for, too, where issuing instances is no more than this of the cost, and the rest is waiting for caches. */
#define SOME_GAIN 0.9
#define FEW_ISSUES 0.3
/* Threads that leave no more than this of the cost have enough to do, for two cores: nothing better is looked for. Nor is it
 * where loops wait for each other block by block: a wavefront, which all threads wait for, only looks better. */
#define GOOD_FOR_THREADS 0.8
/* Another schedule must cost no more than this: it may take apart what is together on one core, and how loops that are not
 * innermost share lines, the model doesn't see. */
#define OTHER_FOR_THREADS 0.6
/* Loops further out, with private arrays, have more to do each time that threads meet than those further in, which the model
 * doesn't see: may it take them for dearer by this. */
#define AS_GOOD 2

/* ---- GPUs -------------------------------------------------------------------------------------------------- */

/* No more than this part of the time may be in kernels of one thread: a core is many times as fast. */
#define MOST_LONELY 0.5

/* Panels of lanes may cost so much more than lanes alone: that each row is in a page, and across lines, of its own, and that
 * rows fall on the same sets of a cache, the model doesn't see. A triangular solve with many right-hand sides,
 * predicted 1.01, took 0.66 of the time with 500 rows of 500 (Emerald Rapids), 0.55 with 1000, 0.27 with 512. */
#define MOST_FOR_PANELS 1.1

/* ---- shares of the budget ---------------------------------------------------------------------------------- */

/* Operations for each pair of a write and another access to an array: where there are 8,000 of these in 61 statements of
 * NAS's SP it was 318, with 30,000 of 145 it was 246, with fewer more. What is there no budget for is known before it is
 * spent. */
#define LEAST_PER_PAIR 200

/* Until it is known that a change is worth it, a part of the budget must do: most that comes so far in vain is dear. A blur
 * with clamped borders, of which accesses are separated last, takes .334. */
#define SHARE_OF_CHOICE 0.35
/* Where a change is likely. Of a pipeline tiles take most of what it takes: of 18 million operations for one of 40
 * stages 10.5 come before it is known. Lanes in panels, where there may be some, come last, and often nothing else pays: of
 * a complex solve 1.4 million of 2.3. */
#define SHARE_OF_LIKELY 0.7
/* A pipeline of more statements than that is long: its tiles are looked for alone. A choice, between the 12 statements of
 * pipelines that other schedules are tried for as well and the 37 of one for which these take half of the time. */
#define MANY_STAGES 16
/* The same of one whose arrays all are needed behind it, of more nests than that: other schedules are tried for its parts.
 */
#define MANY_NESTS 12
/* Of what is left, for candidates without which there is a tree: the rest is for checks and the AST. */
#define SHARE_OF_TRIALS 0.6
/* Of what is left in front of these, for loops whose reads might come first: few have many accesses. */
#define SHARE_OF_PRELOADS 0.2
/* Of what is left of that, for programs with buffers: they come last. */
#define SHARE_OF_PROGRAMS 0.9
/* Parallel loops further out, with private arrays, need not be found, but nothing comes behind them: this much of what is
 * left. */
#define SHARE_OF_PRIVATE 0.8
/* So need panels in an array of their own, and the proof of it. */
#define SHARE_OF_PANELS 0.5
/* They take so many times the operations that dependences took: 9 to 12 in the six nests of lit/panels-*.c and bench/ that
 * have some. A tree without takes 4 to 6 times as many. */
#define PANELS_BY_DEPENDENCES 16
/* What has been chosen has so much of the budget more to be checked, and to become an AST: all would be in vain else. A
 * complex solve of 7 statements needs 4.4 million operations in all, 2.2 million of them for that. */
#define SHARE_TO_FINISH 0.6
/* So need a test of sizes. Without it new code runs at all of them, so that it has some operations in any case: 250,000 to
 * 580,000 were needed for complex products and solves of 13 to 18 statements. */
#define SHARE_OF_SIZES 0.5
#define LEAST_OF_SIZES 600000
/* .. and for a variant for sizes at which tiles don't pay. */
#define SHARE_OF_SMALL 0.2
/* Loops that store past the caches are found by looking at each once. */
#define SHARE_OF_STREAMS 0.3
/* The variant for a GPU has this part of what is left at the end: the CPU's is there already. */
#define SHARE_OF_GPU 0.95
/* Of that, the one with sums in registers; the rest is for one without. */
#define SHARE_OF_GPU_TILES 0.75

#endif
