#!/usr/bin/env python3
"""Do the ratios in crates/papers/dfrs/SHARING.md follow from the rows? Computes them without the program.

Needs: Python 3.8; a minute.

`sharing.py FOLDER` reads FOLDER/rows.csv of `dfrsim run scenarios/sharing.toml` and prints, for each workload and penalty, the mean
degradation of each policy, and its ratio to that of the dissertation's best policy with a 95 % interval: weeks, or traces with all of
their loads, are drawn 2,000 times. `--seed N` draws others; intervals then differ by about the last digit.

`sharing.py FOLDER --write` makes everything of the page anew: results/sharing/ratios.csv, effects.csv, ratios.svg and loads.svg, and the
tables between the marks of the page. `--write OTHER` writes the four files to another folder, and the page to OTHER/SHARING.md.
"""

import collections
import csv
import math
import random
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
PAGE = ROOT / "crates" / "papers" / "dfrs" / "SHARING.md"
DRAWS = 2000
BASE = "GreedyPM*/per/OPT=MIN/MVT=600"
# Policies as the page calls them.
NAMES = {
    "EASY": "EASY",
    "GANG": "GANG",
    "Greedy*/OPT=MIN": "Greedy\\*",
    "RANKED": "RANKED",
    "LAS": "LAS",
    "SRPT": "SRPT",
    "GreedyP*/OPT=MIN": "GreedyP\\*",
    "GreedyPM*/OPT=MIN": "GreedyPM\\*",
    BASE: "DFRS",
    "GreedyPM*/per/OPT=MIN/MVT=2700/PERIOD=2700": "DFRS every 2,700 s",
    "GreedyP*/OPT=MIN/PAY=15/RETRY=60/SWAP=2/LAS=1200": "four numbers",
    "GreedyPM*/per/OPT=MIN/MVT=2700/PERIOD=10800/BELOW=100/PAY=15/SPREAD/RETRY=60/SWAP=2/LAS=1200/AHEAD=2700": "recommended policy",
}
LONG = {name: policy for policy, name in NAMES.items()}
# Effects: what differs, the policy with it, and the policy without it.
EFFECTS = [
    ("preemption at full speed", "RANKED", "EASY"),
    ("sharing without preemption", "Greedy\\*", "EASY"),
    ("preemption where jobs share", "GreedyP\\*", "Greedy\\*"),
    ("migration", "GreedyPM\\*", "GreedyP\\*"),
    ("ticks every 600 s", "DFRS", "GreedyPM\\*"),
    ("longer ticks", "DFRS every 2,700 s", "DFRS"),
    ("knowledge of run times", "SRPT", "RANKED"),
    ("sharing with preemption at a bounded price", "four numbers", "RANKED"),
    ("the rest of the recommended policy", "recommended policy", "four numbers"),
    ("all of it beside preemption alone", "recommended policy", "RANKED"),
]
# Policies whose turnaround and makespan are compared with EASY's.
COSTS = ["RANKED", "LAS", "SRPT", "DFRS", "four numbers", "recommended policy"]
COLUMNS = ["degradation", "mean_turnaround_s", "makespan_s"]


class Rows:
    """Values of the three columns by workload and penalty, then policy, then block, then instance."""

    def __init__(self, path, seed):
        self.values = collections.defaultdict(lambda: collections.defaultdict(dict))
        self.seed = seed
        self.left_out = 0
        with open(path, newline="") as file:
            for row in csv.DictReader(file):
                if row["status"] != "ok":
                    self.left_out += 1
                    continue
                block = row["instance"].split("-load-")[0]
                own = self.values[row["workload"], row["penalty_s"]][row["policy"]]
                own.setdefault(block, {})[row["instance"], row["load"]] = [float(row[it]) for it in COLUMNS]

    def blocks(self, key, policy, base, column):
        """Returns pairs of values on the same instances, by week or trace."""
        one, other = self.values[key].get(policy, {}), self.values[key].get(base, {})
        both = [block for block in sorted(one) if block in other]
        pairs = [[(one[b][at][column], other[b][at][column]) for at in one[b] if at in other[b]] for b in both]
        return [pair for pair in pairs if pair]

    def ratio(self, key, policy, base, column=0):
        """Returns the number of instances, the mean of a policy, its ratio to another, and the interval."""
        blocks = self.blocks(key, policy, base, column)
        if not blocks:
            return None
        generator = random.Random(self.seed)
        drawn = sorted(ratio(generator.choices(blocks, k=len(blocks))) for _ in range(DRAWS))
        every = [pair[0] for block in blocks for pair in block]
        low, high = drawn[int(0.025 * DRAWS)], drawn[int(0.975 * DRAWS) - 1]
        return len(every), sum(every) / len(every), ratio(blocks), low, high, len(blocks)


