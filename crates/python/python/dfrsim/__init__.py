"""A discrete-event simulator of cluster scheduling: fractional (DFRS) and batch policies on real logs and models.

    >>> import dfrsim
    >>> workload = dfrsim.lublin(jobs=1000, nodes=64, seed=1, load=0.8)
    >>> easy = dfrsim.simulate(workload, "EASY")
    >>> easy.summary["bounded_stretch"]["max"] >= dfrsim.bound(workload)
    True

A policy is a name (`dfrsim.policies()` lists them) or an object with a method `decide(view)`. The view is a dictionary of what
happened at a moment, the answer a dictionary of the changes:

    >>> class OneByOne:
    ...     def begin(self, view):
    ...         self.queue, self.busy = [], False
    ...     def decide(self, view):
    ...         self.queue += view["submitted"]
    ...         self.busy = self.busy and not view["completed"]
    ...         if self.busy or not self.queue:
    ...             return None
    ...         job, self.busy = self.queue.pop(0), True
    ...         return {"changes": [{"do": "start", "job": job["job"], "nodes": list(range(job["tasks"]))}]}
    >>> dfrsim.simulate(workload, OneByOne()).summary["jobs"]
    1000

With an attribute `lists = True` a policy needs no memory of its own: the view has the empty nodes that are up (`free`), the jobs that wait
(`waiting`, by arrival) and run (`running`, by expected end), as the dictionaries that were in `submitted`. A running job has `nodes` and
`end`, which is in the past if the job is past its estimate, and None if that is not known. An answer may name the jobs that start, in their order; each gets the first free
nodes that have room for its tasks, and goes on waiting if there are too few:

    >>> class ShortestFirst:
    ...     lists = True
    ...     def decide(self, view):
    ...         jobs = sorted(view["waiting"], key=lambda job: job["estimate"])
    ...         return {"start": [job["job"] for job in jobs]}
    >>> dfrsim.simulate(workload, ShortestFirst(), failures="exponential:1e6,exponential:3600").summary["jobs"]
    1000

`view` has `now` (seconds), `tick`, `all_submitted`, `submitted` (a list of jobs: `job`, `id`, `submit`, `tasks`, `cpu_need`,
`memory`, `estimate`, and where they are known `requested_time`, `user`, `group`, `queue`, `partition`, `weight`, and on nodes that differ `classes`,
`resources`, `features`), `completed` (a list of numbers), `interrupted` where jobs lost their nodes, with `lists` also `down` nodes and announced
`windows`, and, if `begin` returned `{"progress": True}`, `progress`. `begin(view)` gets `nodes`, `seed`, `penalty`, `classes` and the settings of a `site`; `end(view)` is called after the last
job. The answer may have `changes`
(`do` is start, resume, migrate, yield, pause, kill or reject), `start`, `wake_at` and `error`; None changes no job. Decisions are
checked by the rules that hold for all policies. The same protocol serves policies in other languages (`pipe:COMMAND`).

A policy with an attribute `arrays = True` gets `submitted` and `progress` as dictionaries of numpy's arrays, one for each field, and
`completed` as an array; times that are not known are NaN, numbers -1. This is cheaper where views have many jobs, as with `progress`, and
dearer where they have one.

Results and workloads are tables for pandas, polars and pyarrow: `polars.DataFrame(easy)`; `dfrsim.rows(FOLDER)` are the rows of a sweep, and
`dfrsim.plot_gantt(easy)` draws a schedule with matplotlib.

`dfrsim.commands` has every command of the program with all of its options, and the package brings the program itself: `dfrsim` or
`python -m dfrsim`. It knows policies of files, `python:FILE.py:CLASS`, in scenarios too; `dfrsim.run(..., policies={"MINE": Mine})` sweeps classes
of this process, with `sources` and `metrics` jobs and figures that functions make.

`dfrsim.Stepper` is a simulation in steps, for loops that are yours; `dfrsim.gym` has environments for reinforcement learning.

Native simulations release the interpreter's lock, so threads run them side by side; Ctrl-C ends them.
"""

import csv
import importlib
import json
import tempfile
from os import PathLike
from pathlib import Path
from typing import Any, Iterator

from ._dfrsim import (
    AuditFault,
    Result,
    SimulationError,
    Stepper,
    Workload,
    __version__,
    audit,
    bound,
    policies,
    run,
    simulate,
)

lublin = Workload.lublin
read_log = Workload.read


def read_swf(path: str | PathLike[str], nodes: int, first: int | None = None) -> Workload:
    """Jobs of a log of which each processor is a node here: `read_log(path, nodes=nodes, unit="processor", first=first)`."""
    return Workload.read(path, nodes=nodes, unit="processor", first=first)


