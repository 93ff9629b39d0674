#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Compares random affine programs compiled with Tessera forced against plain clang -O1.

Each seed is one program: a function that main calls with ordinary, zero, negative and near-maximal parameters and
with separate and overlapping arrays, printing a hash of all memory after each call.  A program fails when the hashes
differ, when Tessera's check refuses what it has chosen, or when compiler or program crashes or hangs; it is shrunk and kept in build/fuzz-failures/SEED.c.  Where plain
clang at the same flags, or with the widest vectors and no errno, is wrong too, the program counts as skipped.  --gpu runs
them on the interpreter of PTX (test/gpu/ptx.h), whose complaints fail, too.  --confirm checks the programs themselves, with
the address and undefined-behaviour sanitizers.  The last line is `fuzz: N passed, N failed, N skipped`.
"""
import argparse
import re
import shutil
import sys
import tempfile
import threading
import time
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import harness
from fuzzer import gpu
from fuzzer.contract import Batches, Contractions, Recurrences, Skips, Sums, Vectors
from fuzzer.generate import Generator, Pitches, Small, Strides, generate
from fuzzer.kernels import Kernels
from fuzzer.program import file_text
from fuzzer.rows import Rows
from fuzzer.shrink import shrink
from fuzzer.solves import Solves
from fuzzer.sweeps import Sweeps

SUPPORT = harness.ROOT / "test" / "fuzzer" / "support.h"
CORPUS = harness.ROOT / "test" / "fuzz-corpus"
FAILURES = harness.ROOT / "build" / "fuzz-failures"
PROTOTYPES = ("void fill(void *, long, int, int, int, unsigned long);\nvoid hash(const void *, long, int, int);\n"
              "void report(const char *, int);\n")
SANITIZE = "-O1 -fsanitize=undefined,address -fno-sanitize=float-divide-by-zero -fno-sanitize-recover=all"
# A conversion of a number that doesn't fit is undefined, and another one on a GPU.
CONVERSIONS = "-O1 -fsanitize=float-cast-overflow -fno-sanitize-recover=all".split()
LEAST_TRANSFORMED = 0.6
OPERATIONS = 3_000_000  # of isl, for each program of a file
# What functions with new code have: vectors as wide as the target's, and calls of sqrt without errno where they can't set it.
LIKE_TESSERA = ["-fno-math-errno", "-mprefer-vector-width=512"]


# What --mixed takes in turn: seed by seed, so that a seed is the same program in every run.
MIXED = [Small] * 26
for place, kind in ((2, Generator), (5, Contractions), (11, Generator), (14, Vectors), (18, Sweeps), (23, Recurrences), (27, Skips)):
    MIXED.insert(place, kind)


def kind_of(args, seed):
    return (MIXED[seed % len(MIXED)] if args.mixed else Rows if args.rows else Solves if args.solves else Kernels if args.kernels else Recurrences if args.recurrences else Vectors if args.vectors
            else Skips if args.skips else Sums if args.sums else Batches if args.batches else Contractions if args.contractions else Sweeps if args.sweeps else Strides if args.strides else Pitches if args.pitches else Small if args.small else Generator)


class Fuzzer:
    def __init__(self, args):
        self.args = args
        self.folder = Path(tempfile.mkdtemp(prefix="tessera-fuzz-"))
        self.counts, self.lock, self.files = Counter(), threading.Lock(), 0
        self.on_gpu = set()  # (program, position) of those with a job
        common = ["force", f"module-budget={OPERATIONS * args.batch}"] + ["parallel"] * args.parallel + ["gpu"] * args.gpu
        positions = ["early", "late"] if args.position == "each" else [args.position]
        self.options = [common + [f"position={at}"] * bool(at) + args.option for at in positions]  # of each way to compile
        self.env = harness.asan_environment() if args.asan else {}
        self.support = self.folder / "support.o"
        result = self.compile(SUPPORT, ["-O2", "-DSUPPORT=__attribute__((noinline))", "-x", "c", "-c"], self.support)
        if result.rc != 0:
            sys.exit(result.err)

    def program(self, seed):
        return generate(seed, f"f{seed}", kind_of(self.args, seed))

    def tessera_flags(self, options):
        return self.args.cflags.split() + ["-Rpass-missed=tessera"] + harness.plugin_flags(self.args.plugin, options)

    def compile(self, source, flags, output, timeout=None, libraries=()):
        env = self.env if f"-fpass-plugin={self.args.plugin}" in flags else {}
        return harness.execute([harness.CLANG, "-w", *flags, source, *libraries, "-o", output], timeout or self.args.timeout, env)

    def path(self, suffix):
        with self.lock:
            self.files += 1
            return self.folder / f"{self.files}{suffix}"

    def run_file(self, source, flags, scale=1):
        """Compiles, links and runs one C file.  Returns (None or what went wrong, output lines, compiler's messages)."""
        program = self.path(".exe")
        libraries = [self.support, "-lm"] + ["-lgomp"] * self.args.parallel + [gpu.RUNTIME] * self.args.gpu
        made = self.compile(source, flags, program, self.args.timeout * scale, libraries)
        if made.rc != 0:
            word = "crashes" if "PLEASE submit a bug report" in made.err else harness.how_it_ended(made)
            word = "verifier error" if re.search(r"(?i)broken (module|function)|does not dominate|invalid ir", made.err) else word
            return f"compiler: {word}", [], made.err
        if harness.illegal(made.err):
            return f"compiler: {harness.illegal(made.err)}", [], made.err
        found = harness.sanitizer_findings(made.err) if self.env else []
        if found:
            return f"compiler: {found[0]}", [], made.err
        env = {"OMP_NUM_THREADS": "3"}
        if self.args.gpu and f"-fpass-plugin={self.args.plugin}" in flags:
            ran, lines, jobs = gpu.run(program, self.args.timeout * scale, env)
            self.count_jobs(jobs, flags)
        else:
            ran = harness.execute([program], self.args.timeout * scale, env)
            lines = ran.out.splitlines()
        program.unlink()
        wrong = f"program: {harness.how_it_ended(ran)}" if ran.rc != 0 else None
        return wrong, lines, made.err + ran.err

    def count_jobs(self, jobs, flags):
        """JOBS: by line of output, those that ran before it."""
        with self.lock:
            self.counts["jobs"] += sum(jobs.values())
            self.on_gpu.update((line.split()[0], "-tessera-position=late" in flags) for line in jobs)

    def write(self, programs):
        source = self.path(".c")
        source.write_text(file_text(programs, PROTOTYPES))
        return source

    def check(self, program, options, count=False):
        """What is wrong with one program on its own, in words; "" if nothing; "clang" if it's plain clang's fault."""
        source = self.write([program])
        try:
            wrong, expected, err = self.run_file(source, ["-O1"] + self.args.cflags.split()[1:])
            if wrong:
                return "clang"
            wrong, got, err = self.run_file(source, self.tessera_flags(options))
            if count and not wrong:
                self.count_transformed(source.read_text(), err)
            if wrong or got == expected:
                return wrong or ""
            if gpu.complaint(got):
                return gpu.complaint(got)
            for more in ([], LIKE_TESSERA):
                wrong, plain, _ = self.run_file(source, self.args.cflags.split() + more)
                if plain != expected and not (more and wrong):  # not all targets know these flags
                    return "clang"
            if self.args.gpu and self.run_file(source, CONVERSIONS)[0]:
                return "clang"
            return "output differs"
        finally:
            source.unlink()

    def batch(self, seeds):
        """Tests several seeds in one file, whose reference is made once; those that look wrong once more on their own."""
        programs = {s: self.program(s) for s in seeds}
        source = self.write(programs.values())
        scale = max(3, len(seeds) // 3)
        bad, expected, _ = self.run_file(source, ["-O1"] + self.args.cflags.split()[1:], scale)
        for options in self.options:
            wrong, got, err = self.run_file(source, self.tessera_flags(options), scale)
            suspects = list(seeds)
            if not bad and not wrong:
                differing = {a.split()[0] for a, b in zip(expected, got) if a != b}
                suspects = [s for s in seeds if f"f{s}" in differing or len(expected) != len(got)]
                self.count_transformed(source.read_text(), err)
            for seed in suspects:
                self.suspect(seed, programs[seed], options, bool(bad or wrong))
            with self.lock:
                self.counts["programs"] += len(seeds)
                self.counts["passed"] += len(seeds) - len(suspects)
        source.unlink()

    def count_transformed(self, text, err):
        """Finds the program of each remark by its line."""
        lines = {int(n) for n in re.findall(r":(\d+):\d+: remark: .*\[-Rpass=tessera\]", err)}
        owner, of_line = None, {}
        for number, line in enumerate(text.splitlines(), 1):
            if line.startswith("__attribute__"):
                owner = line
            of_line[number] = owner
        with self.lock:
            self.counts["transformed"] += len({of_line.get(n) for n in lines})
            self.counts["counted"] += text.count("__attribute__((noinline)) void")

    def command(self, seed, options):
        """What tests one seed again."""
        kinds = [f"--{k}" for k in ("mixed", "small", "strides", "pitches", "batches", "contractions", "skips", "sums", "vectors", "sweeps", "recurrences", "rows", "solves", "kernels", "parallel", "gpu", "asan") if getattr(self.args, k)]
        given = [f"--option {o}" for o in options if o not in ("force", "parallel", "gpu") and not o.startswith("module-budget")]
        return " ".join([f"test/fuzz.py --seed {seed} --count 1", *kinds, *given])

    def suspect(self, seed, program, options, count):
        what = self.check(program, options, count)
        key = {"": "passed", "clang": "clang is wrong"}.get(what, what)
        with self.lock:
            self.counts[key] += 1
            self.counts["failed"] += key == what
            failures = self.counts["failed"]
        if key != what:
            return
        print(f"FAIL seed {seed}: {what}; {self.command(seed, options)}", flush=True)
        if not self.args.no_shrink and failures <= self.args.keep:
            program = shrink(program, lambda p: self.check(p, options) == what, self.args.shrink_seconds)
        FAILURES.mkdir(parents=True, exist_ok=True)
        header = (f"/* {SUPPORT.read_text().splitlines()[0].strip('/* ')} */\n/* Seed {seed}, {' '.join(options)}: {what}. */\n"
                  + SUPPORT.read_text().split("\n", 1)[1])
        late = "-late" if "position=late" in options else ""
        (FAILURES / f"{seed}{late}.c").write_text(file_text([program], header))

    def confirm(self, seeds):
        """The programs themselves under the sanitizers."""
        source = self.write([self.program(s) for s in seeds])
        wrong, _, err = self.run_file(source, SANITIZE.split(), 6)
        with self.lock:
            self.counts["programs"] += len(seeds)
            self.counts["failed" if wrong else "passed"] += len(seeds)
        if wrong:
            print(f"FAIL seeds {seeds[0]}..{seeds[-1]}: {wrong}\n{err[:1500]}", flush=True)

    def corpus(self):
        """Formerly failing programs, each with several sets of options."""
        for source in sorted(CORPUS.glob("*.c")):
            flags = self.args.cflags.split()
            _, expected, _ = self.run_alone(source, ["-O1"] + flags[1:])
            for options in [["force", "gpu"], ["force", "gpu", "position=late"]] if self.args.gpu else \
                    [["force"], ["force", "parallel"], ["force", "position=late"]]:
                wrong, got, _ = self.run_alone(source, flags + harness.plugin_flags(self.args.plugin, options))
                ok = not wrong and got == expected
                self.counts["passed" if ok else "failed"] += 1
                if not ok:
                    print(f"FAIL {source.name} {' '.join(options)}: {wrong or 'output differs'}", flush=True)

    def run_alone(self, source, flags):
        """run_file for a file that has its own support code."""
        support, self.support, self.args.parallel = self.support, "-lgomp", True
        result = self.run_file(source, flags)
        self.support = support
        return result

    def summary(self, begin):
        c = self.counts
        words = [f"{n} {k}" for k, n in sorted(c.items()) if k not in ("passed", "failed", "counted")]
        print(", ".join(words + [f"{time.monotonic() - begin:.0f} s"]))
        if self.args.gpu:
            print(f"{len(self.on_gpu)} programs ran a job on the GPU")
        share = c["transformed"] / c["counted"] if c["counted"] else 1
        if c["counted"] >= 100 and share < self.args.least and str(self.args.plugin) != "none":
            print(f"FAIL only {share:.0%} of the programs have a transformed nest")
            c["failed"] += 1
        print(f"fuzz: {c['passed']} passed, {c['failed']} failed, {c['clang is wrong']} skipped")
        return c["failed"] > 0


def arguments():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seed", type=int, default=0, help="the first seed")
    parser.add_argument("--count", type=int, default=150)
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--batch", type=int, default=10, help="programs in one file")
    parser.add_argument("--mixed", action="store_true", help="programs of all kinds")
    parser.add_argument("--small", action="store_true", help="few statements and loops: quickly analysed")
    parser.add_argument("--pitches", action="store_true", help="small ones with distances of rows and planes in variables")
    parser.add_argument("--strides", action="store_true", help="small ones with steps and strides in variables")
    parser.add_argument("--contractions", action="store_true", help="programs that look like matrix products")
    parser.add_argument("--batches", action="store_true", help="such programs in a loop around them, through arrays that each iteration fills")
    parser.add_argument("--skips", action="store_true", help="such programs with zero skips, and parts behind conditions that don't change")
    parser.add_argument("--sums", action="store_true", help="programs with sums in scalars that are needed when they are complete")
    parser.add_argument("--vectors", action="store_true", help="programs that look like products of matrices and vectors")
    parser.add_argument("--sweeps", action="store_true", help="Gauss-Seidel forms, and folds over elements that are written")
    parser.add_argument("--recurrences", action="store_true", help="programs whose innermost loops wait for themselves, row by row")
    parser.add_argument("--rows", action="store_true", help="programs whose iterations keep something in rows for themselves")
    parser.add_argument("--solves", action="store_true", help="triangular solves and products in place")
    parser.add_argument("--kernels", action="store_true", help="programs with kernels for a GPU: parallel nests")
    parser.add_argument("--parallel", action="store_true", help="allow parallel loops; programs run with 3 threads")
    parser.add_argument("--gpu", action="store_true", help="run what can be on the interpreter of PTX")
    parser.add_argument("--position", choices=["early", "late", "both", "each"],
                        help="where in the pipeline Tessera runs; each: early and late, each on its own")
    parser.add_argument("--option", action="append", default=[], help="another Tessera option, such as tile-sizes=4")
    parser.add_argument("--confirm", action="store_true", help="check the programs, not Tessera")
    parser.add_argument("--corpus", action="store_true", help="run test/fuzz-corpus instead of random programs")
    parser.add_argument("--show", action="store_true", help="print the programs and stop")
    parser.add_argument("--keep", type=int, default=20, help="shrink at most that many failing programs")
    parser.add_argument("--no-shrink", action="store_true")
    parser.add_argument("--shrink-seconds", type=float, default=60)
    parser.add_argument("--least", type=float, default=LEAST_TRANSFORMED, help="the share of programs that must have a transformed nest")
    parser.add_argument("--timeout", type=float, default=20, help="seconds for compiling or running one program")
    parser.add_argument("--cflags", default="-O3 -march=native", help="the -O level first")
    parser.add_argument("--asan", action="store_true", help="the plugin is that of the preset asan, whose leaks fail, too")
    parser.add_argument("--plugin", help="another plugin")
    args = parser.parse_args()
    args.plugin = args.plugin or (harness.ASAN_PLUGIN if args.asan else harness.PLUGIN)
    return args


def main():
    args, begin = arguments(), time.monotonic()
    seeds = list(range(args.seed, args.seed + args.count))
    if args.show:
        print(file_text([generate(s, f"f{s}", kind_of(args, s)) for s in seeds], SUPPORT.read_text()))
        return 0
    if not args.confirm:
        harness.need_plugin(args.plugin)
    fuzzer = Fuzzer(args)
    try:
        if args.corpus:
            fuzzer.corpus()
        else:
            work = fuzzer.confirm if args.confirm else fuzzer.batch
            with ThreadPoolExecutor(args.jobs) as pool:
                for job in [pool.submit(work, seeds[k:k + args.batch]) for k in range(0, len(seeds), args.batch)]:
                    job.result()
    finally:
        shutil.rmtree(fuzzer.folder)
    return fuzzer.summary(begin)


if __name__ == "__main__":
    sys.exit(main())