def ratio(blocks):
    pairs = [pair for block in blocks for pair in block]
    return sum(pair[0] for pair in pairs) / sum(pair[1] for pair in pairs)


def ratios_csv(rows):
    lines = ["workload,penalty_s,policy,instances,mean,ratio,low,high"]
    for workload, penalty in rows.values:
        for policy in rows.values[workload, penalty]:
            found = rows.ratio((workload, penalty), policy, BASE)
            if found:
                count, mean, of_means, low, high, _ = found
                lines.append(f"{workload},{penalty},{policy},{count},{mean:.4g},{of_means:.3f},{low:.3f},{high:.3f}")
    return lines


def effects_csv(rows):
    lines = ["workload,penalty_s,effect,policy,without,ratio,low,high"]
    for workload, penalty in rows.values:
        for effect, one, other in EFFECTS:
            found = rows.ratio((workload, penalty), LONG[one], LONG[other])
            if found:
                lines.append(f"{workload},{penalty},{effect},{LONG[one]},{LONG[other]},{found[2]:.3f},{found[3]:.3f},{found[4]:.3f}")
    return lines


def number(value):
    if value < 0.095:
        return f"{value:.1g}"
    return f"{value:.0f}" if value >= 9.95 else f"{value:.1f}" if value >= 3 else f"{value:.2f}"


def cell(found):
    """Formats a ratio; one that is below 1 with its whole interval is bold."""
    if not found:
        return "-"
    text = f"{number(found[2])} [{number(found[3])}, {number(found[4])}]"
    return f"**{text}**" if found[4] < 1 else text


def table(rows, penalty, first, lines):
    workloads = [workload for workload, other in rows.values if other == penalty]
    head = f"| {first} | " + " | ".join(workloads) + " |"
    body = [f"| {name} | " + " | ".join(make((workload, penalty)) for workload in workloads) + " |" for name, make in lines]
    return [head, "|---|" + "--:|" * len(workloads), *body]


def parts(rows):
    """Returns the generated parts of the page by name."""
    found = {}
    for penalty in sorted({penalty for _, penalty in rows.values}, key=float):
        def count(key):
            it = rows.ratio(key, BASE, BASE)
            return f"{it[0]} ({it[5]})" if it else "-"

        def mean(key):
            it = rows.ratio(key, BASE, BASE)
            return f"{it[1]:.3g}" if it else "-"

        lines = [("instances (blocks that are drawn)", count), ("DFRS, mean degradation", mean)]
        others = [policy for policy in NAMES if policy != BASE]
        lines += [(NAMES[it], lambda key, it=it: cell(rows.ratio(key, it, BASE))) for it in others]
        found[f"ratios-{penalty}"] = table(rows, penalty, f"penalty {penalty} s", lines)
        lines = [
            (f"{effect}: {one} / {other}", lambda key, a=one, b=other: cell(rows.ratio(key, LONG[a], LONG[b])))
            for effect, one, other in EFFECTS
        ]
        found[f"effects-{penalty}"] = table(rows, penalty, f"penalty {penalty} s", lines)
        lines = [
            (f"{words}: {name}", lambda key, it=name, at=at: cell(rows.ratio(key, LONG[it], "EASY", at)))
            for at, words in [(1, "mean turnaround"), (2, "makespan")]
            for name in COSTS
        ]
        found[f"costs-{penalty}"] = table(rows, penalty, f"penalty {penalty} s", lines)
    return found


