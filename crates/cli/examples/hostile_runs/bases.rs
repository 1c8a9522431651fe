//! The inputs before they are mutated: small, and made by the program itself where it can.

use crate::scheduler::RECORD;
use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use std::process::{Command, Stdio};

/// A scenario of each study, so small that it runs in milliseconds, as a file of `inputs`.
const SCENARIOS: [&str; 9] = [
    "online",
    "conditions",
    "needs",
    "offline",
    "grid",
    "coallocation",
    "context-switch",
    "discovery",
    "adaptation",
];

/// The files of `inputs` that say what a cluster and its site are, and what a policy in a process answers.
const CONDITIONS: [&str; 6] =
    ["platform.toml", "platform.xml", "outages.csv", "outages.jsonl", "priority.toml", "answers.jsonl"];

/// The files of a Slurm site, of which `log.sacct` has the jobs, and a cluster of VMs.
const SITE: [&str; 7] =
    ["site.conf", "gres.conf", "assoc.txt", "dump.txt", "qos.txt", "vms.csv", "vm_nodes.csv"];

/// All bytes that a scheduler sends, in a file.
pub(crate) const ANSWERS: &str = "answers.zmtp";

/// A command by which this program is a scheduler with those bytes.
pub(crate) fn scheduler_command(part: &str) -> String {
    let program = std::env::current_exe().expect("a running program has a path");
    format!("'{}' {part} {ANSWERS} {{endpoint}}", program.display())
}

/// Files by name; folders within folders have a `/` in their names.
pub(crate) type Files = BTreeMap<String, Vec<u8>>;

