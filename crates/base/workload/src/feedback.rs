//! Closed-loop submission: users who wait for their jobs before they submit the next ones.
//!
//! A log has the submit times of one machine under one policy. On another machine, or under another
//! policy, the users would have had their results at other times and submitted their next jobs at
//! other times. *Closed-loop* submission keeps the order of the jobs and the think times, and lets
//! the simulation determine the submit times.
//!
//! * [`dependencies`]: dependencies recorded in the log, by preceding job and think time (fields 17
//!   and 18 of SWF).
//! * [`holds`]: a job is submitted at its time in the log and held until all jobs that the log names
//!   as its dependencies have ended or started, like `--dependency` of Slurm.
//! * [`sessions`]: dependencies inferred from the jobs of each user where the log has none. The jobs
//!   are split into sessions. Within a session a job follows the job that ended last before it was
//!   submitted, after the think time between the two. Jobs submitted before any job of their session
//!   has ended keep their submit times, as does the first one.
//!
//! ```
//! use dfrsim_workload::feedback::{SessionRule, sessions};
//! use dfrsim_workload::formats::swf;
//! use dfrsim_workload::log::Strictness;
//! use dfrsim_workload::prepare::{JobStream, Options};
//! // User 7 waits for job 1, which ends at second 90, and thinks for 30 s. Job 3 comes hours later: a session of its own.
//! let text = "\
//! 1     0 30 60 4 -1 -1 4 100 -1 1 7 -1 -1 -1 -1 -1 -1
//! 2   120  0 60 4 -1 -1 4 100 -1 1 7 -1 -1 -1 -1 -1 -1
//! 3 20000  0 60 4 -1 -1 4 100 -1 1 7 -1 -1 -1 -1 -1 -1
//! ";
//! let mut stream = JobStream::new(swf::read(text.as_bytes(), "log", Strictness::Strict)?, &Options::default());
//! let jobs: Vec<_> = std::iter::from_fn(|| stream.next_with_record()).collect();
//! let links = sessions(&jobs, SessionRule::default());
//! let preceding = links.preceding[1].clone().unwrap();
//! assert_eq!((preceding.jobs[0].0, preceding.think.to_string()), (1, "30".to_owned()));
//! assert_eq!((&links.preceding[2], links.counts.sessions), (&None, 2));
//! # Ok::<(), dfrsim_workload::log::LogError>(())
//! ```
//!
//! Sources: the definition of SWF 2.2 for the fields; N. Zakay and D. G. Feitelson, "On identifying
//! user session boundaries in parallel workload logs" (JSSPP 2012), who end a session after a long
//! time without a submission, however long jobs run, instead of after a long think time; the same
//! authors, "Preserving user behavior characteristics in trace-based simulation of parallel job
//! scheduling" (MASCOTS 2014), for dependencies and think times in place of submit times. Sessions
//! starting at their times in the log are an assumption of this project.

use crate::log::Record;
use dfrsim_model::{Dependencies, Job, JobId, SimSpan, SimTime, UserId};
use rustc_hash::FxHashMap;
use std::fmt;

/// The rule for the end of a user's session.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SessionRule {
    /// The session ends if the user submits no job for longer than this after the last submission.
    Arrival(SimSpan),
    /// The session ends if the user submits no job for longer than this after all jobs of the
    /// session have ended (Shmueli and Feitelson, "On simulation and evaluation of parallel
    /// systems", MASCOTS 2009: 20 minutes).
    Think(SimSpan),
}

impl Default for SessionRule {
    /// Returns the default: one hour without a submission.
    fn default() -> SessionRule {
        SessionRule::Arrival(SimSpan::from_secs(3_600))
    }
}

/// The source of submit times.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Submission {
    /// Submit times of the log (open loop).
    #[default]
    Open,
    /// A job with a preceding job in the log is submitted its think time after the end of that job.
    Dependencies,
    /// Jobs are submitted at their times in the log and held until their dependencies in the log
    /// have ended or started.
    Holds,
    /// Users wait for their jobs within sessions.
    Sessions(SessionRule),
}

