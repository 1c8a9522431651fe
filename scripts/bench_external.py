"""What a policy in another process costs: jobs/s, and the simulator's share of the processor time.

    bench_external.py DFRSIM LOG JOBS POLICY...

A POLICY is `pipe:COMMAND` or `batsim:COMMAND`, or one of dfrsim's own to compare with. The share is that of dfrsim and the
transport in the processor time of both processes; the time that the client takes to start counts as its own.
"""
import json
import os
import resource
import subprocess
import sys
import tempfile
import time


def client(out, command):
    """Runs the command as a child and notes what it used."""
    child = os.spawnvp(os.P_NOWAIT, command[0], command)
    os.waitpid(child, 0)
    here = resource.getrusage(resource.RUSAGE_SELF)
    with open(out, "w") as file:
        json.dump(used_by_children() + here.ru_utime + here.ru_stime, file)


def used_by_children():
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def main():
    dfrsim, log, jobs, *policies = sys.argv[1:]
    print("| policy | wall s | jobs/s | client, CPU s | simulator, CPU s | simulator's share |")
    print("|---|--:|--:|--:|--:|--:|")
    for policy in policies:
        with tempfile.TemporaryDirectory() as folder:
            note = os.path.join(folder, "client")
            kind, colon, command = policy.partition(":")
            wrapped = f"{kind}:{sys.executable} {__file__} --client {note} {command}" if colon else policy
            before, begin = used_by_children(), time.monotonic()
            arguments = [dfrsim, "simulate", "--workload", log, "--first", jobs, "--policy", wrapped]
            subprocess.run(arguments, check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
            wall, both = time.monotonic() - begin, used_by_children() - before
            own = json.load(open(note)) if colon else 0.0
            share = f"{(both - own) / both:.1%}"
            print(f"| {policy} | {wall:.2f} | {int(jobs) / wall:.0f} | {own:.2f} | {both - own:.2f} | {share} |")


if __name__ == "__main__":
    if sys.argv[1:2] == ["--client"]:
        client(sys.argv[2], sys.argv[3:])
    else:
        main()
