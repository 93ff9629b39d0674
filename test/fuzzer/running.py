# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Functions whose subscripts and pointers run on from one inner loop to the next.

Nests of two or three loops, rectangular as a rule, with up to three values that each loop moves by something of its own:
a constant, a row, a pitch, back to where the row began; in front of the element, behind it, or behind the row; now and then
under a condition, which makes them no recurrence. Some inner loops are unrolled by hand.
"""
import random
import re

SIZES = [(0, 0), (1, 1), (1, 7), (7, 1), (2, 2), (3, 4), (5, 8), (8, 17), (3, 31), (33, 33), (20, 64), (9, 97), (40, 130)]
MAIN = """#include <stdio.h>
#include <string.h>
#define ROOM %(room)d
%(text)s
%(arrays)s
int main(void)
{
  static const int size[][2] = {%(sizes)s};
  for (unsigned s = 0; s < sizeof(size) / sizeof(*size); s++) {
    unsigned long sum = 14695981039346656037UL;
    int h = size[s][0], w = size[s][1];
%(fill)s
    %(call)s;
%(hash)s
    printf("%%d %%d %%lx\\n", h, w, sum);
  }
}
"""
ROOM = 2 * 12 * (40 * 130 + 40 + 130 + 8)


class Running:
    def __init__(self, seed):
        r = self.r = random.Random(seed)
        self.name = f"f{seed}"
        kinds = ["float"] * 4 + ["double", "int", "unsigned char", "short"]
        self.arrays = [(f"x{k}", r.choice(kinds)) for k in range(r.choice([2, 2, 3]))]
        self.restrict = "restrict " if r.random() < 0.8 else ""
        self.count = 0
        self.nests = [self.nest() for _ in range(r.choice([1, 1, 2]))]

    def loop(self, v, end):
        """The head of a loop whose counter is V, from about 0 to END or back."""
        r = self.r
        t = r.choice(["int", "int", "int", "long", "unsigned", "short"])
        end = f"(unsigned){end}" if t == "unsigned" else end
        return r.choice([f"for ({t} {v} = 0; {v} < {end}; {v}++)"] * 5 + [
            f"for ({t} {v} = 1; {v} <= {end}; {v}++)", f"for (int {v} = {end} - 1; {v} >= 0; {v}--)",
            f"for ({t} {v} = 0; {v} != {end}; {v}++)", f"for (int {v} = {end}; {v}-- > 0;)", f"for ({t} {v} = 0; {v} < {end}; {v} += 2)",
            f"for ({t} {v} = 2; {v} < {end}; {v}++)"])

    def nest(self):
        r = self.r
        deep = r.choice([2, 2, 2, 3])
        runs, begin, element, row, plane = [], [], [], [], []
        for _ in range(r.choice([1, 1, 2, 3])):
            (array, kind), v = r.choice(self.arrays), f"r{self.count}"
            self.count += 1
            pointer = r.random() < 0.6
            begin.append(f"{kind} *{v} = {array} + ROOM / 2;" if pointer else f"{r.choice(['int', 'int', 'long', 'unsigned'])} {v} = ROOM / 2;")
            step = r.choice([1, 1, 1, 1, 2, -1])
            move = lambda by: f"{v}++;" if by == "1" and r.random() < 0.5 else f"{v} += {by};"
            at = lambda d, v=v, array=array, pointer=pointer: f"{v}[{d}]" if pointer else f"{array}[{v} + {d}]"
            plain = f"*{v}" if pointer else f"{array}[{v}]"
            runs.append((v, kind, at, plain, f"*{v}++" if pointer else f"{array}[{v}++]", step))
            element.append(move(str(step)))
            row.append(r.choice(["", "", "", move("3"), move("pitch - w"), move(f"-({step} * w)"), move("1")]))
            plane.append(r.choice(["", "", move("5"), move("-w")]))
            if r.random() < 0.06:
                row[-1] = f"if (x0[ROOM / 2 + {r.randint(0, 9)}] > 5) {v}++;"
        target = r.randrange(len(runs))
        v, kind, at, plain, after, step = runs[target]
        reads = [f"{'x%d' % r.randrange(len(self.arrays))}[{r.choice(['j * h + i', 'i * w + j', 'j', 'i + 2', '2 * j + i'])}]"
                 for _ in range(r.choice([0, 1, 2]))]
        others = [(k, run) for k, run in enumerate(runs) if k != target]
        for k, run in others:
            if run[5] == 1 and r.random() < 0.4:  # its step is in the expression
                reads.append(run[4])
                element[k] = ""
            else:
                reads.append(r.choice([run[3], run[2](1), run[2](-1)]))
        value = " + ".join(reads + [r.choice(["1", "j", "i", "i * 2 - j"])])
        if kind not in ("float", "double"):
            value = f"(long)({value}) & 63"
        op = r.choice(["=", "=", "=", "+=" if kind in ("float", "double") else "^="])
        if step == 1 and r.random() < 0.5:
            work = f"{after} {op} ({kind})({value});"
            element[target] = ""
        else:
            work = f"{r.choice([plain, plain, at(1), at(-2)])} {op} ({kind})({value});"
        front = [e for e in element if e and r.random() < 0.2]
        body = " ".join(front + [work] + [e for e in element if e and e not in front])
        if r.random() < 0.06:
            body = f"if ((i + j) % 3) {{ {body} }}"
        text = f"{self.loop('j', r.choice(['w', 'w', 'w', '24']))} {{ {body} }}"
        if r.random() < 0.2:  # unrolled by hand: the rest begins where that ends
            by, end = r.choice([2, 3, 4]), r.choice([f"j + {{}} < w", f"j < w - {{}}", f"j <= w - {{}} - 1"])
            each = " ".join(re.sub(r"\bj\b", f"(j + {k})", body) for k in range(by))
            rest = r.choice(["for (; j < w; j++)", "for (; j < w; j++)", "while (j < w)", "if (j < w)"])
            text = f"int j = 0; for (; {end.format(by - 1)}; j += {by}) {{ {each} }} {rest} {{ {body}{' j++;' if 'while' in rest else ''} }}"
        text = f"{self.loop('i', 'h')} {{ {text} {' '.join(row)} }}"
        if deep == 3:
            text = f"for (int c = 0; c < 3; c++) {{ {text} {' '.join(plane)} }}"
        return "  { " + " ".join(begin) + "\n    " + text + " }"

    def program(self):
        given = ", ".join(f"{kind} *{self.restrict}{name}" for name, kind in self.arrays)
        text = "\n".join([f"__attribute__((noinline)) void {self.name}(int h, int w, int pitch, {given})", "{", *self.nests, "}"])
        fill = "\n".join(f"    for (int k = 0; k < ROOM; k++)\n      {name}[k] = ({kind})((k * {7 + 2 * n} + h) % 23);"
                         for n, (name, kind) in enumerate(self.arrays))
        digest = "\n".join(f"    for (unsigned long k = 0; k < sizeof({name}); k++)\n      sum = (sum ^ ((unsigned char *){name})[k]) * 1099511628211UL;"
                           for name, _ in self.arrays)
        return MAIN % {"room": ROOM, "text": text, "arrays": "\n".join(f"static {kind} {name}[ROOM];" for name, kind in self.arrays),
                       "sizes": ", ".join(f"{{{h}, {w}}}" for h, w in SIZES), "fill": fill, "hash": digest,
                       "call": f"{self.name}(h, w, w + (w & 1), " + ", ".join(name for name, _ in self.arrays) + ")"}
