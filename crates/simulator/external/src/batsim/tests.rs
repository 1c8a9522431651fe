//! Tests of scheduler commands without a network; a scheduler is a list of replies.

use super::scheduler::BatsimScheduler;
use super::{Sharing, Transport};
use dfrsim_cluster::{JobRecord, Observer, Occurrence, Options, Overrun, SimulationError, simulate};
use dfrsim_model::platform::{NodeSpan, Outage, Outages};
use dfrsim_model::{Job, JobId, JobText, JobTexts, SimSpan, SimTime};
use serde_json::{Value, json};
use std::cell::RefCell;
use std::rc::Rc;

/// Scripted scheduler: the requests received, and the replies in turn. After the last one it sends
/// no more commands.
#[derive(Clone, Default)]
struct Script {
    answers: Rc<RefCell<Vec<String>>>,
    requests: Rc<RefCell<Vec<Value>>>,
}

impl Script {
    fn new(answers: &[Value]) -> Script {
        let answers = answers.iter().rev().map(Value::to_string).collect();
        Script { answers: Rc::new(RefCell::new(answers)), ..Script::default() }
    }
    /// Returns the times and types of the events received.
    fn sent(&self) -> Vec<(f64, String)> {
        let of = |request: &Value| request["events"].as_array().unwrap().clone();
        let events: Vec<Value> = self.requests.borrow().iter().flat_map(of).collect();
        let short = |event: &Value| {
            let name = event["data"]["job_id"].as_str().or(event["data"]["type"].as_str()).unwrap_or("");
            let kind = event["type"].as_str().unwrap();
            (event["timestamp"].as_f64().unwrap(), format!("{kind} {name}").trim().to_owned())
        };
        events.iter().map(short).collect()
    }
    /// Returns the data of the first event of a type.
    fn data(&self, kind: &str) -> Value {
        let requests = self.requests.borrow();
        let mut events = requests.iter().flat_map(|request| request["events"].as_array().unwrap());
        events.find(|event| event["type"] == kind).unwrap_or_else(|| panic!("no {kind}"))["data"].clone()
    }
}

impl Transport for Script {
    fn exchange(&mut self, request: &[u8]) -> Result<String, String> {
        let request: Value = serde_json::from_slice(request).unwrap();
        let idle = json!({ "now": request["now"], "events": [] }).to_string();
        self.requests.borrow_mut().push(request);
        Ok(self.answers.borrow_mut().pop().unwrap_or(idle))
    }
    fn end(&mut self) {}
}

/// End times of the jobs, and whether they were killed.
#[derive(Default)]
struct Ends(Vec<(u64, f64, bool)>);

impl Observer for Ends {
    fn observe(&mut self, _: SimTime, _: u64, occurrence: Occurrence<'_>) {
        if let Occurrence::Completed(record) | Occurrence::Killed(record) = occurrence {
            let JobRecord { id, end, killed, .. } = record;
            self.0.push((id.0, end.as_secs_f64(), *killed));
        }
    }
}

fn job(id: u64, submit: u64, tasks: u32, run: u64) -> Job {
    Job {
        id: JobId(id),
        submit: SimTime::from_secs(submit),
        tasks,
        run_time: SimSpan::from_secs(run),
        ..Job::default()
    }
}

fn run_with(
    options: &Options,
    jobs: Vec<Job>,
    script: &Script,
    sharing: Sharing,
) -> Result<Vec<(u64, f64, bool)>, SimulationError> {
    let connect = || Ok(script.clone());
    let mut scheduler = BatsimScheduler::new(connect, 4, sharing, SimSpan::ZERO);
    let mut ends = Ends::default();
    simulate(4, options, jobs, &mut scheduler, &mut ends).map(|()| ends.0)
}

fn run(jobs: Vec<Job>, script: &Script) -> Result<Vec<(u64, f64, bool)>, SimulationError> {
    run_with(&Options::default(), jobs, script, Sharing::Forbidden)
}

fn at(now: f64, events: &[(f64, &str, Value)]) -> Value {
    let event = |(timestamp, kind, data): &(f64, &str, Value)| json!({ "timestamp": timestamp, "type": kind, "data": data });
    json!({ "now": now, "events": events.iter().map(event).collect::<Vec<Value>>() })
}

fn execute(job: &str, alloc: &str) -> Value {
    json!({ "job_id": job, "alloc": alloc })
}

