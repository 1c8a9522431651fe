//! Options of the commands, with typical values, which are occasionally replaced.

use crate::mutation::{NUMBERS, TEXTS, once_in, pick};
use rand_chacha::ChaCha8Rng;

/// Option and its typical values, separated by spaces; a flag has none.
type Usual = (&'static str, &'static str);

/// Options for reading a log.
const LOG: &[Usual] = &[
    ("--size", "requested allocated"),
    ("--skip", "0 1 5"),
    ("--first", "0 1 5 100"),
    ("--from", "0 100 100000"),
    ("--to", "0 100 100000"),
    (
        "--rule",
        "zero-run=clamp zero-size=error too-wide=clamp no-submit=clamp failed=drop cancelled=error partial=keep \
         lone-partial=drop unknown-status=error repeated-number=drop zero-run=error,zero-size=clamp",
    ),
    ("--strict", ""),
    ("--flops", "1e9 1e6"),
    ("--max-memory", "1 0.1"),
];
/// Options for creating jobs from a log.
const JOBS: &[Usual] = &[
    ("--unit", "node processor"),
    ("--annotate", "none hpc2n lublin"),
    ("--cores", "1 2 4"),
    ("--seed", "1 2"),
    ("--node-memory", "8 2"),
    ("--tau", "10 60"),
];
const SIMULATE: &[Usual] = &[
    ("--load", "0.5 0.9 2"),
    ("--estimates", "exact requested none factor:2 factor:0.5 random:3"),
    (
        "--request",
        "bb:0.5:lognormal(2,1) bb:1:tasks*lognormal(1,1,0,1,9):over60:max4 matlab:0.5:1+2:max4 bb:1:lognormal(NaN,1)",
    ),
    ("--cap", "2kW 900W 1000 0"),
    ("--defer", "3600 100:0.5 0"),
    ("--overrun", "extend kill"),
    ("--penalty", "0 1 300"),
    ("--period", "600 60 1"),
    ("--packing", "cp mcb8"),
    ("--drop", "prefix skip"),
    ("--warm-up", "0 100 1000000"),
    ("--cool-down", "0 100 1000000"),
    ("--jobs-out", "jobs.csv /dev/stdout /dev/full no/such.csv log.swf"),
    ("--events-out", "events.jsonl jobs.csv /dev/null"),
    ("--swf-out", "out.swf out.swf.gz jobs.csv"),
    ("--batsim-jobs-out", "batsim.csv"),
    ("--batsim-machines-out", "machines.csv"),
    ("--failures", "exponential:100000,fixed:100 x"),
    ("--maintenance", "0:100000:50 0:1:0.5"),
    ("--interruption", "lose requeue checkpoint:600:5"),
];
const BOUND: &[Usual] = &[("--cut", "none week"), ("--threads", "1 2")];
const CONVERT: &[Usual] = &[("--week", "0 1 2"), ("--load", "0.5 2"), ("--nodes", "8 128")];
const INFO: &[Usual] = &[("--nodes", "8 128")];
const RESAMPLE: &[Usual] = &[("--weeks", "1 2 0"), ("--seed", "1 2")];
const EXPLAIN: &[Usual] = &[("--job", "0 1 100")];
const SITE: &[Usual] = &[
    (
        "--what-if",
        "bf_interval=60 partition.cpu.MaxTime=1 qos.high.MaxJobsPU=1 nodes.cpu=+2 preemption=on x=1",
    ),
    ("--samples", "1 0"),
    ("--copies", "5 0 3"),
];
const ANONYMISE: &[Usual] = &[("--shift", ""), ("--coarse", ""), ("--k", "5 2")];
const ADAPT: &[Usual] = &[
    ("--cost", "memory moves"),
    ("--exact", "1 0"),
    ("--time-limit", "1 0.1 0"),
    ("--state-out", "after.json after.csv cluster.json"),
    ("--plan-out", "plan.json cluster.json"),
];
const VERIFY: &[Usual] =
    &[("--rerun", ""), ("--max-unpacked", "1 0.001"), ("--allow-commands", ""), ("--signers", "a.zip")];
const GENERATE: &[Usual] =
    &[("--typeless", ""), ("--cores", "1 4"), ("--load", "0.1 0.9"), ("--max-memory", "1")];
