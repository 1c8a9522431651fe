//! Tests jobs that are submitted after others have ended or started, worked out by hand.

use crate::support::{Do, Script, job, penalty};
use dfrsim_cluster::{
    After, EventLog, Followers, Link, Metrics, Observer, Occurrence, SimulationError, SummaryOptions,
    simulate_with,
};
use dfrsim_model::{Dependencies, Job, JobId, SimSpan, SimTime, Yield};

/// Submissions as (job number, microsecond, link).
#[derive(Default)]
struct Submissions(Vec<(u64, u64, Option<Link>)>);

impl Observer for Submissions {
    fn observe(&mut self, now: SimTime, _: u64, occurrence: Occurrence<'_>) {
        match occurrence {
            Occurrence::Submitted(job, _) => {
                assert_eq!(job.submit, now);
                self.0.push((job.id.0, now.micros(), None));
            }
            Occurrence::Linked(link) => self.0.last_mut().unwrap().2 = Some(link.clone()),
            _ => {}
        }
    }
}

fn after(job: u64, micros: u64) -> Option<Dependencies> {
    Some(Dependencies::after(JobId(job), SimSpan::from_micros(micros)))
}

/// Creates six jobs. Job 1 runs from 0 s to 10 s. Jobs 2 and 3 follow it, after 5 s and immediately.
/// Job 5 follows job 3, which is rejected at 20 s, immediately. Job 4 arrives at 12 s independently,
/// although others precede it in the list. Job 6 follows job 4, which is killed at 21 s, after 9 s.
fn jobs() -> Vec<(Job, Option<Dependencies>)> {
    vec![
        (job(1, 0, 1, 10), None),
        (job(2, 0, 1, 3), after(1, 5_000_000)),
        (job(3, 0, 1, 3), after(1, 0)),
        (job(4, 12, 1, 600), None),
        (job(5, 13, 1, 2), after(3, 0)),
        (job(6, 14, 1, 2), after(4, 9_000_000)),
    ]
}

/// Creates the script of these jobs; in the order of submission they are 1, 3, 4, 2, 5, 6.
fn script() -> Script {
    let start = |job| Do::Start(job, vec![(0, 1)], Yield::ONE);
    Script::new(vec![
        (0, vec![start(0)]),
        (12, vec![start(2)]),
        (15, vec![start(3)]),
        (20, vec![Do::Reject(1)]),
        (21, vec![Do::Kill(2), start(4)]),
        (30, vec![start(5)]),
    ])
}

#[test]
fn jobs_follow_others_after_their_think_times() {
    let (first, followers) = Followers::split(jobs());
    assert_eq!(first.iter().map(|job| job.id.0).collect::<Vec<_>>(), [1, 4]);
    let (mut found, mut script) = (Submissions::default(), script());
    simulate_with(1, &penalty(0), first, followers, &mut script, &mut found).unwrap();
    let link = |after: Option<(u64, u64)>, followers| {
        let after = after.map(|(job, think)| After {
            jobs: vec![job],
            think: SimSpan::from_micros(think),
            ..After::default()
        });
        Some(Link { after, followers, ..Link::default() })
    };
    let expected = [
        (1, 0, link(None, 2)),
        (3, 10_000_000, link(Some((0, 0)), 1)),
        (4, 12_000_000, link(None, 1)),
        (2, 15_000_000, link(Some((0, 5_000_000)), 0)),
        // No further job can be submitted at the time of the rejection.
        (5, 20_000_001, link(Some((1, 0)), 0)),
        (6, 30_000_000, link(Some((2, 9_000_000)), 0)),
    ];
    assert_eq!(found.0, expected);
    // Job 3 is submitted at the time at which job 1 completes, after the completion.
    let moment = &script.diary[1];
    assert_eq!((moment.second, &moment.completed[..], &moment.submitted[..]), (10.0, &[0][..], &[1][..]));
}

/// Jobs 1 and 2 run from 0 s to 10 s and 20 s. Job 3 (submit time 5 s) waits for both and arrives at
/// 20 s. Job 4 (12 s) depends on job 1, which has ended. Job 5 (30 s) depends on both and on job 4.
/// No job arrives before its own submit time.
#[test]
fn held_jobs_wait_for_all_that_they_name() {
    let hold =
        |jobs: &[u64]| Some(Dependencies::hold(jobs.iter().map(|&job| JobId(job)).collect(), Vec::new()));
    let jobs = vec![
        (job(1, 0, 1, 10), None),
        (job(2, 0, 1, 20), None),
        (job(3, 5, 1, 1), hold(&[1, 2])),
        (job(4, 12, 1, 1), hold(&[1])),
        (job(5, 30, 1, 1), hold(&[4, 2, 1])),
    ];
    let (first, followers) = Followers::split(jobs);
    let start = |job: usize| Do::Start(job, vec![(job as u32, 1)], Yield::ONE);
    let steps =
        [(0, vec![start(0), start(1)]), (12, vec![start(2)]), (20, vec![start(3)]), (30, vec![start(4)])];
    let (mut found, mut script) = (Submissions::default(), Script::new(steps.to_vec()));
    simulate_with(5, &penalty(0), first, followers, &mut script, &mut found).unwrap();
    let link = |jobs: &[u64], own: u64, followers| {
        let not_before = Some(SimTime::from_secs(own));
        let after = After { jobs: jobs.to_vec(), not_before, ..After::default() };
        Some(Link { after: Some(after).filter(|_| !jobs.is_empty()), followers, ..Link::default() })
    };
    let second = |seconds: u64| seconds * 1_000_000;
    let expected = [
        (1, 0, link(&[], 0, 3)),
        (2, 0, link(&[], 0, 2)),
        (4, second(12), link(&[0], 12, 1)),
        (3, second(20), link(&[0, 1], 5, 0)),
        (5, second(30), link(&[0, 2, 1], 30, 0)),
    ];
    assert_eq!(found.0, expected);
}

