"""Policies on a trace, a figure of them, and an agent that learns to choose jobs, beside policies that do not learn.

    python first_look.py [FOLDER]      # needs matplotlib and gymnasium; a few seconds
"""
import sys
from pathlib import Path

import matplotlib
import numpy

import dfrsim
from dfrsim.gym import JobSelection

matplotlib.use("Agg")
import matplotlib.pyplot as plt  # noqa: E402

LOADS = (0.3, 0.5, 0.7, 0.9)
POLICIES = ("FCFS", "EASY", "GreedyPM*/per/OPT=MIN/MVT=600")


def degradation(policy, load):
    """The largest bounded stretch as a multiple of the bound."""
    workload = dfrsim.lublin(jobs=1000, nodes=64, seed=1, load=load)
    result = dfrsim.simulate(workload, policy, penalty=300)
    return result.summary["bounded_stretch"]["max"] / dfrsim.bound(workload)


def draw(folder):
    for policy in POLICIES:
        plt.plot(LOADS, [degradation(policy, load) for load in LOADS], marker="o", label=policy)
    plt.xlabel("offered load")
    plt.ylabel("degradation from the bound")
    plt.yscale("log")
    plt.legend()
    plt.savefig(Path(folder, "degradation.png"))


def trace(seed):
    """300 jobs on 64 nodes."""
    return dfrsim.lublin(jobs=300, nodes=64, seed=seed, load=0.9)


def environment(workload):
    """Any job may be chosen, and others start behind it as in EASY; run times are known, as they are to the policies below."""
    return JobSelection(workload=workload, backfill=True, estimates="exact")


def episode(env, choose):
    """The mean wait in hours of an agent that chooses among the jobs that it may."""
    observation, info = env.reset(seed=0)
    terminated, total = False, 0.0
    while not terminated:
        jobs = observation[1:].reshape(-1, 4)
        observation, reward, terminated, _, info = env.step(choose(jobs, info["action_mask"][:-1]))
        total -= reward
    return total


def weighted(weights):
    """The job with the largest weighted sum of what is seen of it."""
    return lambda jobs, mask: int(numpy.where(mask, jobs @ weights, -numpy.inf).argmax())


def train(generations=8, population=16):
    """The cross-entropy method on two traces."""
    envs = [environment(trace(seed)) for seed in (1, 2)]
    random = numpy.random.default_rng(1)
    mean, deviation = numpy.zeros(4), numpy.ones(4)
    for _ in range(generations):
        tried = mean + deviation * random.standard_normal((population, 4))
        waits = [sum(episode(env, weighted(weights)) for env in envs) for weights in tried]
        best = tried[numpy.argsort(waits)[: population // 4]]
        mean, deviation = best.mean(axis=0), best.std(axis=0) + 0.02
    return mean


def compare(weights, seeds=range(11, 21)):
    """Mean waits in hours on traces that the agent has not seen: a list for each that chooses."""
    random = numpy.random.default_rng(2)
    agents = {"the agent": weighted(weights), "random": lambda _, mask: int(random.choice(numpy.flatnonzero(mask)))}
    waits = {name: [episode(environment(trace(seed)), choose) for seed in seeds] for name, choose in agents.items()}
    for policy in ("FCFS", "EASY", "EASY/ORDER=SJF", "EASY/ORDER=F1"):
        results = [dfrsim.simulate(trace(seed), policy) for seed in seeds]
        waits[policy] = [result.summary["wait"]["mean"] / 3600 for result in results]
    return waits


if __name__ == "__main__":
    out = sys.argv[1] if len(sys.argv) > 1 else "."
    draw(out)
    waits = compare(train())
    ranking = sorted(waits, key=lambda name: numpy.mean(waits[name]))
    print("mean wait in hours on ten traces that the agent has not seen, and on how many of them the agent waits less:")
    for name in ranking:
        beaten = sum(agent < other for agent, other in zip(waits["the agent"], waits[name]))
        print(f"  {name:15} {numpy.mean(waits[name]):6.2f}  {beaten if name != 'the agent' else '':>2}")
    print(f"{ranking[0]} wins")
    sys.exit(bool(numpy.mean(waits["the agent"]) >= numpy.mean(waits["FCFS"])))
