"""How few hosts and how little moved memory does `dfrsim solve` need where rules bind VMs, compared with CP-SAT and with best fit?

Needs dfrsim, and ortools from PyPI for the comparison with CP-SAT (skipped without):
hosts.py {rules|sizes} [COUNT [SECONDS [FIRST]]].

rules: clusters of 8 to 14 hosts whose VMs are kept apart (spread), together (gather), off hosts (ban), on some hosts (fence), and limited in
number (running-capacity) and memory (resource-capacity) on single hosts. Three questions for each: the fewest hosts (`adapt --aim nodes`), the
least memory moved so that all rules hold after some were broken (`adapt --keep-yield 1`), and the least memory moved to drain a host (`plan
--drain`). CP-SAT answers each in one thread and at most SECONDS. It knows nothing of the order of moves, so its least memory is a bound for
`plan`. Times are of the processor, for the whole command.

sizes: 100 hosts with 1,500 VMs and 271 rules, consolidated with a time limit of 5 s and of 1 s, and by best fit decreasing with the same rules;
2,000 hosts with 20,000 VMs, of which 20 hosts are drained. Times are of the clock.

Each answer is read back from the state that dfrsim writes, and judged here against capacities and rules. Exits with 1 if one breaks them, or if
dfrsim needs more hosts than CP-SAT or best fit.
"""
import json
import random
import sys
import tempfile
import threading
import time
from pathlib import Path

try:
    from ortools.sat.python import cp_model
except ImportError:
    cp_model = None

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "lib"))
import common  # noqa: E402


class Cluster:
    """Hosts as (cores, MB), VMs as (cores, MB), the host of each VM, and rules as dfrsim reads them, with numbers for names."""

    def __init__(self, hosts, vms, places, rules):
        self.hosts, self.vms, self.places, self.rules = hosts, vms, places, rules

    def write(self, path):
        nodes = [{"name": f"h{at}", "cpu": cores, "memory": memory} for at, (cores, memory) in enumerate(self.hosts)]
        vms = [{"name": f"v{at}", "cpu": cores, "memory": memory, "state": "running", "node": f"h{self.places[at]}"}
               for at, (cores, memory) in enumerate(self.vms)]
        rules = []
        for rule in self.rules:
            named = dict(rule)
            if "vms" in rule:
                named["vms"] = [f"v{vm}" for vm in rule["vms"]]
            if "nodes" in rule:
                named["nodes"] = [f"h{host}" for host in rule["nodes"]]
            rules.append(named)
        path.write_text(json.dumps({"nodes": nodes, "vms": vms, "constraints": rules}))

    def faults(self, places):
        """Capacities and rules that places break."""
        faults = []
        for host, capacity in enumerate(self.hosts):
            there = [vm for vm, place in enumerate(places) if place == host]
            for at in range(2):
                if sum(self.vms[vm][at] for vm in there) > capacity[at]:
                    faults.append(f"h{host} is overloaded")
        for rule in self.rules:
            on = [places[vm] for vm in rule.get("vms", [])]
            kind, nodes = rule["kind"], rule.get("nodes", [])
            there = [vm for vm, place in enumerate(places) if place in nodes]
            broken = {
                "spread": lambda: len(set(on)) < len(on),
                "gather": lambda: len(set(on)) > 1,
                "ban": lambda: any(host in nodes for host in on),
                "fence": lambda: any(host not in nodes for host in on),
                "running-capacity": lambda: len(there) > rule["limit"],
                "resource-capacity": lambda: sum(self.vms[vm][1] for vm in there) > rule["limit"],
            }[kind]()
            if broken:
                faults.append(json.dumps(rule))
        return faults

    def moved(self, places):
        return sum(self.vms[vm][1] for vm, place in enumerate(places) if place != self.places[vm])


def placed(path):
    """The host of each VM in a state that dfrsim has written."""
    with open(path) as file:
        found = json.load(file)
    vms = [vm for job in found.get("vjobs", []) for vm in job["vms"]] + found.get("vms", [])
    by_name = {vm["name"]: int(vm["node"][1:]) for vm in vms}
    return [by_name[f"v{vm}"] for vm in range(len(by_name))]


