"""How does a site's slurm.conf look with another setting, and with nodes that all run on this machine?

Needs Python 3.10. Run by `record/what-if`:

    slurm_site.py SITE SETTING HOST FOLDER

writes slurm.conf, gres.conf and accounts.sh of the folder SITE, with SETTING, to FOLDER, and there also nodes.conf: slurm.conf with the host
HOST and a port of its own for each node. SETTING is `as it is`, or has the syntax of `dfrsim site --what-if`.
"""
import re
import shlex
import sys
from pathlib import Path

# Ports of the slurmd of the nodes, from this one on.
FIRST_PORT = 7001
# Files of a site that a setting may change.
FILES = "slurm.conf", "gres.conf", "accounts.sh"


def names(text):
    """The nodes of a list such as `n[1-3],m1`."""
    found = []
    for name in re.findall(r"[^,\[]+(?:\[[^\]]*\])?", text):
        match = re.fullmatch(r"(.*)\[(.*)\]", name)
        if not match:
            found.append(name)
            continue
        for part in match[2].split(","):
            first, _, last = part.partition("-")
            numbers = range(int(first), int(last or first) + 1)
            found += [f"{match[1]}{number:0{len(first)}}" for number in numbers]
    return found


def value(line, key):
    """The value of a key of a line, or None."""
    match = re.search(rf"(?:^|\s){key}=(\S+)", line, re.IGNORECASE)
    return match and match[1]


def with_value(line, key, new):
    """The line with another value of a key."""
    kept = [word for word in shlex.split(line) if not word.lower().startswith(f"{key.lower()}=")]
    return " ".join([*kept, f"{key}={new}"])


def with_parameter(lines, key, new):
    """The lines with another value of a parameter of slurm.conf, or of its SchedulerParameters."""
    if key[0].isupper():
        is_it = lambda line: line.lower().startswith(f"{key.lower()}=")
        given = [f"{key}={new}" if is_it(line) else line for line in lines]
        return given if any(map(is_it, lines)) else [*given, f"{key}={new}"]
    current = next((line.split("=", 1)[1] for line in lines if line.startswith("SchedulerParameters=")), "")
    kept = [it for it in current.split(",") if it and it.split("=")[0] != key]
    added = key if new in ("yes", "on") else f"{key}={new}"
    return with_parameter(lines, "SchedulerParameters", ",".join([*kept, added]))


def with_nodes(files, of, more):
    """The files with more copies of the last node of a partition, in all partitions that this node is in."""
    is_of = lambda line: value(line, "PartitionName") == of
    nodes = next((value(line, "Nodes") for line in files["slurm.conf"] if is_of(line)), None)
    last = names(nodes)[-1] if nodes else sys.exit(f"nodes.{of}: slurm.conf has no such partition")
    added = f"more[1-{more}]"

    def changed(line):
        if last in names(value(line, "NodeName") or ""):
            return [line, re.sub(r"NodeName=\S+", f"NodeName={added}", line)]
        if value(line, "PartitionName") and last in names(value(line, "Nodes") or ""):
            return [with_value(line, "Nodes", f"{value(line, 'Nodes')},{added}")]
        return [line]

    return {name: [new for line in lines for new in changed(line)] for name, lines in files.items()}


def with_setting(files, setting):
    """The files with a setting; what Slurm's database keeps is changed by commands in accounts.sh."""
    for change in filter(None, (change.strip() for change in setting.split(";"))):
        key, _, new = change.partition("=")
        conf, accounts = files["slurm.conf"], files["accounts.sh"]
        match key.split("."):
            case ["nodes", of] if new.startswith("+"):
                files = with_nodes(files, of, int(new))
            case ["partition", name, parameter]:
                is_of = lambda line: value(line, "PartitionName") == name
                conf = [with_value(line, parameter, new) if is_of(line) else line for line in conf]
                files = {**files, "slurm.conf": conf}
            case ["qos" | "account" as kind, name, column]:
                files = {**files, "accounts.sh": [*accounts, f"sacctmgr -i modify {kind} {name} set {column}={new}"]}
            case ["preemption" | "Epilog"]:
                sys.exit(f"{change}: give the parameters of slurm.conf, such as PreemptType=preempt/partition_prio; PreemptMode=REQUEUE")
            case [parameter]:
                files = {**files, "slurm.conf": with_parameter(conf, parameter, new)}
            case _:
                sys.exit(f"{setting}: this change cannot be recorded")
    return files


def on_this_machine(lines, host):
    """The lines with an address and a port for each node."""
    port, changed = FIRST_PORT, []
    for line in lines:
        of = value(line, "NodeName")
        if of and of != "DEFAULT":
            count = len(names(of))
            ports = f"[{port}-{port + count - 1}]" if count > 1 else port
            line += f" NodeHostname={host} NodeAddr=127.0.0.1 Port={ports} State=UNKNOWN"
            port += count
        changed.append(line)
    return changed


def main():
    if len(sys.argv) != 5:
        sys.exit(__doc__)
    site, setting, host, folder = Path(sys.argv[1]), sys.argv[2], sys.argv[3], Path(sys.argv[4])
    given = {name: (site / name).read_text().splitlines() for name in FILES if (site / name).exists()}
    made = given if setting == "as it is" else with_setting(given, setting)
    if made == given and setting != "as it is":
        sys.exit(f"{setting}: this changes nothing in {site}")
    made = {**made, "nodes.conf": on_this_machine(made["slurm.conf"], host)}
    for name, lines in made.items():
        (folder / name).write_text("".join(f"{line}\n" for line in lines))


main()
