# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Checks the layers of the code: which file may include and call which.

The folders of isl-bridge/ and of pass/ are floors, in the order in which a SCoP flows through them; the files of runtime/
are, each on those before it. A file includes and calls its own floor and those before it, never one after it; within a floor
no more than MOST_IN_A_CIRCLE files call each other in a circle. All functions with external linkage are named tsr_..., so
that calls are found in the text.
"""
import re
import subprocess
from pathlib import Path

# What is in no folder of a half comes after all of that half's floors, unless it is listed.
FLOORS = {
    "isl-bridge": ["tessera.h", "support", "model", "marks", "deps", "access", "sched", "tree", "cost", "check", "commands", "ast"],
    "pass": ["shim", "pass.h", "target.c", "tally.c", "read", "emit"],
    "runtime": ["tessera_rt.h", "cuda_driver.h", "runtime.h", "message.c", "cuda_driver.c", "device.c", "failures.c", "streams.c",
                "device_memory.c", "modules.c", "trace.c", "staging.c", "copies.c", "flag.c", "fetch.c", "jobs.c"],
}
# What a floor must not use, though it is before its own: the checker doesn't ask those whose work it checks.
APART = {"check": ("sched", "tree", "cost")}
CODE = (".c", ".cpp", ".h")
MOST_IN_A_CIRCLE = 4
MOST_IN_A_FOLDER = 25


def text_of(path):
    """The code of a file without comments and strings, but with its include lines."""
    text = re.sub(r"/\*.*?\*/", " ", path.read_text(errors="replace"), flags=re.S)
    text = re.sub(r"//[^\n]*", " ", text)
    includes = re.findall(r'^\s*#\s*include "([^"]+)"', text, re.M)
    return re.sub(r'"(\\.|[^"\\\n])*"', '""', text), includes


def floor_of(half, name):
    """The number of the floor of a file, by its path within the half."""
    floors = FLOORS[half]
    first = name.split("/")[0]
    return floors.index(first) if first in floors else len(floors)


def are_apart(name, other):
    """Is OTHER, a path within a half as NAME, on a floor that NAME's must not use?"""
    return other.split("/")[0] in APART.get(name.split("/")[0], ())


def definitions(text):
    """Functions and variables with external linkage that the text of a .c or .cpp file defines."""
    for found in re.finditer(r"^(?!static\b|extern\b|typedef\b|#)[A-Za-z_].*?\b(tsr_\w+)\s*(\(|\[|=|;)", text, re.M):
        end = re.compile(r"[;{]").search(text, found.end() - 1)
        if found[2] != "(" or (end and end[0] == "{"):
            yield found[1]


def circles(edges):
    """The strongly connected components of more than one node (Tarjan's algorithm)."""
    number, low, stack, on_stack, found = {}, {}, [], set(), []

    def visit(node):
        number[node] = low[node] = len(number)
        stack.append(node)
        on_stack.add(node)
        for other in sorted(edges.get(node, ())):
            if other not in number:
                visit(other)
                low[node] = min(low[node], low[other])
            elif other in on_stack:
                low[node] = min(low[node], number[other])
        if low[node] == number[node]:
            component = []
            while not component or component[-1] != node:
                component.append(stack.pop())
                on_stack.discard(component[-1])
            if len(component) > 1:
                found.append(sorted(component))

    for node in sorted(edges):
        if node not in number:
            visit(node)
    return found


def calls(texts):
    """{file: {file that it calls or reads a variable of: a name}} for .c and .cpp files."""
    home = {}
    for name, (text, _) in texts.items():
        if not name.endswith(".h"):
            for symbol in definitions(text):
                home[symbol] = name
    edges = {}
    for name, (text, _) in texts.items():
        if name.endswith(".h"):
            continue
        for symbol in set(re.findall(r"(?<!struct )(?<!enum )\btsr_\w+", text)):
            if home.get(symbol, name) != name:
                edges.setdefault(name, {})[home[symbol]] = symbol
    return edges


def include_faults(half, texts):
    for name, (_, includes) in sorted(texts.items()):
        for include in includes:
            path = str(Path(name).parent / include) if str(Path(name).parent / include) in texts else include
            if path in texts and floor_of(half, path) > floor_of(half, name):
                yield f"{half}/{name} includes {path}, of a floor after its own"
            if path in texts and are_apart(name, path):
                yield f"{half}/{name} includes {path}, whose work it checks"
            if half == "pass" and path not in texts and include not in ("tessera.h", "model/options.def") \
                    and (Path(__file__).parents[1] / "isl-bridge" / include).is_file():
                yield f"{half}/{name} includes {include}: of isl-bridge it may know tessera.h alone"


def call_faults(half, texts):
    edges = calls(texts)
    # The plugin's entry point calls the pass, once.
    edges.get("shim/plugin.cpp", {}).pop("driver.c", None)
    for name, others in sorted(edges.items()):
        for other, symbol in sorted(others.items()):
            if floor_of(half, other) > floor_of(half, name):
                yield f"{half}/{name} uses {symbol} of {other}, of a floor after its own"
            if are_apart(name, other):
                yield f"{half}/{name} uses {symbol} of {other}, whose work it checks"
    for circle in circles(edges):
        if len(circle) > MOST_IN_A_CIRCLE:
            yield f"{half}: {len(circle)} files call each other in a circle: {' '.join(circle)}"


def faults(root):
    """A sentence for each breach of the rules in the files that git tracks below ROOT."""
    tracked = subprocess.run(["git", "-C", str(root), "ls-files", "--", *FLOORS], stdout=subprocess.PIPE, text=True,
                             check=True).stdout.split("\n")
    tracked = [Path(f) for f in tracked if f and (Path(root) / f).is_file()]
    names, folders = {}, {}
    for path in tracked:
        folders.setdefault(path.parent, []).append(path)
        if path.suffix in (".c", ".cpp"):
            names.setdefault(path.stem, []).append(str(path))
    for folder, files in sorted(folders.items()):
        if len(files) > MOST_IN_A_FOLDER:
            yield f"{folder}: {len(files)} files, more than {MOST_IN_A_FOLDER}"
    for same in sorted(names.values()):
        if len(same) > 1:
            yield f"one name for several files: {' '.join(same)}"
    for half in FLOORS:
        texts = {str(p.relative_to(half)): text_of(Path(root) / p) for p in tracked
                 if p.parts[0] == half and p.suffix in CODE}
        yield from include_faults(half, texts)
        yield from call_faults(half, texts)
