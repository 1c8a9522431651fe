//! States as Slurm prints them.

use dfrsim_forecast::state::{NodeStates, State, read};
use dfrsim_model::{SimTime, UserId};
use rustc_hash::FxHashMap;

/// Time of all states here: 2026-03-03T12:00:00.
const NOON: i64 = 1_772_539_200;

const SQUEUE: &str = "\
JOBID|USER|STATE|NODES|TIME_LIMIT|TIME|SUBMIT_TIME|START_TIME|REASON|DEPENDENCY
11|ann|RUNNING|6|2:00:00|30:00|2026-03-03T11:00:00|2026-03-03T11:30:00|None|(null)
12|ben|PENDING|4|1-00:00:00|0:00|2026-03-03T11:40:00|N/A|Resources|(null)
13|ann|PENDING|8|1:00:00|0:00|2026-03-03T11:50:00|N/A|Dependency|afterok:12(unfulfilled),afterany:9
14|ann|PENDING|1|1:00:00|0:00|2026-03-03T11:55:00|N/A|JobHeldUser|(null)
10|ben|COMPLETED|1|1:00:00|10:00|2026-03-03T10:00:00|2026-03-03T10:00:00|None|(null)
";

/// The form of Slurm 20.11 to 23.02; a pending job may have a planned start.
const SCONTROL: &str = "\
JobId=11 JobName=tuning
   UserId=ann(1001) GroupId=staff(100) MCS_label=N/A
   Priority=1 Nice=0 Account=physics QOS=normal
   JobState=RUNNING Reason=None Dependency=(null)
   Requeue=1 Restarts=0 BatchFlag=1 Reboot=0 ExitCode=0:0
   RunTime=00:30:00 TimeLimit=02:00:00 TimeMin=N/A
   SubmitTime=2026-03-03T11:00:00 EligibleTime=2026-03-03T11:00:00
   StartTime=2026-03-03T11:30:00 EndTime=2026-03-03T13:30:00 Deadline=N/A
   NumNodes=6 NumCPUs=96 NumTasks=96 CPUs/Task=1 ReqB:S:C:T=0:0:*:*

JobId=12 JobName=t.sub
   UserId=ben GroupId=staff MCS_label=N/A
   JobState=PENDING Reason=Resources Dependency=(null)
   RunTime=00:00:00 TimeLimit=1-00:00:00 TimeMin=N/A
   SubmitTime=2026-03-03T11:40:00 EligibleTime=2026-03-03T11:40:00
   StartTime=2026-03-03T13:30:00 EndTime=2026-03-04T13:30:00 Deadline=N/A
   NumNodes=4-4 NumCPUs=64 NumTasks=64 CPUs/Task=1 ReqB:S:C:T=0:0:*:*
";

const JSON: &str = r#"{"last_update": {"set": true, "infinite": false, "number": 1772539200}, "meta": {"plugin": {}}, "jobs": [
  {"job_id": 11, "user_name": "ann", "job_state": ["RUNNING"], "node_count": {"set": true, "infinite": false, "number": 6},
   "time_limit": {"set": true, "infinite": false, "number": 120}, "submit_time": {"set": true, "infinite": false, "number": 1772535600},
   "start_time": {"set": true, "infinite": false, "number": 1772537400}, "state_reason": "None", "dependency": ""},
  {"job_id": 12, "user_name": "ben", "job_state": "PENDING", "node_count": 4, "time_limit": 1440, "submit_time": 1772538000}]}"#;

fn users() -> FxHashMap<String, u32> {
    [("ann".to_owned(), 1)].into_iter().collect()
}

fn faults(text: &str) -> Vec<String> {
    read(text, Some(NOON), false).unwrap_err().iter().map(ToString::to_string).collect()
}

