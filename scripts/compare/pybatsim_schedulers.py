"""Which of pybatsim's unmodified schedulers run to the end over Batsim's protocol and pass the audit, and why do others fail?

Needs pybatsim 3.2.1 or 4, whose program PYBATSIM is; at most ten minutes a scheduler and log:
pybatsim_schedulers.py DFRSIM PYBATSIM JOBS LOG...

Each schedules the first JOBS of each log with requested times as limits, as batsim-sharing if it puts two jobs on a node. Prints a table
in Markdown.
"""
import subprocess
import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "lib"))
import common  # noqa: E402

MAINTAINED = "fillerSched fillerSchedWithEvents easyBackfill fcfsSchedSleep randomSched schedFcfs schedFiller schedSendRecv schedEasySjfBackfill".split()
WITH_OPTIONS = ["schedBebida -o '{\"variant\": \"no-io\"}'"]
VERSION_4 = "backfill-easy fcfs-sleeper filler filler-events random".split()
LONGEST = 600


def outcome(dfrsim, program, jobs, log, name, folder, kind="batsim"):
    words = [dfrsim, "simulate", "--workload", log, "--first", jobs, "--estimates", "requested", "--overrun", "kill"]
    words += ["--policy", f"{kind}:{program} {name} -s {{endpoint}}", "--events-out", f"{folder}/events.jsonl"]
    try:
        run = subprocess.run(words, cwd=folder, capture_output=True, text=True, timeout=LONGEST)
    except subprocess.TimeoutExpired:
        return f"ended after {LONGEST} s"
    if run.returncode == 0:
        audit = subprocess.run([dfrsim, "audit", f"{folder}/events.jsonl"], capture_output=True)
        return ("audited" if audit.returncode == 0 else "**faults**") + (" (batsim-sharing)" if kind != "batsim" else "")
    why = run.stderr.strip().splitlines()[-1]
    if kind == "batsim" and "is used by" in why:
        return outcome(dfrsim, program, jobs, log, name, folder, "batsim-sharing")
    error, _, words = why.partition("; its last words: ")
    return error if "did not answer" in error or not words else words.split(" | ")[-1]


def main():
    dfrsim, pybatsim, jobs, *logs = sys.argv[1:]
    dfrsim, logs = Path(dfrsim).resolve(), [Path(log).resolve() for log in logs]
    help_text = subprocess.run([pybatsim, "--help"], capture_output=True, text=True).stdout
    names, options = VERSION_4, " -t 60000"
    if "--protect" in help_text:
        files = sorted(Path(pybatsim).resolve().parent.parent.glob("lib/python*/site-packages/schedulers/unMaintained/*.py"))
        names, options = MAINTAINED + WITH_OPTIONS + [str(file) for file in files], " -v error -t 60000"
    common.print_heading(["scheduler", *(log.name.removesuffix(".gz").removesuffix(".swf") for log in logs)], "l" * (len(logs) + 1))
    for name in names:
        with tempfile.TemporaryDirectory() as folder:
            found = [outcome(dfrsim, pybatsim, jobs, log, name + options, folder) for log in logs]
        common.print_row([Path(name.split()[0]).stem, *found])


if __name__ == "__main__":
    main()
