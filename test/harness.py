# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What the test and benchmark scripts share: where the tools are, the plugin's flags, running with a timeout."""
import functools
import os
import re
import shutil
import signal
import subprocess
import sys
from collections import namedtuple
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
KERNELS = ROOT / "bench" / "kernels"
PROGRAMS = ROOT / "bench" / "programs"
PIPELINES = ROOT / "bench" / "pipelines"
LOCAL = "-local"  # ends the name of a pipeline whose buffers are the function's own
PLUGIN = ROOT / "build" / "lib" / "libtessera.so"
ASAN_PLUGIN = ROOT / "build-asan" / "lib" / "libtessera.so"
CLANG = os.environ.get("CLANG", "clang-22")

# rc is None after a timeout, negative after a signal.
Result = namedtuple("Result", "rc out err")


def execute(command, timeout=60, env=None, cwd=None):
    """Runs command with its own process group, which a timeout ends.  TESSERA_OPTIONS isn't inherited."""
    full = {k: v for k, v in os.environ.items() if k != "TESSERA_OPTIONS"}
    full.update(env or {})
    try:
        process = subprocess.Popen([str(c) for c in command], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                                   stderr=subprocess.PIPE, env=full, cwd=cwd, start_new_session=True)
    except OSError as error:
        return Result(127, "", f"{command[0]}: {error.strerror}")
    try:
        out, err = process.communicate(timeout=timeout)
        rc = process.returncode
    except subprocess.TimeoutExpired:
        os.killpg(process.pid, signal.SIGKILL)
        out, err = process.communicate()
        rc = None
    return Result(rc, out.decode(errors="replace"), err.decode(errors="replace"))


def how_it_ended(result):
    """One word for a result that isn't rc 0."""
    if result.rc is None:
        return "hangs"
    return f"dies of signal {-result.rc}" if result.rc < 0 else f"exits {result.rc}"


ILLEGAL = re.compile(r"^(?!.*budget ran out).*(legality check failed.*|stage: check)", re.M)


def illegal(messages):
    """What MESSAGES of a compiler with -Rpass-missed=tessera say of a transformation that Tessera chose and that isn't legal."""
    found = ILLEGAL.search(messages)
    return found[1] if found else ""


def plugin_flags(plugin, options=()):
    """clang's flags that load the plugin with these Tessera options; none for the plugin 'none' (scripts' own tests)."""
    if str(plugin) == "none":
        return []
    flags = [f"-fpass-plugin={plugin}", "-Rpass=tessera"]
    for option in options:
        flags += ["-mllvm", f"-tessera-{option}"]
    return flags


def asan_library():
    """What must be preloaded into a compiler that loads the sanitised plugin."""
    return execute(["g++", "-print-file-name=libasan.so"]).out.strip()


def asan_environment(log=None):
    """For a compiler that loads the sanitised plugin. Reports, leaks among them, go to standard error, or to files LOG.PID.

    Leaks don't change the exit status: compiler and linker have their own."""
    return {"LD_PRELOAD": asan_library(), "ASAN_OPTIONS": "detect_leaks=1" + (f":log_path={log}" if log else ""),
            "LSAN_OPTIONS": "exitcode=0:use_tls=0"}  # reading TLS crashes the checker at times


def own_leaks(text):
    """What the leak checker found that Tessera or isl allocated: named by one of the innermost frames."""
    leaks = [leak for leak in text.split("\n\n") if re.search(r"^(Direct|Indirect) leak", leak, re.M)]
    return "\n\n".join(leak for leak in leaks if re.search(r"^ *#[0-3] .*( in isl_|/pass/|/isl-bridge/)", leak, re.M))


def sanitizer_findings(text):
    """Lines in which the sanitizers report errors, and Tessera's own leaks."""
    return re.findall(r".*ERROR: AddressSanitizer.*|.*runtime error: .*", text) + re.findall(r".*leak of .*", own_leaks(text))


def need_plugin(plugin):
    """Ends the script when the plugin isn't there."""
    if str(plugin) != "none" and not Path(plugin).exists():
        sys.exit(f"{plugin}: no such plugin; build it first: cmake --preset release && cmake --build --preset release")


def transformed(err):
    """How many nests the remarks on standard error call transformed."""
    return len(re.findall(r"remark: .*\[-Rpass=tessera\]", err))


@functools.lru_cache(maxsize=None)
def llvm_tool(name):
    """The path of a tool of LLVM 22: NAME-22, or NAME in LLVM's own folder of programs."""
    found = shutil.which(f"{name}-22")
    if found:
        return found
    bindir = execute(["llvm-config-22", "--bindir"]).out.strip() or "/usr/lib/llvm-22/bin"
    return str(Path(bindir) / name)


def vector_width():
    """Bytes of this processor's vectors"""
    flags = Path("/proc/cpuinfo").read_text()
    return 64 if " avx512f" in flags else 32 if " avx2" in flags else 16


def openblas_env(best=True):
    """The environment to run OpenBLAS in, on one thread, whatever this one asks of it: with the kernels that it takes by itself
    or, for the best, those for vectors of 64 bytes where there are such. On processors newer than it, it takes others."""
    env = {name: value for name, value in os.environ.items() if not name.startswith("OPENBLAS_")}
    return {**env, "OPENBLAS_NUM_THREADS": "1", **({"OPENBLAS_CORETYPE": "SkylakeX"} if best and vector_width() == 64 else {})}


def kernel_names():
    return sorted(p.stem for p in KERNELS.glob("*.c"))


def program_names():
    return sorted(p.stem for p in PROGRAMS.glob("*.c"))


def pipeline_names():
    return sorted(p.stem + form for p in PIPELINES.glob("*.c") for form in ("", LOCAL))


def kernel_source(name):
    """The file of a kernel, of one of the other programs, or of a pipeline."""
    sources = [folder / f"{name.removesuffix(LOCAL)}.c" for folder in (KERNELS, PROGRAMS, PIPELINES)]
    return next((s for s in sources if s.exists()), sources[-1])


def kernel_flags(name):
    """What the compiler must be told for this form of it."""
    return ["-DTSR_LOCAL"] if name.endswith(LOCAL) else []


def kernel_dims(name):
    """How many sizes a kernel or program takes."""
    return len(re.search(r"^#define MINI (.*)", kernel_source(name).read_text(), re.M).group(1).split(","))
