//! Test cases: a command and its input files.

use crate::bases::{ANSWERS, Bases, Files, scheduler_command};
use crate::mutation::{NUMBERS, mutate, once_in, pick};
use crate::options;
use crate::scheduler::REPLAY;
use rand::RngExt as _;
use rand_chacha::ChaCha8Rng;
use sha2::{Digest as _, Sha256};
use std::fmt::Write as _;
use std::fs;
use std::io::{self, Read as _, Write as _};
use std::path::Path;

/// A command with its arguments and input files.
pub(crate) struct Case {
    /// Name of the command.
    pub(crate) command: String,
    /// Arguments after the name of the program.
    pub(crate) arguments: Vec<String>,
    /// Names of the mutated files; they are counted because each file has its own parser.
    pub(crate) changed: Vec<String>,
    files: Files,
}

impl Case {
    /// Writes the files into a new folder.
    pub(crate) fn write(&self, folder: &Path) -> io::Result<()> {
        fs::create_dir_all(folder)?;
        for (name, content) in &self.files {
            let path = folder.join(name);
            fs::create_dir_all(path.parent().expect("a file is in a folder"))?;
            fs::write(path, content)?;
        }
        Ok(())
    }
}

/// Commands with their weights, chosen so that each of the files that they read is mutated in at
/// least one run of fifty.
const COMMANDS: &[(&str, u32)] = &[
    ("simulate", 66),
    ("bound", 6),
    ("log info", 6),
    ("log convert", 6),
    ("log anonymise", 4),
    ("log resample", 2),
    ("site", 32),
    ("explain", 2),
    ("log generate", 2),
    ("audit", 8),
    ("draw gantt", 2),
    ("draw page", 1),
    ("draw timeline", 2),
    ("draw stretch", 1),
    ("draw power", 3),
    ("draw waits", 2),
    ("solve pack", 19),
    ("offline instance", 1),
    ("solve adapt", 11),
    ("results verify", 7),
    ("solve plan", 36),
    ("solve coallocate", 13),
    ("run", 6),
    ("submit", 2),
    ("results report", 5),
    ("results compare", 6),
    ("results check", 9),
    ("results export", 4),
    ("results figures", 3),
    ("results status", 5),
    ("results merge", 5),
];

/// Draws a case of any command.
pub(crate) fn draw(bases: &Bases, random: &mut ChaCha8Rng) -> Case {
    let mut at = random.random_range(0..COMMANDS.iter().map(|(_, weight)| weight).sum());
    let mut command = "";
    for (name, weight) in COMMANDS {
        if at < *weight {
            command = name;
            break;
        }
        at -= weight;
    }
    let mut case = Case {
        command: command.to_owned(),
        arguments: command.split(' ').map(str::to_owned).collect(),
        changed: Vec::new(),
        files: Files::new(),
    };
    match command {
        "simulate" | "bound" | "log info" | "log convert" | "log anonymise" | "log resample" => {
            case.log(bases, random);
        }
        "log generate" => case.generate(random),
        "site" => case.site(bases, random),
        "audit" | "explain" => case.events(bases, random),
        _ if command.starts_with("draw ") => case.events(bases, random),
        "solve pack" | "solve plan" | "solve coallocate" | "solve adapt" => case.single(bases, random),
        "offline instance" => case.instance(random),
        "run" | "submit" => case.scenario(bases, random),
        "results verify" => case.archive(bases, random),
        _ => case.results(bases, random),
    }
    options::some(random, command, &mut case.arguments);
    // No argument can contain a NUL.
    case.arguments.iter_mut().for_each(|argument| argument.retain(|character| character != '\0'));
    case
}

impl Case {
    fn push(&mut self, arguments: &[&str]) {
        self.arguments.extend(arguments.iter().map(|&argument| argument.to_owned()));
    }

    /// Adds a file, mutated with probability 3/4; an unchanged file lets the options be tested
    /// further.
    fn mutated(&mut self, random: &mut ChaCha8Rng, name: &str, content: &[u8]) {
        if once_in(random, 4) {
            self.files.insert(name.to_owned(), content.to_vec());
        } else {
            self.changed(random, name, content);
        }
    }

    /// Adds a mutated file.
    fn changed(&mut self, random: &mut ChaCha8Rng, name: &str, content: &[u8]) {
        self.files.insert(name.to_owned(), mutate(random, content));
        self.changed.push(name.to_owned());
    }

