# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Nests with innermost loops that are left in the middle: in one place or several, with something done on the way out, or asked
behind it, at the begin, in the middle or at the end of an iteration; beside loops as usual."""
from .running import Running


class Searches(Running):
    def element(self, name, *subscripts):
        return f"{name}[ROOM / 2 + {self.r.choice(subscripts)}]"

    def value(self, variables, kind):
        r = self.r
        flat = [f"{a} * w + {b}" for a, b in zip(variables, variables[1:])] + [f"{b} * h + {a}" for a, b in zip(variables, variables[1:])]
        names = [name for name, _ in self.arrays]
        reads = [self.element(r.choice(names), *flat, *variables, f"{variables[-1]} + 1") for _ in range(r.choice([1, 2]))]
        text = " + ".join(reads + [r.choice(["1", *variables])])
        return f"({kind})({text})" if kind in ("float", "double") else f"({kind})((long)({text}) & 63)"

    def assign(self, variables):
        name, kind = self.r.choice(self.arrays)
        at = self.element(name, *variables[-1:], *(f"{a} * w + {b}" for a, b in zip(variables, variables[1:])))
        op = self.r.choice(["=", "=", "+=" if kind in ("float", "double") else "^="])
        return f"{at} {op} {self.value(variables, kind)};"

    def test(self, variables):
        r = self.r
        name = r.choice(self.arrays)[0]
        at = self.element(name, *variables, *(f"{a} * w + {b}" for a, b in zip(variables, variables[1:])))
        return f"{at} {r.choice(['>', '==', '<', '>='])} {r.choice([0, 3, 11, 20, 22, 60])}"

    def search(self, variables, counter):
        """A loop over COUNTER that may end early, which is declared outside if it is read behind."""
        r = self.r
        inside = [*variables, counter]
        outs = []
        for _ in range(r.choice([1, 1, 1, 2, 3])):
            condition = self.test(inside) if r.random() < 0.85 else f"{counter} > {r.choice([5, 40])}"
            leaves = r.choice(["break;", "break;", f"{{ {self.assign(variables)} break; }}", f"{{ t += {counter}; break; }}", "continue;"])
            outs.append(f"if ({condition}) {leaves}")
        work = [r.choice(["t += 1;", "s += " + self.value(inside, "float") + ";", self.assign(inside), ""]) for _ in range(r.choice([0, 1, 2]))]
        body = outs + [w for w in work if w]
        r.shuffle(body)
        head = r.choice([f"for ({counter} = 0; {counter} < w; {counter}++)", f"for ({counter} = w - 1; {counter} >= 0; {counter}--)",
                         f"for ({counter} = 1; {counter} < 30; {counter}++)"])
        return f"{head} {{ {' '.join(body)} }}"

    def nest(self):
        r = self.r
        deep = r.choice([1, 1, 2])
        variables = ["i", "c"][:deep]
        restart = "int j = 0, t = 0; float s = 0;" if r.random() < 0.8 else "int j = 0; t = 0; float s = 0;"
        before = "int t = 0; " if "t = 0, " not in restart and restart.startswith("int j = 0;") else ""
        parts = [self.search(variables, "j")]
        if r.random() < 0.5:
            parts.append(f"for (int k = 0; k < w; k++) {{ {self.assign([*variables, 'k'])} }}")
        if r.random() < 0.3:
            parts.append(self.search(variables, "j"))
        r.shuffle(parts)
        name, kind = r.choice(self.arrays)
        used = r.choice(["t", "t + j", "s", "(j == w)", "j"])
        parts.append(f"{self.element(name, *variables)} = ({kind})((long)({used}) & 63);")
        if r.random() < 0.2:
            parts.append(f"if (j < w) {self.assign(variables)}")
        text = f"for (int {variables[-1]} = 0; {variables[-1]} < h; {variables[-1]}++) {{ {restart} {' '.join(parts)} }}"
        if deep == 2:
            text = f"for (int i = 0; i < 3; i++) {text}"
        return f"  {{ {before}{text} }}"