def fill(page, found):
    """Replaces the parts of a page between `<!-- NAME -->` and `<!-- end -->`."""
    lines, is_old = [], False
    names = set()
    for line in page.splitlines():
        name = line[5:-4] if line.startswith("<!-- ") and line.endswith(" -->") else ""
        if is_old and name != "end":
            continue
        is_old = False
        lines.append(line)
        if name in found:
            lines += found[name]
            names.add(name)
            is_old = True
    missing = sorted(set(found) - names)
    if missing:
        print(f"the page has no part for: {', '.join(missing)}", file=sys.stderr)
    return "\n".join(lines) + "\n"


class Picture:
    """A picture with panels of one logarithmic axis."""

    def __init__(self, width, height):
        self.size = (width, height)
        self.items = []

    def text(self, x, y, words, anchor="start", size=11):
        words = words.replace("\\*", "*").replace("&", "&amp;").replace("<", "&lt;")
        self.items.append(f'<text x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}" font-size="{size}">{words}</text>')

    def line(self, x, y, to_x, to_y, colour="#000", width=1.0):
        self.items.append(f'<path d="M{x:.1f} {y:.1f}L{to_x:.1f} {to_y:.1f}" stroke="{colour}" stroke-width="{width}"/>')

    def dot(self, x, y, colour):
        self.items.append(f'<circle cx="{x:.1f}" cy="{y:.1f}" r="3" fill="{colour}"/>')

    def svg(self):
        width, height = self.size
        head = f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{height}" font-family="sans-serif">'
        return "\n".join([head, f'<rect width="{width}" height="{height}" fill="#fff"/>', *self.items, "</svg>"]) + "\n"


def position(value, least, most, begin, end):
    part = (math.log10(value) - math.log10(least)) / (math.log10(most) - math.log10(least))
    return begin + part * (end - begin)


def decades(values):
    """Returns the powers of ten that enclose positive numbers, in ascending order."""
    values = list(values)
    least, most = math.floor(math.log10(min(values))), math.ceil(math.log10(max(values)))
    return [10.0**power for power in range(least, max(most, least + 1) + 1)]


COLOURS = ["#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9", "#000000", "#999999"]


def ratios_svg(rows):
    """Draws the ratios to DFRS with their intervals, a panel for each penalty, a dot for each workload."""
    penalties = sorted({penalty for _, penalty in rows.values}, key=float)
    workloads = list(dict.fromkeys(workload for workload, _ in rows.values))
    policies = [policy for policy in NAMES if policy != BASE]
    step, left, wide = 9 * len(workloads) + 10, 150, 330
    picture = Picture(left + (wide + 30) * len(penalties) + 10, 60 + step * len(policies) + 40)
    shown = [rows.ratio((workload, penalty), policy, BASE)
             for workload in workloads for penalty in penalties for policy in policies]
    ticks = decades(value for found in shown if found for value in found[2:5])
    least, most = ticks[0], ticks[-1]
    for panel, penalty in enumerate(penalties):
        begin = left + panel * (wide + 30)
        end, bottom = begin + wide, 40 + step * len(policies)
        picture.text((begin + end) / 2, 30, f"degradation / that of DFRS, penalty {penalty} s", "middle")
        for tick in ticks:
            x = position(tick, least, most, begin, end)
            picture.line(x, 40, x, bottom, "#888" if tick == 1 else "#ddd")
            picture.text(x, bottom + 14, f"{tick:g}", "middle")
        for row, policy in enumerate(policies):
            if panel == 0:
                picture.text(left - 8, 40 + step * (row + 0.55), NAMES[policy], "end")
            for at, workload in enumerate(workloads):
                found = rows.ratio((workload, penalty), policy, BASE)
                if found:
                    y, colour = 40 + step * row + 9 * (at + 1), COLOURS[at % len(COLOURS)]
                    low, high = (position(value, least, most, begin, end) for value in found[3:5])
                    picture.line(low, y, high, y, colour, 1.5)
                    picture.dot(position(found[2], least, most, begin, end), y, colour)
    for at, workload in enumerate(workloads):
        x, y = left + 90 * at, 60 + step * len(policies) + 15
        picture.dot(x, y - 4, COLOURS[at % len(COLOURS)])
        picture.text(x + 8, y, workload)
    return picture.svg()


