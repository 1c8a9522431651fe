"""Does this project reproduce RLScheduler's table of mean bounded slowdowns (Zhang et al., SC 2020, Table V)?

Needs numpy, the package dfrsim, and a folder with lublin_256.swf, lublin_256_new2, SDSC-SP2-1998-4.2-cln.swf and HPC2N-2002-2.2-cln.swf (or
2.1), plain or .gz; some minutes: rlscheduler.py LOGS. Logs that are missing are left out.

The sequences of jobs are those of the authors: their script draws ten of 1,024 jobs from each log with seed 1. Their scheduler chooses a
job by its score and holds to it until it starts; with backfilling, others that end before its reservation start before it, by arrival. In
their scores, WFP3 and UNI take a waiting job to have waited since -1 s, so that its wait is minus its submit time: columns `as written` have
that, columns `by the formula` have the wait. The last column is this project's FCFS or EASY in that order, which hold to no job. A value
holds if it is within 1 % of the published one.
"""
import gzip
import hashlib
import math
import sys
from pathlib import Path

import dfrsim
import numpy

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "lib"))
import common  # noqa: E402

LENGTH, TIMES = 1024, 10
# The log, its processors, and from how many of its first jobs sequences are drawn.
LOGS = {
    "Lublin-1": (("lublin_256.swf",), 256, None),
    "SDSC-SP2": (("SDSC-SP2-1998-4.2-cln.swf",), 128, 10_000),
    "HPC2N": (("HPC2N-2002-2.2-cln.swf", "HPC2N-2002-2.1-cln.swf"), 240, 10_000),
    "Lublin-2": (("lublin_256_new2",), 256, None),
}
NAMES = ("FCFS", "WFP3", "UNI", "SJF", "F1")
PUBLISHED = {
    False: {
        "Lublin-1": (7273.77, 19753.53, 22274.74, 277.35, 258.37, 254.67),
        "SDSC-SP2": (1727.54, 3000.88, 1848.45, 2680.55, 1232.06, 466.44),
        "HPC2N": (297.18, 426.99, 609.77, 157.71, 118.01, 117.01),
        "Lublin-2": (7842.47, 9523.18, 11265.31, 787.89, 698.34, 724.51),
    },
    True: {
        "Lublin-1": (235.82, 133.87, 307.23, 73.31, 75.07, 58.64),
        "SDSC-SP2": (1595.12, 1083.12, 548.01, 2167.84, 1098.22, 397.82),
        "HPC2N": (127.38, 97.39, 175.12, 122.04, 71.95, 86.14),
        "Lublin-2": (247.61, 318.35, 379.59, 91.99, 148.25, 118.79),
    },
}


def wait_as_written(job, now):
    return -1 - job["submit"]


def wait(job, now):
    return now - job["submit"]


def scores(wait):
    """The smallest is chosen."""
    return {
        "FCFS": lambda job, now: job["submit"],
        "WFP3": lambda job, now: -((wait(job, now) / job["estimate"]) ** 3) * job["id"],
        "UNI": lambda job, now: -(wait(job, now) + 1e-15) / (math.log2(job["id"] + 1e-15) * job["estimate"]),
        "SJF": lambda job, now: (job["estimate"], job["submit"]),
        "F1": lambda job, now: math.log10(job["estimate"] or 0.1) * job["id"] + 870 * math.log10(job["submit"] or 0.1),
    }


class Chosen:
    """Starts the job with the smallest score, and holds to it until it fits."""

    lists = True

    def __init__(self, score, processors, backfills):
        self.score, self.processors, self.backfills = score, processors, backfills
        self.head, self.until = None, 0.0

    def decide(self, view):
        now, free, start = view["now"], len(view["free"]), []
        for job in view["submitted"]:
            # The score is of processors.
            job["id"] = self.processors[job["id"]]
        new = {job["job"] for job in view["submitted"]}
        queue = [job for job in view["waiting"] if job["job"] not in new]
        coming = list(view["submitted"])
        if self.head is not None:
            queue, coming = queue + coming, []
        while queue or coming:
            if not queue:
                queue.append(coming.pop(0))
            if self.head is None:
                self.head = min(queue, key=lambda job: self.score(job, now))
                fits = self.head["tasks"] <= free
                self.until = now if fits else self.first_start(view, free, start, now)
            if self.head["tasks"] > free:
                queue, coming = queue + coming, []
                if self.backfills:
                    free = self.backfill(queue, free, start, now)
                break
            free -= self.head["tasks"]
            start.append(self.head)
            queue.remove(self.head)
            self.head = None
        return {"start": [job["job"] for job in start]}

    def first_start(self, view, free, start, now):
        ends = sorted([(job["end"], job["tasks"]) for job in view["running"]] + [(now + job["estimate"], job["tasks"]) for job in start])
        for end, tasks in ends:
            free += tasks
            if free >= self.head["tasks"]:
                return end

    def backfill(self, queue, free, start, now):
        for job in sorted(queue, key=lambda job: job["submit"]):
            if job["tasks"] <= free and now + job["estimate"] < self.until:
                free -= job["tasks"]
                start.append(job)
                queue.remove(job)
        return free


