#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Compares random programs whose subscripts have borders, compiled with Tessera, against plain clang -O1.

Each seed is one function of a few nests that read neighbours: clamped, mirrored, periodic, by guards, at half or double
resolution, by parity, in loops over taps or one by one, in the same array or in another one; with --flat in rows behind
plain pointers, in loops that begin at parameters or are cut into tiles; with --index in one loop over all elements; with
--running by subscripts and pointers that run on from row to row; with --searches beside loops that are left in the middle; with
--pairs products and solves of complex numbers. It is compiled with Tessera's defaults, forced, with the command separate(), and late in the pipeline, and called at small, odd and
larger sizes. The last line is `fuzz borders: N passed, N failed, N skipped`; failing programs are kept in build/fuzz-failures.
"""
import argparse
import random
import sys
import tempfile
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import harness
from fuzzer.pairs import Pairs
from fuzzer.running import Running
from fuzzer.searches import Searches

FAILURES = harness.ROOT / "build" / "fuzz-failures"
SIZES = [(0, 0), (1, 1), (1, 7), (2, 2), (3, 4), (4, 5), (5, 8), (7, 16), (8, 17), (3, 31), (33, 33), (20, 64), (9, 97), (40, 130)]
TYPES = ["float"] * 5 + ["double"] * 2 + ["int", "unsigned char", "short"]
COUNTERS = ["int"] * 5 + ["long"] * 2 + ["unsigned", "short"]
MAIN = """
#include <stdio.h>
#include <stdlib.h>
#define LESS(a, b) ((a) < (b) ? (a) : (b))
#define MORE(a, b) ((a) > (b) ? (a) : (b))
#define CLAMP(x, n) ((x) < 0 ? 0 : (x) > (n) - 1 ? (n) - 1 : (x))
#define CLAMP2(x, n) MORE(LESS(x, (n) - 1), 0)
#define MIRROR(x, n) ((x) < 0 ? -(x) : (x) > (n) - 1 ? 2 * (n) - 2 - (x) : (x))
#define AROUND(x, n) ((x) < 0 ? (x) + (n) : (x) >= (n) ? (x) - (n) : (x))
#define MODULO(x, n) (((x) + (n)) %% (n))
%(text)s
int main(void)
{
  static const int size[][2] = {%(sizes)s};
  for (unsigned s = 0; s < sizeof(size) / sizeof(*size); s++) {
    int h = size[s][0], w = size[s][1];
    unsigned long sum = 14695981039346656037UL;
    if (h < %(least)d || w < %(least)d)
      continue;
%(make)s
    %(call)s;
%(hash)s
    printf("%%d %%d %%lx\\n", h, w, sum);
%(free)s
  }
}
"""


class Borders:
    """Arrays have h rows of w elements."""

    def __init__(self, seed):
        r = self.r = random.Random(seed)
        self.name, self.least = f"f{seed}", 0
        self.arrays = [(f"x{k}", r.choice(TYPES)) for k in range(r.choice([2, 2, 3, 4]))]
        self.restrict = r.random() < 0.8
        self.nests = [self.nest() for _ in range(r.choice([1, 1, 1, 2, 3]))]

    def subscript(self, v, n, signed, taps):
        """Of a dimension of N elements, by the counter V, SIGNED or not."""
        r, d = self.r, self.r.choice([-3, -2, -1, -1, 1, 1, 2, 3])
        x = f"{v} + {taps}" if taps and r.random() < 0.8 else f"{v} {'+' if d > 0 else '-'} {abs(d)}"
        kind = r.random()
        if not signed:
            return v if kind < 0.4 else f"{v} / {r.choice([2, 3, 4, 5])}" if kind < 0.7 else f"LESS({v} + {abs(d)}, (unsigned){n} - 1)"
        if kind < 0.25:
            return v
        if kind < 0.5:
            return f"{r.choice(['CLAMP', 'CLAMP', 'CLAMP2'])}({x}, {n})"
        if kind < 0.58:
            self.least = max(self.least, 4)
            return f"MIRROR({x}, {n})"
        if kind < 0.7:
            self.least = max(self.least, 4)
            return f"{r.choice(['AROUND', 'MODULO'])}({x}, {n})"
        if kind < 0.82:
            return f"{v} / {r.choice([2, 2, 3, 4, 8])}"
        if kind < 0.88:
            return f"LESS(({v} + {r.randint(1, 3)}) / 2, {n} - 1)"
        if kind < 0.94:
            return f"LESS(2 * {v} + {r.randint(0, 1)}, {n} - 1)"
        return f"({v} % 2 ? {v} : {v} / 2)" if r.random() < 0.5 else f"{n} - 1 - {v}"

    def read(self, variables, signed, taps):
        r = self.r
        name = r.choice(self.arrays)[0]
        i, j = variables if r.random() < 0.9 else variables
        row = self.subscript(i, "h", signed, taps[0]) if r.random() < 0.5 else i
        at = self.element(name, row, self.subscript(j, 'w', signed, taps[1]))
        if signed and r.random() < 0.1:
            d = r.choice([-2, -1, 1, 2])
            x = f"{j} {'+' if d > 0 else '-'} {abs(d)}"
            return f"({x} >= 0 && {x} < w ? {self.element(name, i, x)} : 0)"
        return at

    def element(self, name, row, column):
        return f"{name}[{row}][{column}]"

    def loops(self, head):
        """HEAD, the loops over i and j, as they are to be."""
        return head

    def nest(self):
        r = self.r
        counter = r.choice(COUNTERS)
        signed = counter != "unsigned"
        name, kind = r.choice(self.arrays)
        reads = lambda taps: r.choice([" + ", " + ", " - "]).join(
            self.read(("i", "j"), signed, taps) + r.choice(["", "", " * 2"]) for _ in range(r.choice([1, 2, 2, 3, 5])))
        integral = kind not in ("float", "double")
        fit = (lambda text: f"({kind})((long)({text}) & 63)") if integral else (lambda text: f"({kind})({text})")
        end = r.choice(["w"] * 8 + ["w / 2", "w - 1", "(w + 1) / 2"]) if signed else "(unsigned)w"
        low = r.choice([0] * 8 + [1, 2])
        head = [f"for ({counter} i = 0; i < {'h' if signed else '(unsigned)h'}; i++)", f"for ({counter} j = {low}; j < {end}; j++)"]
        if r.random() < 0.1:
            head[1] = f"for ({counter} j = {low}; j < {end}; j += {r.choice([2, 3])})"
        if r.random() < 0.06:
            head.reverse()
        if signed and r.random() < 0.35:  # loops over taps
            first, last = r.choice([(-1, 1), (-1, 1), (-2, 2), (0, 3)]), r.choice([(-1, 1), (-2, 2), (0, 1)])
            loops = f"for (int k = {first[0]}; k <= {first[1]}; k++)"
            taps = (None, "k")
            if r.random() < 0.5:
                loops, taps = f"for (int y = {last[0]}; y <= {last[1]}; y++) " + loops, ("y", "k")
            body = f"{{ {r.choice(['float', 'double'])} s = 0; {loops} s += {reads(taps)}; {self.element(name, 'i', 'j')} = {fit('s')}; }}"
        elif r.random() < 0.08:
            written = self.element(name, "i", "j")
            body = f"if (j % 2) {written} = {fit(reads((None, None)))}; else {written} = {fit(reads((None, None)))};"
        else:
            body = f"{self.element(name, 'i', 'j')} {'+' * (r.random() < 0.1 and not integral)}= {fit(reads((None, None)))};"
        return "\n    ".join(self.loops(head)) + "\n      " + body

    def given(self):
        """The function's parameters behind h and w."""
        restrict = "restrict " if self.restrict else ""
        return ", ".join(f"{kind} {name}[{restrict}h][w]" for name, kind in self.arrays)

    def passed(self):
        return ", ".join(f"(void *){name}" for name, _ in self.arrays)

    def text(self):
        return "\n".join([f"__attribute__((noinline)) void {self.name}(int h, int w, {self.given()})", "{"]
                         + ["  " + nest for nest in self.nests] + ["}"])

    def program(self):
        make = "\n".join(f"    {kind} *{name} = malloc((h * w + 1) * sizeof({kind}));\n    for (long k = 0; k < h * w; k++)\n"
                         f"      {name}[k] = ({kind})(k * {7 + 2 * n} % 23 + {n});" for n, (name, kind) in enumerate(self.arrays))
        call = f"{self.name}(h, w, {self.passed()})"
        digest = "\n".join(f"    for (unsigned long k = 0; k < h * w * sizeof(*{name}); k++)\n"
                           f"      sum = (sum ^ ((unsigned char *){name})[k]) * 1099511628211UL;" for name, _ in self.arrays)
        return MAIN % {"text": self.text(), "make": make, "call": call, "hash": digest, "least": self.least,
                       "sizes": ", ".join(f"{{{h}, {w}}}" for h, w in SIZES),
                       "free": "\n".join(f"    free({name});" for name, _ in self.arrays)}