/// Returns the error of a run of two jobs with two tasks, submitted at 0 and 1. The scheduler's
/// first reply has no command, and the second is `answer`.
fn fault(answer: Value) -> String {
    let idle = at(0.0, &[]);
    let script = Script::new(&[idle, answer]);
    run(vec![job(1, 0, 2, 10), job(2, 1, 2, 10)], &script).unwrap_err().to_string()
}

#[test]
fn jobs_run_where_and_when_they_are_ordered_to() {
    let script = Script::new(&[
        at(0.0, &[]),
        // The scheduler takes two seconds to decide; job 2 arrives meanwhile, and is sent when it is
        // ready.
        at(2.0, &[(1.5, "EXECUTE_JOB", execute("w0!1", "0-1"))]),
        at(2.0, &[(2.0, "EXECUTE_JOB", execute("w0!2", "2 3"))]),
    ]);
    let ends = run(vec![job(1, 0, 2, 10), job(2, 1, 2, 5)], &script).unwrap();
    assert_eq!(ends, [(2, 7.0, false), (1, 11.5, false)]);
    let expected = [
        (0.0, "SIMULATION_BEGINS"),
        (0.0, "JOB_SUBMITTED w0!1"),
        (1.0, "JOB_SUBMITTED w0!2"),
        (1.0, "NOTIFY no_more_static_job_to_submit"),
        (7.0, "JOB_COMPLETED w0!2"),
        (11.5, "JOB_COMPLETED w0!1"),
        (11.5, "SIMULATION_ENDS"),
    ];
    assert_eq!(script.sent(), expected.map(|(time, text)| (time, text.to_owned())));
    assert_eq!(script.data("JOB_COMPLETED")["alloc"], "2-3");
    assert_eq!(script.data("JOB_SUBMITTED")["job"]["res"], 2);
}

#[test]
fn a_clock_that_is_ahead_changes_no_schedule() {
    let script = Script::new(&[
        at(1.0, &[(1.0, "CALL_ME_LATER", json!({ "timestamp": 4.25 }))]),
        at(1.0, &[(2.5, "EXECUTE_JOB", execute("w0!1", "0-1"))]),
    ]);
    let connect = || Ok(script.clone());
    let mut scheduler = BatsimScheduler::new(connect, 4, Sharing::Forbidden, SimSpan::from_secs(1));
    let mut ends = Ends::default();
    simulate(4, &Options::default(), [job(1, 0, 2, 10)], &mut scheduler, &mut ends).unwrap();
    assert_eq!(ends.0, [(1, 11.5, false)]);
    drop(scheduler);
    let sent: Vec<f64> = script.sent().iter().map(|(time, _)| *time).collect();
    assert_eq!(sent, [1.0, 1.0, 1.0, 4.25, 12.5, 12.5]);
    assert_eq!(script.data("JOB_SUBMITTED")["job"]["subtime"], 1.0);
}

