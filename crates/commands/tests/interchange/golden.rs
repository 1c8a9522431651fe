//! One small fractional schedule, derived by hand, in each of the formats.

use dfrsim_cluster::{JobRecord, NodeRange, Observer, Occurrence, Placement};
use dfrsim_commands::interchange::{
    BatsimJobs, BatsimMachines, InSubmissionOrder, Records, ScheduleLog, schedule_header,
};
use dfrsim_model::{Job, JobId, NodeId, Share, SimSpan, SimTime, Yield};
use dfrsim_workload::formats::swf;
use dfrsim_workload::log::{Header, Kilobytes, Record, Source as _, Status, Strictness};

/// Job of (number, submission, tasks, run time, requested time).
fn job(id: u64, submit: u64, tasks: u32, run: u64, requested: Option<u64>) -> Job {
    Job {
        id: JobId(id),
        submit: SimTime::from_secs(submit),
        tasks,
        cpu_need: Share::from_ratio(1, 2),
        run_time: SimSpan::from_secs(run),
        requested_time: requested.map(SimSpan::from_secs),
        ..Job::default()
    }
}

fn jobs() -> [Job; 4] {
    [
        job(11, 0, 2, 20, Some(30)),
        job(17, 5, 2, 16, None),
        job(18, 30, 9, 1, Some(1)),
        job(20, 30, 1, 4, Some(4)),
    ]
}

fn record(job: &Job, start: u64, end: u64, killed: bool) -> JobRecord {
    JobRecord {
        id: job.id,
        submit: job.submit,
        start: SimTime::from_secs(start),
        end: SimTime::from_secs(end),
        tasks: job.tasks,
        cpu_need: job.cpu_need,
        memory: job.memory,
        run_time: job.run_time,
        user: None,
        killed,
        preemptions: 0,
        migrations: 0,
        interruptions: 0,
    }
}

/// Four nodes. Job 11 runs on nodes 0 and 1, is paused at 10 s, goes on on nodes 2 and 3 at 20 s and ends at 40 s. Both
/// tasks of job 17 start on node 1 at 6 s, move to node 3 at 20 s and are killed at 25 s. Job 18 is rejected when it
/// comes at 30 s, and job 20, which comes with it, runs on node 3 from 30 s to 34 s.
fn play(observer: &mut impl Observer) {
    let jobs = jobs();
    let on = |first: u32, nodes: u32, tasks: u32| [NodeRange { first: NodeId(first), nodes, tasks }];
    let half = Yield::from_ratio(1, 2);
    let mut at = |second, job, occurrence: Occurrence<'_>| {
        observer.observe(SimTime::from_secs(second), job, occurrence);
    };
    at(0, 0, Occurrence::Submitted(&jobs[0], None));
    at(0, 0, Occurrence::Started(Placement::new(&on(0, 2, 1)), Yield::ONE.into()));
    at(5, 1, Occurrence::Submitted(&jobs[1], None));
    at(6, 0, Occurrence::YieldChanged(half.into()));
    at(6, 1, Occurrence::Started(Placement::new(&on(1, 1, 2)), half.into()));
    at(10, 0, Occurrence::Paused(0.0));
    at(20, 1, Occurrence::Migrated(Placement::new(&on(3, 1, 2)), half.into(), 2, 0.0));
    at(20, 0, Occurrence::Resumed(Placement::new(&on(2, 2, 1)), half.into()));
    at(25, 1, Occurrence::Completed(&record(&jobs[1], 6, 25, true)));
    at(30, 2, Occurrence::Submitted(&jobs[2], None));
    at(30, 3, Occurrence::Submitted(&jobs[3], None));
    at(30, 2, Occurrence::Rejected);
    at(30, 3, Occurrence::Started(Placement::new(&on(3, 1, 1)), half.into()));
    at(34, 3, Occurrence::Completed(&record(&jobs[3], 30, 34, false)));
    at(40, 0, Occurrence::Completed(&record(&jobs[0], 0, 40, false)));
}

/// Job 11 was on all four nodes, job 17 on nodes 1 and 3. Job 17 waited 1 s and ran 19 s, so its stretch is 20 / 19; it
/// comes second although it ends first.
#[test]
fn batsim_jobs() {
    let mut file = InSubmissionOrder::new(Vec::new(), Box::new(BatsimJobs::new("a \"small\", week", None)));
    play(&mut file);
    let text = String::from_utf8(file.finish().unwrap()).unwrap();
    let name = "\"a \"\"small\"\", week\"";
    let expected = format!(
        "job_id,workload_name,profile,submission_time,requested_number_of_resources,requested_time,success,\
         final_state,starting_time,execution_time,finish_time,waiting_time,turnaround_time,stretch,\
         allocated_resources,consumed_energy,metadata\n\
         11,{name},20,0,2,30,1,COMPLETED_SUCCESSFULLY,0,40,40,0,40,1,0-3,-1,\"\"\n\
         17,{name},16,5,2,-1,0,COMPLETED_WALLTIME_REACHED,6,19,25,1,20,{},1 3,-1,\"\"\n\
         18,{name},1,30,9,1,0,REJECTED,,,,,,,,-1,\"\"\n\
         20,{name},4,30,1,4,1,COMPLETED_SUCCESSFULLY,30,4,34,0,4,1,3,-1,\"\"\n",
        20.0 / 19.0
    );
    assert_eq!(text, expected);
}