class Flat(Borders):
    """Arrays are rows of w elements behind plain pointers: neighbours are one offset or another of these. Loops begin at
    parameters, or are cut into tiles of a parameter."""

    def element(self, name, row, column):
        r, c = self.r, f"({row}) * w + {column}"
        kind = r.random()
        if row != "i" or column != "j" or kind < 0.5:
            return f"{name}[{c}]"
        return name + r.choice([f"[i == 0 ? {c} : {c} - w]", f"[i == h - 1 ? {c} : {c} + w]", f"[j == 0 ? {c} : {c} - 1]",
                                f"[j < w - 1 ? {c} + 1 : {c}]", f"[i > 0 ? {c} - w : {c} + (h - 1) * w]", f"[{c}]"])

    def loops(self, head):
        r, found = self.r, []
        for loop in head:
            counter, v = loop[5:].split(" ", 2)[:2]
            end = loop.split("; ")[1].split(" < ")[1]
            kind = r.random()
            if kind < 0.3 and loop.endswith("++)"):
                loop = f"for ({counter} {v} = {v}0; {v} < LESS({v}1, {end}); {v}++)"
            elif kind < 0.6 and loop.endswith("++)") and counter in ("int", "long"):
                low = loop.split(" = ")[1].split(";")[0]
                found.insert(0, f"for ({counter} {v}t = {low}; {v}t < {end}; {v}t += tile)")
                loop = f"for ({counter} {v} = {v}t; {v} < LESS({end}, {v}t + tile); {v}++)"
            found.append(loop)
        return found

    def given(self):
        restrict = "restrict " if self.restrict else ""
        pointers = ", ".join(f"{kind} *{restrict}{name}" for name, kind in self.arrays)
        return "int i0, int i1, int j0, int j1, int tile, " + pointers

    def passed(self):
        return "h > 9, h - (h > 4), w > 20 ? 2 : 0, w, w % 5 ? 16 : 37, " + super().passed()


