//! Each rule of fractional policies, kept and broken in schedules that are small enough to follow by hand.

use crate::planted::{records, text_of};
use dfrsim_audit::{AuditError, CheckedPolicy, Rule, audit_policy};
use dfrsim_model::SimSpan;

/// The records of a schedule, times in seconds. Jobs need little CPU, and so all run at full speed; memory is in tenths of a node.
struct Schedule {
    policy: &'static str,
    records: Vec<String>,
}

impl Schedule {
    fn new(policy: &'static str, nodes: u32) -> Schedule {
        let run = format!(
            r#"{{"event":"run","format":3,"policy":"{policy}","nodes":{nodes},"penalty_us":0,"tau_us":0}}"#
        );
        Schedule { policy, records: vec![run] }
    }
    fn record(mut self, at: u64, event: &str, job: u64, more: &str) -> Schedule {
        let text = format!(r#"{{"event":"{event}","at_us":{},"job":{job}{more}}}"#, at * 1_000_000);
        self.records.push(text);
        self
    }
    fn submit(self, at: u64, job: u64, tasks: u32, tenths: u32) -> Schedule {
        let memory = tenths * 94_371_840;
        let what =
            format!(r#","id":{job},"tasks":{tasks},"cpu_need":10,"memory":{memory},"run_us":1000000000000"#);
        self.record(at, "submit", job, &what)
    }
    fn put(self, event: &str, at: u64, job: u64, on: &str) -> Schedule {
        self.record(at, event, job, &format!(r#","on":{on},"yield":1048576"#))
    }
    fn start(self, at: u64, job: u64, on: &str) -> Schedule {
        self.put("start", at, job, on)
    }
    fn pause(self, at: u64, job: u64) -> Schedule {
        self.record(at, "pause", job, "")
    }

    /// The faults that are about the policy, without their lines.
    fn faults(&self) -> Vec<String> {
        let policy = CheckedPolicy::parse(self.policy, SimSpan::from_secs(600)).unwrap();
        let text = self.records.join("\n") + "\n";
        let Err(AuditError::Faults(faults)) = audit_policy(text.as_bytes(), policy) else {
            panic!("the summary is missing")
        };
        let other: Vec<String> = faults
            .shown()
            .iter()
            .filter(|fault| !matches!(fault.rule, Rule::Decision(_) | Rule::NoSummary))
            .map(ToString::to_string)
            .collect();
        assert_eq!(other, [""; 0], "the schedule itself is legal");
        let found = faults.shown().iter().filter(|fault| matches!(fault.rule, Rule::Decision(_)));
        found.map(|fault| fault.to_string().split_once(", ").unwrap().1.to_owned()).collect()
    }
    #[track_caller]
    fn is_right(&self) {
        assert_eq!(self.faults(), [""; 0], "{}", self.policy);
    }
    #[track_caller]
    fn is_wrong(&self, expected: &str) {
        assert_eq!(self.faults(), [expected], "{}", self.policy);
    }
}

/// One node; a job takes 6 tenths of it from second 0 on.
fn one(policy: &'static str) -> Schedule {
    Schedule::new(policy, 1).submit(0, 0, 1, 6).start(0, 0, "[[0,1]]")
}

#[test]
fn greedy_starts_what_arrives_where_there_is_room() {
    for policy in ["Greedy*/OPT=MIN", "Greedy/per/OPT=AVG", "GreedyP*/per/OPT=MIN"] {
        one(policy).submit(5, 1, 1, 4).start(5, 1, "[[0,1]]").is_right();
    }
    let waits = one("Greedy*/OPT=MIN").submit(5, 1, 1, 5);
    waits.is_right();
    one("Greedy*/OPT=MIN")
        .submit(5, 1, 1, 4)
        .is_wrong("5 s, job 1: it is on no node; the policy has it on node 0");
    // A job that waits does not start because another one arrives.
    waits.submit(6, 2, 1, 1).start(6, 2, "[[0,1]]").is_right();
    one("/per/OPT=MIN").is_wrong("0 s, job 0: it is on node 0; the policy has it on no node");
}

/// One node for one of three jobs; ticks at seconds 600 and 1200.
#[test]
fn ticks_leave_out_the_lowest_priorities() {
    let policy = "/per/OPT=MIN";
    let waiting = |policy| Schedule::new(policy, 1).submit(0, 0, 1, 6).submit(1, 1, 1, 6).submit(2, 2, 1, 6);
    let ran = || waiting(policy).start(600, 0, "[[0,1]]");
    ran().is_right();
    waiting(policy)
        .start(600, 1, "[[0,1]]")
        .is_wrong("600 s, job 0: it is on no node; the policy has it on node 0");
    // A job that has run is behind one that never has.
    ran().pause(1200, 0).start(1200, 1, "[[0,1]]").is_right();
    ran().submit(1199, 3, 1, 6).is_right();
    ran().submit(1300, 3, 1, 6).is_wrong("1200 s, job 0: it is on node 0; the policy has it on no node");
    // With a budget job 0 may have to stay, though its pause is no move.
    waiting("/per/BUDGET=1/OPT=MIN").start(600, 0, "[[0,1]]").is_right();
    // MCB* maps all jobs at arrivals and completions.
    let both = || Schedule::new("MCB*/OPT=MIN", 1).submit(3, 0, 1, 6).submit(3, 1, 1, 6);
    let arrives = |job| both().start(3, job, "[[0,1]]");
    arrives(0).is_right();
    arrives(1).is_wrong("3 s, job 0: it is on no node; the policy has it on node 0");
}

#[test]
fn equipartition_is_in_turn_and_equal() {
    let policy = "EQUIPARTITION";
    let turn = || one(policy).submit(1, 1, 1, 6);
    turn().is_right();
    turn().submit(2, 2, 1, 4).start(2, 2, "[[0,1]]").is_right();
    turn().submit(2, 2, 1, 4).is_wrong("2 s, job 2: it is on no node; the policy has it on node 0");
    let slower = |at| {
        one(policy).submit(4, 1, 1, 2).start(4, 1, "[[0,1]]").record(at, "yield", 0, r#","yield":524288"#)
    };
    slower(4).is_wrong("4 s, job 0: its yield is 524288 units; the policy gives it 1048576");
    slower(5).is_wrong("5 s, job 0: the policy has no reason for a `yield` at this time");
    one(policy).pause(3, 0).is_wrong("3 s, job 0: the policy has no reason for a `pause` at this time");
    let rejected = |tasks| one(policy).submit(3, 1, tasks, 9).record(3, "reject", 1, "");
    rejected(2).is_right();
    rejected(1).is_wrong("3 s, job 1: it is rejected, but the policy does not reject such jobs");
    one(policy)
        .submit(3, 1, 2, 9)
        .is_wrong("3 s, job 1: it is not rejected, although its tasks do not fit on the empty cluster");
}

#[test]
fn the_name_is_that_of_the_file() {
    let policy = CheckedPolicy::parse("GreedyPM*/OPT=MIN", SimSpan::from_secs(600)).unwrap();
    let Err(AuditError::Faults(faults)) = audit_policy(text_of(&records("by-hand")).as_bytes(), policy)
    else {
        panic!("the policy is another one")
    };
    assert_eq!(
        faults.shown()[0].to_string(),
        "line 1: the file is of policy `by hand`, not `GreedyPM*/OPT=MIN`"
    );
    for unknown in ["Greedy*", "Greedy/OPT=MIN", "GreedyX*/OPT=MIN", "MCB*/OPT=MIN/x", "/OPT=MIN", "easy"] {
        assert!(CheckedPolicy::parse(unknown, SimSpan::from_secs(600)).is_err(), "{unknown}");
    }
}
