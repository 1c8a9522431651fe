"""Reinforcement learning: environments of Gymnasium in which an agent chooses the job that starts next.

    env = dfrsim.gym.JobSelection(nodes=64, jobs=200, load=0.9)
    observation, info = env.reset(seed=1)
    observation, reward, terminated, truncated, info = env.step(action)

    envs = dfrsim.gym.JobSelections(256, threads=4, nodes=64, jobs=200, load=0.9)
    observations, infos = envs.reset(seed=1)
    observations, rewards, terminations, truncations, infos = envs.step(actions)

Whole nodes, one task on each, no preemption. An action is a slot of the queue, of which the first `slots` jobs by arrival are
seen (at most 128), or `slots`: wait for the next event. `info["action_mask"]` says which actions are possible: jobs that fit now, and
waiting if something will happen. One that is not possible counts as waiting, or where that is not possible as the first job that fits.
Moments at which no job fits pass by themselves.

With `backfill=False` or `True` any job that is seen can be chosen, as in RLScheduler, and there is no waiting: the chosen job starts as
soon as it fits, and the next choice comes then. Until then, with `True`, others start by arrival if they do not delay it, as in EASY; with
`False` none does. The choice is kept until its job has started. So an agent that always chooses the shortest job is not EASY/ORDER=SJF, which
orders its queue anew at each event: compare agents with rules that choose in the same environment. Without `backfill` an agent chooses anew at each
event, but there are no reservations, and narrow jobs may overtake a wide one again and again.

The observation is a vector of numbers from 0 to 1: the free part of the nodes, then for each slot whether there is a job, its part
of the nodes, and its estimate and its wait on a logarithmic scale up to a week. With `running=N` there follow, for the N running jobs
that will end first by their estimates, their part of the nodes and the time until then.

`estimates` says what is known of run times, as in `simulate`: by default what users requested, and without such a request the estimate is 1,
as of a week. Jobs of the model have no requests: `estimates="exact"` shows their run times. `overrun="kill"` ends jobs at their estimates.

Rewards add up to minus the mean of the jobs: `reward="wait"` of their waiting time in hours, as it passes;
`"each_bounded_slowdown"` of their bounded slowdown, as they complete; `"bounded_slowdown"` of the same, when the last job has completed.
`"utilisation"` gives the utilisation then.

Jobs are of the Lublin-Feitelson model, other ones for each episode, or those of a `workload`: all of them in each episode, or with
`window=256` that many that follow each other, others for each episode of a seed. `part=(0, 0.8)` takes windows from the first four fifths of
the jobs, for training, and `part=(0.8, 1)` from the others, for tests. With the last step of an episode, `info["summary"]` has its figures. With windows, `info["window"]` at the beginning
and at the end of an episode are the places of its first job in the workload and of the job after its last one, so that another policy can be
simulated on the same jobs.

`JobSelections` is as many environments, which native threads step (0: one for each core). The one at place i has the episodes of
`JobSelection` with the seed `seed + i`. After the end of an episode the next action begins another one and is ignored
(`AutoresetMode.NEXT_STEP`). With `copy=False` all steps return the same arrays, which the next step overwrites.

`NodeShares` has fractional actions: a number from 0 to 1 for each of the first `slots` jobs in the system. A waiting job whose number is above 0 starts
on the nodes that are asked for least; where the jobs of a node ask together for more than its CPU, each gets less in proportion. Actions are taken at each event,
and every `period` seconds. The observation has six numbers a slot: whether there is a job, its part of the nodes, its estimate, its time in the system, its share and its
CPU need. Rewards add up to minus the mean time of jobs in the system, in hours.

Both selections are registered: `gymnasium.make("dfrsim/JobSelection-v0")`, `gymnasium.make_vec("dfrsim/JobSelection-v0", num_envs=256)`.
"""

from collections.abc import Sequence
from typing import Any

import gymnasium
import numpy
from gymnasium.vector.utils import batch_space

from ._dfrsim import Episodes, Stepper, Workload