/// All inputs.
pub(crate) struct Bases {
    /// Scenarios, as they were written and with every default written out.
    pub(crate) scenarios: Vec<Vec<u8>>,
    /// Folders of finished results.
    pub(crate) results: Vec<Files>,
    /// Folders with two shards that have not been merged.
    pub(crate) shards: Vec<Files>,
    /// Logs in SWF and one of Batsim.
    pub(crate) logs: Vec<(&'static str, Vec<u8>)>,
    /// Archives of results.
    pub(crate) archives: Vec<Vec<u8>>,
    /// Events files of simulations and a plan, for `audit`.
    pub(crate) events: Vec<Vec<u8>>,
    /// Other files by name.
    pub(crate) files: BTreeMap<&'static str, Vec<u8>>,
    /// The names of all policies.
    pub(crate) policies: Vec<String>,
    /// The names of all algorithms of the off-line study.
    pub(crate) algorithms: Vec<String>,
}

impl Bases {
    /// Makes them in the folder.
    ///
    /// # Panics
    /// If the program cannot make them.
    pub(crate) fn new(program: &Path, folder: &Path) -> Bases {
        let dfrsim = |arguments: &str| {
            // The command of a policy has spaces, and comes last.
            let (arguments, policy) = arguments.split_once(" --policy ").unwrap_or((arguments, ""));
            let policy = (!policy.is_empty()).then(|| format!("--policy={policy}"));
            let arguments = arguments.split_whitespace().map(str::to_owned).chain(policy);
            let output =
                Command::new(program).args(arguments).current_dir(folder).stdin(Stdio::null()).output();
            let output = output.expect("the program can be started");
            assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
            String::from_utf8(output.stdout).expect("what is printed is UTF-8")
        };
        let read = |name: &str| fs::read(folder.join(name)).expect("what was made can be read");
        dfrsim("log generate --jobs 12 --nodes 8 --seed 1 --out log.swf");
        let ours = |path: &str| {
            fs::read(Path::new(env!("CARGO_MANIFEST_DIR")).join(path))
                .expect("files of this project can be read")
        };
        let input = |name: &str| ours(&format!("examples/hostile_runs/inputs/{name}"));
        for name in CONDITIONS {
            fs::write(folder.join(name), input(name)).expect("a file can be written");
        }
        let (mut scenarios, mut archives) = (Vec::new(), Vec::new());
        let mut results = Vec::new();
        let mut shards = Vec::new();
        for study in SCENARIOS {
            let scenario = input(&format!("{study}.toml"));
            fs::write(folder.join(format!("{study}.toml")), &scenario).expect("a scenario can be written");
            dfrsim(&format!("run {study}.toml --threads 2 --quiet --out {study}"));
            scenarios.push(scenario);
            scenarios.push(read(&format!("{study}/scenario.toml")));
            results.push(files(&folder.join(study)));
            dfrsim(&format!("results archive {study} --out {study}.zip"));
            archives.push(read(&format!("{study}.zip")));
            for shard in ["1/2", "2/2"] {
                dfrsim(&format!("run {study}.toml --threads 2 --quiet --out {study}.shards --shard {shard}"));
            }
            shards.push(files(&folder.join(format!("{study}.shards"))));
        }
        dfrsim("results check online --baseline baseline.toml --update");
        let recorder = scheduler_command(RECORD);
        dfrsim(&format!("simulate --workload log.swf --nodes 8 --policy batsim:{recorder}"));
        let mut events = Vec::new();
        for policy in ["EASY", "CONS", "GreedyPM*/per/OPT=MIN", "MCB*/per/OPT=AVG/MVT=300"] {
            let simulate =
                "simulate --workload log.swf --nodes 8 --annotate lublin --load 2 --events-out events.jsonl";
            dfrsim(&format!("{simulate} --penalty 300 --policy {policy}"));
            events.push(read("events.jsonl"));
        }
        let seed = |name: &str| ours(&format!("../fuzz/seeds/{name}"));
        let mut files: BTreeMap<&str, Vec<u8>> = BTreeMap::from([
            ("instance.json", seed("instance/small.json")),
            ("baseline.toml", read("baseline.toml")),
            (ANSWERS, read(ANSWERS)),
        ]);
        files.extend(CONDITIONS.into_iter().chain(SITE).map(|name| (name, input(name))));
        for (name, path) in [
            ("items.vbp", "scenarios/offline/items.vbp"),
            ("cluster.json", "scenarios/adapt/cluster.json"),
            ("constrained.json", "scenarios/plan/constrained.json"),
            ("durations.json", "scenarios/plan/durations.json"),
            ("slurm.conf", "crates/simulator/tests/policies/reference/slurm/slurm.conf"),
        ] {
            files.insert(name, ours(&format!("../../{path}")));
        }
        let reference = |name: &str| ours(&format!("../base/workload/tests/workload/reference/{name}"));
        files.insert("log.sacct", reference("slurm-22.05.sacct"));
        for name in ["current.json", "wanted.json", "states.json", "plan.json"] {
            files.insert(name, seed(&format!("plan/{name}")));
        }
        for name in ["nodes.csv", "timetables.csv", "request.toml"] {
            files.insert(name, seed(&format!("coallocation/{name}")));
        }
        let names = |printed: String| printed.lines().map(str::to_owned).collect();
        Bases {
            scenarios,
            results,
            shards,
            logs: vec![
                ("log.swf", read("log.swf")),
                ("log.swf", seed("swf/few")),
                ("log.json", seed("batsim/each.json")),
                ("log.sacct", reference("slurm-22.05.sacct")),
                ("log.pbs", reference("documented.pbs")),
                ("log.gwf", input("grid-log")),
            ],
            archives,
            events,
            files,
            policies: names(dfrsim("policies --names")),
            algorithms: names(dfrsim("solve pack --list")),
        }
    }
}

/// All files of a folder.
fn files(folder: &Path) -> Files {
    let mut files = Files::new();
    let mut folders = vec![folder.to_owned()];
    while let Some(next) = folders.pop() {
        for entry in fs::read_dir(next).expect("a folder can be listed") {
            let path = entry.expect("a folder can be listed").path();
            if path.is_dir() {
                folders.push(path);
            } else {
                let name = path
                    .strip_prefix(folder)
                    .expect("it is within the folder")
                    .to_string_lossy()
                    .into_owned();
                files.insert(name, fs::read(path).expect("a file can be read"));
            }
        }
    }
    files
}
