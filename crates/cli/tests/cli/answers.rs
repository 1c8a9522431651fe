//! Tests `--format json`: one object with the data of the text, valid by the schema of the command.

use crate::schema::{schema, valid_lines};
use crate::support::{Folder, dfrsim, scenario, stderr, stdout};
use crate::validator::fault;
use serde_json::Value;
use std::cell::RefCell;
use std::collections::BTreeSet;

const INSTANCE: &str = r#"{"fixed": 1, "fluid": 1, "nodes": [[1, 1], [1, 2]], "jobs": [
    {"requirements": [0.6], "needs": [1]}, {"requirements": [0.6], "needs": [1]},
    {"requirements": [0.4], "needs": [1]}, {"requirements": [0.4], "needs": [1]}]}"#;
const NODES: &str = "node,cores,ram_gb,label.os\na,4,3,Linux\nb,4,5,Linux\n";
const TAKEN: &str = "node,from,until,cores,ram_gb\na,0,3600,4,0\n";
const REQUEST: &str =
    "duration = 1800\nresources = 2\nearliest = 0\nlatest = 7200\n[minimum]\ncores = 2\nram_gb = 2\n";

/// A folder in which commands are run.
struct Trial {
    folder: Folder,
    tried: RefCell<BTreeSet<String>>,
}

impl Trial {
    /// Returns the output of a command that succeeds.
    fn text(&self, command: &str, arguments: &[&str]) -> String {
        stdout(dfrsim(command.split(' ')).args(arguments).current_dir(self.folder.path("")))
    }
    /// Checks a command that prints no text and lists its files as JSON.
    fn wrote(&self, command: &str, arguments: &[&str], files: &[&str]) {
        assert_eq!(self.text(command, arguments), "", "{command}");
        let answer = self.json(command, arguments, 0);
        let written = answer["files"].as_array().unwrap();
        assert_eq!(written.len(), files.len(), "{command}");
        for (file, name) in written.iter().zip(files) {
            let bytes = std::fs::metadata(self.folder.path(name)).unwrap().len();
            assert_eq!((&file["path"], &file["bytes"]), (&(*name).into(), &bytes.into()), "{command}");
        }
    }
    /// Returns the JSON answer of a command with this exit code.
    fn json(&self, command: &str, arguments: &[&str], code: i32) -> Value {
        let mut program = dfrsim(command.split(' '));
        program.args(arguments).args(["--format", "json"]).current_dir(self.folder.path(""));
        let output = program.assert().code(code).get_output().stdout.clone();
        let answer: Value = serde_json::from_slice(&output)
            .unwrap_or_else(|error| panic!("{command}: {error}: {}", String::from_utf8_lossy(&output)));
        let words: Vec<&str> = ["answer"].into_iter().chain(command.split(' ')).collect();
        let schema = schema(&words);
        assert_eq!(fault(&schema, &answer), None, "{command}: {answer:#}");
        // All fields are always present, so that programs need not check for them.
        for name in answer.as_object().unwrap().keys() {
            let mut without = answer.clone();
            without.as_object_mut().unwrap().remove(name);
            assert_ne!(fault(&schema, &without), None, "{command} without {name}");
        }
        self.tried.borrow_mut().insert(command.to_owned());
        answer
    }
}

/// Formats a number as in a table.
fn shown(value: &Value, decimals: usize) -> String {
    format!("{:.decimals$}", value.as_f64().unwrap())
}

#[test]
fn every_answer_is_as_its_schema_says() {
    let files =
        [("packing.json", INSTANCE), ("nodes.csv", NODES), ("taken.csv", TAKEN), ("request.toml", REQUEST)];
    let trial = Trial { folder: Folder::with(&files), tried: RefCell::default() };
    simulations(&trial);
    problems(&trial);
    sweeps(&trial);
    let message = stderr(&mut dfrsim(["schema", "answer", "none"]), 2);
    let names = message.trim_end().rsplit_once("expected one of ").unwrap().1.split(", ");
    assert_eq!(names.map(str::to_owned).collect::<BTreeSet<_>>(), trial.tried.into_inner());
}

