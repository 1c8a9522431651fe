"""Reinforcement learning: an environment of Gymnasium in which an agent chooses the job that starts next.

    env = dfrsim.gym.JobSelection(nodes=64, jobs=200, load=0.9)
    observation, info = env.reset(seed=1)
    observation, reward, terminated, truncated, info = env.step(action)

Whole nodes, one task on each, no preemption. An action is a slot of the queue, of which the first `slots` jobs by arrival are
seen, or `slots`: wait for the next event. `info["action_mask"]` says which actions are possible: jobs that fit now, and waiting
if something will happen. One that is not possible counts as waiting, or where that is not possible as the first job that fits.
Moments at which no job fits pass by themselves.

The observation is a vector of numbers from 0 to 1: the free part of the nodes, then for each slot whether there is a job, its part
of the nodes, and its estimate and its wait on a logarithmic scale up to a week.

Rewards add up to minus the mean of the jobs: `reward="wait"` of their waiting time in hours, as it passes;
`"bounded_slowdown"` of their bounded slowdown, when the last job has completed.
"""

import math
from typing import Any

import gymnasium
import numpy

from ._dfrsim import Stepper, Workload

_WEEK = 7 * 86400.0


def _scaled(seconds: float) -> float:
    return min(1.0, math.log1p(max(0.0, seconds)) / math.log1p(_WEEK))


class JobSelection(gymnasium.Env):
    """See the page of the module. Jobs are of the Lublin-Feitelson model, other ones for each episode, or of a workload."""

    metadata = {"render_modes": []}

    def __init__(
        self,
        nodes: int = 64,
        jobs: int = 200,
        load: float = 0.9,
        slots: int = 16,
        reward: str = "wait",
        workload: Workload | None = None,
    ) -> None:
        if reward not in ("wait", "bounded_slowdown"):
            raise ValueError(f"reward is {reward!r}, expected 'wait' or 'bounded_slowdown'")
        self._given, self._nodes = workload, workload.nodes if workload else nodes
        self._jobs, self._load, self._slots, self._reward = jobs, load, slots, reward
        self.action_space = gymnasium.spaces.Discrete(slots + 1)
        self.observation_space = gymnasium.spaces.Box(0.0, 1.0, (1 + 4 * slots,), numpy.float32)

    def reset(self, *, seed: int | None = None, options: dict[str, Any] | None = None):
        super().reset(seed=seed)
        drawn = int(self.np_random.integers(2**62))
        workload = self._given or Workload.lublin(self._jobs, self._nodes, drawn, self._load)
        self._total, self._stepper = len(workload), Stepper(workload)
        self._free, self._queue, self._on = list(range(self._nodes)), [], {}
        self._view, self._changes, self._gained = None, [], 0.0
        self._take(self._stepper.begin())
        self._pass_moments()
        self._gained = 0.0
        return self._observe(), self._info()

    def step(self, action: int):
        action, self._gained = int(action), 0.0
        possible = self.action_masks()
        if not possible[action]:
            action = self._slots if possible[self._slots] else int(possible.argmax())
        if action == self._slots:
            self._go_on()
        else:
            job = self._queue.pop(action)
            nodes, self._free = self._free[: job["tasks"]], self._free[job["tasks"] :]
            self._on[job["job"]] = nodes
            self._changes.append({"do": "start", "job": job["job"], "nodes": nodes})
        self._pass_moments()
        terminated = self._view is None
        if terminated and self._reward == "bounded_slowdown":
            self._gained = -self._stepper.result.summary["bounded_stretch"]["mean"]
        return self._observe(), self._gained, terminated, False, self._info()

    def action_masks(self) -> numpy.ndarray:
        """Which actions are possible, as masking algorithms ask for it."""
        seen = self._queue[: self._slots]
        fit = [job["tasks"] <= len(self._free) for job in seen]
        waits = self._view is not None and (bool(self._on) or not self._view["all_submitted"])
        return numpy.array(fit + [False] * (self._slots - len(fit)) + [waits or not any(fit)], dtype=bool)

    def _pass_moments(self) -> None:
        while self._view is not None and not self.action_masks()[: self._slots].any():
            self._go_on()

    def _go_on(self) -> None:
        if self._view is not None:
            changes, self._changes = self._changes, []
            self._take(self._stepper.step({"changes": changes}))

    def _take(self, view: dict[str, Any] | None) -> None:
        if view is not None and self._view is not None and self._reward == "wait":
            waited = len(self._queue) * (view["now"] - self._view["now"])
            self._gained -= waited / 3600.0 / self._total
        self._view = view
        if view is None:
            return
        for job in view["completed"]:
            self._free += self._on.pop(job)
        self._free.sort()
        for job in view["submitted"]:
            if job["tasks"] <= self._nodes:
                self._queue.append(job)
            else:
                self._changes.append({"do": "reject", "job": job["job"]})

    def _observe(self) -> numpy.ndarray:
        observation = numpy.zeros(self.observation_space.shape, dtype=numpy.float32)
        observation[0] = len(self._free) / self._nodes
        if self._view is not None:
            for slot, job in enumerate(self._queue[: self._slots]):
                wait = self._view["now"] - job["submit"]
                estimate = _WEEK if job["estimate"] is None else job["estimate"]
                at = 1 + 4 * slot
                observation[at : at + 4] = 1.0, job["tasks"] / self._nodes, _scaled(estimate), _scaled(wait)
        return observation

    def _info(self) -> dict[str, Any]:
        info: dict[str, Any] = {"action_mask": self.action_masks()}
        if self._view is None and self._stepper.result is not None:
            info["summary"] = self._stepper.result.summary
        return info
