#!/usr/bin/env python3
"""Is the energy of events files that of a plain computation, to the last digit?

energy.py FILE... computes the energy of the nodes, that of the tasks, and the largest power from the placements, devices, yields and speed
levels of each file and the rules by which its nodes sleep, and compares them with its `energy` record. All numbers are Python's integers.
"""

import json
import sys

ONE = 943_718_400  # a node, in share units
YIELD = 1 << 20


def part(power, used, whole):
    """Returns a part of a power range, rounded up to milliwatts."""
    return -(-(power[1] - power[0]) * used // whole)


def energy(lines):
    """Returns the millijoules of nodes and tasks and the largest milliwatts, and those of the record."""
    nodes, idle_of, needs, units, draws, yields, places = [], [], {}, {}, {}, {}, {}
    levels, names = {}, []  # of each job, and of the cluster
    bound, core_parts = {}, 0  # devices of each job, and parts of cores of the reference node
    rules, free, woken = [], [], []  # of each class, and since when each node is without jobs and awake
    resources, down, now, begun = [], set(), 0, False
    total = tasks = peak = 0
    claimed = None

    def power(job):
        return sum(draws[job][nodes[node]][levels[job]] * count for node, count in places.get(job, [])) * yields.get(job, 0)

    def used():
        """Returns the power of the devices and sockets that draw all of it once they are used."""
        watts = 0
        for node, device in {(node, device) for job in places for node, device, _ in bound.get(job, [])}:
            power = classes[nodes[node]]["power"]
            if power.get("whole_devices"):
                at = next(at for at, it in enumerate(resources) if it.get("devices"))
                watts += power["units_mw"][at][1] - power["units_mw"][at][0]
        tasks_on = {}
        for job, where in places.items():
            for node, count in where:
                tasks_on[node] = tasks_on.get(node, 0) + count * max(1, -(-needs[job] * core_parts // ONE))
        for node, parts in tasks_on.items():
            if sockets := classes[nodes[node]]["power"].get("sockets"):
                each = sockets["cores_each"] * parts_of_core
                count = min(sockets["count"], -(-parts // each))
                watts += count * (sockets["busy_mw"] - sockets["idle_mw"])
        return watts

    def asleep_from(node):
        """Returns the microsecond from which a node is asleep, if it is without jobs and up."""
        rule = rules[nodes[node]]
        is_idle = rule and node not in down and all(node != on for where in places.values() for on, _ in where)
        return max(free[node], woken[node]) + rule["after_us"] + rule["falls_us"] if is_idle else None

    def by_level(power):
        """Returns the busy power of a node at each level of the cluster, and that of its units."""
        full = (power["busy_mw"], [pair[1] for pair in power.get("units_mw", [])])
        own = {it["name"]: (it["busy_mw"], it.get("units_mw", [])) for it in power.get("levels", [])}
        return [full] + [own.get(name, full) for name in names]

    def leave(job, at):
        bound.pop(job, None)
        for node, _ in places.pop(job, []):
            free[node] = at

    for record in lines:
        event = record["event"]
        if event == "classes":
            resources = record["resources"]
            classes = record["classes"]
            parts_of_core = record.get("core_parts", 1)
            core_parts = record["cores"] * parts_of_core
            for number, it in enumerate(classes):
                pairs = it["power"].get("units_mw", [])
                idle = it["power"]["idle_mw"] + sum(pair[0] * n for pair, n in zip(pairs, it["resources"]))
                if sockets := it["power"].get("sockets"):
                    idle += sockets["count"] * sockets["idle_mw"]
                nodes += [number] * it["nodes"]
                idle_of.append(idle)
                rules.append(it["power"].get("sleep"))
                names += [level["name"] for level in it["power"].get("levels", []) if level["name"] not in names]
            free, woken = [0] * len(nodes), [0] * len(nodes)
        if event == "energy":
            claimed = (record["nodes_mj"], record["jobs_mj"], record["peak_mw"])
        at = record.get("at_us")
        if at is None:
            continue
        if begun and at > now:
            added = sum(power(job) for job in places) + used() * YIELD
            idle = sum(idle_of[kind] for node, kind in enumerate(nodes) if node not in down)
            # Nodes that fall asleep in between divide the time into parts.
            sleeps = [(max(moment, now), node) for node in range(len(nodes)) if (moment := asleep_from(node)) is not None]
            begin = now
            for moment, node in [*sorted(it for it in sleeps if it[0] < at), (at, None)]:
                if moment > begin:
                    total += (idle * YIELD + added) * (moment - begin)
                    peak = max(peak, idle * YIELD + added)
                begin = moment
                if node is not None:
                    idle -= idle_of[nodes[node]] - rules[nodes[node]]["asleep_mw"]
            tasks += added * (at - now)
        now = at
        job = record.get("job")
        if event == "submit":
            begun = True
            needs[job] = record["cpu_need"]
            units[job] = [(0, 0)] * len(resources)
        if event == "ask":
            units[job] = record["resources"]
        if event in ("submit", "ask"):
            draws[job] = []
            for it in classes:
                idles = [pair[0] for pair in it["power"].get("units_mw", [])]
                of_class = []
                for busy, busy_units in by_level(it["power"]):
                    of_units = zip(idles, busy_units, units[job], resources)
                    held = [
                        part((idle, busy_unit), count * (need if res["shared"] or res.get("devices") else ONE), ONE)
                        for idle, busy_unit, (count, need), res in of_units
                        if not (res.get("devices") and it["power"].get("whole_devices"))
                    ]
                    cpu = part((it["power"]["idle_mw"], busy), needs[job], it["cpu"])
                    of_class.append(cpu + sum(held))
                draws[job].append(of_class)
        if event in ("start", "resume", "migrate"):
            leave(job, at)
            for node, _ in record["on"]:
                moment, rule = asleep_from(node), rules[nodes[node]]
                if moment is not None and at >= moment - rule["falls_us"]:
                    woken[node] = max(at, moment) + rule["wakes_us"]
            places[job] = record["on"]
        if event == "bind":
            bound[job] = record["devices"]
        if event in ("start", "resume", "migrate", "yield"):
            yields[job] = record["yield"]
            before = levels.get(job, 0) if event in ("migrate", "yield") else 0
            levels[job] = record.get("level", before)
        if event in ("pause", "interrupt", "complete", "kill", "lose"):
            leave(job, at)
        if event in ("down", "up"):
            span = {node for first, count in record["nodes"] for node in range(first, first + count)}
            down = down | span if event == "down" else down - span
            for node in span if event == "up" else ():
                free[node] = woken[node] = at
    millijoules = [total // YIELD // 1_000_000, tasks // YIELD // 1_000_000]
    return (*millijoules, -(-peak // YIELD)), claimed


def main():
    wrong = 0
    for path in sys.argv[1:]:
        with open(path, encoding="utf-8") as file:
            found, claimed = energy([json.loads(line) for line in file])
        if found != claimed:
            wrong += 1
            print(f"{path}: the record has {claimed}, expected {found}")
    print(f"{len(sys.argv) - 1 - wrong} of {len(sys.argv) - 1} files have the energy of the plain computation")
    sys.exit(wrong > 0)


if __name__ == "__main__":
    main()
