# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The regression tests' configuration.  Run with: lit-22 -v lit, or lit-22 -v lit -D build=build-asan.

Substitutions: %clang %clangxx %opt %FileCheck %not %plugin %tessera (the command-line tool), %runtime (libtessera_rt.a, with
which programs with code for a GPU are linked), %interpreter (the folder of a libcuda.so.1 that interprets PTX), and LLVM's
%llvm-profdata, %llvm-objdump, %llvm-dwarfdump, %llvm-nm, %split-file.  A test loads the plugin itself: %clang -fpass-plugin=%plugin,
%opt -load-pass-plugin=%plugin.  Shorthands, each begins a command to which a test adds files and options:
    %remarks   compiles with the plugin and writes its remarks to standard output, in YAML
    %source-ir compiles to the IR that clang hands to the optimizer, on standard output
    %tessera-opt  runs opt with the plugin loaded and prints IR
Features: asan (a sanitised build is tested), gomp (programs link with -lgomp), lld, ptx (%interpreter has its library), profile
(the profile runtime is installed), native-avx2 and native-avx512 (this machine runs programs compiled for x86-64-v3, for
x86-64-v4). Only running depends on the last two: what is compiled for such a machine is looked at everywhere, and runs in NAME-avx512.test."""
import glob
import os
import shutil
import subprocess

import lit.formats

config.name = "tessera"
config.test_format = lit.formats.ShTest(execute_external=False)
config.suffixes = [".ll", ".c", ".cpp", ".test"]
config.excludes = ["Inputs"]
root = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
build = os.path.join(root, lit_config.params.get("build", "build"))
config.test_source_root = os.path.join(root, "lit")
config.test_exec_root = os.path.join(build, "lit")


def output(*command):
    try:
        return subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True).stdout.strip()
    except OSError:
        return ""


def tool(name):
    """NAME-22, or NAME in LLVM's own folder of programs."""
    found = shutil.which(name + "-22")
    return found or os.path.join(output("llvm-config-22", "--bindir") or "/usr/lib/llvm-22/bin", name)


plugin = os.path.join(build, "lib", "libtessera.so")
if not os.path.exists(plugin):
    lit_config.fatal(plugin + ": not built")

# A sanitised plugin needs its runtime loaded before the host program's own libraries. With -D reports=FOLDER it reports there,
# leaks, too, which don't fail a test by themselves: hosts and linkers have their own.
prefix = ""
if "__asan_init" in output("nm", "-D", plugin):
    config.available_features.add("asan")
    reports = lit_config.params.get("reports")
    options = f"detect_leaks=1:log_path={reports}/asan LSAN_OPTIONS=exitcode=0:use_tls=0" if reports else "detect_leaks=0"
    prefix = "env LD_PRELOAD={} ASAN_OPTIONS={} ".format(output("g++", "-print-file-name=libasan.so"), options)
if os.path.exists(output("g++", "-print-file-name=libgomp.so")):
    config.available_features.add("gomp")
if shutil.which("ld.lld-22"):
    config.available_features.add("lld")

# What programs compiled for x86-64-v3 and for x86-64-v4 need to run.
INSTRUCTIONS = {"native-avx2": {"avx2", "bmi1", "bmi2", "f16c", "fma", "movbe"}}
INSTRUCTIONS["native-avx512"] = INSTRUCTIONS["native-avx2"] | {"avx512bw", "avx512cd", "avx512dq", "avx512f", "avx512vl"}
known = set(open("/proc/cpuinfo").read().split())
config.available_features |= {feature for feature, needed in INSTRUCTIONS.items() if needed <= known}

if glob.glob(output(tool("clang"), "-print-resource-dir") + "/lib/*/libclang_rt.profile*.a"):
    config.available_features.add("profile")

interpreter = os.path.join(build, "test", "gpu")
if os.path.exists(os.path.join(interpreter, "libcuda.so.1")):
    config.available_features.add("ptx")

for name in ("TESSERA_OPTIONS", "TESSERA_RT_TRACE", "TESSERA_RT_DEVICE"):
    config.environment.pop(name, None)
clang = prefix + tool("clang")
load = " -fpass-plugin=" + plugin
config.substitutions += [
    (r"%clang\b", clang),
    (r"%clangxx\b", prefix + tool("clang++")),
    (r"%opt\b", prefix + tool("opt")),
    (r"%tessera-opt\b", prefix + tool("opt") + " -load-pass-plugin=" + plugin + " -S"),
    (r"%source-ir\b", clang + " -O2 -Xclang -disable-llvm-passes -S -emit-llvm -o -"),
    (r"%remarks\b", clang + " -O2 -gline-tables-only -S -o /dev/null" + load + " -fsave-optimization-record=yaml"
     " -foptimization-record-passes=tessera -foptimization-record-file=-"),
    (r"%FileCheck\b", tool("FileCheck")),
    (r"%not\b", tool("not")),
    (r"%count\b", tool("count")),
    (r"%split-file\b", tool("split-file")),
    (r"%llvm-profdata\b", tool("llvm-profdata")),
    (r"%llvm-objdump\b", tool("llvm-objdump")),
    (r"%llvm-dwarfdump\b", tool("llvm-dwarfdump")),
    (r"%llvm-nm\b", tool("llvm-nm")),
    (r"%plugin\b", plugin),
    (r"%runtime\b", os.path.join(build, "lib", "libtessera_rt.a")),
    (r"%interpreter\b", interpreter),
    (r"%tessera\b", os.path.join(build, "bin", "tessera")),
]