def _spaces(episodes: Episodes) -> tuple[gymnasium.spaces.Box, gymnasium.spaces.Discrete]:
    numbers, actions = episodes.observations.shape[1:], episodes.masks.shape[1]
    return gymnasium.spaces.Box(0.0, 1.0, numbers, numpy.float32), gymnasium.spaces.Discrete(actions)


class JobSelection(gymnasium.Env):
    """One environment. The page of the module (`print(dfrsim.gym.__doc__)`) has actions, observations and rewards.

    Parameters
    ----------
    nodes, jobs, load: the cluster, and the jobs of each episode by the Lublin-Feitelson model
    slots: number of waiting jobs that are seen, 1 to 128
    reward: "wait", "each_bounded_slowdown", "bounded_slowdown" or "utilisation"
    workload: jobs instead of the model; `nodes` are then those of the workload
    running: number of running jobs that are seen
    backfill: None, or False or True to choose jobs that do not fit yet
    estimates, overrun: what is known of run times, as in `simulate`
    window, part: number of jobs of an episode, and the part of the workload that they are from, as two fractions
    """

    metadata = {"render_modes": []}

    def __init__(
        self,
        nodes: int = 64,
        jobs: int = 200,
        load: float = 0.9,
        slots: int = 16,
        reward: str = "wait",
        workload: Workload | None = None,
        *,
        running: int = 0,
        backfill: bool | None = None,
        estimates: str = "requested",
        overrun: str = "extend",
        window: int | None = None,
        part: tuple[float, float] = (0.0, 1.0),
    ) -> None:
        self._episodes = Episodes(
            1,
            nodes=nodes,
            jobs=jobs,
            load=load,
            slots=slots,
            reward=reward,
            workload=workload,
            running=running,
            backfill=backfill,
            estimates=estimates,
            overrun=overrun,
            window=window,
            part=part,
        )
        self._action = numpy.zeros(1, dtype=numpy.int64)
        self._seen, self._mask = self._episodes.observations[0], self._episodes.masks[0]
        self._rewards, self._terminations = self._episodes.rewards, self._episodes.terminations
        self._begun = False
        self.observation_space, self.action_space = _spaces(self._episodes)

    def reset(self, *, seed: int | None = None, options: dict[str, Any] | None = None):
        super().reset(seed=seed)
        if seed is None and not self._begun:
            seed = int(self.np_random.integers(2**62))
        self._episodes.reset([seed])
        self._begun = True
        return self._seen.copy(), {"action_mask": self._mask.copy()} | self._window()

    def step(self, action: int):
        if not self._begun or self._terminations[0]:
            raise gymnasium.error.ResetNeeded("no episode has begun, or it is over: call reset")
        self._action[0] = action
        self._episodes.step(self._action)
        terminated = self._terminations.item(0)
        info = {"action_mask": self._mask.copy()}
        if terminated:
            info |= {"summary": self._episodes.summary(0)} | self._window()
        return self._seen.copy(), self._rewards.item(0), terminated, False, info

    def _window(self) -> dict[str, Any]:
        window = self._episodes.window(0)
        return {} if window is None else {"window": window}

    def action_masks(self) -> numpy.ndarray:
        """Which actions are possible, as masking algorithms ask for it."""
        return self._mask.copy()