dfrsim_model::parses!(
    Submission,
    "unknown submission `{text}`; expected open, dependencies, holds, sessions, sessions:arrival:SECONDS or sessions:think:SECONDS",
    |text| {
        let seconds =
            |digits: &str| digits.parse::<u32>().ok().map(|seconds| SimSpan::from_secs(seconds.into()));
        Some(match text.split(':').collect::<Vec<_>>()[..] {
            ["open"] => Submission::Open,
            ["dependencies"] => Submission::Dependencies,
            ["holds"] => Submission::Holds,
            ["sessions"] => Submission::Sessions(SessionRule::default()),
            ["sessions", "arrival", digits] => Submission::Sessions(SessionRule::Arrival(seconds(digits)?)),
            ["sessions", "think", digits] => Submission::Sessions(SessionRule::Think(seconds(digits)?)),
            _ => return None,
        })
    }
);

impl fmt::Display for Submission {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Submission::Open => f.write_str("open"),
            Submission::Dependencies => f.write_str("dependencies"),
            Submission::Holds => f.write_str("holds"),
            Submission::Sessions(SessionRule::Arrival(gap)) => write!(f, "sessions:arrival:{gap}"),
            Submission::Sessions(SessionRule::Think(gap)) => write!(f, "sessions:think:{gap}"),
        }
    }
}

impl Submission {
    /// Returns whether the dependencies that the log records are used.
    #[must_use]
    pub fn follows_log(self) -> bool {
        matches!(self, Submission::Dependencies | Submission::Holds)
    }
    /// Computes the dependencies of the jobs; `None` if the submit times of the log are used.
    #[must_use]
    pub fn links(self, jobs: &[(Job, Record)]) -> Option<Links> {
        match self {
            Submission::Open => None,
            Submission::Dependencies => Some(dependencies(jobs)),
            Submission::Holds => Some(holds(jobs)),
            Submission::Sessions(rule) => Some(sessions(jobs, rule)),
        }
    }
}

/// Dependencies between the jobs of a log.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Links {
    /// Dependencies of each job. They are on jobs that come earlier and whose numbers are unique.
    pub preceding: Vec<Option<Dependencies>>,
    /// Counts of links and of anomalies.
    pub counts: LinkCounts,
}

/// Counts of links, and of the anomalies found while jobs were linked.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct LinkCounts {
    /// Number of jobs that depend on another one.
    pub links: u64,
    /// Number of sessions.
    pub sessions: u64,
    /// Dependencies on jobs that are not simulated or that come later; they are ignored.
    pub missing: u64,
    /// Dependencies on job numbers that several jobs have; they are ignored.
    pub ambiguous: u64,
    /// Jobs without a recorded think time. It is taken from the log's times, as 0 if the job was
    /// submitted before the preceding one ended.
    pub guessed_think: u64,
    /// Jobs without a user; they belong to no session.
    pub without_user: u64,
    /// Jobs without a recorded wait time; they are assumed to have started at submission.
    pub without_wait: u64,
}

impl fmt::Display for LinkCounts {
    /// Formats the counts on one line, without those that are 0.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} jobs depend on another one", self.links)?;
        let others = [
            ("sessions", self.sessions),
            ("preceding jobs not simulated", self.missing),
            ("preceding jobs with an ambiguous number", self.ambiguous),
            ("think times estimated", self.guessed_think),
            ("jobs without a user", self.without_user),
            ("jobs without a wait time", self.without_wait),
        ];
        let mut met = others.into_iter().filter(|(_, count)| *count > 0);
        met.try_for_each(|(what, count)| write!(f, "; {what}: {count}"))
    }
}

/// Maps job numbers to indices; `None` if several jobs have the number.
fn indices_by_id(jobs: &[(Job, Record)]) -> FxHashMap<JobId, Option<usize>> {
    let mut places = FxHashMap::default();
    for (place, (job, _)) in jobs.iter().enumerate() {
        places.entry(job.id).and_modify(|known| *known = None).or_insert(Some(place));
    }
    places
}

/// Returns the time at which a job ended in the log.
fn logged_end((job, record): &(Job, Record)) -> SimTime {
    let run_time = record.run_time.unwrap_or(job.run_time);
    job.submit.saturating_add(record.wait.unwrap_or_default()).saturating_add(run_time)
}

