from collections.abc import Sequence
from os import PathLike
from typing import Any, Protocol

__version__: str

class SimulationError(RuntimeError):
    """The simulation ended before its jobs did."""

class AuditFault(RuntimeError):
    """The events break a rule, or a metric is not what follows from them."""

class Policy(Protocol):
    """Decides at each moment; `begin(view)` and `end(view)` are called too, if there are such methods.

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
    def read_swf(path: str | PathLike[str], nodes: int, first: int | None = None) -> Workload:
        """Jobs of a log in the Standard Workload Format, plain or gzip, of its first lines; a processor of it is a node here."""
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
        penalty: float = 0.0,
        estimates: str = "exact",
        overrun: str = "extend",
        tau: float = 10.0,
        seed: int = 0,
        arrays: bool = False,
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

def simulate(
    workload: Workload,
    policy: str | Policy,
    *,
    penalty: float = 0.0,
    period: float = 600.0,
    estimates: str = "exact",
    overrun: str = "extend",
    tau: float = 10.0,
    seed: int = 0,
    events: bool = False,
) -> Result:
    """Simulates one policy. `seed` is that of random estimates.

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
) -> tuple[int, int]:
    """Runs a scenario file, whose commands (policies `pipe:` and `batsim:`) have to be allowed; how many rows there are, and how many of them failed. `out` then has rows.csv and tables."""
