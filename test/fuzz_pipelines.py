#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Compares random pipelines of stages compiled with Tessera against plain clang -O1.

Each seed is one function: stages in nests of their own that read neighbourhoods of what others computed, point by point, at
half or double resolution, with clamps, summed up, in place, or from a row before (which no tile can compute again), of planes that
data picks, in arrays of the function's own, the caller's, or both, some of which several nests fill; some results nobody
reads. It is compiled as it is chosen (force), by the commands
overlapped_tiles with random sizes, with and without threads, and shifted_fusion, and called at small, odd and larger sizes; with --gpu, for that
(early and late in the pipeline), on the interpreter of PTX (test/gpu/ptx.h), whose complaints fail, too. The last line is
`fuzz pipelines: N passed, N failed, N skipped`; failing programs are kept in build/fuzz-failures.
"""
import argparse
import random
import sys
import tempfile
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import harness
from fuzzer import gpu

FAILURES = harness.ROOT / "build" / "fuzz-failures"
SIZES = [(1, 1), (2, 3), (3, 2), (5, 4), (7, 9), (8, 16), (16, 8), (17, 15), (9, 33), (33, 40), (20, 70), (64, 65), (41, 270)]
TYPES = ["float"] * 5 + ["double"] * 2 + ["int", "unsigned char", "unsigned short", "short"]
MAIN = """
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
%(text)s
static unsigned long hash(const unsigned char *at, unsigned long bytes, unsigned long h)
{
  for (unsigned long i = 0; i < bytes; i++)
    h = (h ^ at[i]) * 1099511628211UL;
  return h;
}
int main(void)
{
  static const int size[][2] = {%(sizes)s};
  for (unsigned s = 0; s < sizeof(size) / sizeof(*size); s++) {
    int h = size[s][0], w = size[s][1];
    unsigned long sum = 14695981039346656037UL;
%(make)s
    long extra = %(call)s;
    sum = hash((unsigned char *)&extra, sizeof(extra), sum);
%(hash)s
    printf("%%lx\\n", sum);
%(free)s
  }
}
"""


class Array:
    def __init__(self, name, kind, local):
        self.name, self.kind, self.local = name, kind, local


class Pipeline:
    """Arrays have h + 8 rows of w + 8 elements (or are rows of w + 8), of which stages use a part that lies 4 inside."""

    def __init__(self, seed):
        r = self.r = random.Random(seed)
        self.name, self.flat = f"f{seed}", r.random() < 0.2
        self.channels = 0 if self.flat else r.choice([0, 0, 0, 3, 3])
        self.planes = bool(self.channels) and r.random() < 0.7  # outermost, else channels are innermost
        self.inputs = [self.array("in", k, False) for k in range(r.choice([1, 1, 2]))]
        own = r.choice([0, 0.5, 1, 1])
        self.arrays, self.nests = list(self.inputs), []
        # the part of each array that is surely written: its margin
        self.margin = {a.name: 0 for a in self.inputs}
        if random.Random(seed * 2 + 3).random() < 0.15:  # in place, of what was there before
            self.stage(self.inputs[0])
        for k in range(r.choice([2, 2, 3, 3, 4, 5, 6, 8, 11])):
            self.stage(self.array("x", k, r.random() < own))
        self.array_at_end()
        self.behind = r.random() < 0.15 and [a for a in self.arrays if a.local]

    def array(self, lead, k, local):
        return Array(f"{lead}{k}", self.r.choice(TYPES), local)

    def array_at_end(self):
        out = Array("out", self.r.choice(TYPES), False)
        self.stage(out)

    def declare(self, a, parameter):
        row = "" if self.flat else "[h + 8][w + 8]" if self.planes else "[w + 8]" + f"[{self.channels}]" * bool(self.channels)
        rows = "w + 8" if self.flat else str(self.channels) if self.planes else "h + 8"
        if parameter:
            restrict = "restrict " if self.restrict else ""
            return f"{a.kind} {a.name}[{restrict}{rows}]{row}"
        return f"{a.kind} (*{a.name}){row} = malloc(sizeof({a.kind}[{rows}]{row}));" if row else \
            f"{a.kind} *{a.name} = malloc(sizeof({a.kind}[{rows}]));"

    def element(self, a, di, dj, plane="c"):
        i, j = ("i", "j")
        c = f"[{plane}]" if self.channels else ""
        before, c = (c, "") if self.planes else ("", c)
        sub = lambda v, d: f"{v} + {d}" if d > 0 else f"{v} - {-d}" if d else v
        return f"{a.name}[{sub(j, dj)}]" if self.flat else f"{a.name}{before}[{sub(i, di)}][{sub(j, dj)}]{c}"

    def reads(self, a, reach):
        """An expression over elements of A within REACH."""
        r = self.r
        offsets = {(r.randint(-reach, reach), r.randint(-reach, reach)) for _ in range(r.choice([1, 1, 2, 3, 5]))}
        plane = lambda: self.r.choice(["c", "c", "c", str(self.channels - 1), f"(int)((long){self.element(a, 0, 0)} & 1) + 1"]) \
            if self.planes else "c"
        terms = [self.element(a, di, dj, plane()) for di, dj in sorted(offsets)]
        factor = lambda: r.choice(["", "", " * 2", " * 3", " + 1"])
        return r.choice([" + ", " - ", " + "]).join(f"({t}{factor()})" for t in terms)

    def stage(self, out):
        r = self.r
        sources = r.sample(self.arrays, min(len(self.arrays), r.choice([1, 1, 2, 3])))
        if r.random() < 0.8 and self.arrays[-1] not in sources:
            sources.append(self.arrays[-1])
        margin = max(self.margin[a.name] for a in sources)
        reach = r.choice([0, 0, 1, 1, 2]) if margin <= 2 else r.choice([0, 1]) if margin <= 3 else 0
        if out in self.arrays and r.random() < 0.7:
            reach = 0
        value = " + ".join(self.reads(a, reach) for a in sources)
        margin += reach
        kind = r.random()
        i, j = r.choice([("i", "j")] * 9 + [("j", "i")]) if not self.flat and not self.channels else ("i", "j")
        low, up = f"{margin}", margin
        integral = out.kind not in ("float", "double")
        fit = (lambda text: f"({out.kind})((long)({text}) & 63)") if integral else (lambda text: f"({out.kind})({text})")  # no overflow
        head = []
        if not self.flat:
            head.append(f"for (int i = {low}; i < h + 8 - {up}; i++)")
        head.append(f"for (int j = {low}; j < w + 8 - {up}; j++)")
        if (i, j) == ("j", "i"):
            head.reverse()
        parts = [f"for (int c = 0; c < {self.channels}; c++)"] * bool(self.channels)
        if self.planes and r.random() < 0.25:  # two nests fill it
            parts = [f"for (int c = 0; c < {self.channels - 1}; c++)", f"for (int c = {self.channels - 1}; c < {self.channels}; c++)"]
        heads = [[part, *head] if self.planes and r.random() < 0.8 else [*head, part] for part in parts] or [head]
        head = heads[-1]
        target = self.element(out, 0, 0)
        if kind < 0.12:  # summed up in place
            source = self.element(sources[0], 0, 0)
            body = f"{{ {target} = {fit(value)}; for (int k = 0; k < 3; k++) {target} += {fit(source + ' * (k + 1)')} {'>> 2' * integral}; }}"
        elif kind < 0.2:  # another nest goes on with the same array
            body = f"{target} = {fit(value)};"
            self.nests += ["\n    ".join(own) + "\n      " + body for own in heads]
            body = f"{target} += {fit(self.reads(sources[0], 0))};"
        elif kind < 0.27 and not self.flat:  # each row needs the one before
            body = f"{target} = {fit(f'{value} + (i > {low} ? {self.element(out, -1, 0)} : 0)')};"
        elif kind < 0.34 and self.planes:
            pick = self.element(sources[0], 0, 0)
            a, b = (self.element(r.choice(sources), 0, 0, plane) for plane in ("k", "k + 1"))
            body = f"{{ long k = (long){pick}; k = k < 0 ? 0 : k > 1 ? 1 : k; {target} = {fit(f'{value} + {a} - {b}')}; }}"
        elif kind < 0.34:
            body = f"{{ {out.kind} t = {fit(value)}; {target} = t > 3 ? t - 1 : t + 2; }}"
        else:
            body = f"{target} = {fit(value)};"
        if r.random() < 0.06:
            body = f"if (j > {low} + 1) {body}" + f" else {target} = 5;"
        for own in heads:
            self.nests.append("\n    ".join(own) + "\n      " + body)
        self.arrays += [out] * (out not in self.arrays)
        self.margin[out.name] = margin

    def text(self):
        self.restrict = self.r.random() < 0.7
        given = [a for a in self.arrays if not a.local]
        lines = [f"__attribute__((noinline)) long {self.name}(int h, int w, {', '.join(self.declare(a, True) for a in given)})", "{"]
        lines += ["  " + self.declare(a, False) for a in self.arrays if a.local]
        lines += ["  long extra = 0;"] + ["  " + nest for nest in self.nests]
        for a in self.behind or []:
            m = self.margin[a.name]
            lines.append(f"  extra += (long){self.element(a, 0, 0, '0').replace('i', str(m)).replace('j', str(m))};"
                         if m <= 4 else "")
        lines += [f"  free({a.name});" for a in self.arrays if a.local] + ["  return extra;", "}"]
        return "\n".join(lines)

    def program(self):
        text = self.text()
        given = [a for a in self.arrays if not a.local]
        elements = "(w + 8)" if self.flat else "(h + 8) * (w + 8)" + f" * {self.channels}" * bool(self.channels)
        make = "\n".join(f"    {a.kind} *{a.name} = malloc({elements} * sizeof({a.kind}));\n"
                         f"    for (long k = 0; k < {elements}; k++)\n      {a.name}[k] = ({a.kind})(k * {7 + 2 * n} % 23 + {n});"
                         for n, a in enumerate(given))
        call = f"{self.name}(h, w, {', '.join(f'(void *){a.name}' for a in given)})"
        bytes_of = lambda a: f"{elements} * sizeof({a.kind})"
        return MAIN % {"text": text, "make": make, "call": call, "sizes": ", ".join(f"{{{h}, {w}}}" for h, w in SIZES),
                       "hash": "\n".join(f"    sum = hash((unsigned char *){a.name}, {bytes_of(a)}, sum);" for a in given),
                       "free": "\n".join(f"    free({a.name});" for a in given)}


def ways(seed, name, folder, args):
    """(what, options) of each way to compile the program of SEED."""
    common = ["module-budget=0", "budget=30000000"]
    if args.gpu:
        common += ["force", "gpu"]
        return [("for a GPU", common), ("for a GPU, late", common + ["position=late"])]
    r = random.Random(seed * 2 + 1)
    commands = folder / f"{seed}.commands"
    sizes = f"{r.choice([1, 2, 3, 4, 8, 16])}, {r.choice([1, 3, 8, 16, 32])}"
    commands.write_text(f"{name}:\n  overlapped_tiles({r.choice([sizes, sizes, ''])})\n")
    rows = folder / f"{seed}.rows"
    rows.write_text(f"{name}:\n  shifted_fusion({r.choice(['', 1, 2, 3, 8])})\n")
    return [("chosen", common + ["force"]), ("chosen for threads", common + ["force", "parallel"]),
            ("commanded", common + [f"commands={commands}"]), ("commanded with threads", common + [f"commands={commands}", "parallel"]),
            ("row by row", common + [f"commands={rows}"])]


def run(seed, args, folder):
    """[(what, outcome)]: passed, failed, skipped, with whether tiles overlapped, or rows were fused; on a GPU, the number of jobs."""
    pipeline = Pipeline(seed)
    source = folder / f"{seed}.c"
    source.write_text(pipeline.program())
    plain, built = folder / f"{seed}.plain", folder / f"{seed}.built"
    compile_ = lambda flags, output: harness.execute([harness.CLANG, "-w", "-ffp-contract=off", *flags, source, *[gpu.RUNTIME] * args.gpu, "-o", output,
                                              "-lgomp"], 60)
    result = compile_(["-O1"], plain)
    if result.rc != 0:
        sys.exit(f"seed {seed}: {result.err}")
    wanted = harness.execute([plain], 20)
    found = []
    for what, options in ways(seed, pipeline.name, folder, args):
        result = compile_(["-O2", "-march=native", "-Rpass-missed=tessera", *harness.plugin_flags(args.plugin, options + ["print=ast"])], built)
        overlapped = ("// rows" if what == "row by row" else "// allocate") in result.err
        refused = ("overlapped_tiles" in result.err or "shifted_fusion" in result.err) and "error: tessera" in result.err and "not legal" not in result.err
        if result.rc != 0 and refused:
            found.append((what, "skipped", False, ""))
            continue
        env, counted, why = {"OMP_NUM_THREADS": "3"}, overlapped, result.err[-300:] if result.rc else "differs"
        if result.rc == 0 and args.gpu:
            got, lines, jobs = gpu.run(built, 60, env)
            counted, why = sum(jobs.values()), gpu.complaint(lines) or why
            same = got.rc == wanted.rc and lines == wanted.out.splitlines()
        else:
            got = harness.execute([built], 20, env) if result.rc == 0 else result
            same = result.rc == 0 and got.rc == wanted.rc and got.out == wanted.out
        if same and not what.startswith("commanded") and harness.illegal(result.err):
            same, why = False, harness.illegal(result.err)
        found.append((what, "passed" if same else "failed", counted, "" if same else why))
        if not same:
            FAILURES.mkdir(parents=True, exist_ok=True)
            (FAILURES / f"pipeline-{seed}.c").write_text(f"// {what}: {' '.join(options)}\n" + source.read_text())
    for path in (source, plain, built):
        path.unlink(missing_ok=True)
    return seed, found


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--count", type=int, default=60)
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--plugin", default=harness.PLUGIN)
    parser.add_argument("--gpu", action="store_true", help="run what can be on the interpreter of PTX")
    parser.add_argument("--show", action="store_true", help="print the programs and stop")
    args = parser.parse_args()
    seeds = range(args.seed, args.seed + args.count)
    if args.show:
        print("\n".join(Pipeline(seed).program() for seed in seeds))
        return 0
    counts, overlapped, programs = Counter(), Counter(), Counter()
    with tempfile.TemporaryDirectory(prefix="tessera-pipelines-") as folder, ThreadPoolExecutor(args.jobs) as pool:
        for seed, found in pool.map(lambda seed: run(seed, args, Path(folder)), seeds):
            for what, outcome, tiles, why in found:
                counts[outcome] += 1
                overlapped[what] += tiles
                programs[what] += tiles > 0
                if outcome == "failed":
                    print(f"seed {seed}, {what}: {why}", flush=True)
    form = lambda what: "fused" if what == "row by row" else "in overlapped tiles"
    words = (lambda what, n: f"{programs[what]} ran {n} jobs on the GPU") if args.gpu else (lambda what, n: f"{n} {form(what)}")
    print(", ".join(f"{what}: {words(what, n)}" for what, n in overlapped.items()))
    print(f"fuzz pipelines: {counts['passed']} passed, {counts['failed']} failed, {counts['skipped']} skipped")
    return counts["failed"] > 0


if __name__ == "__main__":
    sys.exit(main())
