"""Policies on a trace, a figure of them, and an agent that learns to choose jobs better than FCFS.

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


def episode(env, weights):
    """The mean wait in hours if the job with the largest weighted sum of what is seen of it goes first."""
    observation, info = env.reset(seed=0)
    terminated, total = False, 0.0
    while not terminated:
        jobs = observation[1:].reshape(-1, 4)
        scores = numpy.where(info["action_mask"][:-1], jobs @ weights, -numpy.inf)
        observation, reward, terminated, _, info = env.step(int(scores.argmax()))
        total -= reward
    return total


def train(generations=8, population=16):
    """The cross-entropy method on one trace, judged on another one: mean waits of FCFS and of the agent, in hours."""
    trace, other = (JobSelection(workload=dfrsim.lublin(jobs=300, nodes=64, seed=seed, load=0.9)) for seed in (1, 2))
    random = numpy.random.default_rng(1)
    mean, deviation = numpy.zeros(4), numpy.ones(4)
    for _ in range(generations):
        tried = mean + deviation * random.standard_normal((population, 4))
        best = tried[numpy.argsort([episode(trace, weights) for weights in tried])[: population // 4]]
        mean, deviation = best.mean(axis=0), best.std(axis=0) + 0.02
    fcfs = dfrsim.simulate(dfrsim.lublin(jobs=300, nodes=64, seed=2, load=0.9), "FCFS")
    return fcfs.summary["wait"]["mean"] / 3600, episode(other, mean)


if __name__ == "__main__":
    out = sys.argv[1] if len(sys.argv) > 1 else "."
    draw(out)
    fcfs, agent = train()
    print(f"mean wait on a trace that the agent has not seen: FCFS {fcfs:.2f} h, agent {agent:.2f} h")
    sys.exit(agent >= fcfs)
