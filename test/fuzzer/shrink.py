# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Makes a failing program smaller: tries deletions and simplifications one by one, keeps those that still fail.

No step widens the range of a subscript, so that every candidate is as free of undefined behaviour as the original.
"""
import copy
import time

from .program import Access, Check, If, Loop, Switch, Test, Transfer, While, accesses, walk


def bodies(body):
    """Every list of statements in a body, itself first."""
    yield body
    for node in body:
        if isinstance(node, Loop):
            yield from bodies(node.body)
        elif isinstance(node, If):
            yield from bodies(node.then)
            yield from bodies(node.other)
        elif isinstance(node, Switch):
            for case in node.cases:
                yield from bodies(case)
        elif isinstance(node, While):
            yield from bodies(node.body)


def names_in(program):
    """Every parameter, array and scalar that the body mentions."""
    used = set()
    for nodes in bodies(program.body):
        for node in nodes:
            affs, parts = [], []
            if isinstance(node, Loop):
                affs = [b.aff for b in node.lows + node.ups]
                used.add(node.by)
            elif isinstance(node, If):
                affs = [a for c in node.conditions if not isinstance(c, Test) for a in (c[0].aff, c[0].plus, c[2])]
                parts = node.tests()
            elif isinstance(node, Check):
                affs = [node.index.aff]
            else:
                parts = [node.test if isinstance(node, (Switch, While)) else node]
                affs = [node.count] if isinstance(node, Transfer) else []
            for part in parts:
                affs += [a for access in accesses(part) for i in access.indices for a in (i.aff, i.plus)]
                used |= {access.array for access in accesses(part)} | set(scalars_in(part))
            used |= {name for a in affs for name in a.terms}
    for array in program.arrays:
        if array.name in used:
            used |= {*array.strides, array.inc, *(name for name, _, _ in array.pitches)}
    return used


def scalars_in(statement):
    if isinstance(statement.target, str):
        yield statement.target
    stack = [statement.expr]
    while stack:
        e = stack.pop()
        if e[0] == "scalar":
            yield e[1]
        stack += [part for part in e[1:] if isinstance(part, tuple)]


def prune(program):
    """Drops loops and guards without statements, then what nothing mentions."""
    def clean(body):
        for node in body:
            if isinstance(node, Loop):
                clean(node.body)
            elif isinstance(node, If):
                clean(node.then)
                clean(node.other)
            elif isinstance(node, Switch):
                for case in node.cases:
                    clean(case)
            elif isinstance(node, While):
                clean(node.body)
        body[:] = [n for n in body if not (isinstance(n, (Loop, While)) and not n.body or isinstance(n, If) and not (n.then or n.other)
                                           or isinstance(n, Switch) and not any(n.cases))]
    clean(program.body)
    used = names_in(program)
    program.params = [p for p in program.params if p.name in used]
    program.arrays = [a for a in program.arrays if a.name in used]
    program.scalars = {s: t for s, t in program.scalars.items() if s in used}
    kept = {a.name for a in program.arrays}
    program.calls = [(values, {a: o for a, o in offsets.items() if a in kept}, seed) for values, offsets, seed in program.calls]
    return program


def simpler_nodes(node):
    """Lists of nodes that may stand in a node's place."""
    yield []
    if isinstance(node, If):
        yield node.then
        yield node.other
        if node.leaves:
            yield [If(node.conditions, node.joined, node.then, node.other)]
        if node.other:
            yield [If(node.conditions, node.joined, node.then, [], node.leaves)]
        for k in range(len(node.conditions) if len(node.conditions) > 1 else 0):
            yield [If(node.conditions[:k] + node.conditions[k + 1:], node.joined, node.then, node.other, node.leaves)]
    elif isinstance(node, Switch):
        for k, case in enumerate(node.cases):
            yield case
            if not node.breaks[k]:
                yield [Switch(node.test, node.cases, node.breaks[:k] + [True] + node.breaks[k + 1:])]
    elif isinstance(node, While):
        yield node.body
    elif isinstance(node, (Check, Transfer)):
        return
    elif isinstance(node, Loop):
        if node.down or node.style == "le":
            yield [Loop(node.var, node.type, node.lows, node.ups, node.step, False, "lt", node.body)]
        if node.step > 1:
            yield [Loop(node.var, node.type, node.lows, node.ups, 1, node.down, node.style, node.body)]
    else:
        for expr in simpler_exprs(node.expr):
            yield [type(node)(node.target, node.op, expr)]
        if node.op != "=":
            yield [type(node)(node.target, "=", node.expr)]


def simpler_exprs(e):
    if e[0] != "const":
        yield ("const", 4)
    parts = [k for k, part in enumerate(e) if isinstance(part, tuple)]
    yield from (e[k] for k in parts)
    for k in parts:
        for smaller in simpler_exprs(e[k]):
            yield e[:k] + (smaller,) + e[k + 1:]


def candidates(program):
    """Programs one step simpler."""
    if len(program.calls) > 1:
        for call in program.calls:
            smaller = copy.deepcopy(program)
            smaller.calls = [call]
            yield smaller
    for b, body in enumerate(list(bodies(program.body))):
        for k, node in enumerate(body):
            for nodes in simpler_nodes(node):
                smaller = copy.copy(program)
                smaller.body = copy.deepcopy(program.body)
                list(bodies(smaller.body))[b][k:k + 1] = copy.deepcopy(nodes)
                yield prune(smaller)
    for c, (values, offsets, seed) in enumerate(program.calls):
        for p in program.params:
            for value in {max(p.lo, values[p.name] // 2), max(p.lo, values[p.name] - 1)} - {values[p.name]}:
                if p.kind != "extent" and value >= 0:
                    smaller = copy.copy(program)
                    smaller.calls = list(program.calls)
                    smaller.calls[c] = ({**values, p.name: value}, offsets, seed)
                    yield smaller


def shrink(program, fails, seconds):
    """The smallest program found for which fails(program) holds, after at most that long."""
    deadline, found = time.monotonic() + seconds, True
    while found:
        found = False
        for smaller in candidates(program):
            if time.monotonic() > deadline:
                return program
            if smaller.body and fails(smaller):
                program, found = smaller, True
                break
    return program