/// In use: 0 and 1 from 0 s, still these two when job 17 joins job 11 on node 1 at 6 s (no line), node 1 alone from
/// 10 s, 2 and 3 from 20 s; no line when job 17 leaves node 3 at 25 s, nor when job 20 comes to it and goes.
#[test]
fn batsim_machines() {
    let mut file = BatsimMachines::new(Vec::new(), 4);
    play(&mut file);
    let text = String::from_utf8(file.finish().unwrap()).unwrap();
    let expected = "time,nb_sleeping,nb_switching_on,nb_switching_off,nb_idle,nb_computing\n\
                    0,0,0,0,2,2\n10,0,0,0,3,1\n20,0,0,0,2,2\n40,0,0,0,4,0\n";
    assert_eq!(text, expected);
}

/// What the log says of the four jobs: users, memory, how they ended in the log.
fn log() -> Vec<Record> {
    let record = |(job, status): (&Job, Status)| Record {
        job: job.id.0,
        wait: Some(SimSpan::from_secs(99)),
        run_time: Some(job.run_time),
        allocated_processors: Some(4),
        cpu_time: Some(SimSpan::from_secs(3)),
        used_memory: Some(Kilobytes::from_millionths(5_500_000)),
        requested_processors: Some(job.tasks),
        requested_time: job.requested_time,
        status,
        user: Some(7),
        preceding_job: Some(2),
        ..Record::default()
    };
    jobs()
        .iter()
        .zip([Status::Failed, Status::Completed, Status::Completed, Status::Unknown])
        .map(record)
        .collect()
}

#[test]
fn schedule_as_a_log() {
    let mut header = Header::default();
    header.push("Computer", "a real one");
    header.push("UnixStartTime", "1000");
    let header = schedule_header(&header, 4, &["policy GreedyPM*".to_owned()]);
    let records = Records::default();
    records.clone().into_jobs(Box::new(jobs().into_iter().zip(log()))).for_each(drop);
    let mut file = InSubmissionOrder::new(Vec::new(), Box::new(ScheduleLog::new(&header, records)));
    play(&mut file);
    let text = String::from_utf8(file.finish().unwrap()).unwrap();
    let lines: Vec<&str> = text.lines().filter(|line| !line.starts_with(';')).collect();
    assert_eq!(
        lines,
        [
            "11 0 0 40 2 3 5.5 2 30 -1 0 7 -1 -1 -1 -1 2 -1",
            "17 5 1 19 2 -1 5.5 2 -1 -1 5 7 -1 -1 -1 -1 2 -1",
            "18 30 -1 -1 -1 -1 5.5 9 1 -1 5 7 -1 -1 -1 -1 2 -1",
            "20 30 0 4 1 3 5.5 1 4 -1 1 7 -1 -1 -1 -1 2 -1",
        ]
    );
    let mut reader = swf::read(text.as_bytes(), "schedule.swf", Strictness::Strict).unwrap();
    assert_eq!((reader.header().max_procs(), reader.header().unix_start_time()), (Some(4), Some(1000)));
    assert_eq!(reader.header().computer(), Some("4 nodes (simulated)"));
    assert_eq!(reader.header().value("Note"), Some("policy GreedyPM*"));
    let ends: Vec<u64> = reader
        .by_ref()
        .filter_map(|line| Some(line.record.submit + line.record.wait? + line.record.run_time?))
        .map(|end| end.micros() / 1_000_000)
        .collect();
    assert_eq!(ends, [40, 25, 34], "submission + wait + run time is the completion");
    reader.finish().unwrap();
}

#[test]
fn a_schedule_of_jobs_without_a_log_has_their_requests() {
    let mut file = InSubmissionOrder::new(
        Vec::new(),
        Box::new(ScheduleLog::new(&Header::default(), Records::default())),
    );
    play(&mut file);
    let text = String::from_utf8(file.finish().unwrap()).unwrap();
    assert_eq!(text.lines().next(), Some("11 0 0 40 2 -1 -1 2 30 -1 1 -1 -1 -1 -1 -1 -1 -1"));
}
