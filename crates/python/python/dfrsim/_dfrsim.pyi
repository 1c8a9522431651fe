from collections.abc import Callable, Sequence
from os import PathLike
from typing import Any, Protocol

__version__: str

class SimulationError(RuntimeError):
    """The simulation ended before its jobs did."""

class AuditFault(RuntimeError):
    """The events break a rule, or a metric is not what follows from them."""

class Policy(Protocol):
    """Decides at each moment; `begin(view)` and `end(view)` are called too, if there are such methods.

    With an attribute `lists` that is true, views have free nodes, waiting and running jobs.
    With an attribute `arrays` that is true, `submitted` and `progress` are dictionaries of numpy's arrays, one for each field.
    """

    def decide(self, view: dict[str, Any]) -> dict[str, Any] | None: ...

class Workload:
    """Jobs and the cluster that they are for. Times are in seconds, shares parts of a node.

    A table for `polars.DataFrame`, `pyarrow.table` and `pandas.DataFrame.from_arrow`, as a stream of Arrow.
    """

    nodes: int
    notes: str
    """What was left out of a log, and why."""

    def __init__(
        self,
        nodes: int,
        submit: Sequence[float],
        tasks: Sequence[int],
        run_time: Sequence[float],
        *,
        requested_time: Sequence[float | None] | None = None,
        cpu_need: float | Sequence[float] | None = None,
        memory: float | Sequence[float] | None = None,
    ) -> None: ...
    @staticmethod
    def lublin(jobs: int, nodes: int, seed: int, load: float | None = None) -> Workload:
        """Jobs of the Lublin-Feitelson model, scaled to an offered load."""
    @staticmethod
    def read(path: str | PathLike[str], **options: Any) -> Workload:
        """Jobs of a log: SWF, GWF, listings of Slurm, accounting of PBS or Batsim's workloads, plain or gzip.

        Options are those of `dfrsim simulate` that are about the workload, with underscores: `nodes`, `unit`, `annotate`, `first`, `load`, `rule` for
        doubtful lines and others; `help(dfrsim.commands.simulate)` describes them.
        """
    def __len__(self) -> int: ...
    def __getitem__(self, slice: slice) -> Workload:
        """Some of the jobs, for the same cluster."""
    def columns(self) -> dict[str, list[Any]]:
        """A list for each field."""
    def __arrow_c_stream__(self, requested_schema: object | None = None) -> object: ...

class Result:
    """What a simulation measured.

    The jobs that started are a table for `polars.DataFrame`, `pyarrow.table` and `pandas.DataFrame.from_arrow`, which take it
    without a copy, as a stream of Arrow.
    """

    summary: dict[str, Any]
    """Figures; `wait`, `turnaround`, `stretch` and `bounded_stretch` have mean, median, p95, p99 and max."""
    jobs: dict[str, list[Any]]
    """A list for each field of the jobs that started."""
    stays: dict[str, list[Any]]
    """A list for each field of the stays of jobs: each time that a job was on the same nodes at the same yield."""
    nodes: int
    """The nodes of the cluster."""
    events_text: str | None
    """The events file, if it was asked for."""

    def __arrow_c_stream__(self, requested_schema: object | None = None) -> object: ...

class Stepper:
    """A simulation that goes on with each answer; views and answers are those of a policy's `decide`."""

    result: Result | None
    """What was measured, at the end."""

    def __init__(
        self,
        workload: Workload,
        *,
        arrays: bool = False,
        lists: bool = False,
        **options: Any,
    ) -> None: ...
    def begin(self) -> dict[str, Any] | None:
        """The first view; None if there are no jobs."""
    def step(self, answer: dict[str, Any] | None = None) -> dict[str, Any] | None:
        """Answers the last view; the next one, or None at the end."""

class Episodes:
    """Simulations side by side, in each of which an agent chooses jobs; `dfrsim.gym` consists of them.

    They share arrays, with a row for each, that each call overwrites. 0 threads are one for each core.
    """

    observations: Any
    masks: Any
    rewards: Any
    terminations: Any

    def __init__(
        self,
        count: int,
        *,
        nodes: int,
        jobs: int,
        load: float,
        slots: int,
        reward: str,
        workload: Workload | None = None,
        threads: int = 1,
        running: int = 0,
        backfill: bool | None = None,
        estimates: str = "requested",
        overrun: str = "extend",
        window: int | None = None,
        part: tuple[float, float] = (0.0, 1.0),
    ) -> None: ...
    def reset(self, seeds: Sequence[int | None]) -> None:
        """Begins an episode in each; with a seed the first one of that seed, else the next one."""
    def step(self, actions: Any) -> None:
        """An action in each, as 64-bit integers. Where the last one ended an episode, the next episode begins instead."""
    def summary(self, lane: int) -> dict[str, Any] | None:
        """What was measured in an episode so far; None if no job has completed."""

def policies() -> list[tuple[str, str]]:
    """All known policies: name and description."""

def simulate(workload: Workload, policy: str | Policy, *, events: bool = False, **options: Any) -> Result:
    """Simulates one policy: its name, or an object with a method `decide`.

    Options are those of `dfrsim simulate` that are not about the log or files, with underscores: `penalty`, `period`, `estimates`, `overrun`,
    `tau`, `seed`, `platform`, `request`, `failures`, `maintenance`, `interruption`, `priority`, `weights` and others;
    `help(dfrsim.commands.simulate)` describes them. Lists are several options. With `events=True` the result has the events file.

    Raises SimulationError with the rule, the job and the moment if the policy breaks a rule, and what a Python policy raises.
    """

def bound(workload: Workload, tau: float = 10.0) -> float:
    """The lower bound on the largest bounded stretch, which no schedule beats."""

def audit(events: str, policy: str | None = None, period: float = 600.0) -> str:
    """Checks an events file with code that is independent of the simulator; also the decisions of a policy, if named."""

def run(
    scenario: str | PathLike[str],
    out: str | PathLike[str],
    *,
    audit: bool = False,
    threads: int = 0,
    set: Sequence[str] = (),
    allow_commands: bool = False,
    policies: dict[str, Any] | None = None,
    sources: dict[str, Callable[[int, int], Workload]] | None = None,
    metrics: dict[str, Callable[[dict[str, list[Any]]], float]] | None = None,
) -> tuple[int, int]:
    """Runs a scenario file; how many rows there are, and how many of them failed. `out` then has rows.csv and tables.

    `policies` are names of policies in the scenario that are Python classes (or functions that make an object for each simulation); rows are
    computed again if the text of the class changes. `sources` are functions that make the Workload of `own = { source = NAME }` of a number of
    nodes and a seed, `metrics` functions that make the number of a name in `metrics` of the dictionary `Result.jobs`. Commands (policies `pipe:`, `batsim:` and `python:`) have to be allowed.
    """

def main(arguments: Sequence[str]) -> int:
    """Runs the program with these arguments behind its name, and returns its exit code."""

def declaration() -> str:
    """All commands with their options, as JSON."""

def words(**options: Any) -> list[str]:
    """Makes the options of a command line from keywords."""