class JobSelections(gymnasium.vector.VectorEnv):
    """Environments side by side, stepped by native threads. See the page of the module (`print(dfrsim.gym.__doc__)`).

    Parameters
    ----------
    num_envs: number of environments
    threads: number of threads; 0 for one on each core
    copy: False to return the same arrays from each step
    others: as of `JobSelection`
    """

    metadata = {"render_modes": [], "autoreset_mode": gymnasium.vector.AutoresetMode.NEXT_STEP}

    def __init__(
        self,
        num_envs: int,
        nodes: int = 64,
        jobs: int = 200,
        load: float = 0.9,
        slots: int = 16,
        reward: str = "wait",
        workload: Workload | None = None,
        threads: int = 1,
        copy: bool = True,
        *,
        running: int = 0,
        backfill: bool | None = None,
        estimates: str = "requested",
        overrun: str = "extend",
        window: int | None = None,
        part: tuple[float, float] = (0.0, 1.0),
    ) -> None:
        self.num_envs, self._copies, self._begun = num_envs, copy, False
        self._episodes = Episodes(
            num_envs,
            nodes=nodes,
            jobs=jobs,
            load=load,
            slots=slots,
            reward=reward,
            workload=workload,
            threads=threads,
            running=running,
            backfill=backfill,
            estimates=estimates,
            overrun=overrun,
            window=window,
            part=part,
        )
        self._truncations, self._all = numpy.zeros(num_envs, dtype=bool), numpy.ones(num_envs, dtype=bool)
        self.single_observation_space, self.single_action_space = _spaces(self._episodes)
        self.observation_space = batch_space(self.single_observation_space, num_envs)
        self.action_space = batch_space(self.single_action_space, num_envs)

    def reset(
        self,
        *,
        seed: int | Sequence[int | None] | None = None,
        options: dict[str, Any] | None = None,
    ):
        super().reset(seed=seed if isinstance(seed, int) else None)
        if seed is None and not self._begun:
            seed = int(self.np_random.integers(2**62))
        if isinstance(seed, int):
            seed = range(seed, seed + self.num_envs)
        self._episodes.reset([None] * self.num_envs if seed is None else list(seed))
        self._begun = True
        infos = self._masks()
        for env in range(self.num_envs):
            infos = self._add_info(infos, self._window(env), env)
        return self._own(self._episodes.observations), infos

    def step(self, actions: numpy.ndarray):
        if not self._begun:
            raise gymnasium.error.ResetNeeded("no episode has begun: call reset")
        self._episodes.step(numpy.ascontiguousarray(actions, dtype=numpy.int64))
        episodes, infos = self._episodes, self._masks()
        for env in numpy.flatnonzero(episodes.terminations):
            infos = self._add_info(infos, {"summary": episodes.summary(env)} | self._window(env), env)
        arrays = episodes.observations, episodes.rewards, episodes.terminations, self._truncations
        return *map(self._own, arrays), infos

    def _window(self, env: int) -> dict[str, Any]:
        window = self._episodes.window(env)
        return {} if window is None else {"window": numpy.array(window)}

    def _own(self, array: numpy.ndarray) -> numpy.ndarray:
        return array.copy() if self._copies else array

    def _masks(self) -> dict[str, Any]:
        return {"action_mask": self._own(self._episodes.masks), "_action_mask": self._all}


_WEEK = numpy.log1p(7 * 86_400.0)


