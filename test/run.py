# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Builds Tessera and runs its tests.  Called by test/run, which installs the packages first.

Every part adds to the counts of passed, failed and skipped cases; the last line is `N passed, N failed, N skipped`,
and the exit status is 1 when something failed.
"""
import argparse
import re
import shutil
import sys
import time
from concurrent.futures import ThreadPoolExecutor

import floors
import harness

ROOT = harness.ROOT
SPDX = "SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception"
NO_SPDX = {".json", ".md", ".golden", ".scop", ".expect", ".txt"}


class Counts:
    """Cases so far; add() prints what failed or was skipped."""

    def __init__(self):
        self.passed = self.failed = self.skipped = 0

    def add(self, ok, what, detail=""):
        self.passed += bool(ok)
        self.failed += not ok
        if not ok:
            print(f"FAIL {what}\n{detail.rstrip()}".rstrip(), flush=True)
        return ok

    def skip(self, what):
        self.skipped += 1
        print(f"SKIP {what}", flush=True)

    def add_summary(self, what, result):
        """Takes over the `N passed, N failed, N skipped` that a script ends with, and shows what it printed before."""
        last = result.out.rstrip().rsplit("\n", 1)[-1]
        counts = re.search(r"(\d+) passed, (\d+) failed, (\d+) skipped$", last)
        print((result.out + result.err).rstrip(), flush=True)
        if not counts or (result.rc != 0 and counts[2] == "0"):
            self.add(False, what, harness.how_it_ended(result) if result.rc != 0 else "no summary line")
        else:
            self.passed, self.failed, self.skipped = (
                a + int(b) for a, b in zip((self.passed, self.failed, self.skipped), counts.groups()))


def tracked(*patterns):
    return [ROOT / f for f in harness.execute(["git", "-C", ROOT, "ls-files", "--", *patterns]).out.split("\n") if f]


def build(preset, args, counts):
    """Configures and builds one preset.  Is it there now?"""
    for command in (["cmake", "-S", ROOT, "--preset", preset], ["cmake", "--build", ROOT / folder_of(preset), "-j", args.jobs]):
        result = harness.execute(command, timeout=1200, env={"CLICOLOR": "0"})
        if result.rc != 0:
            return counts.add(False, f"build {preset}", (result.out + result.err)[-4000:])
    return counts.add(True, f"build {preset}")


def folder_of(preset):
    return "build" if preset == "release" else f"build-{preset}"


def at_once(args, run, items):
    """What RUN gives for each of ITEMS, in their order; so many run at the same time as there are jobs."""
    with ThreadPoolExecutor(int(args.jobs)) as pool:
        yield from pool.map(run, items)


def unit_programs(folder, args, counts, kind="unit"):
    """Each program KIND_.. exits 0 and prints `N checks`; each check is a case."""
    programs = sorted(p for p in (ROOT / folder / "test").glob(f"{kind}_*") if p.is_file() and not p.suffix)
    if not programs:
        counts.skip(f"{folder}: no {kind} programs")
    for program, result in zip(programs, at_once(args, lambda p: harness.execute([p], timeout=600), programs)):
        checks = re.search(r"(\d+) checks", result.out)
        if result.rc == 0 and checks:
            counts.passed += int(checks[1])
        else:
            why = harness.how_it_ended(result) if result.rc != 0 else "doesn't print its number of checks"
            counts.add(False, f"{program.name} {why}", (result.out + result.err)[-3000:])


# Tests that run another one's programs once more, for vectors of another width: of the plugin they reach little else.
OTHER_VECTORS = r"-avx(2|512)\.test$"


def lit_tests(folder, args, counts, reports=None):
    """The regression tests; what the sanitizers write to the folder REPORTS fails, too."""
    if not any(p for s in ("ll", "c", "test") for p in (ROOT / "lit").rglob(f"*.{s}")):
        return counts.skip("lit has no tests yet")
    command = [harness.llvm_tool("lit"), "-v", "-j", args.jobs, "-D", f"build={folder}"]
    if reports:
        shutil.rmtree(reports, ignore_errors=True)
        reports.mkdir()
        command += ["-D", f"reports={reports}", f"--filter-out={OTHER_VECTORS}"]
    command.append(ROOT / "lit")
    result = harness.execute(command, timeout=2700)
    found = {k.strip(): int(n) for k, n in re.findall(r"^ +([A-Z][A-Za-z ]+?) *: +(\d+)", result.out, re.M)}
    counts.passed += found.get("Passed", 0) + found.get("Expectedly Failed", 0)
    counts.skipped += found.get("Unsupported", 0) + found.get("Skipped", 0)
    bad = sum(found.get(k, 0) for k in ("Failed", "Unexpectedly Passed", "Unresolved", "Timed Out"))
    counts.failed += bad
    if bad or result.rc != 0:
        print((result.out + result.err)[-8000:], flush=True)
    if result.rc != 0 and not bad:
        counts.add(False, "lit " + harness.how_it_ended(result))
    for report in sorted(reports.iterdir()) if reports else []:
        text = report.read_text(errors="replace")
        found = harness.sanitizer_findings(text)
        if found:
            counts.add(False, f"{report.name}: {found[0]}", (harness.own_leaks(text) or text)[:3000])


def part_unit(args, counts):
    """the unit programs of the release build"""
    if args.release:
        unit_programs("build", args, counts)


def part_runtime(args, counts):
    """libtessera_rt, over a fake driver; it exports what its header declares, and needs the C library alone"""
    if not args.release:
        return
    unit_programs("build", args, counts, "runtime")
    library = ROOT / "build" / "lib" / "libtessera_rt.so"
    declared = set(re.findall(r"\b(tsr_rt_\w+)\(struct", (ROOT / "runtime" / "tessera_rt.h").read_text()))
    symbols = harness.execute(["nm", "-D", "--defined-only", library]).out
    exported = {line.split()[-1] for line in symbols.splitlines()}
    counts.add(declared and exported == declared, "libtessera_rt.so exports", " ".join(sorted(exported ^ declared)[:20]))
    needed = set(re.findall(r"NEEDED +(\S+)", harness.execute(["objdump", "-p", library]).out))
    others = needed - {"libc.so.6", "libdl.so.2", "libpthread.so.0"}
    counts.add(needed and not others, "libtessera_rt.so needs", " ".join(sorted(others)))


def part_lit(args, counts):
    """the regression tests in lit/"""
    if args.release:
        lit_tests("build", args, counts)


def part_kernels(args, counts):
    """every benchmark kernel, forced, against plain clang, bit for bit"""
    if args.release:
        command = [ROOT / "test" / "differential", "--jobs", args.jobs]
        counts.add_summary("coverage", harness.execute([ROOT / "test" / "coverage"], timeout=900))
        counts.add_summary("feedback", harness.execute([ROOT / "test" / "feedback", "--jobs", args.jobs], timeout=900))
        counts.add_summary("kernels", harness.execute(command, timeout=1800))
        command += ["--option", "schedule=pluto", "--option", "tile-sizes=5", "jacobi-1d", "jacobi-2d", "fdtd-2d", "seidel-2d"]
        counts.add_summary("kernels: diamonds and wavefronts", harness.execute(command, timeout=900))


def part_forms(args, counts):
    """what becomes of each way to write a loop nest, against lit/FORMS.md"""
    if args.release:
        counts.add_summary("forms", harness.execute([ROOT / "test" / "forms", "--check"], timeout=900))


def part_gpu(args, counts):
    """the PTX interpreter behind a fake libcuda, for machines without a GPU; all programs on it, and random ones"""
    if args.release:
        counts.add_summary("gpu", harness.execute([ROOT / "test" / "gpu" / "run"], timeout=600))
        differential = [ROOT / "test" / "gpu" / "differential", "--jobs", args.jobs]
        counts.add_summary("gpu differential", harness.execute(differential, timeout=1200))
        fuzz = [sys.executable, ROOT / "test" / "fuzz.py", "--gpu", "--jobs", args.jobs]
        for flags in (["--corpus"], ["--count", "60", "--seed", "20000000", "--kernels"],
                      ["--count", "30", "--seed", "21000000", "--mixed", "--position", "late"]):
            counts.add_summary("gpu fuzz " + " ".join(flags), harness.execute(fuzz + flags, timeout=900))
        pipelines = [sys.executable, ROOT / "test" / "fuzz_pipelines.py", "--gpu", "--jobs", args.jobs, "--count", "10"]
        counts.add_summary("gpu fuzz pipelines", harness.execute(pipelines, timeout=900))


def part_fuzz(args, counts):
    """formerly failing programs, then random ones from fixed seeds"""
    if not args.release:
        return
    fuzz = [sys.executable, ROOT / "test" / "fuzz.py", "--jobs", args.jobs]
    streams = ["--option", f"machine={ROOT / 'test' / 'streams.yaml'}"]
    counts.add_summary("fuzz corpus", harness.execute(fuzz + ["--corpus"], timeout=900))
    for flags in (["--count", "150"], ["--count", "50", "--seed", "1000000", "--parallel"],
                  ["--count", "50", "--seed", "2000000", "--position", "late"],
                  ["--count", "40", "--seed", "3000000", "--option", "schedule=pluto"],
                  ["--count", "40", "--seed", "4000000", "--option", "influence=@cpu"],
                  ["--count", "40", "--seed", "5000000", "--option", "schedule=spatial"],
                  ["--count", "20", "--seed", "6000000", "--parallel", "--option", "schedule=spatial-gpu"],
                  ["--count", "30", "--seed", "7000000", "--parallel", "--option", "schedule=feautrier"],
                  ["--count", "40", "--seed", "8000000", "--option", "schedule=pluto", "--parallel"],
                  ["--count", "40", "--seed", "9000000", "--option", "relax-reductions"],
                  ["--count", "60", "--seed", "10000000", "--contractions"],
                  ["--count", "20", "--seed", "11000000", "--contractions", "--parallel", "--position", "late"],
                  ["--count", "40", "--seed", "25000000", "--batches"],
                  ["--count", "40", "--seed", "25001000", "--batches", "--parallel"],
                  ["--count", "60", "--seed", "19000000", "--skips", "--position", "each"],
                  ["--count", "60", "--seed", "23000000", "--solves", "--position", "each"],
                  ["--count", "20", "--seed", "24000000", "--solves", "--parallel"],
                  ["--count", "60", "--seed", "12000000", "--vectors"],
                  ["--count", "20", "--seed", "13000000", "--vectors", "--parallel", "--position", "late"],
                  ["--count", "60", "--seed", "14000000", "--sweeps"],
                  ["--count", "20", "--seed", "15000000", "--sweeps", "--position", "late"],
                  ["--count", "100", "--seed", "16000000", "--small", "--position", "each"],
                  ["--count", "60", "--seed", "17000000", "--strides", "--position", "each"],
                  ["--count", "60", "--seed", "18000000", "--pitches"],
                  ["--count", "20", "--seed", "18001000", "--pitches", "--parallel", "--position", "late"],
                  ["--count", "60", "--seed", "18000000", "--rows", "--parallel"],
                  ["--count", "100", "--seed", "27000000", "--rows", *streams],
                  ["--count", "60", "--seed", "27001000", "--vectors", *streams]):
        counts.add_summary("fuzz " + " ".join(flags), harness.execute(fuzz + flags, timeout=900))
    pipelines = [sys.executable, ROOT / "test" / "fuzz_pipelines.py", "--jobs", args.jobs, "--count", "20"]
    counts.add_summary("fuzz pipelines", harness.execute(pipelines, timeout=900))
    borders = [sys.executable, ROOT / "test" / "fuzz_borders.py", "--jobs", args.jobs, "--count", "20"]
    counts.add_summary("fuzz borders", harness.execute(borders, timeout=900))
    for kind in ("--flat", "--index", "--running", "--searches", "--pairs"):
        counts.add_summary("fuzz borders " + kind, harness.execute(borders + [kind], timeout=900))


# Kernels have no invariant loads, rows, failed ways to split subscripts, ..
LEAK_TESTS = ("invariant-overwritten", "invariant-outside", "memory-rows", "memory-strides", "memory-base-pointers", "invariant-products", "control-number-parts", "registers-complex", "subscript-product-of-parameters", "control-data-conditions", "control-flat-loops", "memory-border-rows", "sizes-hand-tiled", "control-no-return")


def asan_program(source, plugin):
    """One C file through opt with the sanitised plugin, which frees what it allocates: what went wrong with it, if anything, and
    the details. opt, other than clang, frees all of its own."""
    name, bitcode = source.stem, ROOT / "build-asan" / f"{source.stem}.bc"
    command = [harness.CLANG, "-w", "-O1", "-Xclang", "-disable-llvm-passes", "-emit-llvm", "-c", source]
    made = harness.execute(command + ["-o", bitcode])
    if made.rc != 0:
        return f"bitcode of {name}", made.err
    command = [harness.llvm_tool("opt"), f"-load-pass-plugin={plugin}", "-passes=default<O3>", "-tessera-force"]
    result = harness.execute(command + [bitcode, "-o", "/dev/null"], timeout=300, env=harness.asan_environment())
    bad = result.rc != 0 or harness.sanitizer_findings(result.err)
    return bad and f"asan {name} {harness.how_it_ended(result)}", (harness.own_leaks(result.err) or result.err)[:3000]


def part_asan(args, counts):
    """the sanitised build: unit programs, the runtime's, regression tests, the plugin over all kernels"""
    if not build("asan", args, counts):
        return
    unit_programs("build-asan", args, counts)
    unit_programs("build-asan", args, counts, "runtime")
    plugin = harness.ASAN_PLUGIN
    if not plugin.exists():
        counts.add(False, "the asan build has no plugin")
        return
    lit_tests("build-asan", args, counts, ROOT / "build-asan" / "reports")
    command = [ROOT / "test" / "gpu" / "run", "--build", ROOT / "build-asan", "--seeds", "4"]
    counts.add_summary("gpu", harness.execute(command, timeout=900))
    sources = [harness.KERNELS / f"{name}.c" for name in harness.kernel_names()]
    sources += [ROOT / "lit" / f"{name}.c" for name in LEAK_TESTS]
    for wrong, detail in at_once(args, lambda source: asan_program(source, plugin), sources):
        counts.add(not wrong, wrong, detail)