    fn log(&mut self, bases: &Bases, random: &mut ChaCha8Rng) {
        let (name, content) = pick(random, &bases.logs);
        self.mutated(random, name, content);
        match self.command.clone().as_str() {
            "log info" => self.push(&[name]),
            "log convert" | "log anonymise" | "log resample" => {
                self.push(&[name, "--out", *pick(random, &["out.swf", "out.swf.gz", "/dev/stdout", name])]);
            }
            command => {
                let nodes = format!("--nodes={}", options::value(random, "4 8 8 16 128"));
                self.push(&["--workload", name, &nodes]);
                if command == "bound" {
                    self.push(&["--out", *pick(random, &["bound.csv", "/dev/stdout", name])]);
                } else {
                    self.conditions(bases, random);
                }
            }
        }
    }

    /// Adds a policy, and in most cases a file that describes a cluster and its site.
    fn conditions(&mut self, bases: &Bases, random: &mut ChaCha8Rng) {
        const FILES: [(&str, &str); 8] = [
            ("--platform", "platform.toml"),
            ("--platform", "power.toml"),
            ("--platform", "platform.xml"),
            ("--failures", "outages.csv"),
            ("--failures", "outages.jsonl"),
            ("--priority", "priority.toml"),
            ("--priority", "slurm.conf"),
            ("--slurm-conf", "slurm.conf"),
        ];
        match random.random_range(0..6) {
            0 => {
                self.mutated(random, "answers.jsonl", &bases.files["answers.jsonl"]);
                self.push(&["--policy=pipe:cat answers.jsonl"]);
            }
            1 => {
                self.mutated(random, ANSWERS, &bases.files[ANSWERS]);
                self.push(&[&format!("--policy=batsim:{}", scheduler_command(REPLAY))]);
            }
            _ => {
                let policy = policy(random, &bases.policies);
                self.push(&[&format!("--policy={policy}")]);
            }
        }
        if !once_in(random, 6) {
            let (option, name) = *pick(random, &FILES);
            self.mutated(random, name, &bases.files[name]);
            self.push(&[option, name]);
            if name == "power.toml" && once_in(random, 2) {
                self.mutated(random, "intensity.csv", &bases.files["intensity.csv"]);
                self.push(&["--intensity", "intensity.csv"]);
            }
        }
        if ["--platform", "--slurm-conf"].iter().any(|option| self.arguments.iter().any(|it| it == option)) {
            self.arguments.retain(|argument| !argument.starts_with("--nodes="));
        }
    }

    /// Adds an archive with mutated bytes, or one with changed files and, in most cases, updated
    /// digests.
    fn archive(&mut self, bases: &Bases, random: &mut ChaCha8Rng) {
        let whole = pick(random, &bases.archives);
        let content = if once_in(random, 3) {
            mutate(random, whole)
        } else {
            let mut files = unpacked(whole);
            let names: Vec<String> = files.keys().cloned().collect();
            let name = pick(random, &names).clone();
            match random.random_range(0..8) {
                0 => drop(files.remove(&name)),
                1 => drop(files.insert(format!("../{name}"), files[&name].clone())),
                2 => drop(files.insert(name.clone(), vec![b'0'; 1 << random.random_range(0..24)])),
                _ => drop(files.insert(name.clone(), mutate(random, &files[&name]))),
            }
            if !once_in(random, 3) {
                reseal(&mut files, &name);
            }
            packed(&files)
        };
        self.files.insert("a.zip".to_owned(), content);
        self.changed.push("a.zip".to_owned());
        self.push(&["a.zip", "--into", "theirs"]);
    }

    /// Adds the files of a Slurm site, one of them mutated.
    fn site(&mut self, bases: &Bases, random: &mut ChaCha8Rng) {
        let database = *pick(random, &["assoc.txt", "dump.txt"]);
        let files = [
            ("--slurm-conf", "site.conf"),
            ("--qos", "qos.txt"),
            ("--gres", "gres.conf"),
            ("--sacct", "log.sacct"),
            ("--sacctmgr", database),
        ];
        // The database comes in two formats, so it is chosen as often as two files.
        let chosen = random.random_range(0..=files.len()).min(files.len() - 1);
        for (at, (option, name)) in files.into_iter().enumerate() {
            if at == chosen {
                self.changed(random, name, &bases.files[name]);
            } else {
                self.files.insert(name.to_owned(), bases.files[name].clone());
            }
            self.push(&[option, name]);
        }
        self.push(&["--out", "site"]);
    }

    fn generate(&mut self, random: &mut ChaCha8Rng) {
        for (option, usual) in [("jobs", "0 1 20 100"), ("nodes", "1 8 128 1000"), ("seed", "1 2 3")] {
            let value = options::value(random, usual);
            // A log of a million jobs is not an error.
            let value = if option == "jobs" && value == "1000000" { "1000".to_owned() } else { value };
            self.push(&[&format!("--{option}={value}")]);
        }
        self.push(&["--out", *pick(random, &["out.swf", "/dev/stdout", "no/out.swf", "."])]);
    }

