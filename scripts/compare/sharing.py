#!/usr/bin/env python3
"""Do the ratios in crates/papers/dfrs/SHARING.md follow from the rows? Computes them without the program.

Needs: Python 3.8; seconds.

`sharing.py FOLDER [SEED]` reads FOLDER/rows.csv of `dfrsim run scenarios/sharing.toml` and prints, for each workload and penalty, the mean
degradation of each policy, and its ratio to that of the dissertation's best policy with a 95 % interval: weeks, or traces with all of
their loads, are drawn 2,000 times. The intervals of another seed differ by about the last digit.
"""

import collections
import csv
import random
import sys

BASE = "GreedyPM*/per/OPT=MIN/MVT=600"
DRAWS = 2000


def main():
    if len(sys.argv) not in (2, 3):
        sys.exit(__doc__)
    values = collections.defaultdict(lambda: collections.defaultdict(dict))
    policies = []
    with open(sys.argv[1] + "/rows.csv", newline="") as file:
        for row in csv.DictReader(file):
            if row["status"] != "ok":
                continue
            if row["policy"] not in policies:
                policies.append(row["policy"])
            block = row["instance"].split("-load-")[0]
            of_policy = values[row["workload"], row["penalty_s"]][row["policy"]]
            of_policy.setdefault(block, {})[row["instance"], row["load"]] = float(row["degradation"])
    print("workload,penalty_s,policy,instances,mean,ratio,low,high")
    for (workload, penalty), of_policies in values.items():
        base = of_policies.get(BASE, {})
        for policy in policies:
            own = of_policies.get(policy, {})
            pairs = {
                block: [(own[block][key], base[block][key]) for key in own[block] if key in base[block]]
                for block in sorted(own)
                if block in base
            }
            blocks = [pairs[block] for block in pairs if pairs[block]]
            if not blocks:
                continue
            generator = random.Random(int(sys.argv[2]) if len(sys.argv) > 2 else 1)
            drawn = sorted(ratio(generator.choices(blocks, k=len(blocks))) for _ in range(DRAWS))
            every = [pair[0] for block in blocks for pair in block]
            low, high = drawn[int(0.025 * DRAWS)], drawn[int(0.975 * DRAWS) - 1]
            mean = sum(every) / len(every)
            print(f"{workload},{penalty},{policy},{len(every)},{mean:.4g},{ratio(blocks):.3f},{low:.3f},{high:.3f}")


def ratio(blocks):
    pairs = [pair for block in blocks for pair in block]
    return sum(pair[0] for pair in pairs) / sum(pair[1] for pair in pairs)


main()