def dfrsim(*arguments):
    """The places of the answer, its time of the processor and of the clock in seconds, and what it said."""
    with tempfile.TemporaryDirectory() as folder:
        out = Path(folder) / "after.json"
        used, begin = common.used_by_children(), time.monotonic()
        done = common.dfrsim("solve", *arguments, "--state-out", out, check=False)
        times = common.used_by_children() - used, time.monotonic() - begin
        return (placed(out) if out.exists() else None), *times, done.stderr.strip()


def random_cluster(seed, sizes=(8, 14)):
    """A cluster whose rules all hold, since its places were drawn before its rules."""
    rng = random.Random(seed)
    hosts = [rng.choice([(16, 65536), (32, 131072), (32, 131072), (48, 196608)]) for _ in range(rng.randint(*sizes))]
    free = [list(host) for host in hosts]
    vms, places = [], []
    load = rng.uniform(0.45, 0.7)
    while sum(memory for _, memory in vms) < load * sum(memory for _, memory in hosts):
        cores, memory = rng.choice([1, 1, 2, 2, 4, 4, 8]), rng.randint(2, 40) * 512
        fits = [host for host, left in enumerate(free) if left[0] >= cores and left[1] >= memory]
        if not fits:
            break
        host = rng.choice(fits)
        free[host][0] -= cores
        free[host][1] -= memory
        vms.append((cores, memory))
        places.append(host)
    rules, left = [], list(range(len(vms)))
    rng.shuffle(left)

    def take(fits, most):
        """VMs without a rule so far, each of which fits the ones taken before."""
        taken = []
        for vm in list(left):
            if len(taken) < most and fits(vm, taken):
                taken.append(vm)
                left.remove(vm)
        return taken

    for _ in range(rng.randint(4, 10)):
        apart = take(lambda vm, taken: all(places[vm] != places[other] for other in taken), rng.randint(2, 5))
        rules.append({"kind": "spread", "vms": apart})
    for _ in range(rng.randint(1, 3)):
        together = take(lambda vm, taken: not taken or places[vm] == places[taken[0]], rng.randint(2, 3))
        rules.append({"kind": "gather", "vms": together})
    for _ in range(rng.randint(1, 3)):
        nodes = rng.sample(range(len(hosts)), rng.randint(1, 3))
        rules.append({"kind": "ban", "vms": take(lambda vm, _: places[vm] not in nodes, 4), "nodes": nodes})
    nodes = rng.sample(range(len(hosts)), len(hosts) // 2)
    rules.append({"kind": "fence", "vms": take(lambda vm, _: places[vm] in nodes, 6), "nodes": nodes})
    for host in rng.sample(range(len(hosts)), 2):
        rules.append({"kind": "running-capacity", "nodes": [host], "limit": places.count(host) + rng.randint(0, 3)})
    host = rng.randrange(len(hosts))
    used = sum(memory for (_, memory), place in zip(vms, places) if place == host)
    rules.append({"kind": "resource-capacity", "nodes": [host], "resource": "memory", "limit": (used + hosts[host][1]) // 2})
    return rng, Cluster(hosts, vms, places, [rule for rule in rules if rule.get("vms", [0])])


def disturbed(rng, cluster):
    """The cluster with some VMs elsewhere, as after a failure: capacities hold, and rules may be broken."""
    free = [list(host) for host in cluster.hosts]
    for (cores, memory), place in zip(cluster.vms, cluster.places):
        free[place][0] -= cores
        free[place][1] -= memory
    places = list(cluster.places)
    for vm in rng.sample(range(len(places)), len(places) // 3):
        cores, memory = cluster.vms[vm]
        fits = [host for host, left in enumerate(free) if left[0] >= cores and left[1] >= memory]
        if fits:
            host = rng.choice(fits)
            for of, sign in [(places[vm], 1), (host, -1)]:
                free[of][0] += sign * cores
                free[of][1] += sign * memory
            places[vm] = host
    return Cluster(cluster.hosts, cluster.vms, places, cluster.rules)


def by_cpsat(cluster, aim, seconds, drained=()):
    """The least number of hosts, or the least memory moved, in a time: value, bound, seconds of the processor."""
    model, hosts, vms = cp_model.CpModel(), range(len(cluster.hosts)), range(len(cluster.vms))
    at = [[model.new_bool_var("") for _ in hosts] for _ in vms]
    used = [model.new_bool_var("") for _ in hosts]
    for row in at:
        model.add_exactly_one(row)
    for host in hosts:
        for of in range(2):
            model.add(sum(cluster.vms[vm][of] * at[vm][host] for vm in vms) <= cluster.hosts[host][of] * used[host])
        if host in drained:
            model.add(used[host] == 0)
    for rule in cluster.rules:
        own, nodes, kind = rule.get("vms", []), rule.get("nodes", []), rule["kind"]
        for host in hosts:
            if kind == "spread":
                model.add_at_most_one(at[vm][host] for vm in own)
            if kind == "gather":
                for vm in own[1:]:
                    model.add(at[vm][host] == at[own[0]][host])
            if kind == "ban" and host in nodes or kind == "fence" and host not in nodes:
                for vm in own:
                    model.add(at[vm][host] == 0)
        if kind == "running-capacity":
            model.add(sum(at[vm][host] for vm in vms for host in nodes) <= rule["limit"])
        if kind == "resource-capacity":
            model.add(sum(cluster.vms[vm][1] * at[vm][host] for vm in vms for host in nodes) <= rule["limit"])
    if aim == "hosts":
        model.minimize(sum(used))
    else:
        model.minimize(sum(cluster.vms[vm][1] * (1 - at[vm][place]) for vm, place in enumerate(cluster.places)))
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
    return (round(solver.objective_value) if found else None), round(solver.best_objective_bound), time.process_time() - begin


def compare_rules(count, seconds, first, folder):
    path, failed = folder / "state.json", False
    common.print_heading(["question", "clusters", "answered", "worse", "more (%)", "most (%)", "dfrsim (s)", "CP-SAT (s)", "proven by CP-SAT"], "lrrrrrrrr")
    questions = {"hosts": [], "memory": [], "drain": []}
    for seed in range(first, first + count):
        rng, cluster = random_cluster(seed)
        broken, drained = disturbed(rng, cluster), rng.randrange(len(cluster.hosts))
        asked = {
            "hosts": (cluster, "hosts", (), ["adapt", path, "--keep-yield", "1", "--aim", "nodes"]),
            "memory": (broken, "memory", (), ["adapt", path, "--keep-yield", "1"]),
            "drain": (cluster, "memory", (drained,), ["plan", path, "--drain", f"h{drained}"]),
        }
        for question, (of, aim, without, command) in asked.items():
            of.write(path)
            places, own_s, _, said = dfrsim(*command)
            value, bound, spent = by_cpsat(of, aim, seconds, without)
            ours = None
            if places is not None:
                faults = of.faults(places) + [f"h{host} is not empty" for host in without if host in places]
                if faults:
                    sys.exit(f"seed {seed}, {question}: {faults}")
                ours = len(set(places)) if aim == "hosts" else of.moved(places)
            questions[question].append((ours, value, bound, own_s, spent))
            if ours != value:
                print(f"seed {seed}, {question}: {ours} ({said[:200]}); CP-SAT {value} (at least {bound})", file=sys.stderr)
    for question, rows in questions.items():
        both = [(ours, value) for ours, value, *_ in rows if ours is not None and value is not None]
        more = 100 * (sum(ours for ours, _ in both) / max(1, sum(value for _, value in both)) - 1)
        most = max((100 * (ours / value - 1) if value else (0.0 if ours == 0 else 100.0) for ours, value in both), default=0.0)
        missed = sum(ours is None and value is not None for ours, value, *_ in rows)
        worse = sum(ours > value for ours, value in both) + missed
        failed |= question == "hosts" and worse > 0 or missed > 0
        common.print_row([question, len(rows), sum(ours is not None for ours, *_ in rows), worse, f"{more:.2f}", f"{most:.2f}",
                          f"{sum(row[3] for row in rows):.2f}", f"{sum(row[4] for row in rows):.2f}", sum(row[1] == row[2] for row in rows)])
    return failed


def large_cluster(seed, hosts, count, rules, load):
    """Equal hosts with 32 cores and 128 GB, and VMs on any of them that has room and no VM of the same set."""
    rng = random.Random(seed)
    sizes = [rng.choice([2048, 4096, 4096, 8192, 8192, 12288, 16384]) for _ in range(count)]
    scale = load * hosts * 131072 / sum(sizes)
    vms = [(rng.choice([1, 1, 1, 2, 2, 4]) / 4, int(size * scale)) for size in sizes]
    of_set, sets = [None] * count, []
    for vm in range(count):
        # Sets of two to eight, until there are enough.
        if sets and len(sets[-1]) < 2 + len(sets) % 7:
            sets[-1].append(vm)
        elif len(sets) < rules:
            sets.append([vm])
        else:
            break
        of_set[vm] = len(sets) - 1
    free, there = [[32.0, 131072] for _ in range(hosts)], [set() for _ in range(hosts)]
    places = [0] * count
    for vm in sorted(range(count), key=lambda vm: -vms[vm][1]):
        fits = [host for host in rng.sample(range(hosts), hosts) if free[host][0] >= vms[vm][0] and free[host][1] >= vms[vm][1]
                and (of_set[vm] is None or of_set[vm] not in there[host])]
        places[vm] = fits[0]
        free[fits[0]][0] -= vms[vm][0]
        free[fits[0]][1] -= vms[vm][1]
        there[fits[0]].add(of_set[vm])
    rules = [{"kind": "spread", "vms": own} for own in sets if len(own) > 1]
    return Cluster([(32, 131072)] * hosts, vms, places, rules)


def best_fit_decreasing(cluster):
    """The number of hosts of best fit decreasing by memory, with the rules on sets."""
    sets = {vm: number for number, rule in enumerate(cluster.rules) for vm in rule["vms"]}
    open_hosts = []
    for vm in sorted(range(len(cluster.vms)), key=lambda vm: -cluster.vms[vm][1]):
        cores, memory = cluster.vms[vm]
        fits = [host for host in open_hosts if host[0] >= cores and host[1] >= memory and sets.get(vm) not in host[2]]
        host = min(fits, key=lambda host: host[1], default=None)
        if host is None:
            host = [*cluster.hosts[len(open_hosts)], set()]
            open_hosts.append(host)
        host[0] -= cores
        host[1] -= memory
        if vm in sets:
            host[2].add(sets[vm])
    return len(open_hosts)


def compare_sizes(count, first, folder):
    path, failed = folder / "state.json", False
    common.print_heading(["cluster", "question", "answer", "best fit", "by memory", "time (s)"], "llrrrr")
    for seed in range(first, first + count):
        cluster = large_cluster(seed, 100, 1500, 271, 0.295)
        cluster.write(path)
        simple, least = best_fit_decreasing(cluster), -(-sum(memory for _, memory in cluster.vms) // 131072)
        for limit in ("5", "1"):
            places, _, wall, said = dfrsim("adapt", path, "--keep-yield", "1", "--aim", "nodes", "--time-limit", limit)
            hosts = len(set(places)) if places else None
            failed |= not places or bool(cluster.faults(places)) or limit == "5" and hosts > simple
            common.print_row([f"100 hosts, 1,500 VMs, {len(cluster.rules)} rules", f"fewest hosts in {limit} s", hosts or said[:80], simple, least, f"{wall:.2f}"])
    cluster = large_cluster(first, 2000, 20000, 2000, 0.6)
    cluster.write(path)
    drained = [f"h{host}" for host in range(20)]
    places, _, wall, said = dfrsim("plan", path, "--drain", ",".join(drained))
    failed |= not places or bool(cluster.faults(places)) or any(place < 20 for place in places)
    moved = f"{cluster.moved(places):,} MB" if places else said[:80]
    least = sum(memory for (_, memory), place in zip(cluster.vms, cluster.places) if place < 20)
    common.print_row([f"2,000 hosts, 20,000 VMs, {len(cluster.rules)} rules", "drain of 20 hosts", moved, "", f"{least:,} MB", f"{wall:.2f}"])
    return failed


if __name__ == "__main__":
    if common.program() is None:
        common.skip("needs dfrsim (DFRSIM, a release build, or in the PATH)")
    if len(sys.argv) < 2 or sys.argv[1] not in ("rules", "sizes"):
        sys.exit(__doc__)
    if sys.argv[1] == "rules" and cp_model is None:
        common.skip("needs ortools (pip install ortools)")
    count, seconds, first = (int(word) for word in sys.argv[2:5] + ["40", "30", "1"][len(sys.argv) - 2:])
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        failed = compare_rules(count, seconds, first, folder) if sys.argv[1] == "rules" else compare_sizes(count, first, folder)
    sys.exit(failed)