#[test]
fn jobs_of_a_workload_of_batsim_are_sent_as_they_are_written() {
    let text = JobText { name: "alpha".into(), profile: "d".into(), fields: r#","hint":[1, 2]"#.into() };
    let texts = JobTexts {
        profiles: [("d".to_owned(), r#"{"type": "delay", "delay": 7}"#.to_owned())].into(),
        jobs: [(JobId(1), text)].into(),
    };
    let options = Options { texts: Some(texts.into()), ..Options::default() };
    let script = Script::new(&[at(0.0, &[]), at(0.0, &[(0.0, "EXECUTE_JOB", execute("w0!alpha", "0"))])]);
    let ends = run_with(&options, vec![job(1, 0, 1, 7)], &script, Sharing::Forbidden).unwrap();
    assert_eq!(ends, [(1, 7.0, false)]);
    let profile = json!({ "type": "delay", "delay": 7 });
    assert_eq!(script.data("SIMULATION_BEGINS")["profiles"], json!({ "w0": { "d": profile } }));
    let job = json!({ "id": "w0!alpha", "subtime": 0.0, "walltime": 7.0, "res": 1, "profile": "d", "hint": [1, 2] });
    assert_eq!(script.data("JOB_SUBMITTED"), json!({ "job_id": "w0!alpha", "job": job, "profile": profile }));
}

#[test]
fn a_call_comes_when_it_was_asked_for() {
    let script = Script::new(&[
        at(0.0, &[(0.0, "CALL_ME_LATER", json!({ "timestamp": 3.25 }))]),
        at(0.0, &[]),
        at(3.25, &[(3.25, "EXECUTE_JOB", execute("w0!1", "3,0"))]),
    ]);
    assert_eq!(run(vec![job(1, 0, 2, 10)], &script).unwrap(), [(1, 13.25, false)]);
    assert_eq!(script.sent()[3], (3.25, "REQUESTED_CALL".to_owned()));
}

#[test]
fn a_killed_job_is_acknowledged_at_once_and_its_nodes_are_free() {
    let script = Script::new(&[
        at(0.0, &[]),
        at(0.0, &[(0.0, "EXECUTE_JOB", execute("w0!1", "0-3"))]),
        // Job 2 arrives at 1. Job 9 is unknown, so it is taken to have ended.
        at(1.0, &[(1.0, "KILL_JOB", json!({ "job_ids": ["w0!1", "w0!9"] }))]),
        at(1.0, &[(1.0, "EXECUTE_JOB", execute("w0!2", "0-3"))]),
    ]);
    let ends = run(vec![job(1, 0, 4, 10), job(2, 1, 4, 5)], &script).unwrap();
    assert_eq!(ends, [(1, 1.0, true), (2, 6.0, false)]);
    assert_eq!(script.data("JOB_COMPLETED")["job_state"], "COMPLETED_KILLED");
    assert_eq!(script.data("JOB_KILLED")["job_ids"], json!(["w0!1", "w0!9"]));
    assert_eq!(script.data("JOB_KILLED")["job_progress"].as_object().unwrap().len(), 1);
}

#[test]
fn a_walltime_that_is_reached_is_reported() {
    let script = Script::new(&[at(0.0, &[]), at(0.0, &[(0.0, "EXECUTE_JOB", execute("w0!1", "0"))])]);
    let asks = |job: Job| Job { requested_time: Some(SimSpan::from_secs(4)), ..job };
    let options =
        Options { overrun: Overrun::Kill, estimates: "requested".parse().unwrap(), ..Options::default() };
    let ends = run_with(&options, vec![asks(job(1, 0, 1, 10))], &script, Sharing::Forbidden).unwrap();
    assert_eq!(ends, [(1, 4.0, true)]);
    assert_eq!(script.data("JOB_COMPLETED")["job_state"], "COMPLETED_WALLTIME_REACHED");
    let submitted = script.data("JOB_SUBMITTED");
    assert_eq!(submitted["job"]["walltime"], 4.0);
    assert_eq!(submitted["profile"]["delay"], 4.0, "its run time, 10 s, is hidden");
}

#[test]
fn a_registered_job_arrives_and_runs_as_long_as_its_profile_says() {
    let profile =
        json!({ "workload_name": "dyn", "profile_name": "p", "profile": { "type": "delay", "delay": 7 } });
    let registered = json!({ "job_id": "dyn!a", "job": { "id": "dyn!a", "profile": "p", "res": 3, "walltime": 9, "subtime": 0 } });
    let script = Script::new(&[
        at(0.0, &[(0.0, "REGISTER_PROFILE", profile), (0.0, "REGISTER_JOB", registered)]),
        at(0.0, &[(0.0, "EXECUTE_JOB", execute("w0!1", "0"))]),
        at(
            1.0,
            &[
                (1.0, "EXECUTE_JOB", execute("dyn!a", "1-3")),
                (1.0, "NOTIFY", json!({ "type": "registration_finished" })),
            ],
        ),
    ]);
    let ends = run(vec![job(1, 0, 1, 2)], &script).unwrap();
    assert_eq!(ends.iter().map(|end| end.1).collect::<Vec<f64>>(), [2.0, 8.0]);
    assert_eq!(script.data("NOTIFY")["type"], "no_more_static_job_to_submit");
    assert!(script.sent().contains(&(0.000_001, "JOB_SUBMITTED dyn!a".to_owned())));
}

#[test]
fn a_job_that_is_rejected_leaves() {
    let script = Script::new(&[at(0.0, &[]), at(0.0, &[(0.0, "REJECT_JOB", json!({ "job_id": "w0!1" }))])]);
    assert_eq!(run(vec![job(1, 0, 9, 2)], &script), Ok(vec![]));
}

#[test]
fn states_of_nodes_change_at_once() {
    let state = json!({ "resources": "1-2", "state": "13" });
    let script = Script::new(&[
        at(0.0, &[(0.0, "SET_RESOURCE_STATE", state)]),
        at(0.0, &[(0.0, "EXECUTE_JOB", execute("w0!1", "0"))]),
    ]);
    run(vec![job(1, 0, 1, 2)], &script).unwrap();
    assert_eq!(script.data("RESOURCE_STATE_CHANGED"), json!({ "resources": "1-2", "state": 13 }));
}

#[test]
fn executors_are_mapped_to_nodes() {
    let order = json!({ "job_id": "w0!1", "alloc": "0-1", "mapping": { "0": "1", "1": 0 } });
    let script = Script::new(&[at(0.0, &[]), at(0.0, &[(0.0, "EXECUTE_JOB", order)])]);
    assert_eq!(run(vec![job(1, 0, 2, 3)], &script).unwrap(), [(1, 3.0, false)]);
}

#[test]
fn jobs_that_share_a_node_have_even_parts_of_it() {
    // Job 1 runs alone until 1, then at half speed until job 2 has done its 4 s at half speed at 9;
    // 5 s of work are left.
    let script = Script::new(&[
        at(0.0, &[]),
        at(0.0, &[(0.0, "EXECUTE_JOB", execute("w0!1", "0-1"))]),
        at(1.0, &[(1.0, "EXECUTE_JOB", execute("w0!2", "1-2"))]),
    ]);
    let jobs = vec![job(1, 0, 2, 10), job(2, 1, 2, 4)];
    let ends = run_with(&Options::default(), jobs, &script, Sharing::Allowed).unwrap();
    assert_eq!(ends, [(2, 9.0, false), (1, 14.0, false)]);
}

#[test]
fn wrong_orders_end_the_simulation_with_their_reason() {
    let order = |kind, data| fault(at(0.0, &[(0.0, kind, data)]));
    let two = |kind, data| fault(at(0.0, &[(0.0, "EXECUTE_JOB", execute("w0!1", "0-1")), (0.0, kind, data)]));
    let killed = json!({ "job_ids": ["w0!1"] });
    let metadata = json!({ "job_id": "w0!1" });
    let profile = |kind: &str| json!({ "workload_name": "d", "profile_name": "p", "profile": { "type": kind, "delay": 0 } });
    let registered = |name: &str| json!({ "job_id": name, "job": { "profile": "p", "res": 1 } });
    let storage = json!({ "job_id": "w0!1", "alloc": "0-1", "storage_mapping": { "a": 0 } });
    let mapped = json!({ "job_id": "w0!1", "alloc": "0-1", "mapping": { "0": "2" } });
    for (found, expected) in [
        (order("EXECUTE_JOB", execute("w0!7", "0-1")), "EXECUTE_JOB of w0!7: there is no such job"),
        (order("EXECUTE_JOB", execute("w0!1", "0")), "EXECUTE_JOB of w0!1: 1 nodes for a job that needs 2"),
        (
            order("EXECUTE_JOB", execute("w0!1", "3-4")),
            "EXECUTE_JOB of w0!1: there is no node 4, only 0 to 3",
        ),
        (order("EXECUTE_JOB", execute("w0!1", "0 x")), "`0 x` is not a set of nodes"),
        (order("EXECUTE_JOB", json!({ "job_id": "w0!1" })), "EXECUTE_JOB: missing field `alloc`"),
        (order("EXECUTE_JOB", storage), "storage is not supported"),
        (order("EXECUTE_JOB", mapped), "`mapping` has the index 2, which is not in `alloc`"),
        (order("EXECUTE_JOB", execute("w0!1", "0 0")), "node 0 is used by w0!1"),
        (two("EXECUTE_JOB", execute("w0!1", "2-3")), "EXECUTE_JOB of w0!1: the job is already running"),
        (two("REJECT_JOB", metadata.clone()), "REJECT_JOB of w0!1: the job is already running"),
        (two("KILL_JOB", killed.clone()), "KILL_JOB of w0!1: the job is only starting now"),
        (order("KILL_JOB", killed), "KILL_JOB of w0!1: the job is not running"),
        (order("QUERY", json!({ "requests": {} })), "QUERY is not supported: energy is not modelled"),
        (order("TO_JOB_MSG", json!({})), "TO_JOB_MSG is not supported"),
        (order("DANCE", json!({})), "DANCE is not supported"),
        (order("NOTIFY", json!({ "type": "lunch" })), "NOTIFY is not supported with a type other than"),
        (order("CALL_ME_LATER", json!({ "timestamp": -1 })), "CALL_ME_LATER: -1 is not a time in seconds"),
        (order("REGISTER_PROFILE", profile("parallel")), "profiles of the type parallel are not supported"),
        (order("REGISTER_PROFILE", profile("delay")), "expected a positive delay in seconds"),
        (order("REGISTER_JOB", registered("d!1")), "the profile d!p is not registered"),
        (order("REGISTER_JOB", registered("1")), "expected WORKLOAD!NUMBER"),
        (order("SET_RESOURCE_STATE", json!({ "resources": "9", "state": "1" })), "there is no node 9"),
        (fault(json!({ "now": 0 })), "its answer cannot be read: missing field `events`"),
        (fault(json!([1])), "its answer cannot be read"),
    ] {
        assert!(found.starts_with("the policy failed at 0 s: ") && found.contains(expected), "{found}");
    }
}

#[test]
fn nodes_of_another_job_are_refused() {
    let script = Script::new(&[
        at(0.0, &[]),
        at(0.0, &[(0.0, "EXECUTE_JOB", execute("w0!1", "0-1"))]),
        at(1.0, &[(1.0, "EXECUTE_JOB", execute("w0!2", "1-2"))]),
    ]);
    let found = run(vec![job(1, 0, 2, 10), job(2, 1, 2, 10)], &script).unwrap_err().to_string();
    assert_eq!(found, "the policy failed at 1 s: EXECUTE_JOB of w0!2: node 1 is used by w0!1");
}

#[test]
fn a_scheduler_that_makes_events_for_ever_is_stopped() {
    struct Restless;
    impl Transport for Restless {
        fn exchange(&mut self, _: &[u8]) -> Result<String, String> {
            let state = json!({ "resources": "0", "state": "1" });
            Ok(at(0.0, &[(0.0, "SET_RESOURCE_STATE", state)]).to_string())
        }
        fn end(&mut self) {}
    }
    let mut scheduler = BatsimScheduler::new(|| Ok(Restless), 4, Sharing::Forbidden, SimSpan::ZERO);
    let found = simulate(4, &Options::default(), [job(1, 0, 1, 1)], &mut scheduler, &mut ()).unwrap_err();
    assert!(found.to_string().contains("it makes no progress at 0 s"), "{found}");
}

#[test]
fn a_scheduler_that_waits_for_ever_is_stuck() {
    let found = run(vec![job(1, 0, 1, 1)], &Script::new(&[])).unwrap_err();
    assert!(matches!(found, SimulationError::Stuck { jobs: 1, .. }), "{found:?}");
}

#[test]
fn nodes_that_are_down_are_refused() {
    let down =
        Outage { from: SimTime::ZERO, until: SimTime::from_secs(6), nodes: NodeSpan { first: 1, nodes: 2 } };
    let outages = Outages { failures: vec![down], ..Outages::default() };
    let options = Options { outages: Some(outages.into()), ..Options::default() };
    let script = Script::new(&[at(0.0, &[]), at(0.0, &[(0.0, "EXECUTE_JOB", execute("w0!1", "0-1"))])]);
    let found = run_with(&options, vec![job(1, 0, 2, 10)], &script, Sharing::Forbidden).unwrap_err();
    assert_eq!(found.to_string(), "invalid decision at 0 s for job 1: node 1 is down");
}

#[test]
fn a_job_that_loses_its_nodes_fails_and_is_submitted_again() {
    let down = Outage {
        from: SimTime::from_secs(4),
        until: SimTime::from_secs(6),
        nodes: NodeSpan { first: 1, nodes: 2 },
    };
    let outages = Outages { failures: vec![down], ..Outages::default() };
    let options = Options { outages: Some(outages.into()), ..Options::default() };
    let script = Script::new(&[
        at(0.0, &[]),
        at(0.0, &[(0.0, "EXECUTE_JOB", execute("w0!1", "0-1"))]),
        at(4.0, &[(4.0, "EXECUTE_JOB", execute("w0!1#1", "0,3"))]),
    ]);
    let ends = run_with(&options, vec![job(1, 0, 2, 10)], &script, Sharing::Forbidden).unwrap();
    assert_eq!(ends, [(1, 14.0, false)]);
    let expected = [
        (0.0, "SIMULATION_BEGINS"),
        (0.0, "JOB_SUBMITTED w0!1"),
        (0.0, "NOTIFY no_more_static_job_to_submit"),
        (4.0, "NOTIFY event_machine_unavailable"),
        (4.0, "JOB_COMPLETED w0!1"),
        (4.0, "JOB_SUBMITTED w0!1#1"),
        (6.0, "NOTIFY event_machine_available"),
        (14.0, "JOB_COMPLETED w0!1#1"),
        (14.0, "SIMULATION_ENDS"),
    ];
    assert_eq!(script.sent(), expected.map(|(time, event)| (time, event.to_owned())));
    assert_eq!(script.data("NOTIFY")["type"], "no_more_static_job_to_submit");
}