class NodeShares(gymnasium.Env):
    """Jobs share nodes by what an agent gives them. See the page of the module (`print(dfrsim.gym.__doc__)`).

    Parameters
    ----------
    workload: jobs, or by default `jobs` of the Lublin-Feitelson model on `nodes` at `load` for each episode
    slots: number of jobs that are seen
    period: seconds after which an action is taken without an event
    options: further ones of `simulate`, such as `estimates`
    """

    metadata = {"render_modes": []}

    def __init__(
        self,
        workload: Workload | None = None,
        slots: int = 16,
        period: float = 600.0,
        *,
        nodes: int = 64,
        jobs: int = 200,
        load: float = 0.9,
        **options: Any,
    ) -> None:
        self._workload, self._model = workload, {"jobs": jobs, "nodes": nodes, "load": load}
        self._slots, self._period, self._options = slots, period, {"estimates": "requested", **options}
        if not len(self._episode_jobs(0)):
            raise ValueError("the workload has no jobs, expected at least one")
        self._stepper: Stepper | None = None
        self.observation_space = gymnasium.spaces.Box(0.0, 1.0, (6 * slots,), numpy.float32)
        self.action_space = gymnasium.spaces.Box(0.0, 1.0, (slots,), numpy.float32)

    def reset(self, *, seed: int | None = None, options: dict[str, Any] | None = None):
        super().reset(seed=seed)
        self._jobs = self._episode_jobs(int(self.np_random.integers(2**62)))
        self._stepper = Stepper(self._jobs, lists=True, **self._options)
        self._shares: dict[int, float] = {}
        self._view = self._stepper.begin()
        return self._observation(), {}

    def step(self, action: numpy.ndarray):
        if self._stepper is None or self._view is None:
            raise gymnasium.error.ResetNeeded("no episode has begun, or it is over: call reset")
        before, present = self._view["now"], len(self._present())
        self._view = self._stepper.step(self._answer(numpy.asarray(action, dtype=float)))
        info: dict[str, Any] = {}
        terminated = self._view is None
        if terminated:
            info["summary"] = self._stepper.result.summary
            return self._observation(), 0.0, True, False, info
        reward = -present * (self._view["now"] - before) / 3600 / len(self._jobs)
        return self._observation(), reward, False, False, info

    def _episode_jobs(self, seed: int) -> Workload:
        return Workload.lublin(seed=seed, **self._model) if self._workload is None else self._workload

    def _present(self) -> list[dict[str, Any]]:
        """The jobs that are seen, by arrival."""
        jobs = sorted(self._view["waiting"] + self._view["running"], key=lambda job: job["job"])
        return jobs

    def _observation(self) -> numpy.ndarray:
        seen = numpy.zeros((self._slots, 6), dtype=numpy.float32)
        if self._view is not None:
            now, nodes = self._view["now"], self._jobs.nodes
            for row, job in zip(seen, self._present()):
                times = [job["estimate"] or numpy.inf, now - job["submit"]]
                estimate, age = numpy.minimum(numpy.log1p(times) / _WEEK, 1.0)
                share = self._shares.get(job["job"], 0.0)
                row[:] = 1.0, min(job["tasks"] / nodes, 1.0), estimate, age, share, job["cpu_need"]
        return seen.ravel()

    def _answer(self, action: numpy.ndarray) -> dict[str, Any]:
        """Makes valid changes of the numbers."""
        view, nodes = self._view, self._jobs.nodes
        asked, memory = numpy.zeros(nodes), numpy.zeros(nodes)
        wanted = {job["job"]: 1.0 for job in view["running"]}
        wanted.update({job["job"]: float(share) for job, share in zip(self._present(), action.clip(0.0, 1.0))})
        placed = {}
        for job in view["running"]:
            wanted[job["job"]] = max(wanted[job["job"]], 0.01)
            placed[job["job"]] = (job, job["nodes"])
            numpy.add.at(asked, job["nodes"], wanted[job["job"]] * job["cpu_need"])
            numpy.add.at(memory, job["nodes"], job["memory"])
        changes: list[dict[str, Any]] = []
        for job in view["waiting"]:
            if job["tasks"] > nodes:
                changes.append({"do": "reject", "job": job["job"]})
            elif wanted.get(job["job"], 0.0) > 0.0:
                room = numpy.flatnonzero(memory + job["memory"] <= 1.0)
                on = room[numpy.argsort(asked[room], kind="stable")[: job["tasks"]]]
                if len(on) == job["tasks"]:
                    asked[on] += wanted[job["job"]] * job["cpu_need"]
                    memory[on] += job["memory"]
                    placed[job["job"]] = (job, sorted(on.tolist()))
        shares = {}
        for number, (job, on) in placed.items():
            share = wanted[number] / max(1.0, asked[on].max())
            # Shares are rounded down to what all jobs of a node can have.
            shares[number] = share = max(numpy.floor(share * 1e4) / 1e4, 1e-4)
            if "nodes" not in job:
                changes.append({"do": "start", "job": number, "nodes": on, "yield": share})
            elif self._shares.get(number) != share:
                changes.append({"do": "yield", "job": number, "yield": share})
        self._shares = shares
        return {"changes": changes, "wake_at": view["now"] + self._period}


gymnasium.register(
    "dfrsim/JobSelection-v0",
    entry_point="dfrsim.gym:JobSelection",
    vector_entry_point="dfrsim.gym:JobSelections",
)
