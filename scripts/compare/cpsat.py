"""How close do `dfrsim solve`'s solutions come to those of CP-SAT and HiGHS, and how fast?

Needs dfrsim, and ortools and highspy from PyPI (skipped without); at most the given seconds for each solver and instance:
cpsat.py {fewest|adapt|bins} [COUNT [SECONDS [FIRST]]].

All instances are drawn. Solvers run in one thread. Times and limits are of the processor, so that other work on the machine hardly
matters; those of dfrsim are of the whole command. Only HiGHS is limited by the clock.

fewest: the fewest of 10 to 60 unequal hosts for VMs that get all they need.
adapt: the least memory moved so that all VMs of an overloaded cluster, 30 hosts with 500 VMs, get all they need. CP-SAT begins with the moves
of `dfrsim solve adapt`, so that what it saves is what these miss.
bins: the fewest bins for items of Caprara and Toth's classes 1 to 8 (two-dimensional vector packing, 2001; drawn by this script from memory, as
no text with their definitions was found), and for VMs of two clouds, with 25, 50, 100 and 200 items, by VP_EJECT as it is and with --effort 100. The printed bound is that of `dfrsim solve pack`.
"""

import json
import os
import random
import sys
import tempfile
import threading
import time
from pathlib import Path

try:
    import highspy
    from ortools.sat.python import cp_model
except ImportError:
    cp_model = None

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "lib"))
import common  # noqa: E402

# Cores and memory in MB.
HOSTS = [(16, 64), (32, 128), (32, 256), (48, 192), (64, 256), (64, 512), (96, 384), (128, 1024)]
VMS = [(1, 2), (2, 4), (2, 8), (4, 8), (4, 16), (4, 32), (8, 16), (8, 32), (16, 64), (16, 128), (32, 128)]
OFTEN = [10, 20, 20, 15, 15, 5, 5, 6, 3, 1, 1]


def cluster(seed, hosts, load):
    """Hosts and VMs, as (cores, MB), whose cores are this part of those of all hosts."""
    rng = random.Random(seed)
    nodes = [(cores, gb * 1024) for cores, gb in rng.choices(HOSTS, k=hosts)]
    vms, left = [], load * sum(cores for cores, _ in nodes)
    while left > 0:
        cores, gb = rng.choices(VMS, OFTEN)[0]
        memory = gb * 1024
        if seed % 2:
            # No two are alike.
            cores, memory = rng.uniform(0.6, 1.4) * cores, int(rng.uniform(0.6, 1.4) * memory)
            cores = round(cores, 2)
        vms.append((cores, memory))
        left -= cores
    return rng, nodes, vms


def state(nodes, vms, places):
    """The state as a file of dfrsim."""
    def vm(number, place):
        cores, memory = vms[number]
        where = {"state": "waiting"} if place is None else {"state": "running", "node": f"H{place}"}
        return {"name": f"vm{number}", "cpu": cores, "memory": memory, **where}

    jobs = [{"name": f"job{number}", "vms": [vm(number, place)]} for number, place in enumerate(places)]
    named = [{"name": f"H{number}", "cpu": cores, "memory": memory} for number, (cores, memory) in enumerate(nodes)]
    return json.dumps({"nodes": named, "vjobs": jobs})


def dfrsim(*arguments):
    """The answer as JSON, also of a command without a result, and the time of the command in seconds."""
    begin = common.used_by_children()
    done = common.dfrsim("solve", *arguments, "--format", "json", check=False)
    if not done.stdout:
        sys.exit(f"dfrsim {' '.join(arguments)}: {done.stderr}")
    return json.loads(done.stdout), common.used_by_children() - begin


def solve(model, seconds):
    """The value and the bound in a time, in one thread."""
    solver = cp_model.CpSolver()
    solver.parameters.num_workers = 1
    begin, ended = time.process_time(), threading.Event()

    def stop_in_time():
        while not ended.wait(0.02):
            if time.process_time() - begin > seconds:
                solver.stop_search()

    threading.Thread(target=stop_in_time).start()
    status = solver.solve(model)
    ended.set()
    found = status in (cp_model.OPTIMAL, cp_model.FEASIBLE)
    return (solver.objective_value if found else None), solver.best_objective_bound, time.process_time() - begin


