//! Tests policies against schedules derived by hand (`derived/*.txt`).
//!
//! A file has cases, separated by empty lines; the lines before the first case belong to each of
//! them.
//!
//! | line | meaning |
//! |---|---|
//! | `# text` | explanation of the schedule |
//! | `nodes 2` | number of nodes of the cluster |
//! | `jobs 0,1,10 5,2,3,r4` | each job: submit time, tasks and run time in seconds; `r` is the requested time, `c` the CPU need and `m` the memory, as in `1/2`; `u` is the user, `g` the group, `q` the queue, `p` the partition |
//! | `estimates requested`, `overrun kill`, `penalty 5` | options |
//! | `outages requeue` | handling of jobs on nodes that go down |
//! | `down 0,2,5,7`, `window 0,2,5,7`, `drain 0,2,5,7` | first node, number of nodes, start, end |
//! | `classes [...]`, `shared [...]`, `reference {...}` | different nodes, in TOML |
//! | `common {...}`, `power {...}` | resources of the whole cluster, and a power cap, in TOML |
//! | `ask 1,gpu,2` | a job, a resource and the requested amount |
//! | `site {...}` | settings of a site, in JSON |
//! | `FCFS EASY: 0-10 3-5p1` | under these policies: start and end of each job, `-` if it does not complete, `p` preemptions, `m` migrations, `k` killed |

use crate::support::{assert_judged, recorded};
use dfrsim_cluster::{JobRecord, Options, Overrun};
use dfrsim_model::platform::classes::{DEVICE_PART, Demands, PlatformFields, UnequalNodes};
use dfrsim_model::platform::{NodeSpan, Outage, Outages, Window};
use dfrsim_model::site::SiteSettings;
use dfrsim_model::{Job, JobId, Origin, Share, SimSpan, SimTime, UserId};
use dfrsim_policies::PolicyOptions;
use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;

/// A parsed case.
#[derive(Clone, Default)]
struct Case {
    nodes: u32,
    jobs: Vec<Job>,
    options: Options,
    outages: Option<Outages>,
    platform: String,
    asked: BTreeMap<JobId, Vec<(String, u32)>>,
    site: Option<SiteSettings>,
}

fn micros(seconds: &str) -> u64 {
    (seconds.parse::<f64>().unwrap() * 1e6).round() as u64
}

fn job(text: &str, id: u64) -> Job {
    let fields: Vec<&str> = text.split(',').collect();
    let mut job = Job {
        id: JobId(id),
        submit: SimTime::from_micros(micros(fields[0])),
        tasks: fields[1].parse().unwrap(),
        run_time: SimSpan::from_micros(micros(fields[2])),
        ..Job::default()
    };
    let mut from = [None; 3];
    for (kind, value) in fields[3..].iter().map(|field| field.split_at(1)) {
        let share = || {
            let (part, of) = value.split_once('/').unwrap_or((value, "1"));
            Share::from_ratio(part.parse().unwrap(), of.parse().unwrap())
        };
        match kind {
            "r" => job.requested_time = Some(SimSpan::from_micros(micros(value))),
            "c" => job.cpu_need = share(),
            "m" => job.memory = share(),
            "u" => job.user = UserId::new(value.parse().unwrap()),
            _ => from["gqp".find(kind).unwrap()] = Some(value.parse().unwrap()),
        }
    }
    job.origin = Origin::new(from[0], from[1], from[2]);
    job
}

fn outage(text: &str) -> Outage {
    let fields: Vec<&str> = text.split(',').collect();
    let [from, until] = [2, 3].map(|at| SimTime::from_micros(micros(fields[at])));
    let nodes = NodeSpan { first: fields[0].parse().unwrap(), nodes: fields[1].parse().unwrap() };
    Outage { from, until, nodes }
}

/// Formats the record of each job as in the files.
fn lives(records: &[JobRecord], jobs: &[Job]) -> String {
    let life = |job: &Job| {
        let Some(record) = records.iter().find(|record| record.id == job.id) else { return "-".to_owned() };
        let count = |letter, count: u32| if count > 0 { format!("{letter}{count}") } else { String::new() };
        let (start, end) = (record.start.as_secs_f64(), record.end.as_secs_f64());
        let killed = if record.killed { "k" } else { "" };
        format!("{start}-{end}{}{}{killed}", count('p', record.preemptions), count('m', record.migrations))
    };
    jobs.iter().map(life).collect::<Vec<_>>().join(" ")
}