fn simulations(trial: &Trial) {
    std::fs::write(trial.folder.path("march.sacct"), crate::site::LISTING).unwrap();
    std::fs::write(trial.folder.path("slurm.conf"), crate::site::CONF).unwrap();
    trial.json("site", &["--sacct", "march.sacct", "--slurm-conf", "slurm.conf", "--out", "march"], 0);
    for name in ["one", "two"] {
        let folder = trial.folder.path(name);
        std::fs::create_dir(&folder).unwrap();
        std::fs::write(folder.join("march.sacct"), crate::site::LISTING).unwrap();
        std::fs::write(folder.join("slurm.conf"), crate::site::CONF).unwrap();
    }
    trial.json("federation", &["one", "two", "--out", "both"], 0);
    let policies = trial.json("policies", &[], 0);
    let names =
        policies["policies"].as_array().unwrap().iter().map(|policy| policy["name"].as_str().unwrap());
    assert!(names.eq(trial.text("policies", &["--names"]).lines()));
    assert!(trial.json("policies", &["--names"], 0)["policies"][0].get("description").is_none());

    let generate = ["--jobs", "60", "--nodes", "16", "--seed", "1", "--load", "0.9", "--out", "week.swf"];
    trial.wrote("log generate", &generate, &["week.swf"]);
    trial.wrote("log convert", &["week.swf", "--first", "9", "--out", "head.swf"], &["head.swf"]);
    let hidden = trial.json("log anonymise", &["week.swf", "--shift", "--out", "hidden.swf"], 0);
    assert_eq!((&hidden["file"], &hidden["jobs"]), (&"hidden.swf".into(), &60.into()));
    trial.wrote("log resample", &["week.swf", "--weeks", "2", "--out", "other.swf"], &["other.swf"]);
    let info = trial.json("log info", &["week.swf"], 0);
    assert_eq!((&info["lines"]["jobs"], &info["processors"]), (&60.into(), &16.into()));
    assert!(trial.text("log info", &["week.swf"]).contains(&shown(&info["offered_load"], 4)));

    let arguments = "--workload week.swf --nodes 16 --annotate lublin --policy GreedyPM*/per/OPT=MIN";
    let arguments: Vec<&str> = arguments.split(' ').collect();
    let events = [&arguments[..], &["--penalty", "30", "--events-out", "week.jsonl"]].concat();
    let figures = trial.json("simulate", &events, 0);
    let text = trial.text("simulate", &events);
    assert!(text.contains(&shown(&figures["wait_s"]["p95"], 2)), "{text}");
    assert!(text.contains(&format!("makespan [s]           {}\n", figures["makespan_s"])), "{text}");

    let audited = trial.json("audit", &["week.jsonl"], 0);
    assert_eq!(audited["fault_count"], 0);
    assert_eq!(audited["simulation"]["max_stretch"], figures["stretch"]["max"]);
    let week = std::fs::read_to_string(trial.folder.path("week.jsonl")).unwrap();
    let line = week.lines().find(|line| line.contains("\"complete\"")).unwrap();
    std::fs::write(trial.folder.path("faulty.jsonl"), week.replacen(&format!("{line}\n"), "", 1)).unwrap();
    let audited = trial.json("audit", &["faulty.jsonl"], 1);
    assert!(audited["fault_count"].as_u64() > Some(0) && audited["faults"][0]["line"].is_u64());
    assert!(audited["simulation"].is_null());

    let life = trial.json("explain", &["week.jsonl"], 0);
    assert_eq!(life["moments"].as_array().unwrap().last().unwrap()["event"], "complete");
    let count = life["moments"].as_array().unwrap().len();
    assert_eq!(trial.text("explain", &["week.jsonl"]).lines().count(), count + 2);

    trial.wrote("draw gantt", &["week.jsonl", "--out", "gantt.svg"], &["gantt.svg", "gantt.csv"]);
    trial.wrote("draw timeline", &["week.jsonl", "--out", "line.svg"], &["line.svg", "line.csv"]);
    let watts = ["--workload", "week.swf", "--platform", "hpc2n-2002", "--policy", "EASY", "--cap", "18kW"];
    trial.text("simulate", &[&watts[..], &["--events-out", "watts.jsonl"]].concat());
    trial.wrote("draw power", &["watts.jsonl", "--out", "watts.svg"], &["watts.svg", "watts.csv"]);
    trial.wrote("draw page", &["week.jsonl", "--out", "week.html"], &["week.html"]);
    trial.wrote("draw waits", &["week.jsonl", "--by", "all", "--out", "w.svg"], &["w.svg", "w.csv"]);
    trial.wrote("draw stretch", &["week.jsonl", "--out", "stretch.svg"], &["stretch.svg", "stretch.csv"]);

    let of_week = ["--workload", "week.swf", "--nodes", "16", "--policy", "EASY", "--draws", "5"];
    let queue = trial.json("forecast", &[&of_week[..], &["--at", "5000"]].concat(), 0);
    assert_eq!(queue["jobs"].as_array().map(Vec::len), queue["waiting"].as_u64().map(|count| count as usize));
    let compared = trial.json("forecast", &[&of_week[..], &["--backtest", "--moments", "3"]].concat(), 0);
    assert_eq!((&compared["moments"], &compared["differing"]), (&3.into(), &0.into()));

    let bound = [&arguments[..6], &["--cut", "week"]].concat();
    let bounds = trial.json("bound", &bound, 0);
    let lines: Vec<String> = trial.text("bound", &bound).lines().skip(1).map(str::to_owned).collect();
    let segments = bounds["segments"].as_array().unwrap();
    let line = |segment: &Value| {
        format!("{},{},{}", segment["segment"], segment["jobs"], segment["bound"].as_f64().unwrap())
    };
    assert_eq!(segments.iter().map(line).collect::<Vec<_>>(), lines);
    let reached = trial.json("bound", &[&bound[..], &["--clairvoyant", "--penalty", "60"]].concat(), 0);
    for segment in reached["segments"].as_array().unwrap() {
        let [bound, least, reached] = ["bound", "penalty_bound", "reached"].map(|it| segment[it].as_f64());
        assert!(bound <= least && least <= reached, "{segment}");
    }
    assert!(reached["mean_reached"].as_f64() >= Some(1.0) && bounds["mean_reached"].is_null());
}