def read(path):
    """The jobs as the authors read them: submission, run time, processors, requested time."""
    jobs = []
    opened = gzip.open(path, "rt") if path.suffix == ".gz" else open(path)
    with opened as lines:
        for line in lines:
            if line.startswith(";") or not line.strip():
                continue
            fields = line.split()
            number, submit, run, allocated, requested, estimate = (int(fields[at]) for at in (0, 1, 3, 4, 7, 8))
            estimate = run if estimate == -1 else estimate
            run = 10 if run < 0 else run
            if run > 0:
                jobs.append((number, submit, run, max(allocated, requested), estimate))
    return [job[1:] for job in sorted(jobs)]


def places(jobs, most):
    """Where the sequences begin: what gym draws from seed 1."""
    digits = int.from_bytes(hashlib.sha512(b"1").digest()[:8], "little")
    random = numpy.random.RandomState()
    random.seed([digits % 2**32, digits // 2**32])
    return [random.randint(LENGTH, (most or jobs) - LENGTH - 1) for _ in range(TIMES)]


def workload(jobs, processors):
    submit, run, tasks, estimate = zip(*jobs)
    return dfrsim.Workload(processors, submit, tasks, run, requested_time=[max(time, 1) for time in estimate])


def slowdown(given, policy):
    return dfrsim.simulate(given, policy, estimates="requested").summary["bounded_stretch"]["mean"]


def main():
    folder = Path(sys.argv[1])
    columns = ["backfilling", "log", "score", "published", "as written", "ratio", "verdict", "by the formula", "of this project"]
    common.print_heading(columns, "lllrrrlrr")
    for backfills in (False, True):
        filled = "yes" if backfills else "no"
        for log, (names, processors, most) in LOGS.items():
            paths = [folder / (name + ending) for name in names for ending in ("", ".gz")]
            path = next((path for path in paths if path.exists()), None)
            if path is None:
                common.print_row([filled, log, "", "", "", "", f"skipped: no {names[0]}", "", ""])
                continue
            jobs = read(path)
            sequences = [jobs[begin:begin + LENGTH] for begin in places(len(jobs), most)]
            given = [workload(sequence, processors) for sequence in sequences]
            own_of = {}
            for place, score in enumerate(NAMES):
                means = []
                for wait_is in (wait_as_written, wait):
                    policy = [Chosen(scores(wait_is)[score], [job[2] for job in sequence], backfills) for sequence in sequences]
                    means.append(numpy.mean([slowdown(*pair) for pair in zip(given, policy)]))
                order = "" if score == "FCFS" else f"/ORDER={'UNICEF' if score == 'UNI' else score}"
                name = ("EASY" if backfills else "FCFS") + order
                own_of[name] = own = numpy.mean([slowdown(one, name) for one in given])
                published = PUBLISHED[backfills][log][place]
                ratio = means[0] / published
                verdict = "holds" if abs(ratio - 1) <= 0.01 else "fails"
                figures = [published, f"{means[0]:.2f}", f"{ratio:.3f}", verdict, f"{means[1]:.2f}", f"{own:.2f}"]
                common.print_row([filled, log, score, *figures])
            # What their agent reached, beside the best of the policies that hold to no job.
            best = min(own_of, key=own_of.get)
            published = PUBLISHED[backfills][log][-1]
            words = "is below" if published < own_of[best] else "is above"
            common.print_row([filled, log, "their agent", published, "", "", f"{words} {best}", "", f"{own_of[best]:.2f}"])


if __name__ == "__main__":
    main()
