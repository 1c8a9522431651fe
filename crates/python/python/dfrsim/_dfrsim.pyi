from collections.abc import Callable, Sequence
from os import PathLike
from typing import Any, Protocol

__version__: str

class SimulationError(RuntimeError):
    """The simulation ended before its jobs, because of an error or a violated rule."""

class AuditFault(RuntimeError):
    """The events violate a rule, or a metric does not follow from them."""

class Policy(Protocol):
    """Decides at each moment; `begin(view)` and `end(view)` are called too, if there are such methods.

    With an attribute `lists` that is true, views have free nodes, waiting and running jobs.
    With an attribute `arrays` that is true, `submitted` and `progress` are dictionaries of numpy's arrays, one for each field.
    """

    def decide(self, view: dict[str, Any]) -> dict[str, Any] | None: ...

class Workload:
    """Jobs and the size of their cluster. Times are in seconds; CPU needs and memory are fractions of a
    node.

    It is an Arrow stream, which `polars.DataFrame`, `pyarrow.table` and
    `pandas.DataFrame.from_arrow` accept."""

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
        """Generates jobs from the Lublin-Feitelson model, scaled to an offered load."""
    @staticmethod
    def read(path: str | PathLike[str], **options: Any) -> Workload:
        """Reads the jobs of a log: SWF, GWF, listings of Slurm, accounting of PBS or Batsim's
        workloads, plain or gzip.

        Options are those of `dfrsim simulate` that are about the workload, with underscores:
        `nodes`, `unit`, `annotate`, `first`, `load`, `rule` and others;
        `help(dfrsim.commands.simulate)` describes them."""
    def __len__(self) -> int: ...
    def __getitem__(self, slice: slice) -> Workload:
        """Returns a slice of the jobs, for the same cluster."""
    def columns(self) -> dict[str, list[Any]]:
        """Returns a list for each field."""
    def __arrow_c_stream__(self, requested_schema: object | None = None) -> object: ...

class Result:
    """Result of a simulation.

    It is an Arrow stream of the jobs that started, which `polars.DataFrame`, `pyarrow.table` and
    `pandas.DataFrame.from_arrow` accept without a copy."""

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
    """Simulation that advances with each answer; views and answers are those of a policy's `decide`."""

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
        """Begins the simulation and returns the first view; None if there are no jobs."""
    def step(self, answer: dict[str, Any] | None = None) -> dict[str, Any] | None:
        """Answers the last view and returns the next one, or None at the end."""

class Episodes:
    """Concurrent simulations, in each of which an agent chooses jobs; `dfrsim.gym` is built on them.

    They share arrays with a row for each simulation, which each call overwrites. `threads=0` uses
    one thread per core."""

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
        """Begins an episode in each simulation: the first one of a seed if one is given, otherwise the
        next one."""
    def step(self, actions: Any) -> None:
        """Performs an action in each simulation, given as 64-bit integers. If the last action ended an
        episode, the next episode begins instead."""
    def window(self, lane: int) -> tuple[int, int] | None:
        """Returns the places of the first job of an episode's window in the workload, and of the one after
        the last; None if episodes are no windows."""
    def summary(self, lane: int) -> dict[str, Any] | None:
        """Returns the metrics of an episode so far; None if no job has completed."""

def policies() -> list[tuple[str, str]]:
    """Returns the name and the description of all known policies."""

def simulate(workload: Workload, policy: str | Policy, *, events: bool = False, **options: Any) -> Result:
    """Simulates one policy: its name, or an object with a method `decide`.

    Options are those of `dfrsim simulate` that are not about the log or files, with underscores:
    `penalty`, `period`, `estimates`, `overrun`, `tau`, `seed`, `platform`, `request`, `failures`,
    `maintenance`, `interruption`, `priority`, `weights` and others; `help(dfrsim.commands.simulate)`
    describes them. A list gives an option several times. With `events=True` the result has the
    events file.

    Raises SimulationError with the rule, the job and the time if the policy violates a rule, and any
    exception that a Python policy raises."""

def bound(workload: Workload, tau: float = 10.0) -> float:
    """Computes the lower bound on the maximum bounded stretch of any schedule."""

def audit(events: str, policy: str | None = None, period: float = 600.0) -> str:
    """Checks an events file with code that is independent of the simulator, and the decisions of a
    policy if one is named."""

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
    """Runs a scenario file and returns the number of rows, and the number of failed ones. `out` then
    has rows.csv and tables.

    `policies` maps names of policies in the scenario to Python classes (or functions that create an
    object for each simulation); rows are computed again if the source of the class changes.
    `sources` are functions that create the Workload of `own = { source = NAME }` from a number of
    nodes and a seed; `metrics` are functions that compute the value of a name in `metrics` from the
    dictionary `Result.jobs`. Commands (policies `pipe:`, `batsim:` and `python:`) have to be
    allowed."""

def main(arguments: Sequence[str]) -> int:
    """Runs the program with these arguments, which do not include its name, and returns its exit code."""

def declaration() -> str:
    """Returns all commands with their options, as JSON."""

def words(**options: Any) -> list[str]:
    """Converts keyword arguments to command-line options."""
