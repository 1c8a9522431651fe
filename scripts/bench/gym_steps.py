"""How many steps do the environments of dfrsim.gym take in a second of processor time, alone and side by side?

Needs the package dfrsim, gymnasium and numpy; about a minute: gym_steps.py [STEPS].

The agent takes the first possible action, by numpy; its time counts. Best of three.
"""
import sys
import time
from pathlib import Path

import numpy
from dfrsim.gym import JobSelection, JobSelections

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "lib"))
import common  # noqa: E402

NODES, JOBS, LOAD, SLOTS = 64, 200, 0.9, 16


def single(steps, slots=SLOTS, **options):
    env = JobSelection(NODES, JOBS, LOAD, slots, **options)
    _, info = env.reset(seed=1)
    for _ in range(steps):
        _, _, terminated, _, info = env.step(info["action_mask"].argmax())
        if terminated:
            _, info = env.reset()
    return steps


def vector(count, copy, slots=SLOTS, **options):
    def run(steps):
        envs = JobSelections(count, NODES, JOBS, LOAD, slots, copy=copy, **options)
        _, infos = envs.reset(seed=1)
        for _ in range(steps // count):
            *_, infos = envs.step(infos["action_mask"].argmax(axis=1))
        return steps // count * count

    return run


def speed(run, steps):
    begin = time.process_time()
    return run(steps) / (time.process_time() - begin)


def main():
    steps = int(sys.argv[1]) if len(sys.argv) > 1 else 200_000
    print(f"{JOBS} jobs an episode, {NODES} nodes, load {LOAD}, {SLOTS} slots; numpy {numpy.__version__}")
    common.print_heading(["environment", "steps/s"], "lr")
    for name, run in [
        ("JobSelection", single),
        ("64 JobSelections, one thread", vector(64, True)),
        ("64 JobSelections, one thread, copy=False", vector(64, False)),
        ("1,024 JobSelections, one thread, copy=False", vector(1024, False)),
        ("JobSelection, 128 slots", lambda steps: single(steps, 128)),
        ("JobSelection, 128 slots, backfill=True", lambda steps: single(steps, 128, backfill=True)),
        ("64 JobSelections, 128 slots, one thread, copy=False", vector(64, False, 128)),
        ("64 JobSelections, 128 slots, backfill=True, one thread, copy=False", vector(64, False, 128, backfill=True)),
    ]:
        common.print_row([name, f"{max(speed(run, steps) for _ in range(3)):,.0f}"])


if __name__ == "__main__":
    main()