def fewest_by_cpsat(nodes, vms, seconds):
    """VMs of a size are counted together, and equal hosts are taken in turn."""
    model, sizes = cp_model.CpModel(), {}
    for size in vms:
        sizes[size] = sizes.get(size, 0) + 1
    on = [model.new_bool_var("") for _ in nodes]
    counts = {(size, host): model.new_int_var(0, count, "") for size, count in sizes.items() for host in range(len(nodes))}
    for size, count in sizes.items():
        model.add(sum(counts[size, host] for host in range(len(nodes))) == count)
    for host, node in enumerate(nodes):
        for at in range(2):
            model.add(sum(round(100 * size[at]) * counts[size, host] for size in sizes) <= 100 * node[at] * on[host])
        earlier = next((other for other in range(host) if nodes[other] == node), None)
        if earlier is not None:
            last = max(other for other in range(host) if nodes[other] == node)
            model.add_implication(on[host], on[last])
    model.minimize(sum(on))
    return solve(model, seconds)


def least_moved_by_cpsat(nodes, vms, places, known, seconds):
    """A variable for each VM and host; the search begins with the known places."""
    model = cp_model.CpModel()
    on = [[model.new_bool_var("") for _ in nodes] for _ in vms]
    for row in on:
        model.add_exactly_one(row)
    for host, node in enumerate(nodes):
        for at in range(2):
            model.add(sum(vms[vm][at] * on[vm][host] for vm in range(len(vms))) <= node[at])
    model.minimize(sum(vms[vm][1] * (1 - on[vm][place]) for vm, place in enumerate(places)))
    for vm, place in enumerate(known):
        for host in range(len(nodes)):
            model.add_hint(on[vm][host], host == place)
    return solve(model, seconds)


def compare_fewest(count, seconds, first, folder):
    worse = better = 0
    ours_s = theirs_s = slow = 0.0
    for seed in range(first, first + count):
        hosts = 10 + (seed * 7) % 51
        rng, nodes, vms = cluster(seed, hosts, 0.3 + 0.1 * (seed % 5))
        path = os.path.join(folder, "fewest.json")
        answers = []
        for order in range(2):
            with open(path, "w") as file:
                file.write(state(nodes, vms, [None] * len(vms)))
            answer, own_s = dfrsim("pack", path, "--fewest-nodes", "1")
            found = answer["algorithms"][0]
            answers.append(found["nodes"])
            if order == 0:
                # The same in another order of the file.
                nodes, vms = rng.sample(nodes, len(nodes)), rng.sample(vms, len(vms))
        value, bound, spent = fewest_by_cpsat(nodes, vms, seconds)
        if len(set(answers)) > 1:
            sys.exit(f"seed {seed}: the order of the file matters: {answers}")
        ours = answers[0]
        if value is not None and ours is None or None not in (ours, value) and ours > value:
            worse += 1
        better += value is None and ours is not None or None not in (ours, value) and ours < value
        ours_s, theirs_s, slow = ours_s + own_s, theirs_s + spent, max(slow, own_s)
        print(f"{seed}: {hosts} hosts, {len(vms)} VMs: {ours} (at least {found['at_least']}) in {own_s:.3f} s; CP-SAT {value} (at least {bound}) in {spent:.1f} s", flush=True)
    print(f"{count} clusters: worse {worse}, better {better}; {ours_s / count:.3f} s on average, at most {slow:.3f}; CP-SAT {theirs_s / count:.1f} s")


def overloaded(seed):
    """30 hosts and 500 VMs that run where they find memory, so that some hosts lack cores."""
    rng, nodes, vms = cluster(seed, 30, 0.0)
    nodes = [HOSTS[rng.randrange(3, len(HOSTS))] for _ in nodes]
    nodes = [(cores, gb * 1024) for cores, gb in nodes]
    free = [list(node) for node in nodes]
    places = []
    while len(vms) < 500:
        cores, gb = rng.choices(VMS, OFTEN)[0]
        memory = gb * 1024
        fits = [host for host, left in enumerate(free) if left[1] >= memory and left[0] >= cores - 4]
        if not fits or sum(left[0] for left in free) < cores + 60:
            break
        host = rng.choice(fits)
        free[host][0] -= cores
        free[host][1] -= memory
        vms.append((cores, memory))
        places.append(host)
    return nodes, vms, places