impl Case {
    /// Applies a line to the case; adds deviations from an expected schedule to `wrong`.
    fn take(&mut self, line: &str, wrong: &mut Vec<String>) {
        let (word, rest) = line.split_once(' ').unwrap_or((line, ""));
        match word {
            "#" => {}
            "nodes" => self.nodes = rest.parse().unwrap(),
            "jobs" => self.jobs = rest.split(' ').zip(1..).map(|(text, id)| job(text, id)).collect(),
            "estimates" => self.options.estimates = rest.parse().unwrap(),
            "overrun" => self.options.overrun = Overrun::Kill,
            "penalty" => self.options.penalty = SimSpan::from_micros(micros(rest)),
            "outages" => self.outages().interruption = rest.parse().unwrap(),
            "down" => self.outages().failures.push(outage(rest)),
            "drain" => self.outages().drains.push(outage(rest)),
            "window" => {
                let window = Window { announced: SimTime::ZERO, outage: outage(rest) };
                self.outages().windows.push(window);
            }
            "classes" | "shared" | "reference" | "core_parts" | "devices" | "common" | "power" => {
                self.platform += &format!("{word} = {rest}\n");
            }
            "ask" => {
                let fields: Vec<&str> = rest.split(',').collect();
                let asked = (fields[1].to_owned(), fields[2].parse().unwrap());
                self.asked.entry(JobId(fields[0].parse().unwrap())).or_default().push(asked);
            }
            "part" => {
                let (job, part) = rest.split_once(',').unwrap();
                let (part, whole) = part.split_once('/').unwrap();
                let part = Share::from_ratio(part.parse().unwrap(), whole.parse().unwrap()).units();
                let job = JobId(job.parse().unwrap());
                self.asked.entry(job).or_default().push((DEVICE_PART.to_owned(), part));
            }
            "site" => self.site = Some(serde_json::from_str(rest).unwrap()),
            _ => self.check(line, wrong),
        }
    }

    fn outages(&mut self) -> &mut Outages {
        self.outages.get_or_insert_default()
    }

    /// Simulates policies, and compares their schedules with those of a line.
    fn check(&self, line: &str, wrong: &mut Vec<String>) {
        let (policies, expected) = line.split_once(": ").unwrap();
        let demands = Demands { given: self.asked.clone().into_iter().collect(), ..Demands::default() };
        let fields = (!self.platform.is_empty())
            .then(|| PlatformFields::parse("platform.toml", &self.platform).unwrap());
        let unequal = fields.map(|it| Arc::new(UnequalNodes { classes: it.classes().unwrap(), demands }));
        let epilog = SimSpan::from_secs(self.site.as_ref().map_or(0, |site| site.epilog_s));
        let outages = self.outages.clone().map(Arc::new);
        let options = Options { unequal, outages, epilog, ..self.options.clone() };
        for policy in policies.split(' ') {
            let parameters = PolicyOptions::default();
            let found =
                recorded::<()>(&parameters, policy, self.nodes, &options, self.site.as_ref(), &self.jobs);
            assert_judged(&found.events, policy);
            let found = lives(&found.records, &self.jobs);
            if found != expected {
                wrong.push(format!("{policy}: {found}\nexpected: {expected}"));
            }
        }
    }
}

#[test]
fn schedules_are_those_derived_by_hand() {
    let (mut all, mut wrong) = (0, Vec::new());
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("policies/derived");
    for file in std::fs::read_dir(folder).unwrap().map(|file| file.unwrap().path()) {
        let text = std::fs::read_to_string(&file).unwrap();
        let mut cases = text.trim_end().split("\n\n");
        let mut common = Case::default();
        cases.next().unwrap().lines().for_each(|line| common.take(line, &mut wrong));
        for text in cases {
            let (mut case, before) = (common.clone(), wrong.len());
            text.lines().for_each(|line| case.take(line, &mut wrong));
            all += 1;
            if wrong.len() > before {
                wrong.push(format!("in {}:\n{text}", file.display()));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    assert!(all > 80, "{all} cases are read");
}
