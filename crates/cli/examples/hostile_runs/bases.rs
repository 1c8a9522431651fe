//! The inputs before they are mutated: small, and made by the program itself where it can.

use crate::scheduler::RECORD;
use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use std::process::{Command, Stdio};

/// A scenario of each study, so small that it runs in milliseconds.
const SCENARIOS: [(&str, &str); 9] = [
    (
        "online",
        "study = \"online\"\npolicies = [\"FCFS\", \"EASY\", \"GreedyPM*/per/OPT=MIN\"]\n[simulation]\npenalty = 300\ntau = 10\n\
         [[workloads]]\nname = \"model\"\nnodes = 8\nlublin = { replications = 2, jobs = 15, loads = [0.5, 0.7] }\n",
    ),
    (
        "conditions",
        "study = \"online\"\npolicies = [\"EASY\", \"GreedyPM*/per/OPT=MIN\"]\noutages = { file = \"outages.csv\" }\n\
         [[workloads]]\nname = \"model\"\nnodes = 8\nplatform = \"platform.toml\"\n\
         lublin = { replications = 1, jobs = 10 }\n[[priority]]\nname = \"site\"\nhalf_life_s = 86400\n\
         weights = { fair_share = 100, age = 10 }\n",
    ),
    (
        "needs",
        "study = \"online\"\npolicies = [\"MCB*/per/OPT=MIN/MVT=600\", { matching = \"^CONS$\" }]\n[simulation]\n\
         cpu_needs = [\"exact\", \"factor:0.5\", \"whole\"]\ndiscovery_s = 60\nestimates = \"random:2\"\n\
         [[workloads]]\nname = \"log\"\nnodes = 8\nswf = { file = \"log.swf\" }\n",
    ),
    (
        "offline",
        "study = \"offline\"\nalgorithms = [\"GREEDY\", \"VP_CPSUM\", \"MCB8\"]\n[packing]\nplacements = 2000\n\
         [[instances]]\nname = \"few\"\ngrid = { nodes = 4, jobs = [6, 8], dimensions = 2, sigma = 0.5, rho = 0.25, slack = [0.5] }\n\
         replications = 2\n",
    ),
    (
        "grid",
        "study = \"grid\"\nlocal = [\"FCFS\", \"EASY\"]\n[meta]\nheuristics = [\"mct\", \"minmin\"]\n[[clusters]]\nname = \"slow\"\n\
         cores = 16\nspeed = 1.0\n[[clusters]]\nname = \"fast\"\ncores = 12\nspeed = 1.4\n[jobs]\ntoo_wide = \"skip\"\n\
         [[workloads]]\nname = \"days\"\ndays = [1]\nsites = [{ cluster = \"slow\", jobs = [20] }, { cluster = \"fast\", jobs = [8] }]\n",
    ),
    (
        "coallocation",
        "study = \"coallocation\"\nreplications = 1\nnodes = 20\nsizes = [2, 3]\ncases = 2\nrepetitions = 2\noptimum = [2]\n\
         usage = [0.1]\n[stream]\nspan = 3600\nmean_gap = 1200\n",
    ),
    (
        "context-switch",
        "study = \"context-switch\"\nsteps = 20\n[samples]\nnodes = 6\nvms = [6, 9]\nreplications = 2\n[cluster]\nnodes = 6\n\
         vjobs = 2\nwork = 0.1\nreplications = 1\npolicies = [\"booking\", \"optimised\"]\nfailures = 0.001\n",
    ),
    (
        "discovery",
        "study = \"discovery\"\nreplications = 2\n[[workloads]]\nname = \"balanced\"\n\
         testbed = { nodes = 2, vms_per_node = 2, hogs = 1, mean_change = 300, span = 900 }\n",
    ),
    (
        "adaptation",
        "study = \"adaptation\"\nseed = 14\nreplications = 2\ncost = [\"bytes\", \"moves\"]\nbudgets = [10, 25]\n",
    ),
];

/// What a cluster and its site are, and what a policy in a process answers.
const CONDITIONS: [(&str, &str); 6] = [
    (
        "platform.toml",
        "reference = { cores = 4, memory_gb = 8.0 }\n[[classes]]\nname = \"thin\"\nnodes = 5\ncores = 4\nmemory_gb = 8\n\
         [[classes]]\nname = \"fat\"\nnodes = 3\ncores = 8\nspeed = 0.5\nmemory_gb = 32\nfeatures = [\"big\"]\n\
         resources = { gpus = 2 }\n",
    ),
    (
        "platform.xml",
        "<?xml version='1.0'?>\n<platform version=\"4.1\"><zone id=\"z\" routing=\"Full\"><cluster id=\"a\" prefix=\"a\" suffix=\"\" \
         radical=\"0-5\" speed=\"1Gf\" bw=\"1GBps\" lat=\"1us\" core=\"4\"/><host id=\"b\" speed=\"2Gf\" core=\"8\"/><host id=\"c\" \
         speed=\"2Gf\" core=\"8\"/></zone></platform>\n",
    ),
    (
        "outages.csv",
        "nodes,from_s,until_s,announced_s\n0-1,1000,5000,\n2,20000,30000,0\n3-7,50000,50010,49000\n",
    ),
    (
        "outages.jsonl",
        "{\"nodes\":\"0-1\",\"from_s\":1000,\"until_s\":5000}\n\
         {\"nodes\":\"2\",\"from_s\":20000,\"until_s\":30000,\"announced_s\":0}\n",
    ),
    (
        "priority.toml",
        "half_life_s = 86400\nweights = { fair_share = 1000, age = 100, size = 10, qos = 50 }\n[[accounts]]\nname = \"a\"\n\
         shares = 3\ngroups = [1]\n[[accounts]]\nname = \"b\"\nparent = \"a\"\nusers = [2, 3]\n[[qos]]\nname = \"high\"\n\
         factor = 10\nqueues = [1]\nweight = 2\n[backfill]\nmax_job_test = 5\ninterval_s = 30\n",
    ),
    (
        "answers.jsonl",
        "{}\n{\"changes\":[{\"do\":\"start\",\"job\":0,\"nodes\":[0]}]}\n{\"changes\":[{\"do\":\"start\",\"job\":1,\"nodes\":\"1-2\",\
         \"yield\":0.5}],\"wake_at\":100000.5}\n{\"changes\":[{\"do\":\"pause\",\"job\":1},{\"do\":\"reject\",\"job\":2}]}\n{}\n{}\n",
    ),
];