# The size of bins, and the sizes of an item in both dimensions.
def independent(bin_size, low, high):
    return bin_size, lambda rng: (rng.randint(low, high), rng.randint(low, high))


def around(bin_size, low, high, second):
    def draw(rng):
        first = rng.randint(low, high)
        return first, rng.randint(*second(first))
    return bin_size, draw


def of_cloud(bin_size, scales, *dimensions):
    """Sizes with how often they come, by lists; two lists are taken at the same quantile, as only their own distributions are published."""
    def draw(rng):
        at, sizes = rng.random(), []
        for often in dimensions:
            left = at * sum(often.values())
            for size, part in often.items():
                left -= part
                if left < 0:
                    break
            sizes.extend(size if isinstance(size, tuple) else [size])
        return tuple(scale * size for scale, size in zip(scales, sizes))
    return bin_size, draw


# In percent, measured in the figure of VM types in the documentation of VMAgent (Huawei-East-1: cores and GB; hosts of 40 cores and 90 GB, so
# without the 0.1 % of VMs that are larger), and in those of buckets of cores and of GB in the analysis of Azure's public dataset V2 (2019).
HUAWEI = {(1, 1): 22.2, (1, 2): 44.5, (1, 4): 2.6, (2, 4): 13.5, (2, 8): 1.8, (4, 8): 9.1, (4, 16): 1.6, (8, 16): 2.6, (8, 32): 0.9, (12, 24): 0.4,
          (16, 32): 0.7}
AZURE = [{2: 59.0, 4: 30.4, 8: 7.4, 24: 3.2}, {2: 12.0, 4: 15.7, 8: 37.3, 32: 31.8, 64: 3.2}]

CLASSES = {
    1: independent(1000, 100, 400),
    2: independent(1000, 1, 1000),
    3: independent(1000, 200, 800),
    4: independent(1000, 50, 200),
    5: independent(1000, 25, 100),
    6: independent(150, 20, 100),
    7: around(150, 20, 100, lambda first: (first - 10, first + 10)),
    8: around(150, 20, 100, lambda first: (110 - first, 130 - first)),
    "Huawei": of_cloud(360, (9, 4), HUAWEI),
    # On hosts of 64 cores and 256 GB, which are ours.
    "Azure": of_cloud(256, (4, 1), *AZURE),
}


def bins_by_cpsat(size, items, known, seconds):
    """A variable for each item and bin; as many bins as are known to be enough, used in turn."""
    model = cp_model.CpModel()
    on = [model.new_bool_var("") for _ in range(known)]
    for one, other in zip(on, on[1:]):
        model.add_implication(other, one)
    places = [[model.new_bool_var("") for _ in on] for _ in items]
    for row in places:
        model.add_exactly_one(row)
    for number, is_on in enumerate(on):
        for at in range(2):
            model.add(sum(item[at] * row[number] for item, row in zip(items, places)) <= size * is_on)
    model.minimize(sum(on))
    return solve(model, seconds)


def bins_by_highs(size, items, known, seconds):
    """The same program."""
    model = highspy.Highs()
    model.silent()
    for name, value in [("time_limit", float(seconds)), ("threads", 1)]:
        model.setOptionValue(name, value)
    on = [model.addBinary() for _ in range(known)]
    places = [[model.addBinary() for _ in on] for _ in items]
    for row in places:
        model.addConstr(sum(row) == 1)
    for number, is_on in enumerate(on):
        for at in range(2):
            model.addConstr(sum(item[at] * row[number] for item, row in zip(items, places)) <= size * is_on)
    begin = time.process_time()
    model.minimize(sum(on))
    info = model.getInfo()
    found = info.primal_solution_status == highspy.SolutionStatus.kSolutionStatusFeasible
    return (round(info.objective_function_value) if found else None), info.mip_dual_bound, time.process_time() - begin