#[test]
fn all_forms_of_a_state_are_the_same() {
    let [squeue, scontrol, json] = [SQUEUE, SCONTROL, JSON].map(|text| read(text, None, false).unwrap());
    let common = |state: &State| {
        let of = |job: &dfrsim_forecast::state::StateJob| {
            (job.name.clone(), job.user.clone(), job.size, job.limit, job.submit, job.start)
        };
        (state.at, state.jobs.iter().take(2).map(of).collect::<Vec<_>>())
    };
    assert_eq!(squeue.at, NOON);
    assert_eq!(common(&scontrol), common(&squeue));
    assert_eq!(common(&json), common(&squeue));
    assert_eq!((squeue.counts.ended, squeue.jobs.len()), (1, 4));
    assert_eq!(squeue.jobs[2].after, ["12", "9"]);
}

#[test]
fn lines_of_sacct_are_a_state_too() {
    let sacct = "JobID|User|State|NNodes|Timelimit|Elapsed|Submit|Start|End\n\
         11|ann|RUNNING|6|02:00:00|00:30:00|2026-03-03T11:00:00|2026-03-03T11:30:00|Unknown\n\
         11.batch||RUNNING|1||00:30:00|2026-03-03T11:30:00|2026-03-03T11:30:00|Unknown\n\
         12|ben|PENDING|4|1-00:00:00|00:00:00|2026-03-03T11:40:00|Unknown|Unknown\n\
         9|ben|COMPLETED|4|1-00:00:00|00:10:00|2026-03-03T10:40:00|2026-03-03T10:40:00|2026-03-03T10:50:00\n";
    let state = read(sacct, None, false).unwrap();
    assert_eq!((state.at, state.jobs.len(), state.counts.steps, state.counts.ended), (NOON, 2, 1, 1));
}

/// Slurm plans a job without a limit for a year.
#[test]
fn a_job_may_have_no_time_limit() {
    let text = SCONTROL.replace("TimeLimit=1-00:00:00", "TimeLimit=UNLIMITED");
    let state = read(&text, None, false).unwrap();
    assert_eq!((state.jobs[1].limit, state.counts.unlimited), (365 * 86_400, 1));
    let infinite = r#"{"set": true, "infinite": true, "number": 0}"#;
    let state = read(&JSON.replace("1440", infinite), None, false).unwrap();
    assert_eq!((state.jobs[1].limit, state.counts.unlimited), (365 * 86_400, 1));
    let task = SCONTROL.replace("JobId=12 JobName", "JobId=12 ArrayJobId=9 ArrayTaskId=3 JobName");
    assert_eq!(read(&task, None, false).unwrap().jobs.len(), 2);
}

/// A job starts in the second in which the state is listed.
#[test]
fn a_job_may_have_just_started() {
    let text = SQUEUE.replace(
        "2:00:00|30:00|2026-03-03T11:00:00|2026-03-03T11:30:00",
        "2:00:00|0:00|2026-03-03T11:00:00|2026-03-03T12:00:00",
    );
    let found = read(&text, Some(NOON), false).unwrap().snapshot(8, NOON - 36_000, &users()).unwrap();
    assert!(found.snapshot.beginning().is_ok());
    assert_eq!(found.snapshot.first_decision().micros() - found.snapshot.at.micros(), 1);
}

#[test]
fn a_state_becomes_a_snapshot() {
    let state = read(SQUEUE, None, false).unwrap();
    let found = state.snapshot(8, NOON - 36_000, &users()).unwrap();
    let snapshot = &found.snapshot;
    assert_eq!(
        (snapshot.running.len(), snapshot.waiting.len(), &found.held[..]),
        (1, 2, &["14".to_owned()][..])
    );
    assert_eq!((found.unknown_users, found.fulfilled), (1, 1));
    let stranger = snapshot.waiting[0].user.map(UserId::number);
    assert_eq!(stranger, Some(u32::MAX - 1), "no user of a history has this number");
    assert_eq!(snapshot.at.as_secs_f64(), 36_000.0);
    let second = &snapshot.waiting[1];
    assert_eq!(snapshot.after[&second.id].jobs, [snapshot.waiting[0].id]);
    assert_eq!(snapshot.running[0].job.user.map(UserId::number), Some(1));
}

