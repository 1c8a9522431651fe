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

`view` has `now` (seconds), `tick`, `all_submitted`, `submitted` (a list of jobs: `job`, `id`, `submit`, `tasks`, `cpu_need`,
`memory`, `estimate`, and where they are known `requested_time`, `user`, `group`, `queue`, `partition`), `completed` (a list of numbers) and, if `begin` returned `{"progress": True}`, `progress`. A method `end(view)` is called after the last
job. The answer may have `changes`
(`do` is start, resume, migrate, yield, pause, kill or reject), `wake_at` and `error`; None changes no job. Decisions are
checked by the rules that hold for all policies. The same protocol serves policies in other languages (`pipe:COMMAND`).

A policy with an attribute `arrays = True` gets `submitted` and `progress` as dictionaries of numpy's arrays, one for each field, and
`completed` as an array; times that are not known are NaN, numbers -1. This is cheaper where views have many jobs, as with `progress`, and
dearer where they have one.

Results and workloads are tables for pandas, polars and pyarrow: `polars.DataFrame(easy)`.

`dfrsim.Stepper` is a simulation in steps, for loops that are yours; `dfrsim.gym` has environments for reinforcement learning.

Native simulations release the interpreter's lock, so threads run them side by side; Ctrl-C ends them.
"""

import json
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
read_swf = Workload.read_swf


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
    "bound",
    "events",
    "lublin",
    "policies",
    "read_swf",
    "run",
    "simulate",
]