    fn instance(&mut self, random: &mut ChaCha8Rng) {
        let set = options::value(random, "dissertation dissertation-small rr6692 rr6692-small");
        let [scenario, sample] = ["0 1 5", "0 1"].map(|usual| options::value(random, usual));
        self.push(&[&format!("--scenario={scenario}"), &format!("--sample={sample}"), "--", &set]);
    }

    fn events(&mut self, bases: &Bases, random: &mut ChaCha8Rng) {
        // Most other events have no power, without which there is no picture of it.
        let needs_power = self.command == "draw power" && !once_in(random, 8);
        let content = if needs_power { &bases.powered } else { pick(random, &bases.events) };
        self.mutated(random, "events.jsonl", content);
        self.push(&["events.jsonl"]);
        if self.command.starts_with("draw") {
            self.push(&[
                "--out",
                *pick(random, &["out.svg", "out.svg", "out.svg", "out.png", "out.gif", "no/out.svg"]),
            ]);
        }
    }

    /// Adds the files of one small problem; at least one of them is mutated.
    fn single(&mut self, bases: &Bases, random: &mut ChaCha8Rng) {
        let names: &[(&str, &str)] = match self.command.as_str() {
            "solve pack" if once_in(random, 3) => &[("", "items.vbp")],
            "solve pack" | "solve adapt" if once_in(random, 3) => &[("", "vm_nodes.csv"), ("", "vms.csv")],
            "solve pack" => &[("", "instance.json")],
            "solve adapt" => &[("", "cluster.json")],
            "solve plan" if once_in(random, 3) => &[("--check", "plan.json")],
            "solve plan" if once_in(random, 3) => {
                &[("", "constrained.json"), ("--durations", "durations.json")]
            }
            "solve plan" if once_in(random, 2) => &[("", "current.json"), ("--to", "wanted.json")],
            "solve plan" => &[("", "current.json"), ("--states", "states.json")],
            _ => &[("", "nodes.csv"), ("", "timetables.csv"), ("--request", "request.toml")],
        };
        let chosen = random.random_range(0..names.len());
        for (at, (option, name)) in names.iter().enumerate() {
            let content = &bases.files[name];
            if at == chosen || once_in(random, 4) {
                self.changed(random, name, content);
            } else {
                self.files.insert((*name).to_owned(), content.clone());
            }
            if !option.is_empty() {
                self.push(&[option]);
            }
            self.push(&[name]);
        }
        if self.command == "solve pack" && once_in(random, 2) {
            let algorithm = policy(random, &bases.algorithms);
            self.push(&[&format!("--algorithm={algorithm}")]);
        }
        if self.command == "solve adapt" {
            self.push(&["--budget", *pick(random, &["all", "25%", "0", "3"])]);
        }
        if self.command == "solve plan" && self.files.contains_key("constrained.json") {
            self.push(&["--decide"]);
        }
        if self.command == "solve plan" && !self.files.contains_key("plan.json") {
            // The default of 20,000 assignments would take too long.
            self.push(&["--steps", "50"]);
        }
    }

    fn scenario(&mut self, bases: &Bases, random: &mut ChaCha8Rng) {
        let content = pick(random, &bases.scenarios);
        self.mutated(random, "scenario.toml", content);
        self.files.insert("log.swf".to_owned(), bases.logs[0].1.clone());
        for name in ["platform.toml", "outages.csv"] {
            self.mutated(random, name, &bases.files[name]);
        }
        self.push(&["scenario.toml", "--out", *pick(random, &["out", "out", "out", ".", "log.swf"])]);
        if self.command == "submit" {
            self.push(&["--dry-run"]);
        }
    }

