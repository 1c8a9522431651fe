//! Tests the dependencies between jobs, by hand and against the definition.

use dfrsim_model::{Dependencies, Job, JobId, SimSpan, SimTime, UserId};
use dfrsim_workload::feedback::{LinkCounts, SessionRule, Submission, dependencies, sessions};
use dfrsim_workload::log::Record;
use proptest::prelude::*;

/// Creates a job from (number, submit time, user), with its wait and run time in the log; all times
/// are in seconds.
fn job(number: u64, submit: u64, user: u32, wait: u64, run: u64) -> (Job, Record) {
    let job = Job {
        id: JobId(number),
        submit: SimTime::from_secs(submit),
        run_time: SimSpan::from_secs(run),
        user: UserId::new(user),
        ..Job::default()
    };
    let (wait, run_time) = (Some(SimSpan::from_secs(wait)), Some(job.run_time));
    (job, Record { job: number, wait, run_time, ..Record::default() })
}

fn after(job: u64, think: u64) -> Option<Dependencies> {
    Some(Dependencies::after(JobId(job), SimSpan::from_secs(think)))
}

/// User 1 submits jobs 1, 2 and 3, which end at 100 s, 50 s and 40 s, before any of them has ended.
/// Job 4 at 70 s follows job 2, the last one that has ended, and job 5 at 120 s follows job 1. Job 6
/// arrives 3,601 s later. Job 7 of user 2 is in a session of its own.
#[test]
fn jobs_of_a_session_follow_the_one_that_ended_last() {
    let jobs = [
        job(1, 0, 1, 0, 100),
        job(2, 5, 1, 15, 30),
        job(3, 10, 1, 0, 30),
        job(7, 60, 2, 0, 10),
        job(4, 70, 1, 0, 500),
        job(5, 120, 1, 0, 1),
        job(6, 3_721, 1, 0, 1),
    ];
    let links = sessions(&jobs, SessionRule::default());
    assert_eq!(links.preceding, [None, None, None, None, after(2, 20), after(1, 20), None]);
    assert_eq!(links.counts, LinkCounts { links: 2, sessions: 3, ..LinkCounts::default() });
    // Job 4 ends at 570 s: job 6 belongs to its session if a session ends an hour after the last job
    // end.
    let links = sessions(&jobs, SessionRule::Think(SimSpan::from_secs(3_600)));
    assert_eq!(links.preceding[6], after(4, 3_151));
}

#[test]
fn fields_17_and_18_name_the_job_before() {
    let mut jobs = [
        job(1, 0, 1, 0, 100),
        job(2, 50, 1, 0, 30),
        job(3, 90, 1, 0, 30),
        job(4, 95, 1, 0, 30),
        job(4, 96, 1, 0, 30),
        job(5, 99, 1, 0, 30),
        job(6, 99, 1, 0, 30),
    ];
    let mut says = |place: usize, preceding: u64, think: Option<u64>| {
        jobs[place].1.preceding_job = Some(preceding);
        jobs[place].1.think_time = think.map(SimSpan::from_secs);
    };
    says(1, 1, Some(7));
    // Job 3 arrived 10 s after the end of job 2, and job 6 before the end of job 1.
    says(2, 2, None);
    says(5, 1, None);
    says(3, 99, Some(1));
    says(4, 5, Some(1));
    says(6, 4, Some(1));
    let links = dependencies(&jobs);
    assert_eq!(links.preceding, [None, after(1, 7), after(2, 10), None, None, after(1, 0), None]);
    let expected =
        LinkCounts { links: 3, missing: 2, ambiguous: 1, guessed_think: 2, ..LinkCounts::default() };
    assert_eq!(links.counts, expected);
    assert_eq!(
        links.counts.to_string(),
        "3 jobs depend on another one; preceding jobs not simulated: 2; preceding jobs with an ambiguous number: 1; think times estimated: 2"
    );
}

#[test]
fn ways_of_submission_print_as_they_parse() {
    for text in ["open", "dependencies", "holds", "sessions:arrival:3600", "sessions:think:1200"] {
        assert_eq!(text.parse::<Submission>().unwrap().to_string(), text);
    }
    assert_eq!("sessions".parse::<Submission>().unwrap().to_string(), "sessions:arrival:3600");
    for text in ["", "Open", "sessions:", "sessions:arrival", "sessions:arrival:x", "sessions:think:-1"] {
        let error = text.parse::<Submission>().unwrap_err().to_string();
        assert!(error.starts_with(&format!("unknown submission `{text}`; expected open, ")), "{error}");
    }
}

proptest! {
    /// Compares with the definition, job by job: the preceding job is the one that ended last among
    /// those of the session that had ended.
    #[test]
    fn sessions_are_those_of_the_definition(
        lives in prop::collection::vec((0_u64..3_000, 0_u32..3, 0_u64..2_000, 1_u64..5_000), 0..60),
        gap in 0_u64..4_000,
        by_think in any::<bool>(),
    ) {
        let mut now = 0;
        let jobs: Vec<(Job, Record)> = (0_u64..).zip(&lives).map(|(number, &(wait_before, user, wait, run))| {
            now += wait_before;
            job(number, now, user, wait, run)
        }).collect();
        let gap = SimSpan::from_secs(gap);
        let rule = if by_think { SessionRule::Think(gap) } else { SessionRule::Arrival(gap) };
        let links = sessions(&jobs, rule);
        let end = |(job, record): &(Job, Record)| job.submit + record.wait.unwrap() + job.run_time;
        for place in 0..jobs.len() {
            let own = &jobs[place].0;
            // Searches the jobs of the user for the beginning of the session.
            let of_user: Vec<usize> = (0..place).filter(|&other| jobs[other].0.user == own.user).collect();
            let mut session = Vec::new();
            let mut begin = 0;
            for (at, &other) in of_user.iter().enumerate().chain([(of_user.len(), &place)]) {
                let before = &of_user[begin..at];
                let last = before.iter().map(|&it| if by_think { end(&jobs[it]) } else { jobs[it].0.submit }).max();
                if last.is_some_and(|last| jobs[other].0.submit > last + gap) {
                    begin = at;
                }
                session = of_user[begin..at].to_vec();
            }
            let ended = session.into_iter().filter(|&it| end(&jobs[it]) <= own.submit);
            let last = ended.max_by_key(|&it| (end(&jobs[it]), it));
            let expected =
                last.map(|it| Dependencies::after(jobs[it].0.id, own.submit.since(end(&jobs[it]))));
            prop_assert_eq!(&links.preceding[place], &expected, "job {}", place);
        }
    }
}