fn problems(trial: &Trial) {
    let packed = trial.json("solve pack", &["packing.json", "--algorithm", "VP_CPSUM", "--optimum"], 0);
    assert_eq!(packed["answer"], "packings");
    assert_eq!(packed["algorithms"][0]["outcome"], "solved");
    let fewest = trial.json("solve pack", &["packing.json", "--fewest-nodes", "0.1"], 0);
    assert_eq!(fewest["algorithms"][0]["nodes"], 2);
    let none = trial.json("solve pack", &["packing.json", "--fewest-nodes", "1"], 1);
    assert!(none["algorithms"][0]["nodes"].is_null());
    let admission = trial.json("solve pack", &["packing.json", "--admit", "0.5"], 0);
    assert_eq!(admission["answer"], "admission");
    trial.text("solve pack", &["packing.json", "--mapping-out", "mapping.json"]);
    let checked = trial.json("solve pack", &["packing.json", "--check", "mapping.json"], 0);
    assert_eq!((&checked["answer"], &checked["faults"]), (&"checked".into(), &Value::Array(Vec::new())));
    assert!(trial.json("solve pack", &["--list"], 0)["algorithms"].as_array().unwrap().len() > 20);

    let example = |name: &str| {
        let path = scenario("quickstart").with_file_name(name);
        path.to_str().unwrap().to_owned()
    };
    let (current, states) = (example("plan/current.json"), example("plan/states.json"));
    let arguments = [current.as_str(), "--states", &states, "--plan-out", "plan.json"];
    let plan = trial.json("solve plan", &arguments, 0);
    let text = trial.text("solve plan", &arguments);
    assert!(text.contains(&format!("\ncost {}\n", plan["cost_mb"])), "{text}");
    assert!(text.contains(&format!(", {} s\n", plan["duration_s"].as_f64().unwrap())), "{text}");
    assert_eq!(trial.json("solve plan", &["--check", "plan.json"], 0)["faults"], serde_json::json!([]));
    let document = std::fs::read_to_string(trial.folder.path("plan.json")).unwrap();
    let cost = format!("\"cost\": {}", plan["cost_mb"]);
    assert!(document.contains(&cost), "{document}");
    std::fs::write(trial.folder.path("plan.json"), document.replacen(&cost, "\"cost\": 1", 1)).unwrap();
    let checked = trial.json("solve plan", &["--check", "plan.json"], 1);
    assert!(!checked["faults"].as_array().unwrap().is_empty() && checked["report"].is_null());

    let resources = r#"[
        {"type": "node", "node": "pve1", "status": "online", "maxcpu": 8, "maxmem": 17179869184},
        {"type": "qemu", "vmid": 100, "node": "pve1", "status": "running", "maxcpu": 2, "maxmem": 2147483648},
        {"type": "qemu", "vmid": 101, "node": "pve1", "status": "stopped", "maxcpu": 2, "maxmem": 2147483648}
    ]"#;
    std::fs::write(trial.folder.path("resources.json"), resources).unwrap();
    let imported = trial.json("solve import", &["resources.json", "--state-out", "state.json"], 0);
    assert_eq!((&imported["vms"], &imported["notes"][0]["count"]), (&1.into(), &1.into()));

    let cluster = example("adapt/cluster.json");
    let arguments = [cluster.as_str(), "--budget", "0", "25%", "all", "--exact", "10"];
    let adapted = trial.json("solve adapt", &arguments, 0);
    let text = trial.text("solve adapt", &arguments);
    for tried in adapted["budgets"].as_array().unwrap() {
        assert!(text.contains(&shown(&tried["minimum_yield"], 6)), "{text}");
        assert_eq!(tried["optimum"]["status"], "optimal");
    }
    let moves = adapted["moves"].as_array().unwrap().len();
    let below = text.lines().skip_while(|line| !line.starts_with("VM"));
    assert_eq!(below.count(), moves + 1);

    let request = ["nodes.csv", "taken.csv", "--request", "request.toml"];
    let allocated = trial.json("solve coallocate", &request, 0);
    assert_eq!(allocated["reservations"].as_array().unwrap().len(), 2);
    assert_eq!(allocated["reservations"][0]["amounts"]["cores"], 2.0);
}