    /// Mutates, removes or replaces one file of a folder, and in most cases updates the digests.
    fn results(&mut self, bases: &Bases, random: &mut ChaCha8Rng) {
        let merge = self.command == "results merge";
        let unfinished = merge || self.command == "results status" && once_in(random, 2);
        let mut files = pick(random, if unfinished { &bases.shards } else { &bases.results }).clone();
        let names: Vec<String> = files.keys().cloned().collect();
        // Most commands read the rows and the manifest.
        let read: Vec<&str> = ["rows.csv", "instances.csv", "scenario.toml", "manifest.toml"]
            .into_iter()
            .filter(|name| files.contains_key(*name))
            .collect();
        let name = if !read.is_empty() && !once_in(random, 3) {
            (*pick(random, &read)).to_owned()
        } else {
            pick(random, &names).clone()
        };
        if once_in(random, 20) {
            files.remove(&name);
        } else if once_in(random, 20) {
            let other = files[pick(random, &names)].clone();
            files.insert(name.clone(), other);
        } else {
            let content = mutate(random, &files[&name]);
            files.insert(name.clone(), content);
        }
        if !once_in(random, 4) {
            reseal(&mut files, &name);
        }
        let known = read.contains(&name.as_str());
        let folder = if unfinished { "shards" } else { "results" };
        self.changed.push(if known { format!("{folder}/{name}") } else { format!("{folder}, other files") });
        self.files = files.into_iter().map(|(name, content)| (format!("results/{name}"), content)).collect();
        self.push(&["results"]);
        match self.command.as_str() {
            "results report" => self.push(&["--out", "report.html"]),
            "results compare" if once_in(random, 2) => {
                let folder = pick(random, &bases.results);
                self.files
                    .extend(folder.iter().map(|(name, content)| (format!("other/{name}"), content.clone())));
                self.push(&["other"]);
            }
            "results compare" => {
                let variants = "EASY FCFS VP_CPSUM MCB8 mct minmin simple collective booking bytes moves Xen DYNAMIC local=EASY";
                let [a, b] = [(); 2].map(|()| options::value(random, variants));
                self.push(&[&format!("--variant={a}"), &format!("--with={b}")]);
            }
            "results check" => {
                let content = &bases.files["baseline.toml"];
                self.mutated(random, "baseline.toml", content);
                self.push(&["--baseline", "baseline.toml"]);
            }
            "results export" => self.push(&["--jsonl", *pick(random, &["rows.jsonl", "/dev/stdout"])]),
            "results figures" => self.push(&["--pictures", "svg"]),
            _ => {}
        }
    }
}

/// Returns the files of an archive.
fn unpacked(archive: &[u8]) -> Files {
    let mut zip = zip::ZipArchive::new(io::Cursor::new(archive)).expect("it was written as an archive");
    let read = |place| {
        let mut entry = zip.by_index(place).expect("it is there");
        let mut content = Vec::new();
        entry.read_to_end(&mut content).expect("it can be read");
        (entry.name().to_owned(), content)
    };
    let count = zip::ZipArchive::new(io::Cursor::new(archive)).expect("as above").len();
    (0..count).map(read).collect()
}

fn packed(files: &Files) -> Vec<u8> {
    let mut zip = zip::ZipWriter::new(io::Cursor::new(Vec::new()));
    for (name, content) in files {
        let options = zip::write::SimpleFileOptions::default();
        zip.start_file(name, options).expect("memory takes any file");
        zip.write_all(content).expect("memory takes any file");
    }
    zip.finish().expect("memory takes any file").into_inner()
}

/// Updates the digest of a file and the seal of the manifest, as in a deliberate forgery.
fn reseal(files: &mut Files, name: &str) {
    const SEAL: &str = "# sha256 ";
    let digest = |bytes: &[u8]| {
        Sha256::digest(bytes).iter().fold(String::new(), |mut digest, byte| {
            write!(digest, "{byte:02x}").expect("a text can be written to");
            digest
        })
    };
    let of_file = files.get(name).map(|content| digest(content));
    let Some(manifest) = files.get_mut("manifest.toml") else { return };
    let Ok(text) = std::str::from_utf8(manifest) else { return };
    let Some((body, _)) = text.rsplit_once(SEAL) else { return };
    let of_name = format!("\"{name}\" = ");
    let mut sealed = String::new();
    for line in body.split_inclusive('\n') {
        match &of_file {
            Some(digest) if line.starts_with(&of_name) => {
                sealed.push_str(&format!("{of_name}\"{digest}\"\n"));
            }
            _ => sealed.push_str(line),
        }
    }
    let seal = digest(sealed.as_bytes());
    *manifest = format!("{sealed}{SEAL}{seal}\n").into_bytes();
}

/// Draws a policy name from the list and changes parts of it with probability 1/2.
fn policy(random: &mut ChaCha8Rng, names: &[String]) -> String {
    let name = pick(random, names).clone();
    if once_in(random, 2) {
        return name;
    }
    let mut parts: Vec<String> = name.split('/').map(str::to_owned).collect();
    let at = random.random_range(0..parts.len());
    let other = pick(random, names);
    let others: Vec<&str> = other.split('/').collect();
    match random.random_range(0..5) {
        0 => drop(parts.remove(at)),
        1 => parts.push((*pick(random, &others)).to_owned()),
        2 => {
            let number = pick(random, &NUMBERS);
            let key = *pick(random, &["MVT", "MFT", "MIG", "BUDGET", "PER", "OPT", "ORDER", "RELABEL"]);
            parts.push(format!("{key}={number}"));
        }
        3 => parts[at] = (*pick(random, &others)).to_owned(),
        _ => return String::from_utf8_lossy(&mutate(random, name.as_bytes())).into_owned(),
    }
    parts.join("/")
}