def part_symbols(args, counts):
    """the plugin exports one symbol and takes no isl from elsewhere"""
    if not args.release:
        return
    if not harness.PLUGIN.exists():
        counts.add(False, "the release build has no plugin")
        return
    names = {}
    for which in ("defined", "undefined"):
        out = harness.execute(["nm", "-D", f"--{which}-only", harness.PLUGIN]).out
        names[which] = {line.split()[-1] for line in out.splitlines()}
    exported = names["defined"]
    counts.add(exported == {"llvmGetPassPluginInfo"}, "the plugin exports", " ".join(sorted(exported)[:20]))
    isl = sorted(n for n in names["undefined"] if n.startswith(("isl_", "yaml_")))
    counts.add(not isl, "the plugin imports", " ".join(isl[:20]))


def contract_gaps():
    """Rows of lit/CONTRACT.md without a test, and tests that it names but that aren't there."""
    rows = [r for r in (ROOT / "lit" / "CONTRACT.md").read_text().splitlines() if r.startswith("|") and "---" not in r]
    rows = [r.strip("| ").split(" | ") for r in rows if r != "| clause | tests |"]
    for row in rows:
        names = re.findall(r"`([^`]+)`", row[-1])
        if len(row) != 2 or not names:
            yield f"no test: {row[0]}"
        for name in names:
            if not (ROOT / ("" if "/" in name else "lit") / name).is_file():
                yield f"no such test: {name}"
    if not rows:
        yield "no rows"