def rows(folder: str | PathLike[str]) -> dict[str, list[Any]]:
    """The rows of a sweep, a list for each column: `pandas.DataFrame(dfrsim.rows(folder))`."""
    from . import commands

    with tempfile.TemporaryDirectory() as place:
        file = Path(place, "rows.jsonl")
        commands.results.export(str(folder), jsonl=str(file))
        lines = [json.loads(line) for line in file.read_text(encoding="utf-8").splitlines()]
    for line in lines:
        line |= json.loads(line.pop("own", None) or "{}")
    columns = dict.fromkeys(name for line in lines for name in line)
    return {name: [line.get(name) for line in lines] for name in columns}


def forecast(
    state: str | PathLike[str] | list[dict[str, Any]],
    history: str | PathLike[str],
    *,
    policy: str,
    **options: Any,
) -> dict[str, list[Any]]:
    """When the waiting jobs of a state will start, a list for each column: `pandas.DataFrame(dfrsim.forecast(state, history, policy="EASY"))`.

    `state` is a file or a text of `squeue`, `scontrol show job` or `sacct`, or a list of jobs with the fields of `squeue --json`
    (`dfrsim.commands.schema("state")`); `history` is the log of the past. Options are those of `dfrsim forecast`: `slurm_conf`,
    `sacctmgr`, `qos`, `usage`, `at`, `draws`, `submit` and others. Times are in seconds from the moment on, None if a job may not start
    within a year.
    """
    from . import commands

    with tempfile.TemporaryDirectory() as place:
        file = Path(place, "state.txt")
        if isinstance(state, list):
            file.write_text(json.dumps({"jobs": state}), encoding="utf-8")
        elif isinstance(state, str) and "\n" in state:
            file.write_text(state, encoding="utf-8")
        else:
            file = Path(state)
        jobs = commands.forecast(workload=str(history), policy=policy, state=str(file), **options)["jobs"]
    columns = dict.fromkeys(name for job in jobs for name in job)
    return {name: [job.get(name) for job in jobs] for name in columns}


def backtest(log: str | PathLike[str], *, policy: str, **options: Any) -> dict[str, list[Any]]:
    """What was predicted at past moments of a log and what happened, a list for each column: a row for each moment, waiting job and prediction.

    Options are those of `dfrsim forecast --backtest`: `moments`, `every`, `draws`, `recorded`, `slurm_conf` and others.
    """
    from . import commands

    with tempfile.TemporaryDirectory() as place:
        file = Path(place, "rows.csv")
        commands.forecast(workload=str(log), policy=policy, backtest=True, out=str(file), **options)
        with file.open(encoding="utf-8", newline="") as lines:
            rows = list(csv.DictReader(lines))
    columns = dict.fromkeys(name for row in rows for name in row)
    return {name: [row[name] if name == "prediction" else float(row[name]) for row in rows] for name in columns}


def plot_gantt(result: Result, axes: Any = None) -> Any:
    """Draws a schedule: a row for each node, a colour for each job, paler at lower yields. Returns matplotlib's axes."""
    import matplotlib.pyplot

    if axes is None:
        axes = matplotlib.pyplot.gca()
    colours = matplotlib.colormaps["tab20"].colors
    stays = result.stays
    for job, begin, end, nodes, share in zip(*(stays[name] for name in ("job_id", "from", "until", "nodes", "yield"))):
        colour = colours[(job or 0) % len(colours)]
        for span in nodes.split():
            first, _, last = span.partition("-")
            height = int(last or first) - int(first) + 1
            axes.broken_barh([(begin, end - begin)], (int(first) - 0.5, height), color=colour, alpha=0.3 + 0.7 * share)
    axes.set(xlabel="time (s)", ylabel="node", ylim=(-0.5, result.nodes - 0.5))
    return axes


def __getattr__(name: str) -> Any:
    # Made from the program's declaration when they are asked for: it takes a moment.
    if name == "commands":
        return importlib.import_module(".commands", __name__)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def events(result: Result) -> Iterator[dict[str, Any]]:
    """The events of a simulation that was run with `events=True`, one by one."""
    if result.events_text is None:
        raise ValueError("the simulation kept no events: simulate(..., events=True)")
    return (json.loads(line) for line in result.events_text.splitlines())


__all__ = [
    "AuditFault",
    "Result",
    "SimulationError",
    "Stepper",
    "Workload",
    "__version__",
    "audit",
    "backtest",
    "bound",
    "commands",
    "events",
    "forecast",
    "lublin",
    "plot_gantt",
    "policies",
    "read_log",
    "read_swf",
    "rows",
    "run",
    "simulate",
]