fn sweeps(trial: &Trial) {
    let grid = scenario("grid_quick");
    let set =
        ["--set", "local=['FCFS']", "--set", "meta.heuristics=['mct', 'minmin']", "--set", "events=events"];
    let run = [&[grid.to_str().unwrap(), "--quiet"], &set[..]].concat();
    let with = |more: &[&'static str]| [&run[..], more].concat();
    let whole = trial.json("run", &with(&["--out", "whole"]), 0);
    assert_eq!(whole["rows"]["total"], whole["rows"]["by_status"]["ok"]);
    assert!(whole["tables"][0]["rows"][0].is_object() && whole["failures"] == serde_json::json!([]));
    let events = trial.folder.path("whole/events");
    let names = std::fs::read_dir(&events).unwrap().map(|entry| entry.unwrap().path());
    let schema = schema(&["grid-events"]);
    for path in names {
        let lines = valid_lines(&schema, &path);
        crate::schema::altered_is_refused(&schema, &lines[1], |name| name != "home");
    }
    let audited = trial.json("audit", &["whole/events/days-homogeneous-FCFS-0-with-minmin.jsonl"], 0);
    assert_eq!(audited["grid"]["clusters"], 2);

    let shard = trial.json("run", &with(&["--out", "parts", "--shard", "1/2"]), 0);
    assert_eq!((&shard["shard"], &shard["tables"]), (&"1/2".into(), &serde_json::json!([])));
    let status = trial.json("results status", &["parts", "--missing", "2"], 0);
    assert_eq!((&status["state"], &status["missing"]), (&"unfinished".into(), &serde_json::json!([2])));
    assert_eq!(status["parts"][0]["done"], status["parts"][0]["total"]);
    let submitted = trial.json(
        "submit",
        &[&run[..1], &set[..], &["--array", "2", "--out", "parts", "--dry-run"]].concat(),
        0,
    );
    assert_eq!(submitted["missing"], serde_json::json!([2]));
    trial.text("run", &with(&["--out", "parts", "--shard", "2/2"]));
    let merged = trial.json("results merge", &["parts", "--quiet"], 0);
    assert_eq!(merged["tables"], whole["tables"]);
    assert_eq!(trial.json("results status", &["whole"], 0)["state"], "finished");

    let check = ["whole", "--baseline", "baseline.toml"];
    assert_eq!(trial.json("results check", &[&check[..], &["--update"]].concat(), 0)["is_updated"], true);
    assert_eq!(trial.json("results check", &check, 0)["is_failure"], false);
    let baseline = std::fs::read_to_string(trial.folder.path("baseline.toml")).unwrap();
    let at = baseline
        .find("mean_wait_s.mean = ")
        .or_else(|| baseline.find("mean_wait_s.mean\" = "))
        .expect("a mean");
    let from = at + baseline[at..].find("= ").unwrap() + 2;
    let to = from + baseline[from..].find('\n').unwrap();
    std::fs::write(trial.folder.path("baseline.toml"), [&baseline[..from], "0.5", &baseline[to..]].concat())
        .unwrap();
    let checked = trial.json("results check", &check, 1);
    assert_eq!((&checked["worse"], &checked["changes"][0]["before"]), (&1.into(), &0.5.into()));

    let compare =
        ["whole", "--variant", "mct", "--with", "minmin", "--resamples", "100", "--metric", "mean_wait_s"];
    let compared = trial.json("results compare", &compare, 0);
    assert_eq!(compared["confidence"], 0.95);
    let groups = compared["parts"][0]["groups"].as_array().unwrap();
    assert!(groups.iter().any(|group| group["mean_difference"].is_number()), "{compared:#}");
    assert!(groups.iter().all(|group| group["pairs"].is_u64() && group["with_heuristic"] == "minmin"));

    trial.wrote("results archive", &["whole", "--out", "whole.zip"], &["whole.zip"]);
    trial.wrote("results report", &["whole", "--out", "whole.html"], &["whole.html"]);
    trial.wrote("results export", &["whole", "--jsonl", "whole.jsonl"], &["whole.jsonl"]);
    let figures = trial.json("results figures", &["whole", "--out", "figures", "--pictures", "svg"], 0);
    let listed: Vec<&str> =
        figures["files"].as_array().unwrap().iter().map(|file| file["path"].as_str().unwrap()).collect();
    let printed = trial.text("results figures", &["whole", "--out", "figures", "--pictures", "svg"]);
    assert_eq!(printed.lines().collect::<Vec<_>>(), listed);
    let verified = trial.json("results verify", &["whole.zip", "--rerun", "--quiet"], 0);
    assert_eq!(verified["rerun"]["differing"], serde_json::json!([]));
    assert_eq!(verified["verdict"], "verified");
    assert_eq!(verified["results"]["rows"], whole["rows"]["total"]);
}