def part_style(args, counts):
    """clang-format, the SPDX line of every file, a test for each line of the contract, the floors (test/floors.py)"""
    code = [f for f in tracked("*.c", "*.h", "*.cpp") if f.relative_to(ROOT).parts[:2] != ("test", "fuzz-corpus")
            and f.relative_to(ROOT).parts[0] != "lit"]
    result = harness.execute([harness.llvm_tool("clang-format"), "--dry-run", "-Werror", *code], timeout=300)
    counts.add(result.rc == 0, "clang-format", result.err[:3000])
    files = [f for f in tracked() if f.suffix not in NO_SPDX and not f.name.startswith(".") and f.name != "LICENSE"]
    without = [str(f.relative_to(ROOT)) for f in files if f.is_file() and SPDX not in f.read_text(errors="replace")[:600]]
    counts.add(not without, "no SPDX line", "\n".join(without))
    gaps = list(contract_gaps())
    counts.add(not gaps, "lit/CONTRACT.md", "\n".join(gaps))
    faults = list(floors.faults(ROOT))
    counts.add(not faults, "floors", "\n".join(faults))


def part_bench(args, counts):
    """the tables of bench/run, bench/predictions, bench/threads, bench/schedule and bench/gpu/run, for one or two kernels each at a small size; a schedule that isn't found is told"""
    if not args.release:
        return
    bench, quick = ROOT / "bench", ["--rounds", "1"]
    times = ROOT / "build" / "times.json"
    for command, rc, text in ((["run", "--size", "mini", "--pairs", "3", "--no-polly", "--json", times, "gemm", "mvt"], 0, "geomean"),
                              (["pipelines/run", "--size", "mini", "--pairs", "1", "blur-local"], 0, "geomean"),
                              (["predictions", "--least", "-1", times], 0, "| gemm | "),
                              (["threads", *quick, "--size", "mini", "--threads", "2", "trmm"], 0, "trmm "),
                              (["gpu/run", "--size", "mini", "gemm", "mvt"], 0, "2 of 2 programs run on the interpreter, 0 faults"),
                              (["schedule", *quick, "gemm", "chain-64"], 0, "100% c 3"),
                              (["schedule", *quick, "--budget", "1000", "chain-64"], 1, "pluto: out of budget")):
        result = harness.execute([sys.executable, bench / command[0], *command[1:]], timeout=300)
        good = result.rc == rc and text in result.out
        counts.add(good, " ".join(map(str, ["bench/" + command[0], *command[1:]])), (result.out + result.err)[-3000:])


