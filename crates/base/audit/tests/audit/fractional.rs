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
    /// One that runs for this many seconds.
    fn submit_short(mut self, at: u64, job: u64, tenths: u32, run: u64) -> Schedule {
        self = self.submit(at, job, 1, tenths);
        let last = self.records.last_mut().unwrap();
        *last = last.replace("\"run_us\":1000000000000", &format!("\"run_us\":{run}000000"));
        self
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
    fn complete(self, at: u64, job: u64) -> Schedule {
        self.record(at, "complete", job, "")
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

/// At second 10 the first job ends, and of two that have waited the earlier one comes first.
#[test]
fn completions_start_waiting_jobs_in_their_order() {
    let ends = |policy| {
        let first = Schedule::new(policy, 1).submit_short(0, 0, 9, 10).start(0, 0, "[[0,1]]");
        first.submit(1, 1, 1, 6).submit(2, 2, 1, 6).complete(10, 0)
    };
    let passed_over = "10 s, job 1: it is on no node; the policy has it on node 0";
    ends("Greedy*/OPT=MIN").start(10, 1, "[[0,1]]").is_right();
    ends("Greedy*/OPT=MIN").is_wrong(passed_over);
    ends("Greedy*/OPT=MIN").start(10, 2, "[[0,1]]").is_wrong(passed_over);
    // Without the star they wait for the tick.
    ends("Greedy/per/OPT=MIN").is_right();
    ends("Greedy/per/OPT=MIN")
        .start(10, 1, "[[0,1]]")
        .is_wrong("10 s, job 1: it is on node 0; the policy has it on no node");
}

/// Jobs 0 and 1 give way to job 2 at second 10 and have priorities of 20 / 10^2 and 15 / 5^2 when that ends at second 20.
#[test]
fn paused_jobs_come_in_the_order_of_their_priorities() {
    let ends = || {
        Schedule::new("GreedyP*/OPT=MIN", 1)
            .submit(0, 0, 1, 4)
            .start(0, 0, "[[0,1]]")
            .submit(5, 1, 1, 5)
            .start(5, 1, "[[0,1]]")
            .submit_short(10, 2, 9, 10)
            .start(10, 2, "[[0,1]]")
            .pause(10, 0)
            .pause(10, 1)
            .complete(20, 2)
    };
    ends().put("resume", 20, 0, "[[0,1]]").put("resume", 20, 1, "[[0,1]]").is_right();
    ends()
        .put("resume", 20, 0, "[[0,1]]")
        .is_wrong("20 s, job 1: it is on no node; the policy has it on node 0");
}

/// One node; job 0 has a priority of 10 / 10^2 at second 10, job 1 of 5 / 5^2.
fn two(policy: &'static str) -> Schedule {
    Schedule::new(policy, 1)
        .submit(0, 0, 1, 5)
        .start(0, 0, "[[0,1]]")
        .submit(5, 1, 1, 5)
        .start(5, 1, "[[0,1]]")
        .submit(10, 2, 1, 5)
}

#[test]
fn the_lowest_priorities_give_way() {
    let policy = "GreedyP*/OPT=MIN";
    two(policy).start(10, 2, "[[0,1]]").pause(10, 0).is_right();
    let stays = "10 s, job 0: it is on node 0; the policy has it on no node";
    two(policy).start(10, 2, "[[0,1]]").pause(10, 1).is_wrong(stays);
    let fits_beside = two(policy).start(10, 2, "[[0,1]]").pause(10, 0).pause(10, 1);
    fits_beside.is_wrong("10 s, job 1: it is on no node; the policy has it on node 0");
    two(policy).is_wrong(stays);
    // Greedy makes no room.
    two("Greedy*/OPT=MIN").is_right();
    let makes_room = two("Greedy*/OPT=MIN").start(10, 2, "[[0,1]]").pause(10, 0);
    makes_room.is_wrong("10 s, job 0: it is on no node; the policy has it on node 0");
}

/// Two nodes; job 2 needs the one of job 0, which fits beside job 1 on the other.
#[test]
fn who_gives_way_moves_if_it_can() {
    let arrives = |policy| {
        Schedule::new(policy, 2)
            .submit(0, 0, 1, 6)
            .start(0, 0, "[[0,1]]")
            .submit(5, 1, 1, 3)
            .start(5, 1, "[[1,1]]")
            .submit(10, 2, 1, 8)
            .start(10, 2, "[[0,1]]")
    };
    arrives("GreedyPM*/OPT=MIN").put("migrate", 10, 0, "[[1,1]]").is_right();
    arrives("GreedyPM*/OPT=MIN")
        .pause(10, 0)
        .is_wrong("10 s, job 0: it is on no node; the policy has it on node 1");
    arrives("GreedyP*/OPT=MIN").pause(10, 0).is_right();
    arrives("GreedyP*/OPT=MIN")
        .put("migrate", 10, 0, "[[1,1]]")
        .is_wrong("10 s, job 0: it is on node 1; the policy has it on no node");
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

/// Job 0 has 5 s of virtual time when job 1 arrives.
#[test]
fn safe_protects_the_young() {
    let arrival = |policy| one(policy).submit(5, 1, 1, 6);
    arrival("GreedyP*/OPT=MIN/SAFE=6").is_right();
    arrival("GreedyP*/OPT=MIN/SAFE=5").is_wrong("5 s, job 0: it is on node 0; the policy has it on no node");
    arrival("GreedyP*/OPT=MIN/SAFE=5").pause(5, 0).start(5, 1, "[[0,1]]").is_right();
    arrival("GreedyP*/OPT=MIN/SAFE=6")
        .pause(5, 0)
        .start(5, 1, "[[0,1]]")
        .is_wrong("5 s, job 0: it is on no node; the policy has it on node 0");
}

/// Job 0 ran from 0 to 20, job 1 from then on, and job 2 arrives when that has 5 s of work, and not sooner. Without penalty it gives way, with a
/// penalty of 15 s if two of them are at most that many times 5 s, and with one of 16 s job 0 was over within that.
#[test]
fn pay_protects_where_it_costs_too_much() {
    let arrival = |policy, penalty: u64| {
        let mut schedule = Schedule::new(policy, 1).submit_short(0, 0, 6, 20).start(0, 0, "[[0,1]]");
        let run = &mut schedule.records[0];
        *run = run.replace("\"penalty_us\":0", &format!("\"penalty_us\":{}", penalty * 1_000_000));
        schedule.complete(20, 0).submit(20, 1, 1, 6).start(20, 1, "[[0,1]]").submit(25, 2, 1, 6)
    };
    let gives_way = |policy, penalty| arrival(policy, penalty).pause(25, 1).start(25, 2, "[[0,1]]");
    let (stays, leaves) = (
        "25 s, job 1: it is on node 0; the policy has it on no node",
        "25 s, job 1: it is on no node; the policy has it on node 0",
    );
    for (policy, penalty, may) in [
        ("GreedyP*/OPT=MIN/PAY=9", 0, true),
        ("GreedyP*/OPT=MIN/PAY=9", 15, true),
        ("GreedyP*/OPT=MIN/PAY=9", 16, false),
        ("GreedyP*/OPT=MIN/PAY=6", 15, true),
        ("GreedyP*/OPT=MIN/PAY=5", 15, false),
    ] {
        let (right, wrong, what) = match may {
            true => (gives_way(policy, penalty), arrival(policy, penalty), stays),
            false => (arrival(policy, penalty), gives_way(policy, penalty), leaves),
        };
        right.is_right();
        wrong.is_wrong(what);
    }
}

/// Job 0 has 5 s of virtual time, and runs for 40 s as far as the policy knows.
#[test]
fn estimates_protect_the_short() {
    let arrival =
        |policy| Schedule::new(policy, 1).submit_short(0, 0, 6, 40).start(0, 0, "[[0,1]]").submit(5, 1, 1, 6);
    arrival("GreedyP*/OPT=MIN/SAFE=41/ESTIMATES").is_right();
    arrival("GreedyP*/OPT=MIN/SAFE=40/ESTIMATES")
        .is_wrong("5 s, job 0: it is on node 0; the policy has it on no node");
    arrival("GreedyP*/OPT=MIN/SAFE=40/ESTIMATES").pause(5, 0).start(5, 1, "[[0,1]]").is_right();
    arrival("GreedyP*/OPT=MIN/SAFE=41/ESTIMATES")
        .pause(5, 0)
        .start(5, 1, "[[0,1]]")
        .is_wrong("5 s, job 0: it is on no node; the policy has it on node 0");
}

/// Job 1 waits since second 5; from 6 on job 0 is old enough.
#[test]
fn retries_come_in_time_and_at_every_event() {
    let waiting = |policy| one(policy).submit(5, 1, 1, 6);
    let policy = "GreedyP*/OPT=MIN/SAFE=6/RETRY=4";
    waiting(policy).pause(9, 0).start(9, 1, "[[0,1]]").is_right();
    let unprompted = "9 s, job 0: the policy has no reason for a `pause` at this time";
    for other in ["GreedyP*/OPT=MIN/SAFE=6", "GreedyP*/OPT=MIN/SAFE=6/RETRY=60"] {
        waiting(other).pause(9, 0).start(9, 1, "[[0,1]]").is_wrong(unprompted);
    }
    waiting(policy).pause(9, 0).is_wrong("9 s, job 1: it is on no node; the policy has it on node 0");
    // Another job that never fits arrives, and job 1 is not tried.
    let stays = "job 0: it is on node 0; the policy has it on no node";
    waiting("GreedyP*/OPT=MIN/SAFE=6/RETRY=60").submit(8, 2, 2, 6).is_wrong(&format!("8 s, {stays}"));
    // Without any event, the retry is missing.
    let missing = [9, 10].map(|at| format!("{at} s, {stays}"));
    assert_eq!(waiting(policy).submit(10, 2, 2, 6).faults(), missing);
}

/// Job 0 is paused at 100 for job 1. The priorities at 300 are 300 / 100^2 and 200 / 200^2: six times as high.
#[test]
fn swaps_need_a_much_higher_priority() {
    let swap = |policy| {
        let paused = one(policy).submit(100, 1, 1, 6).pause(100, 0).start(100, 1, "[[0,1]]");
        paused.pause(300, 1).put("resume", 300, 0, "[[0,1]]")
    };
    // At 200 they are 2 / 100 and 1 / 100.
    swap("GreedyP*/OPT=MIN/RETRY=100/SWAP=5").is_right();
    let stays_off = "300 s, job 0: it is on node 0; the policy has it on no node";
    swap("GreedyP*/OPT=MIN/RETRY=100/SWAP=7").is_wrong(stays_off);
    // (300 + 600) / 100 and (200 + 600) / 200: more than twice as high.
    swap("GreedyP*/OPT=MIN/RETRY=200/SWAP=2/AHEAD=600").is_right();
    swap("GreedyP*/OPT=MIN/RETRY=200/SWAP=3/AHEAD=600").is_wrong(stays_off);
}
