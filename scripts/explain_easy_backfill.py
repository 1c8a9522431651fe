"""Why pybatsim's easyBackfill starts jobs at other times than EASY, job by job.

    explain_easy_backfill.py EVENTS EASY_JOBS [--all]

EVENTS is the events file of easyBackfill (`dfrsim simulate --events-out`, exact estimates), EASY_JOBS the jobs file of EASY
(`--jobs-out`) on the same log. easyBackfill gives a job nodes that lie side by side, and reserves particular nodes for the
head of its queue; EASY counts nodes. Each job with another start has one of these reasons, the first that applies:

    apart      at some moment EASY, in the state of easyBackfill, would have started it, but the free nodes lay apart
    reserved   the same, but the free nodes were kept for the head; or it started where EASY's count would not let it
    earlier    EASY in the same state would have done the same: jobs with other starts before it made the state

Exit code 1 if the first job with another start is only `earlier`: then the difference is unexplained.
"""
import csv
import json
import sys
from collections import Counter
from itertools import groupby


def easy_starts(now, free, queue, running):
    """The jobs that EASY starts now: queue of (job, tasks, estimate), running of (end, tasks)."""
    queue, running, started = list(queue), sorted(running), []

    def start(job, tasks, estimate):
        nonlocal free
        free -= tasks
        running.append((now + estimate, tasks))
        started.append(job)

    while queue and queue[0][1] <= free:
        start(*queue.pop(0))
    if not queue:
        return started
    running.sort()
    spare, time = free, now
    for end, tasks in running:
        if spare >= queue[0][1] and end > time:
            break
        spare, time = spare + tasks, end
    spare -= queue[0][1]
    for job, tasks, estimate in queue[1:]:
        in_time = now + estimate <= time
        if tasks <= free and (in_time or tasks <= spare):
            spare -= 0 if in_time else tasks
            start(job, tasks, estimate)
    return started


def longest_range(free):
    """The most free nodes side by side."""
    ranges = groupby(enumerate(sorted(free)), lambda pair: pair[1] - pair[0])
    return max((len(list(nodes)) for _, nodes in ranges), default=0)


def main():
    with open(sys.argv[1]) as file:
        events = [json.loads(line) for line in file]
    nodes = next(it["nodes"] for it in events if it["event"] == "run")
    jobs = {it["job"]: it for it in events if it["event"] == "submit"}
    with open(sys.argv[2]) as file:
        expected = {int(row["job_id"]): float(row["start"]) for row in csv.DictReader(file)}
    free, queue, running, starts, reason = set(range(nodes)), [], {}, {}, {}
    timed = (it for it in events if "at_us" in it)
    for now, moment in groupby(timed, lambda it: it["at_us"]):
        started = {}
        for event in moment:
            job = event["job"]
            if event["event"] == "complete":
                free.update(running.pop(job)[1])
            elif event["event"] == "submit":
                queue.append((job, event["tasks"], event["run_us"]))
            elif event["event"] == "start":
                started[job] = {node for node, _ in event["on"]}
        now_running = [(end, len(on)) for end, on in running.values()]
        would_start = set(easy_starts(now, len(free), queue, now_running))
        for job, on in started.items():
            if job not in would_start:
                reason.setdefault(job, "reserved")
            free -= on
            running[job] = (now + jobs[job]["run_us"], on)
            starts[job] = now / 1e6
        for job in would_start - set(started):
            reason.setdefault(job, "apart" if jobs[job]["tasks"] > longest_range(free) else "reserved")
        queue = [it for it in queue if it[0] not in started]
    differing = [job for job in sorted(starts, key=starts.get) if starts[job] != expected[jobs[job]["id"]]]
    found = {job: reason.get(job, "earlier") for job in differing}
    if "--all" in sys.argv:
        for job in differing:
            number = jobs[job]["id"]
            print(f"job {number}: {starts[job]:.0f} s, EASY {expected[number]:.0f} s: {found[job]}")
    print(f"{len(starts)} jobs, {len(differing)} with another start:", dict(sorted(Counter(found.values()).items())))
    by_time = min(differing, key=lambda job: min(starts[job], expected[jobs[job]["id"]]), default=None)
    return 1 if by_time is not None and found[by_time] == "earlier" else 0


if __name__ == "__main__":
    sys.exit(main())