def loads_svg(rows):
    """Draws the mean degradation by load, a panel for each workload with loads, for the largest penalty."""
    penalty = max((penalty for _, penalty in rows.values), key=float)
    by_load = collections.defaultdict(lambda: collections.defaultdict(list))
    for (workload, other), policies in rows.values.items():
        for policy, blocks in policies.items() if other == penalty else []:
            for block in blocks.values():
                for (_, load), value in block.items():
                    if load:
                        by_load[workload][policy, float(load)].append(value[0])
    shown = ["EASY", "Greedy\\*", "RANKED", "SRPT", "DFRS", "four numbers", "recommended policy"]
    wide, high = 300, 300
    picture = Picture(60 + (wide + 40) * max(1, len(by_load)) + 130, high + 90)
    ticks = decades(sum(v) / len(v) for values in by_load.values() for v in values.values())
    least, most = ticks[0], ticks[-1]
    for panel, (workload, values) in enumerate(by_load.items()):
        begin, top = 60 + panel * (wide + 40), 40
        picture.text(begin + wide / 2, 25, f"{workload}: mean degradation by load, penalty {penalty} s", "middle")
        loads = sorted({load for _, load in values})
        for tick in ticks:
            y = position(tick, least, most, top + high, top)
            picture.line(begin, y, begin + wide, y, "#ddd")
            picture.text(begin - 5, y + 4, f"{tick:g}", "end")
        place = {load: begin + wide * (at + 0.5) / len(loads) for at, load in enumerate(loads)}
        for load in loads:
            picture.text(place[load], top + high + 16, f"{load:g}", "middle")
        for at, name in enumerate(shown):
            means = [(place[load], values.get((LONG[name], load))) for load in loads]
            points = [(x, position(sum(v) / len(v), least, most, top + high, top)) for x, v in means if v]
            for one, other in zip(points, points[1:]):
                picture.line(*one, *other, COLOURS[at], 1.5)
            for point in points:
                picture.dot(*point, COLOURS[at])
    for at, name in enumerate(shown):
        x, y = 60 + (wide + 40) * max(1, len(by_load)) - 20, 60 + 18 * at
        picture.dot(x, y - 4, COLOURS[at])
        picture.text(x + 8, y, name)
    return picture.svg()


def main():
    arguments = sys.argv[1:]
    seed, target = 1, None
    if "--seed" in arguments:
        at = arguments.index("--seed")
        if len(arguments) < at + 2 or not arguments[at + 1].isdigit():
            sys.exit("--seed needs a number")
        seed = int(arguments[at + 1])
        del arguments[at : at + 2]
    writes = "--write" in arguments
    if writes:
        at = arguments.index("--write")
        target = Path(arguments[at + 1]) if len(arguments) > at + 1 else None
        del arguments[at : at + 2]
    if len(arguments) != 1:
        sys.exit(__doc__)
    path = Path(arguments[0]) / "rows.csv"
    if not path.exists():
        sys.exit(f"{path} does not exist: run scenarios/sharing.toml first")
    rows = Rows(path, seed)
    unknown = sorted({policy for policies in rows.values.values() for policy in policies} - set(NAMES))
    if unknown:
        print(f"not on the page: {', '.join(unknown)}", file=sys.stderr)
    if rows.left_out:
        print(f"rows of simulations that failed, left out: {rows.left_out}", file=sys.stderr)
    if not writes:
        print("\n".join(ratios_csv(rows)))
        return
    folder, page = (target, target / "SHARING.md") if target else (ROOT / "results" / "sharing", PAGE)
    folder.mkdir(parents=True, exist_ok=True)
    made = {
        folder / "ratios.csv": "\n".join(ratios_csv(rows)) + "\n",
        folder / "effects.csv": "\n".join(effects_csv(rows)) + "\n",
        folder / "ratios.svg": ratios_svg(rows),
        folder / "loads.svg": loads_svg(rows),
        page: fill(PAGE.read_text(), parts(rows)),
    }
    for path, text in made.items():
        path.write_text(text)
        print(f"wrote {path}")


main()