#[test]
fn what_cannot_be_is_an_error_with_line_and_field() {
    let with = |old: &str, new: &str| faults(&SQUEUE.replace(old, new));
    let late = with("2026-03-03T11:30:00|None", "2026-03-03T08:30:00|None");
    assert_eq!(
        late[1..],
        [
            "line 2, job `11`: SubmitTime: expected a time before the start and that of the state, found `2026-03-03T11:00:00`"
        ]
    );
    assert_eq!(late[0], "line 2, job `11`: RunTime: it has run for 12600 s, beyond its limit of 7200 s");
    assert_eq!(
        with("PENDING|4", "PENDING|"),
        ["line 3, job `12`: NumNodes: expected a number above 0, found nothing"]
    );
    assert_eq!(
        with("PENDING|4", "WAITING|4"),
        ["line 3, job `12`: JobState: expected a job state such as RUNNING, found `WAITING`"]
    );
    assert_eq!(with("|ben|PENDING", "|PENDING"), ["line 3: expected 10 columns, found 9"]);
    assert_eq!(
        with("12|ben", "12_[1-9]|ben"),
        [
            "line 3, job `12_[1-9]`: JobId: expected one job of an array, as `squeue --array` lists them, found `12_[1-9]`"
        ]
    );
    let tasks =
        faults(&SCONTROL.replace("JobId=12 JobName", "JobId=12 ArrayJobId=12 ArrayTaskId=3-9%2 JobName"));
    assert_eq!(
        tasks,
        [
            "line 11, job `12`: ArrayTaskId: expected one task of an array, as `squeue --array` lists them, found `3-9%2`"
        ]
    );
    let default = "JOBID PARTITION     NAME     USER ST       TIME  NODES NODELIST(REASON)\n\
         27   compute     test   ann  R      47:41      2 c-[1-2]\n";
    let missing = [
        "line 1: expected a column with the time limit (TIME_LIMIT or Timelimit); `squeue --format` lists it with %l",
    ];
    assert_eq!(faults(default), missing);
    let state = read(&SQUEUE.replace("RUNNING|6", "RUNNING|9"), None, false).unwrap();
    let full = state.snapshot(8, NOON - 36_000, &users()).unwrap_err();
    assert_eq!(
        full[0].to_string(),
        "line 2, job `11`: it runs on 9 nodes, but the running jobs before it leave only 8 of 8"
    );
    let wrong = faults(r#"{"jobs": [{"job_id": 1}]}"#);
    assert!(wrong[0].contains("jobs[0]") && wrong[0].contains("job_state"), "{wrong:?}");
    assert!(read("JOBID|STATE|NODES|TIME_LIMIT\n1|PENDING|1|5\n", None, false).is_err());
}

/// The jobs of drained nodes end there, and no further one starts, however short it is.
#[test]
fn drained_nodes_are_drains_and_nodes_that_are_down_fail() {
    let names: Vec<String> = (1..=8).map(|node| format!("n{node}")).collect();
    let text = "NodeName=n[1-2] State=MIXED+DRAIN\nNodeName=n2 State=IDLE+DRAIN\n\
         NodeName=n5 State=DOWN*+DRAIN\nNodeName=n6 State=IDLE\n";
    let states = NodeStates::read(text, &names).unwrap();
    assert_eq!((&states.down[..], &states.drained[..]), (&[4][..], &[0, 1][..]));
    let at = SimTime::from_secs(36_000);
    let outages = states.outages(at, None);
    let nodes = |all: &[dfrsim_model::platform::Outage]| -> Vec<(SimTime, u32)> {
        all.iter().map(|it| (it.from, it.nodes.first)).collect()
    };
    assert_eq!(nodes(&outages.failures), [(at, 4)]);
    assert_eq!(nodes(&outages.drains), [(at, 0), (at, 1)]);
    assert!(outages.windows.is_empty());
}
