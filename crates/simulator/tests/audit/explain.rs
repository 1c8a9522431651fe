//! Tests the explanation of the largest stretch, on a schedule that is small enough to follow by
//! hand.

use dfrsim_audit::explain::{Lack, LifeEvent, explain};
use dfrsim_cluster::{EventLog, Metrics, Options, SummaryOptions, simulate};
use dfrsim_model::{Job, JobId, Share, SimSpan, SimTime, Yield};

/// Starts each job on arrival on node 0, at half speed; job 1 starts only after job 0 has ended.
struct Halves;

impl dfrsim_cluster::Scheduler for Halves {
    fn decide(&mut self, situation: &dfrsim_cluster::Situation<'_>, decision: &mut dfrsim_cluster::Decision) {
        let view = situation.view;
        let is_first_there = view.jobs().iter().any(|&job| view.job(job).sequence() == 0);
        for &job in view.jobs() {
            let asked = view.job(job);
            let waits = asked.state() == dfrsim_cluster::JobState::Waiting;
            if waits && !(asked.sequence() == 1 && is_first_there) {
                let here = dfrsim_model::NodeTasks { node: dfrsim_model::NodeId(0), tasks: 1 };
                decision.start(job, [here], Yield::from_ratio(1, 2));
            }
        }
    }
}

fn events() -> Vec<u8> {
    let job = |id, submit, run, tenths| Job {
        id: JobId(id),
        submit: SimTime::from_secs(submit),
        memory: Share::from_ratio(tenths, 10),
        run_time: SimSpan::from_secs(run),
        ..Job::default()
    };
    let jobs = [job(7, 0, 20, 6), job(8, 10, 10, 6), job(9, 45, 10, 2)];
    let log = EventLog::new(Vec::new(), "HALVES", 1, SimSpan::ZERO, SimSpan::ZERO);
    let mut watchers = (Metrics::new(SummaryOptions::new(1)), log);
    simulate(1, &Options::default(), jobs, &mut Halves, &mut watchers).unwrap();
    let summary = watchers.0.summary().unwrap();
    watchers.1.finish(&summary).unwrap()
}

/// Explains the stretch of job 1. Job 0 runs from 0 s to 40 s, then job 1 to 60 s: a turnaround of
/// 50 s for 10 s of work. Job 2 runs alongside it from 45 s to 65 s.
#[test]
fn the_largest_stretch_is_explained() {
    let life = explain(events().as_slice(), None).unwrap().unwrap();
    assert_eq!((life.job, life.id, life.bounded_stretch), (1, 8, 5.0));
    let events: Vec<(f64, &str)> =
        life.moments.iter().map(|moment| (moment.at.as_secs_f64(), moment.event)).collect();
    assert_eq!(events, [(10.0, "submit"), (40.0, "start"), (60.0, "complete")]);
    assert_eq!(life.moments[0].lacks, Some(Lack::Memory));
    let holders = &life.moments[0].held_by;
    assert_eq!((holders.len(), holders[0].job, holders[0].age), (1, 0, SimSpan::from_secs(10)));
    let text = life.to_string();
    assert!(
        text.starts_with(
            "job 1 (number 8 of its log): 1 tasks of CPU need 1.00 and memory 0.60, run time 10 s\n"
        ),
        "{text}"
    );
    assert!(
        text.contains(
            "10 s: submit; the most memory is held by job 0 (1 x 0.60, yield 0.50, arrived 10 s ago)\n"
        ),
        "{text}"
    );
    assert!(
        text.contains("40 s: start, yield 0.50; alone on node 0, where its tasks need 1.00 nodes\n"),
        "{text}"
    );
}

#[test]
fn any_job_can_be_explained() {
    let life = explain(events().as_slice(), Some(2)).unwrap().unwrap();
    let LifeEvent { lacks, node, needed, held_by, .. } = &life.moments[0];
    assert_eq!((*lacks, *node, *needed), (Some(Lack::Cpu), Some(0), Some(2.0)));
    assert_eq!((held_by.len(), held_by[0].job), (1, 1));
    assert_eq!(explain(events().as_slice(), Some(3)).unwrap(), None);
}

/// Explains no file that the audit rejects.
#[test]
fn wrong_files_are_refused() {
    assert!(explain(&b""[..], None).is_err());
    let text = String::from_utf8(events()).unwrap();
    assert!(explain(text.replace("\"at_us\":60000000", "\"at_us\":59000000").as_bytes(), None).is_err());
}
