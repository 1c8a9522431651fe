"""EASY backfilling by the ready-made lists of the view, and how fast it is beside the one of the package.

    python easy.py LOG NODES [JOBS]      # KTH-SP2-1996-2.1-cln.swf.gz 100
"""
import math
import sys
import time

import dfrsim


class Easy:
    """The head of the queue has a reservation, at the earliest time at which enough nodes will be free; others start now if they do not delay it."""

    lists = True

    def decide(self, view):
        free, waiting, start = len(view["free"]), view["waiting"], []
        if not waiting or not free:
            return None
        for place, job in enumerate(waiting):
            tasks = job["tasks"]
            if tasks > free:
                break
            free -= tasks
            start.append(job)
        else:
            return {"start": [job["job"] for job in start]} if start else None
        if free:
            self.backfill(view, free, waiting, place, start)
        return {"start": [job["job"] for job in start]} if start else None

    def backfill(self, view, free, waiting, place, start):
        now, width = view["now"], waiting[place]["tasks"]
        time, spare = now, free
        for job in releases(now, view["running"], start):
            end = job["end"]
            if spare >= width and end > time:
                break
            time, spare = end, spare + job["tasks"]
        spare -= width
        if spare < 0:
            # Wider than the cluster, or nodes are down: it is turned away, or stays.
            start.append(waiting[place])
        for job in waiting[place + 1:]:
            tasks = job["tasks"]
            if tasks <= free:
                estimate = job["estimate"]
                if now + (math.inf if estimate is None else estimate) <= time:
                    free -= tasks
                elif tasks <= spare:
                    free -= tasks
                    spare -= tasks
                else:
                    continue
                start.append(job)
                if not free:
                    return


def releases(now, running, start):
    """The jobs in the order in which they are expected to end. One past its estimate is expected to end a second from now."""
    first, last = (running[0]["end"], running[-1]["end"]) if running else (None, None)
    if not start and first is not None and first > now and last is not None:
        return running
    ends = [(job["tasks"], None if job["estimate"] is None else now + job["estimate"]) for job in start]
    ends += [(job["tasks"], job["end"]) for job in running]
    jobs = [{"tasks": tasks, "end": math.inf if end is None else max(end, now + 1.0) if end <= now else end} for tasks, end in ends]
    return sorted(jobs, key=lambda job: job["end"])


if __name__ == "__main__":
    log, nodes, *first = sys.argv[1:]
    workload = dfrsim.read_swf(log, int(nodes), int(first[0]) if first else 10_000)
    for name, policy in [("in Python", Easy), ("of the package", lambda: "EASY")] * 3:
        begin = time.process_time()
        result = dfrsim.simulate(workload, policy(), estimates="requested")
        spent = time.process_time() - begin
        print(f"EASY {name}: {len(workload) / spent:,.0f} jobs/s of processor time, mean wait {result.summary['wait']['mean']:.1f} s")