class Index:
    """One loop over a flat index, with its row and its column, w elements a row, from and to anywhere."""

    SIZES = [(1, 1, 1, 1), (1, 40, 0, 40), (7, 9, 3, 60), (7, 9, 0, 63), (16, 16, 5, 250), (33, 20, 40, 640), (100, 3, 0, 299),
             (100, 30, 150, 2999), (64, 64, 64, 4096), (2, 50, 1, 99), (5, 0, 0, 0), (3, 5, 7, 7), (1000, 2, 10, 900), (250, 8, 9, 1999)]

    def __init__(self, seed):
        r = random.Random(seed)
        self.name = f"f{seed}"
        counter = r.choice(["int", "int", "long", "unsigned", "unsigned long", "short", "unsigned short"])
        width = counter if r.random() < 0.8 else r.choice(["int", "long", "unsigned"])
        kind = r.choice(["float", "double", "int", "unsigned char"])
        end = r.choice(["k < e", "k <= e", "k < w * h", "k != e"])
        start = "0" if "!=" in end else r.choice(["0", "s", "s", "1"])
        row, column = r.choice([("k / w", "k % w"), ("k / w", "k - k / w * w"), ("(k / w)", "(k % w)")])
        reads = ["a[k]", f"a[{column}]", f"a[({row}) % 7]", f"(({column}) > 0 ? a[k - 1] : a[k])", f"({kind})({row})",
                 f"({kind})(({column}) & 15)", f"(({row}) > 0 ? a[k] : a[{column}])"]
        value = " + ".join(r.choice(reads) for _ in range(r.choice([1, 2, 3])))
        written = r.choice([f"o[{row} * w + {column}]", "o[k]", f"o[({row}) * (w + 1) + {column}]"])
        body = f"{written} = ({kind})({value});"
        if r.random() < 0.25:
            body = f"{{ {kind} t = 0; for (int l = 0; l < 5; l++) t += a[({column}) + l]; {written} = ({kind})(t + {value}); }}"
        if r.random() < 0.15:
            body = f"if (a[k] > 2) {body}"
        if r.random() < 0.1:
            body = f"{{ all += a[k]; {body} }}"
        restrict = "restrict " if r.random() < 0.7 else ""
        self.text = f"""#include <stdio.h>
#include <string.h>
static {kind} all;
__attribute__((noinline)) void {self.name}({kind} *{restrict}o, const {kind} *{restrict}a, {width} w, {width} h, {counter} s, {counter} e)
{{
  for ({counter} k = {start}; {end}; k++)
    {body}
}}
int main(void)
{{
  static {kind} a[6000], o[14000];
  static const int size[][4] = {{{", ".join("{%d, %d, %d, %d}" % size for size in self.SIZES)}}};
  for (int i = 0; i < 6000; i++)
    a[i] = ({kind})(i * 7 % 23);
  for (unsigned t = 0; t < sizeof(size) / sizeof(*size); t++) {{
    unsigned long sum = 14695981039346656037UL;
    memset(o, 0, sizeof(o));
    all = 0;
    {self.name}(o, a, size[t][0], size[t][1], size[t][2], size[t][3]);
    for (unsigned i = 0; i < sizeof(o); i++)
      sum = (sum ^ ((unsigned char *)o)[i]) * 1099511628211UL;
    printf("%u %lx %d\\n", t, sum, (int)all);
  }}
}}
"""

    def program(self):
        return self.text


