# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Runs programs compiled with -tessera-gpu on the interpreter of PTX (test/gpu/ptx.h), in both orders of its threads."""
from collections import Counter

import harness

RUNTIME = harness.ROOT / "build" / "lib" / "libtessera_rt.a"
ENV = {"LD_LIBRARY_PATH": str(harness.ROOT / "build" / "test" / "gpu"), "TESSERA_RT_TRACE": "1"}
ORDERS = [{"TSR_PTX_ORDER": "lockstep"}, {"TSR_PTX_ORDER": "random", "TSR_PTX_SEED": "5"}]


def run(program, timeout, env):
    """(result, lines, {line of the output: jobs before it}) of PROGRAM.  Behind a line, in brackets, is what the interpreter or
    the runtime complained of before it; where the orders differ, the line of the second follows that of the first."""
    both, jobs = [], Counter()
    for order in ORDERS:
        # what is told of a call is told before its result: both go to one pipe
        ran = harness.execute(["sh", "-c", 'exec "$0" 2>&1', program], timeout, {**ENV, **env, **order})
        lines, said, n = [], "", 0
        for line in ran.out.splitlines():
            if line.startswith("tessera: ") and " to ask, " in line:
                n += " tsr_kernel_" in line
            elif line.startswith(("ptx: ", "tessera: ")):
                said = said or f" [{line}]"
            else:
                lines.append(line + said)
                jobs += Counter({line: n})
                said, n = "", 0
        both.append(lines + [said] * bool(said))
        if ran.rc != 0:
            break
    first, second = both[0], both[-1]
    if len(first) == len(second):
        first = [a if a == b else f"{a}, then {b}" for a, b in zip(first, second)]
    else:
        first = first + second
    return ran, first, jobs


def complaint(lines):
    """The first one in LINES, but for what differs from run to run; "": there is none."""
    for line in lines:
        if "[" in line:
            words = line.split("[", 1)[1].split(": ")
            return ": ".join(words[:2])
    return ""