def compare_bins(count, seconds, first, folder):
    path = os.path.join(folder, "items.vbp")
    sums = {"VP_EJECT": [0, 0.0], "effort 100": [0, 0.0], "CP-SAT": [0, 0.0], "HiGHS": [0, 0.0]}
    proven = cases = 0
    for number in range(first, first + count):
        for name, (size, draw) in CLASSES.items():
            for length in (25, 50, 100, 200):
                rng = random.Random(f"{name} {length} {number}")
                items = [draw(rng) for _ in range(length)]
                with open(path, "w") as file:
                    file.write(f"2\n{size} {size}\n{length}\n" + "".join(f"{a} {b} 1\n" for a, b in items))
                found = {}
                for label, effort in [("VP_EJECT", "1"), ("effort 100", "100")]:
                    answer, own_s = dfrsim("pack", path, "--algorithm", "VP_EJECT", "--effort", effort, "--time-limit", "600")
                    answer = answer["algorithms"][0]
                    found[label] = (answer["nodes"], own_s)
                least, known = answer["at_least"], found["VP_EJECT"][0]
                for label, by in [("CP-SAT", bins_by_cpsat), ("HiGHS", bins_by_highs)]:
                    value, _, spent = by(size, items, known, seconds)
                    # Without an answer there are as many bins as it was given.
                    found[label] = (known if value is None else round(value), spent)
                cases += 1
                proven += found["effort 100"][0] == least
                for label, (bins, spent) in found.items():
                    sums[label][0] += bins
                    sums[label][1] += spent
                listed = ", ".join(f"{label} {bins} in {spent:.3f} s" for label, (bins, spent) in found.items())
                print(f"class {name}, {length} items: {listed}; at least {least}", flush=True)
    totals = ", ".join(f"{label} {bins} in {spent / cases:.3f} s" for label, (bins, spent) in sums.items())
    print(f"{cases} instances, bins in all and mean times: {totals}; proven to be the fewest {proven}")


def compare_adapt(count, seconds, first, folder):
    above, times = [], []
    for seed in range(first, first + count):
        nodes, vms, places = overloaded(seed)
        path = os.path.join(folder, "adapt.json")
        with open(path, "w") as file:
            file.write(state(nodes, vms, places))
        found = os.path.join(folder, "adapted.json")
        answer, own_s = dfrsim("adapt", path, "--keep-yield", "1", "--state-out", found)
        times.append(own_s)
        ours = answer["budgets"][0]["moved"]
        with open(found) as file:
            jobs = json.load(file)["vjobs"]
        by_name = {vm["name"]: int(vm["node"][1:]) for job in jobs for vm in job["vms"]}
        known = [by_name[f"vm{number}"] for number in range(len(vms))]
        value, bound, _ = least_moved_by_cpsat(nodes, vms, places, known, seconds)
        if value is not None and (ours is None or ours > value):
            above.append(float("inf") if ours is None else 100 * (ours / value - 1) if value else float("inf"))
        elif value is not None:
            above.append(100 * (ours / value - 1) if value else 0.0)
        print(f"{seed}: {len(vms)} VMs: {ours} MB in {times[-1]:.2f} s; CP-SAT {value} (at least {bound})", flush=True)
    print(f"{count} clusters: {sum(above) / len(above):.2f} % above CP-SAT on average, at most {max(above):.2f} %; {sum(times) / count:.2f} s on average, at most {max(times):.2f}")


if __name__ == "__main__":
    if cp_model is None or common.program() is None:
        common.skip("needs ortools and highspy (pip install ortools highspy) and dfrsim (DFRSIM, a release build, or in the PATH)")
    if len(sys.argv) < 2 or sys.argv[1] not in ("fewest", "adapt", "bins"):
        sys.exit(__doc__)
    what = sys.argv[1]
    count, seconds, first = (int(word) for word in sys.argv[2:5] + ["20", "10", "1"][len(sys.argv) - 2:])
    with tempfile.TemporaryDirectory() as folder:
        {"fewest": compare_fewest, "adapt": compare_adapt, "bins": compare_bins}[what](count, seconds, first, folder)
