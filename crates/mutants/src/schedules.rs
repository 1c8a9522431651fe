//! Simulations of one cluster: policies under the conditions of the audit's own tests.

use crate::conditions::{ALONE, CONDITIONS, Case, Condition, FULL_SPEED, PLAIN, judge};
use crate::setting::{Outcome, Setting};
use dfrsim_cluster::{Decision, Scheduler, Situation};
use dfrsim_model::event::Record;
use dfrsim_testing::mutant;
use rayon::prelude::*;

/// Batch policies, of which each decision is unique.
const BATCH: [&str; 16] = [
    "FCFS",
    "EASY",
    "EASY/RESERVE=NODES",
    "TWOQ",
    "CONS",
    "CONS/REPLAN",
    "CONS/PLAN=2",
    "EASY/ORDER=SJF",
    "FCFS/ORDER=LJF",
    "CONS/ORDER=SAF",
    "EASY/ORDER=WFP3",
    "EASY/FILL=SAF",
    "EASY/PLACE=CONTIGUOUS",
    "CONS/PLACE=BEST",
    "EASY/NODES=SHARED",
    "CONS/REPLAN/NODES=EXCLUSIVE/ORDER=SJF",
];

const SLURM: [&str; 3] = ["SLURM", "SLURM/NODES=WHOLE", "SLURM/PLACE=BEST"];

/// Fractional policies whose decisions are unique except for the rounding of yields.
const FRACTIONAL: [&str; 11] = [
    "EQUIPARTITION",
    "Greedy*/OPT=MIN",
    "GreedyP*/per/OPT=AVG",
    "GreedyPM*/per/OPT=MIN/MVT=600",
    "MCB*/OPT=MIN",
    "MCB*/per/OPT=MIN/MFT=300",
    "/per/OPT=MIN",
    "/stretch-per/OPT=MAX",
    "GreedyP*/OPT=MIN/PAY=10/RETRY=60/SWAP=2",
    "GreedyPM*/per/OPT=MIN/BELOW=30/SPREAD",
    "/per/OPT=MIN/LAS=300/AHEAD=2700",
];

const JOBS: usize = 50;

/// Largest number of decisions of a run. A mutant may decide at every microsecond.
const MAX_DECISIONS: u64 = 100_000;

/// Site of Slurm with partitions, limits, accounts, groups and reservations.
const SITE: Condition =
    Condition { name: "a site of Slurm", parts: true, whole_site: true, site: true, classes: true, ..PLAIN };

/// Clusters with speed levels under a power cap.
const LEVELS: [Condition; 4] = {
    let levels = Condition { name: "speed levels", levels: true, classes: true, parts: true, ..PLAIN };
    [
        levels,
        Condition { name: "speed levels, failures", failures: true, maintenance: true, ..levels },
        Condition { name: "speed levels, preemption", site: true, preemption: true, ..levels },
        Condition { name: "speed levels, kill", kill: true, ..levels },
    ]
};

struct Schedule {
    area: &'static str,
    policy: &'static str,
    condition: Condition,
    seed: u64,
    case: Case,
    records: Vec<Record<'static>>,
}

/// Scheduler that stops an endless run.
struct Bounded {
    inner: Box<dyn Scheduler>,
    decisions: u64,
}

impl Scheduler for Bounded {
    fn decide(&mut self, situation: &Situation<'_>, decision: &mut Decision) {
        self.decisions += 1;
        assert!(self.decisions < MAX_DECISIONS, "the run does not come to its end");
        self.inner.decide(situation, decision);
    }
}

fn records(case: &Case, policy: &str) -> Option<Vec<Record<'static>>> {
    case.records_of(policy, |inner| Box::new(Bounded { inner, decisions: 0 }))
}

/// Returns the records as text, those of one time in alphabetical order: their order among each other
/// is no part of a schedule.
fn schedule(records: &[Record<'_>]) -> Vec<(u64, String)> {
    let line = |record: &Record<'_>| {
        let value = serde_json::to_value(record).unwrap_or_default();
        (value["at_us"].as_u64().unwrap_or(0), value.to_string())
    };
    let mut lines: Vec<(u64, String)> = records.iter().map(line).collect();
    lines.sort_unstable();
    lines
}

impl Setting for Schedule {
    fn name(&self) -> String {
        format!("{}, {}, seed {}", self.policy, self.condition.name, self.seed)
    }
    fn is_of(&self, area: &str) -> bool {
        let Condition { failures, preemption, kill, whole_site, site, .. } = self.condition;
        match area {
            "cluster" => true,
            "site" => site,
            "forced" => failures || preemption || kill || whole_site,
            area => area == self.area,
        }
    }
    fn run(&self) -> Outcome {
        let found = records(&self.case, self.policy);
        mutant::select(0);
        match found {
            Some(found) if schedule(&found) == schedule(&self.records) => Outcome::Same,
            Some(found) if judge(&found, self.policy).is_ok() => Outcome::Passed,
            _ => Outcome::Found,
        }
    }
    fn false_alarm(&self) -> Option<String> {
        let said = match judge(&self.records, self.policy) {
            Ok(report) => report.not_judged?,
            Err(faults) => faults.to_string(),
        };
        Some(format!("{}: {said}", self.name()))
    }
}

/// Returns the settings: each policy under each condition, with this number of workloads.
pub(crate) fn settings(seeds: u64) -> Vec<Box<dyn Setting>> {
    let conditions = || ALONE.into_iter().chain(CONDITIONS).map(|it| Condition { parts: true, ..it });
    let sites = (0..8_u64).map(|bits| Condition {
        failures: bits & 1 == 1,
        preemption: bits >> 1 & 1 == 1,
        sessions: bits >> 2 & 1 == 1,
        maintenance: bits == 7,
        ..SITE
    });
    let of = |area, policies: &'static [&str], conditions: Vec<Condition>| {
        let each = policies
            .iter()
            .flat_map(move |&policy| conditions.clone().into_iter().map(move |it| (policy, it)));
        each.map(move |(policy, condition)| (area, policy, condition))
    };
    let with_levels = || conditions().chain(LEVELS);
    let of_slurm =
        sites.chain([Condition { name: "a site of Slurm with speed levels", levels: true, ..SITE }]);
    let all = of("batch", &BATCH, with_levels().collect())
        .chain(of("batch", &SLURM, of_slurm.collect()))
        .chain(of("fractional", &FRACTIONAL, with_levels().collect()))
        .chain(of("full speed", &FULL_SPEED, with_levels().collect()))
        .filter(|(area, policy, it)| *area != "full speed" || it.is_of_full_speed(policy));
    // Few conditions suit policies at full speed.
    let workloads = |area: &str| if area == "full speed" { 8 * seeds } else { seeds };
    let all: Vec<_> = all.flat_map(|it| (1..=workloads(it.0)).map(move |seed| (it, seed))).collect();
    let make = |((area, policy, condition), seed): ((&'static str, &'static str, Condition), u64)| {
        mutant::select(0);
        let case = condition.case(seed, JOBS);
        let records = records(&case, policy)?;
        Some(Box::new(Schedule { area, policy, condition, seed, case, records }) as Box<dyn Setting>)
    };
    all.into_par_iter().filter_map(make).collect()
}
