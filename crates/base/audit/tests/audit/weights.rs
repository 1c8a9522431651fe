//! Shares by weight: schedules that are right, and faults planted in them.

use dfrsim_audit::{AuditError, CheckedPolicy, Fault, Rule, audit_policy};
use dfrsim_model::SimSpan;

/// Jobs of queue 1 have a weight of 3, those of partition 2 one of 2.
const SETTINGS: &str = r#"{"qos":[{"name":"urgent","weight":3,"queues":[1]},{"name":"other"}],"partitions":[{"name":"large","weight":2,"partitions":[2]}]}"#;

const ONE: u32 = 1 << 20;

/// The records of a schedule; times are seconds, needs and memory tenths of a node.
#[derive(Clone)]
struct Schedule {
    policy: &'static str,
    records: Vec<String>,
}

impl Schedule {
    fn new(policy: &'static str, nodes: u32) -> Schedule {
        let run = format!(
            r#"{{"event":"run","format":3,"policy":"{policy}","nodes":{nodes},"penalty_us":0,"tau_us":0}}"#
        );
        let priority = format!(r#"{{"event":"priority","settings":{SETTINGS}}}"#);
        Schedule { policy, records: vec![run, priority] }
    }
    fn record(mut self, at: u64, event: &str, job: u64, more: &str) -> Schedule {
        self.records.push(format!(r#"{{"event":"{event}","at_us":{},"job":{job}{more}}}"#, at * 1_000_000));
        self
    }
    /// One task; `from` is the queue and the partition.
    fn submit(self, at: u64, job: u64, [need, memory]: [u32; 2], run: u64, from: &str) -> Schedule {
        let units = |tenths: u32| tenths * 94_371_840;
        let (need, memory) = (units(need), units(memory));
        let what = format!(
            r#","id":{job},"tasks":1,"cpu_need":{need},"memory":{memory},"run_us":{run}000000{from}"#
        );
        self.record(at, "submit", job, &what)
    }
    fn start(self, at: u64, job: u64, node: u32, job_yield: u32) -> Schedule {
        self.record(at, "start", job, &format!(r#","on":[[{node},1]],"yield":{job_yield}"#))
    }
    fn shares(self, at: u64, job: u64, job_yield: u32) -> Schedule {
        self.record(at, "yield", job, &format!(r#","yield":{job_yield}"#))
    }
    fn pause(self, at: u64, job: u64) -> Schedule {
        self.record(at, "pause", job, "")
    }
    /// The same with another text in a line, from 1.
    fn with(&self, line: usize, from: &str, to: &str) -> Schedule {
        let mut other = self.clone();
        assert!(other.records[line - 1].contains(from), "line {line} has no {from}");
        other.records[line - 1] = other.records[line - 1].replacen(from, to, 1);
        other
    }

    /// The faults without their lines.
    fn faults(&self) -> Vec<String> {
        let policy = CheckedPolicy::parse(self.policy, SimSpan::from_secs(600)).unwrap();
        let text = self.records.join("\n") + "\n";
        let Err(AuditError::Faults(faults)) = audit_policy(text.as_bytes(), policy) else {
            panic!("the summary is missing")
        };
        let found = faults.shown().iter().filter(|fault| !matches!(fault.rule, Rule::NoSummary));
        let place = |fault: &Fault| match (fault.at, fault.job) {
            (Some(at), Some(job)) => format!("{at} s, job {job}: {}", fault.rule),
            _ => fault.rule.to_string(),
        };
        found.map(place).collect()
    }
    #[track_caller]
    fn is_right(&self) {
        assert_eq!(self.faults(), [""; 0]);
    }
    #[track_caller]
    fn is_wrong(&self, expected: &[&str]) {
        assert_eq!(self.faults(), expected);
    }
}

/// Two jobs that could use the only node, of weights 3 and 1: from 10 s on they have 3/4 and 1/4. The first one has 40 s done at 50 s.
fn two() -> Schedule {
    Schedule::new("Greedy*/OPT=MIN", 1)
        .submit(0, 0, [10, 1], 40, r#","queue":1"#)
        .start(0, 0, 0, ONE)
        .submit(10, 1, [10, 1], 90, r#","queue":4"#)
        .start(10, 1, 0, ONE / 4)
        .shares(10, 0, 3 * ONE / 4)
}

/// Lines 3 and 5 submit the jobs, 6 and 7 give them their yields.
#[test]
fn planted_faults_of_yields_are_found() {
    let two = two();
    two.is_right();
    let wrong = |job: u64, found: u32, expected: u32| {
        format!("10 s, job {job}: its yield is {found} units; the policy gives it {expected}")
    };
    // The shares of job 0 by its weight beside one of 1.
    two.with(2, r#""weight":3"#, r#""weight":2"#).is_wrong(&[&wrong(0, 786_432, 699_050)]);
    two.with(3, r#""queue":1"#, r#""queue":2"#).is_wrong(&[&wrong(0, 786_432, 524_288)]);
    two.with(3, r#","queue":1"#, "").is_wrong(&[&wrong(0, 786_432, 524_288)]);
    two.with(5, r#""queue":4"#, r#""queue":1"#).is_wrong(&[&wrong(0, 786_432, 524_288)]);
    two.with(5, r#""queue":4"#, r#""partition":2"#).is_wrong(&[&wrong(0, 786_432, 629_145)]);
    let both = |found: [u32; 2]| {
        two.with(6, "262144", &found[1].to_string()).with(7, "786432", &found[0].to_string())
    };
    both([ONE / 2; 2]).is_wrong(&[&wrong(0, 524_288, 786_432)]);
    both([786_432, 233_333]).is_wrong(&[&wrong(1, 233_333, 262_144)]);
    // Rounding takes a unit or two.
    both([786_431, 262_143]).is_right();
    both([786_429, 262_144]).is_wrong(&[&wrong(0, 786_429, 786_432)]);
    let ends = two.record(50, "complete", 0, "");
    ends.clone().shares(50, 1, ONE).is_right();
    ends.is_wrong(&["50 s, job 1: its yield is 262144 units; the policy gives it 1048576"]);
}

/// Jobs 0 and 1 need half of the node each and have 30 and 20 s done when job 2 comes, which needs the memory of one of them: the priorities
/// are 3^2 * 30 / 30^2 and 20 / 20^2, so job 1 gives way. Job 0 has all of its need at a level of 1/3, and job 2 the rest.
#[test]
fn planted_pauses_of_heavy_jobs_are_found() {
    let arrives = Schedule::new("GreedyP*/OPT=MIN", 1)
        .submit(0, 0, [5, 5], 1000, r#","queue":1"#)
        .start(0, 0, 0, ONE)
        .submit(10, 1, [5, 4], 1000, "")
        .start(10, 1, 0, ONE)
        .submit(30, 2, [10, 5], 1000, "");
    let light = arrives.clone().pause(30, 1).start(30, 2, 0, ONE / 2);
    light.is_right();
    // Two thirds of 1/2 and of 1 are the node.
    let heavy = arrives.pause(30, 0).shares(30, 1, 699_050).start(30, 2, 0, 699_050);
    heavy.is_wrong(&["30 s, job 0: it is on no node; the policy has it on node 0"]);
    // With equal weights it is the other way round.
    heavy.with(3, r#""queue":1"#, r#""queue":2"#).is_right();
    let other = light.with(3, r#""queue":1"#, r#""queue":2"#);
    other.is_wrong(&["30 s, job 0: it is on node 0; the policy has it on no node"]);
}

/// Two of three jobs fit. At 30 s job 0, which was paused at 10 s, has a priority of 30 / 10^2, and job 1 one of 3^2 * 20 / 20^2.
#[test]
fn planted_jobs_of_low_weighted_priority_are_found() {
    let arrives = Schedule::new("MCB*/OPT=MIN", 1)
        .submit(0, 0, [10, 6], 1000, "")
        .start(0, 0, 0, ONE)
        .submit(10, 1, [10, 6], 1000, r#","queue":1"#)
        .pause(10, 0)
        .start(10, 1, 0, ONE)
        .submit(30, 2, [10, 4], 1000, "");
    arrives.clone().shares(30, 1, 3 * ONE / 4).start(30, 2, 0, ONE / 4).is_right();
    let resumes = arrives.pause(30, 1).record(30, "resume", 0, r#","on":[[0,1]],"yield":524288"#);
    let resumes = resumes.start(30, 2, 0, ONE / 2);
    resumes.is_wrong(&["30 s, job 0: it is on node 0; the policy has it on no node"]);
    resumes.with(5, r#","queue":1"#, "").is_right();
}

#[test]
fn settings_that_are_of_no_use_are_found() {
    let two = two();
    two.with(2, r#""weight":3"#, r#""weight":0"#).is_wrong(&[
        "settings of priorities: qos.urgent.weight: expected 1 to 100",
        "10 s, job 0: its yield is 786432 units; the policy gives it 524288",
    ]);
    let mut late = two;
    let settings = late.records[1].clone();
    late.records.push(settings);
    late.is_wrong(&["a `priority` record behind the first job, or a second one"]);
}