PARTS = [part_style, part_unit, part_runtime, part_symbols, part_lit, part_kernels, part_forms, part_gpu, part_bench, part_fuzz, part_asan]


def main():
    known = {p.__name__[5:]: p for p in PARTS}
    parts = "\n".join(f"  {name:8} {part.__doc__}" for name, part in known.items())
    parser = argparse.ArgumentParser(prog="test/run", description=__doc__ + "\nparts:\n" + parts,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("parts", nargs="*", metavar="PART", help="all when none is given")
    parser.add_argument("--jobs", default="2")
    args = parser.parse_args()
    unknown = [p for p in args.parts if p not in known]
    if unknown:
        parser.error(f"no such part: {' '.join(unknown)}")
    counts = Counts()
    chosen = args.parts or list(known)
    args.release = False
    if set(chosen) - {"style", "asan"}:
        args.release = build("release", args, counts)
    for name in chosen:
        print(f"== {name}: {known[name].__doc__}", flush=True)
        begin, before = time.monotonic(), (counts.passed, counts.failed, counts.skipped)
        known[name](args, counts)
        now = (counts.passed, counts.failed, counts.skipped)
        print("   {} passed, {} failed, {} skipped;".format(*(b - a for a, b in zip(before, now))),
              f"{time.monotonic() - begin:.0f} s", flush=True)
    print(f"{counts.passed} passed, {counts.failed} failed, {counts.skipped} skipped")
    return counts.failed > 0


if __name__ == "__main__":
    sys.exit(main())