/// Job 1 starts at 0 s and runs for 30 s; job 2 is rejected at 7 s. Job 3 (submit time 2 s) arrives
/// 10 s after the start of job 1, job 4 just after the rejection of job 2, and job 5 at the end of
/// job 1, which is later than 20 s after its start.
#[test]
fn jobs_follow_the_starts_of_others() {
    let hold = |ends: &[u64], starts: &[(u64, u64)]| {
        let starts = starts.iter().map(|&(job, delay)| (JobId(job), SimSpan::from_secs(delay)));
        Some(Dependencies::hold(ends.iter().map(|&job| JobId(job)).collect(), starts.collect()))
    };
    let jobs = vec![
        (job(1, 0, 1, 30), None),
        (job(2, 0, 1, 20), None),
        (job(3, 2, 1, 1), hold(&[], &[(1, 10)])),
        (job(4, 3, 1, 1), hold(&[], &[(2, 0), (1, 1)])),
        (job(5, 3, 1, 1), hold(&[1], &[(1, 20)])),
    ];
    let (first, followers) = Followers::split(jobs);
    let start = |job: usize| Do::Start(job, vec![(job as u32, 1)], Yield::ONE);
    let steps =
        [(0, vec![start(0)]), (7, vec![Do::Reject(1)]), (10, vec![start(2), start(3)]), (30, vec![start(4)])];
    let (mut found, mut script) = (Submissions::default(), Script::new(steps.to_vec()));
    simulate_with(5, &penalty(0), first, followers, &mut script, &mut found).unwrap();
    let times: Vec<(u64, u64)> = found.0.iter().map(|(job, at, _)| (*job, *at)).collect();
    assert_eq!(times, [(1, 0), (2, 0), (4, 7_000_001), (3, 10_000_000), (5, 30_000_000)]);
    let link = found.0[4].2.clone().unwrap().after.unwrap();
    assert_eq!((link.jobs, link.starts), (vec![0], vec![(0, SimSpan::from_secs(20))]));
    assert_eq!(
        (found.0[0].2.clone().unwrap().followers, found.0[0].2.clone().unwrap().start_followers),
        (1, 3)
    );
}

/// Writes link records only for jobs with links, and none in a plain simulation.
#[test]
fn records_of_jobs_without_links_are_what_they_were() {
    let file = |jobs: Vec<(Job, Option<Dependencies>)>, mut script: Script| {
        let (first, followers) = Followers::split(jobs);
        let mut observer = (
            EventLog::new(Vec::new(), "SCRIPT", 1, SimSpan::ZERO, SimSpan::from_secs(10)),
            Metrics::new(SummaryOptions::new(1)),
        );
        simulate_with(1, &penalty(0), first, followers, &mut script, &mut observer).unwrap();
        let summary = observer.1.summary().unwrap();
        String::from_utf8(observer.0.finish(&summary).unwrap()).unwrap()
    };
    let linked = file(jobs(), script());
    let links: Vec<&str> = linked.lines().filter(|line| line.contains("\"link\"")).collect();
    let expected = [
        r#"{"event":"link","at_us":0,"job":0,"followers":2}"#,
        r#"{"event":"link","at_us":10000000,"job":1,"after":0,"think_us":0,"followers":1}"#,
        r#"{"event":"link","at_us":12000000,"job":2,"followers":1}"#,
        r#"{"event":"link","at_us":15000000,"job":3,"after":0,"think_us":5000000}"#,
        r#"{"event":"link","at_us":20000001,"job":4,"after":1,"think_us":0}"#,
        r#"{"event":"link","at_us":30000000,"job":5,"after":2,"think_us":9000000}"#,
    ];
    assert_eq!(links, expected);
    let start = Script::new(vec![(0, vec![Do::Start(0, vec![(0, 1)], Yield::ONE)])]);
    assert!(!file(vec![(job(1, 0, 1, 10), None)], start).contains("link"));
}

#[test]
fn a_job_that_follows_none_that_comes_is_an_error() {
    let orphan =
        vec![(job(1, 0, 1, 10), None), (job(2, 0, 1, 3), after(7, 0)), (job(3, 0, 1, 3), after(2, 0))];
    let (first, followers) = Followers::split(orphan);
    let mut script = Script::new(vec![(0, vec![Do::Start(0, vec![(0, 1)], Yield::ONE)])]);
    let error = simulate_with(1, &penalty(0), first, followers, &mut script, &mut ()).unwrap_err();
    assert_eq!(error, SimulationError::NeverFollows { job: JobId(3), after: JobId(2) });
    assert_eq!(error.to_string(), "job 3 depends on job 2, which is never submitted");
}