const PACK: &[Usual] = &[
    ("--optimum", ""),
    ("--time-limit", "1 0.1 0"),
    ("--solver", "microlp"),
    ("--precision", "0.001 0.1"),
    ("--seed", "1 2"),
    ("--mapping-out", "mapping.json instance.json"),
    ("--fewest-nodes", "1 0.5"),
    ("--admit", "1 0.5"),
];
const PLAN: &[Usual] = &[
    ("--steps", "10 100 0"),
    ("--time-limit", "10ms 0.01s 1e-9s"),
    ("--seed", "1 2"),
    ("--plan-out", "plan.json current.json"),
    ("--state-out", "after.json after.csv"),
    ("--picture", "plan.svg"),
];
const COALLOCATE: &[Usual] = &[
    ("--commit", ""),
    ("--now", "0 100 7200"),
    ("--patience", "86400 0 1"),
    ("--initial", "3 1"),
    ("--largest", "48 1"),
    ("--l1", "7 0"),
    ("--l2", "10 0"),
    ("--seed", "1 2"),
];
const DRAW: &[Usual] = &[("--from", "0 100 1000"), ("--to", "100 1000 10000")];
const WAITS: &[Usual] = &[
    ("--by", "partition queue account user all x"),
    ("--start", "2024-03-04T08:00 2024-03-04 0 -1 1e300 2024-02-30"),
];
const SIZE: &[Usual] = &[("--width", "17 8.5 0"), ("--height", "8 0.1 1000")];
const COMPARE: &[Usual] = &[
    ("--metric", "degradation max_stretch utilisation yield gap"),
    ("--seed", "1 2"),
    ("--resamples", "10 100 1"),
    ("--confidence", "95% 0.5 100%"),
    ("--out", "compared"),
];
const CHECK: &[Usual] = &[
    ("--tolerance", "0% 5% 0.1 100%"),
    ("--tolerance-for", "degradation=5% degradation.worst=1% x=1"),
    ("--strict", ""),
    ("--allow-missing", ""),
    ("--junit", "junit.xml"),
    ("--markdown", "summary.md"),
    ("--update", ""),
];
const RUN: &[Usual] = &[
    ("--seed", "1"),
    ("--fresh", ""),
    ("--audit", ""),
    ("--shard", "1/2 2/2 3/2 0/1"),
    ("--set", "seed=2 seed=-1 title='x' replications=1 policies=[] a.b=1 seed="),
    ("--threads", "1 2"),
];
const SUBMIT: &[Usual] = &[
    ("--engine", "slurm pbs kubernetes sge lsf"),
    ("--array", "2 16"),
    ("--cpus", "1 4"),
    ("--partition", "p"),
    ("--time", "1:00 01:00:00"),
    ("--set", "seed=2"),
    ("--audit", ""),
];
const STATUS: &[Usual] = &[("--missing", "2 8")];
/// Options of nearly all commands.
const ANSWER: &[Usual] = &[("--format", "text json")];

/// Returns the options of a command.
fn of(command: &str) -> Vec<Usual> {
    match command {
        "simulate" => [LOG, JOBS, SIMULATE, ANSWER].concat(),
        "bound" => [LOG, JOBS, BOUND, ANSWER].concat(),
        "log convert" => [LOG, CONVERT, ANSWER].concat(),
        "log anonymise" => [LOG, ANONYMISE, ANSWER].concat(),
        "solve adapt" => [ADAPT, ANSWER].concat(),
        "results verify" => [VERIFY, ANSWER].concat(),
        "log info" => [LOG, INFO, ANSWER].concat(),
        "log resample" => [LOG, RESAMPLE, ANSWER].concat(),
        "site" => SITE.to_vec(),
        "explain" => [EXPLAIN, ANSWER].concat(),
        "log generate" => [GENERATE, ANSWER].concat(),
        "solve pack" => [PACK, ANSWER].concat(),
        "solve plan" => [PLAN, ANSWER].concat(),
        "solve coallocate" => [COALLOCATE, ANSWER].concat(),
        "draw gantt" => [DRAW, ANSWER].concat(),
        "draw power" => [DRAW, SIZE, ANSWER].concat(),
        "draw waits" => [WAITS, SIZE, ANSWER].concat(),
        "results compare" => [COMPARE, ANSWER].concat(),
        "results check" => [CHECK, ANSWER].concat(),
        "results status" => [STATUS, ANSWER].concat(),
        "run" => [RUN, ANSWER].concat(),
        "submit" => [SUBMIT, ANSWER].concat(),
        _ => ANSWER.to_vec(),
    }
}

/// Draws a typical value, or any other with probability 1/8.
pub(crate) fn value(random: &mut ChaCha8Rng, usual: &str) -> String {
    let usual: Vec<&str> = usual.split(' ').collect();
    match once_in(random, 8) {
        false => (*pick(random, &usual)).to_owned(),
        true if once_in(random, 3) => (*pick(random, &TEXTS)).to_owned(),
        true => (*pick(random, &NUMBERS)).to_owned(),
    }
}

/// Adds some options of the command.
pub(crate) fn some(random: &mut ChaCha8Rng, command: &str, arguments: &mut Vec<String>) {
    let options = of(command);
    let mut given = Vec::new();
    while !options.is_empty() && once_in(random, 2) {
        let (option, usual) = *pick(random, &options);
        // Most options are rejected when they are given twice.
        if given.contains(&option) && !once_in(random, 20) {
            continue;
        }
        given.push(option);
        if usual.is_empty() {
            arguments.push(option.to_owned());
        } else {
            // One argument, since a value may begin with a hyphen.
            arguments.push(format!("{option}={}", value(random, usual)));
        }
    }
}