def generator(args):
    if args.pairs:
        return Pairs
    return Flat if args.flat else Index if args.index else Running if args.running else Searches if args.searches else Borders


def is_clangs(compile_, built, wanted):
    """Is the program wrong without Tessera, too? So is clang 22's with a division of 16 bits under a condition."""
    got = harness.execute([built], 20) if compile_(["-O3", "-march=native"], built).rc == 0 else None
    return got is not None and (got.rc != wanted.rc or got.out != wanted.out)


def run(seed, args, folder):
    """[(way, outcome, was a loop taken apart?, why)]"""
    borders = generator(args)(seed)
    source, commands = folder / f"{seed}.c", folder / f"{seed}.commands"
    source.write_text(borders.program())
    commands.write_text(f"{borders.name}:\n  separate()\n")
    plain, built = folder / f"{seed}.plain", folder / f"{seed}.built"
    ways = [("by default", []), ("forced", ["force"]), ("commanded", [f"commands={commands}"]), ("late", ["position=late"]),
            ("forced late", ["position=late", "force"]), ("forced, for threads", ["force", "parallel"])]
    compile_ = lambda flags, output: harness.execute([harness.CLANG, "-w", "-ffp-contract=off", *flags, source, "-o", output, "-lgomp"], 60)
    result = compile_(["-O1"], plain)
    if result.rc != 0:
        sys.exit(f"seed {seed}: {result.err}")
    wanted = harness.execute([plain], 20)
    found = []
    for what, options in ways:
        result = compile_(["-O3", "-march=native", "-Rpass=tessera", "-Rpass-analysis=tessera",
                           *harness.plugin_flags(args.plugin, options)], built)
        if result.rc != 0 and what == "commanded" and "error: tessera" in result.err and "not legal" not in result.err:
            found.append((what, "skipped", False, ""))
            continue
        apart = "(taken) the best so far, accesses separated" in result.err or what == "commanded"
        got = harness.execute([built], 20, {"OMP_NUM_THREADS": "3"}) if result.rc == 0 else result
        same = result.rc == 0 and got.rc == wanted.rc and got.out == wanted.out
        if not same and result.rc == 0 and is_clangs(compile_, built, wanted):
            found.append((what, "skipped", False, ""))
            continue
        found.append((what, "passed" if same else "failed", apart, "" if same else result.err[-300:] if result.rc else "differs"))
        if not same:
            FAILURES.mkdir(parents=True, exist_ok=True)
            (FAILURES / f"borders-{seed}.c").write_text(f"// {what}: {' '.join(options)}\n" + source.read_text())
    for path in (source, commands, plain, built):
        path.unlink(missing_ok=True)
    return seed, found


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--count", type=int, default=60)
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--plugin", default=harness.PLUGIN)
    parser.add_argument("--flat", action="store_true", help="rows behind plain pointers, loops from parameters and in tiles")
    parser.add_argument("--index", action="store_true", help="loops over a flat index, with divisions")
    parser.add_argument("--running", action="store_true", help="subscripts and pointers that run on from row to row")
    parser.add_argument("--searches", action="store_true", help="innermost loops that are left in the middle")
    parser.add_argument("--pairs", action="store_true", help="products and solves of complex numbers")
    parser.add_argument("--show", action="store_true", help="print the programs and stop")
    args = parser.parse_args()
    seeds = range(args.seed, args.seed + args.count)
    if args.show:
        print("\n".join(generator(args)(seed).program() for seed in seeds))
        return 0
    counts, parts = Counter(), Counter()
    with tempfile.TemporaryDirectory(prefix="tessera-borders-") as folder, ThreadPoolExecutor(args.jobs) as pool:
        for seed, found in pool.map(lambda seed: run(seed, args, Path(folder)), seeds):
            for what, outcome, apart, why in found:
                counts[outcome] += 1
                parts[what] += apart
                if outcome == "failed":
                    print(f"seed {seed}, {what}: {why}", flush=True)
    print("loops taken apart " + ", ".join(f"{what}: {n}" for what, n in parts.items()))
    print(f"fuzz borders: {counts['passed']} passed, {counts['failed']} failed, {counts['skipped']} skipped")
    return counts["failed"] > 0


if __name__ == "__main__":
    sys.exit(main())
