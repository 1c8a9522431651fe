"""What does a policy in another process cost: jobs/s, and the simulator's share of the processor time?

Needs dfrsim, a log, and what the policies need; a simulation for each policy: external.py DFRSIM LOG JOBS POLICY...

A POLICY is `pipe:COMMAND` or `batsim:COMMAND`, or one of dfrsim's own to compare with. The share is that of dfrsim and the
transport in the processor time of both processes; the start of the client counts as its own.
"""
import json
import os
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "lib"))
import common  # noqa: E402


def client(out, command):
    """Runs the command as a child and notes what it used."""
    child = os.spawnvp(os.P_NOWAIT, command[0], command)
    os.waitpid(child, 0)
    here = resource.getrusage(resource.RUSAGE_SELF)
    with open(out, "w") as file:
        json.dump(common.used_by_children() + here.ru_utime + here.ru_stime, file)


def main():
    dfrsim, log, jobs, *policies = sys.argv[1:]
    common.print_heading(["policy", "wall s", "jobs/s", "client, CPU s", "simulator, CPU s", "simulator's share"], "lrrrrr")
    for policy in policies:
        with tempfile.TemporaryDirectory() as folder:
            note = os.path.join(folder, "client")
            kind, colon, command = policy.partition(":")
            wrapped = f"{kind}:{sys.executable} {__file__} --client {note} {command}" if colon else policy
            before, begin = common.used_by_children(), time.monotonic()
            arguments = [dfrsim, "simulate", "--workload", log, "--first", jobs, "--policy", wrapped]
            subprocess.run(arguments, check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
            wall, both = time.monotonic() - begin, common.used_by_children() - before
            own = json.load(open(note)) if colon else 0.0
            figures = [f"{wall:.2f}", f"{int(jobs) / wall:.0f}", f"{own:.2f}", f"{both - own:.2f}", f"{(both - own) / both:.1%}"]
            common.print_row([policy, *figures])


if __name__ == "__main__":
    if sys.argv[1:2] == ["--client"]:
        client(sys.argv[2], sys.argv[3:])
    else:
        main()