/// The files of a Slurm site, of which `log.sacct` has the jobs, and a cluster of VMs.
const SITE: [(&str, &str); 7] = [
    (
        "site.conf",
        "PriorityType=priority/multifactor\nPriorityWeightAge=1000\nPriorityWeightFairshare=5000\n\
         SchedulerParameters=bf_interval=60,bf_max_job_test=20\nNodeName=n[1-4] CPUs=8 RealMemory=32000\n\
         NodeName=g1 CPUs=8 RealMemory=64000 Gres=gpu:2\nPartitionName=cpu Nodes=n[1-4] MaxTime=1-0 Default=YES\n\
         PartitionName=gpu Nodes=g1 PriorityTier=2 AllowAccounts=physics\n",
    ),
    ("gres.conf", "NodeName=g1 Name=gpu Type=a100 File=/dev/nvidia[0-1]\n"),
    (
        "assoc.txt",
        "Account|User|Share|Par Name\nroot||1|\nphysics||70|root\nphysics|anna|1|\nbiology||30|root\n",
    ),
    (
        "dump.txt",
        "Cluster - 'c':Fairshare=1:QOS='normal'\nParent - 'root'\nAccount - 'physics':Fairshare=70\n\
         Account - 'biology':Fairshare=30\nParent - 'physics'\nUser - 'anna':DefaultAccount='physics':Fairshare=1\n",
    ),
    (
        "qos.txt",
        "Name|Priority|Preempt|PreemptMode|MaxJobsPU\nnormal|0||cluster|\nhigh|10|normal|cluster|4\n",
    ),
    (
        "vms.csv",
        "vm,vjob,cpu,memory,state,node,least_yield\na1,a,2,1024,running,n1,0.5\na2,a,2,1024,running,n2,0.5\nb,b,4,2048,waiting,,\n",
    ),
    ("vm_nodes.csv", "node,cpu,memory\nn1,4,4096\nn2,8,8192\n"),
];

/// Two jobs of a grid's log.
const GWF: &str = "# Version: 1.0\n\
     1 0 5 60 2 -1 -1 2 100 -1 1 U7 G1 -1 -1 -1 S1 S1 UNITARY -1 -1 -1 -1 -1 -1 -1 -1 -1 -1\n\
     2 300 -1 90 1 -1 -1 1 -1 -1 1 U8 G1 -1 -1 -1 S2 S2 UNITARY -1 -1 -1 -1 -1 -1 -1 -1 -1 -1\n";

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
        for (name, content) in CONDITIONS {
            fs::write(folder.join(name), content).expect("a file can be written");
        }
        let (mut scenarios, mut archives) = (Vec::new(), Vec::new());
        let mut results = Vec::new();
        let mut shards = Vec::new();
        for (study, scenario) in SCENARIOS {
            fs::write(folder.join(format!("{study}.toml")), scenario).expect("a scenario can be written");
            dfrsim(&format!("run {study}.toml --threads 2 --quiet --out {study}"));
            scenarios.push(scenario.as_bytes().to_vec());
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
        let seed = |name: &str| {
            let seeds = Path::new(env!("CARGO_MANIFEST_DIR")).join("../fuzz/seeds");
            fs::read(seeds.join(name)).expect("the seeds of the fuzz targets can be read")
        };
        let mut files: BTreeMap<&str, Vec<u8>> = BTreeMap::from([
            ("instance.json", seed("instance/small.json")),
            ("baseline.toml", read("baseline.toml")),
            (ANSWERS, read(ANSWERS)),
        ]);
        let texts = CONDITIONS.into_iter().chain(SITE);
        files.extend(texts.map(|(name, content)| (name, content.as_bytes().to_vec())));
        let ours = |name: &str| {
            let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").join(name);
            fs::read(path).expect("files of this project can be read")
        };
        for (name, path) in [
            ("items.vbp", "scenarios/offline/items.vbp"),
            ("cluster.json", "scenarios/adapt/cluster.json"),
            ("constrained.json", "scenarios/plan/constrained.json"),
            ("durations.json", "scenarios/plan/durations.json"),
            ("slurm.conf", "crates/engine/policies/tests/policies/reference/slurm/slurm.conf"),
        ] {
            files.insert(name, ours(path));
        }
        let reference = |name: &str| ours(&format!("crates/base/workload/tests/workload/reference/{name}"));
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
                ("log.gwf", GWF.as_bytes().to_vec()),
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