impl LinkCounts {
    /// Returns the index of a preceding job if it is before `place`; otherwise counts the anomaly.
    fn find_preceding(
        &mut self,
        places: &FxHashMap<JobId, Option<usize>>,
        job: JobId,
        place: usize,
    ) -> Option<usize> {
        let found = places.get(&job);
        let before = found.copied().flatten().filter(|before| *before < place);
        self.ambiguous += u64::from(found == Some(&None));
        self.missing += u64::from(found != Some(&None) && before.is_none());
        before
    }
}

/// Builds the links from the preceding job and think time that the log records. `jobs` are in the
/// order of submission.
pub fn dependencies(jobs: &[(Job, Record)]) -> Links {
    let places = indices_by_id(jobs);
    let mut links = Links::default();
    let counts = &mut links.counts;
    for (place, (job, record)) in jobs.iter().enumerate() {
        let preceding = record.preceding_job.map(JobId).and_then(|number| {
            let before = counts.find_preceding(&places, number, place)?;
            let think = record.think_time.unwrap_or_else(|| {
                counts.guessed_think += 1;
                counts.without_wait += u64::from(jobs[before].1.wait.is_none());
                job.submit.saturating_since(logged_end(&jobs[before]))
            });
            counts.links += 1;
            Some(Dependencies::after(number, think))
        });
        links.preceding.push(preceding);
    }
    links
}

/// Builds the links from all dependencies that the log records. `jobs` are in the order of
/// submission.
pub fn holds(jobs: &[(Job, Record)]) -> Links {
    let places = indices_by_id(jobs);
    let mut links = Links::default();
    for (place, (_, record)) in jobs.iter().enumerate() {
        let ends = record.preceding_job.iter().map(|&job| (job, None));
        let mut preceding = Dependencies::hold(Vec::new(), Vec::new());
        for (job, start) in ends.chain(record.also_preceding.iter().copied()) {
            if links.counts.find_preceding(&places, JobId(job), place).is_some() {
                match start {
                    None => preceding.jobs.push(JobId(job)),
                    Some(delay) => preceding.starts.push((JobId(job), delay)),
                }
            }
        }
        let follows = !preceding.jobs.is_empty() || !preceding.starts.is_empty();
        links.counts.links += u64::from(follows);
        links.preceding.push(follows.then_some(preceding));
    }
    links
}

/// The current session of a user.
struct Session {
    last_submit: SimTime,
    last_end: SimTime,
    /// Jobs that later ones may still follow, as (end, index).
    ends: Vec<(SimTime, usize)>,
}

/// Builds the links from the sessions of the users (see the [module's page](self)). `jobs` are in
/// the order of submission.
pub fn sessions(jobs: &[(Job, Record)], rule: SessionRule) -> Links {
    let places = indices_by_id(jobs);
    let mut links = Links::default();
    let counts = &mut links.counts;
    let mut open: FxHashMap<UserId, Session> = FxHashMap::default();
    for (place, pair) in jobs.iter().enumerate() {
        let (job, record) = pair;
        let Some(user) = job.user else {
            counts.without_user += 1;
            links.preceding.push(None);
            continue;
        };
        counts.without_wait += u64::from(record.wait.is_none());
        let goes_on = |session: &&mut Session| match rule {
            SessionRule::Arrival(gap) => job.submit <= session.last_submit.saturating_add(gap),
            SessionRule::Think(gap) => job.submit <= session.last_end.saturating_add(gap),
        };
        let end = logged_end(pair);
        let Some(session) = open.get_mut(&user).filter(goes_on) else {
            counts.sessions += 1;
            let session = Session { last_submit: job.submit, last_end: end, ends: vec![(end, place)] };
            open.insert(user, session);
            links.preceding.push(None);
            continue;
        };
        // Among jobs that ended together, the one submitted last.
        let ended = session.ends.iter().filter(|(end, _)| *end <= job.submit).max().copied();
        let preceding = ended.and_then(|(before_end, before)| {
            let id = jobs[before].0.id;
            if places[&id].is_none() {
                counts.ambiguous += 1;
                return None;
            }
            counts.links += 1;
            Some(Dependencies::after(id, job.submit.since(before_end)))
        });
        if let Some(latest) = ended {
            // No later job of the session can follow one that ended earlier.
            session.ends.retain(|other| *other >= latest);
        }
        session.ends.push((end, place));
        (session.last_submit, session.last_end) = (job.submit, session.last_end.max(end));
        links.preceding.push(preceding);
    }
    links
}
