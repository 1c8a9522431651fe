#!/usr/bin/env python3
"""How often does randomised rounding of the printed linear program fail with the vertices of GLPK, the solver of the dissertation?

Needs: a program `dfrsim`, and `glpsol` (Debian: glpk-utils); about a minute an instance. Results depend on no clock.

    scripts/compare/rounding.py target/release/dfrsim INSTANCES [JOBS]

Draws instances of table 4.1, solves the relaxation of (4.1) to (4.6) by GLPK's primal simplex, rounds it 15 times, and compares
failures and gaps with those of RRND and RRNDNZ of `dfrsim solve pack`.
"""
import json
import pathlib
import random
import subprocess
import sys
import tempfile

ROUNDINGS = 15
ZERO = 1e-9


def program(instance):
    """Returns the printed program as text in CPLEX's format."""
    jobs, nodes, fixed = instance["jobs"], instance["nodes"], instance["fixed"]
    lines = ["Maximize", " obj: Y", "Subject To"]
    for j in range(len(jobs)):
        lines.append(f" a{j}: " + " + ".join(f"e{j}_{n}" for n in range(nodes)) + " = 1")
    for j in range(len(jobs)):
        lines += [f" b{j}_{n}: y{j}_{n} - e{j}_{n} <= 0" for n in range(nodes)]
    for d in range(fixed):
        for n in range(nodes):
            terms = [f"{job['requirements'][d]:.9f} e{j}_{n}" for j, job in enumerate(jobs) if job["requirements"][d] > 0]
            lines.append(f" r{d}_{n}: " + " + ".join(terms) + " <= 1")
    for d in range(instance["fluid"]):
        for n in range(nodes):
            terms = [f"{job['needs'][d]:.9f} y{j}_{n}" for j, job in enumerate(jobs) if job["needs"][d] > 0]
            lines.append(f" s{d}_{n}: " + " + ".join(terms) + " <= 1")
    for j, job in enumerate(jobs):
        total = " + ".join(f"y{j}_{n}" for n in range(nodes))
        lines.append(f" c{j}: {total} - {1 - job['qos']:.9f} Y >= {job['qos']:.9f}")
    lines += ["Bounds", " 0 <= Y <= 1", "End"]
    return "\n".join(lines) + "\n"


def vertex(instance, folder):
    """Returns the fractions of each job on each node, and the value of the program; None without a solution."""
    text, out = folder / "program.lp", folder / "solution.txt"
    text.write_text(program(instance))
    subprocess.run(["glpsol", "--lp", text, "--primal", "-o", out], check=True, capture_output=True)
    jobs, nodes = len(instance["jobs"]), instance["nodes"]
    parts, value = [[0.0] * nodes for _ in range(jobs)], None
    words = out.read_text().split()
    if "UNDEFINED" in words or "INFEASIBLE" in words[:40]:
        return None
    for at, word in enumerate(words):
        # The activity follows the name and the status of a column.
        if word.startswith("e") and "_" in word[1:] and word[1:].replace("_", "").isdigit():
            job, node = map(int, word[1:].split("_"))
            parts[job][node] = float(words[at + 2])
        elif word == "Y":
            value = float(words[at + 2])
    return parts, value


def least_yield(instance, placed):
    """Returns the largest common scaled yield of a placement."""
    jobs, best = instance["jobs"], 1.0
    for n in range(instance["nodes"]):
        on = [jobs[j] for j, node in enumerate(placed) if node == n]
        for d in range(instance["fluid"]):
            least = sum(job["needs"][d] * job["qos"] for job in on)
            rest = sum(job["needs"][d] * (1 - job["qos"]) for job in on)
            if rest > 0:
                best = min(best, max(0.0, (1 - least) / rest))
    return best


def rounded(instance, parts, is_raised, rng):
    """Rounds a vertex; returns the minimum yield, or None if a job fits nowhere."""
    jobs, nodes = instance["jobs"], instance["nodes"]
    fixed = [[1.0] * instance["fixed"] for _ in range(nodes)]
    fluid = [[1.0] * instance["fluid"] for _ in range(nodes)]
    placed = []
    for job, fractions in zip(jobs, parts):
        def fits(n):
            return all(r <= f + 1e-12 for r, f in zip(job["requirements"], fixed[n])) and all(
                need * job["qos"] <= f + 1e-12 for need, f in zip(job["needs"], fluid[n]))
        weights = [(0.01 if is_raised and part <= ZERO else part if part > ZERO else 0.0) if fits(n) else 0.0
                   for n, part in enumerate(fractions)]
        if sum(weights) <= 0:
            return None
        node = rng.choices(range(nodes), weights)[0]
        placed.append(node)
        fixed[node] = [f - r for f, r in zip(fixed[node], job["requirements"])]
        fluid[node] = [f - need * job["qos"] for f, need in zip(fluid[node], job["needs"])]
    return least_yield(instance, placed)


def main():
    dfrsim, count = sys.argv[1], int(sys.argv[2])
    wanted = int(sys.argv[3]) if len(sys.argv) > 3 else 100
    rng = random.Random(1)
    totals = {name: [0, 0, 0.0, 0] for name in ["GLPK RRND", "GLPK RRNDNZ", "dfrsim RRND", "dfrsim RRNDNZ"]}
    done = 0
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        while done < count:
            scenario = rng.randrange(729)
            file = folder / "instance.json"
            subprocess.run([dfrsim, "offline", "instance", "dissertation", "--scenario", str(scenario), "--out", file], check=True,
                           capture_output=True)
            instance = json.loads(file.read_text())
            if len(instance["jobs"]) != wanted:
                continue
            found = vertex(instance, folder)
            if found is None:
                continue
            parts, bound = found
            done += 1
            for label, is_raised in [("GLPK RRND", False), ("GLPK RRNDNZ", True)]:
                for _ in range(ROUNDINGS):
                    add(totals[label], rounded(instance, parts, is_raised, rng), bound)
            for algorithm in ["RRND", "RRNDNZ"]:
                answer = subprocess.run([dfrsim, "solve", "pack", file, "--algorithm", algorithm, "--time-limit", "600", "--format",
                                         "json"], capture_output=True, text=True)
                line = json.loads(answer.stdout)["algorithms"][0]
                add(totals[f"dfrsim {algorithm}"], line["minimum_yield"], bound)
            print(f"{done} of {count}: scenario {scenario}", file=sys.stderr, flush=True)
            for label, (tries, failures, gap, solved) in totals.items():
                mean = f"{100 * gap / solved:.1f} %" if solved else "-"
                print(f"{done} instances, {label}: fails {100 * failures / tries:.1f} %, below the bound {mean}", flush=True)


def add(total, minimum, bound):
    """Counts a rounding."""
    total[0] += 1
    if minimum is None:
        total[1] += 1
    elif bound > 0:
        total[2] += (bound - minimum) / bound
        total[3] += 1


main()
