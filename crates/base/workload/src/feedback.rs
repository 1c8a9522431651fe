//! Users who wait for their jobs: which job of a log is submitted how long after which other one has ended.
//!
//! A log says when jobs were submitted on the machine that it is of. On another one, or under another policy, users would have
//! had their answers at other times, and would have gone on at other times: *closed-loop* submission keeps the order and the
//! think times, and lets the simulation determine the times of submission.
//!
//! * [`dependencies`]: what the log says itself, the preceding job and the think time (fields 17 and 18 of SWF).
//! * [`holds`]: a job comes when the log says, and is held until all jobs have left or started that the log names before it, as by `--dependency` of Slurm.
//! * [`sessions`]: what can be concluded where the log does not say it. The jobs of a user are cut into sessions. Within
//!   a session a job follows the one that ended last before it was submitted, after the think time between the two; jobs
//!   of a session that were submitted before any of it had ended keep their submission times, as does the first one.
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
//! Sources: the definition of SWF 2.2 for the fields; N. Zakay and D. G. Feitelson, "On identifying user session boundaries in
//! parallel workload logs" (JSSPP 2012), who have sessions end where no job is submitted for long, however long jobs run, in
//! place of long think times; the same, "Preserving user behavior characteristics in trace-based simulation of parallel job
//! scheduling" (MASCOTS 2014), for dependencies and think times in place of times of submission. That a session begins when it
//! did in the log is ours.

use crate::log::Record;
use dfrsim_model::{Job, JobId, Preceding, SimSpan, SimTime, UserId};
use rustc_hash::FxHashMap;
use std::fmt;

/// Where a session of a user ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SessionRule {
    /// Where the user submits no job for longer than this.
    Arrival(SimSpan),
    /// Where the user submits no job for longer than this after all jobs of the session have ended (Shmueli and Feitelson,
    /// "On simulation and evaluation of parallel systems", MASCOTS 2009: 20 minutes).
    Think(SimSpan),
}

impl Default for SessionRule {
    /// An hour without a submission.
    fn default() -> SessionRule {
        SessionRule::Arrival(SimSpan::from_secs(3_600))
    }
}

/// How the times of submission come about.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Submission {
    /// They are those of the log.
    #[default]
    Open,
    /// Jobs of which the log names a preceding job are submitted a think time after its end.
    Dependencies,
    /// Jobs come when the log says, and are held until all jobs have left, or started, that it names before them.
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
    /// Which job follows which one; `None` if times are those of the log.
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

/// Which job follows which one.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Links {
    /// For each job the one that it follows. That has a number of its own and comes before it.
    pub preceding: Vec<Option<Preceding>>,
    /// What was met.
    pub counts: LinkCounts,
}

/// What was met while jobs were linked.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct LinkCounts {
    /// Jobs that follow another one.
    pub links: u64,
    /// Sessions.
    pub sessions: u64,
    /// Preceding jobs that are not simulated, or come later; no job waits for them.
    pub missing: u64,
    /// Preceding jobs with the number of another one too; no job waits for them.
    pub ambiguous: u64,
    /// Jobs without think time, which have that of the log, or 0 where they were submitted before the other one had ended.
    pub guessed_think: u64,
    /// Jobs without user, which are in no session.
    pub without_user: u64,
    /// Jobs without wait, which are taken to have started at once.
    pub without_wait: u64,
}

impl fmt::Display for LinkCounts {
    /// One line.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} jobs follow another one", self.links)?;
        let others = [
            ("sessions", self.sessions),
            ("preceding jobs not simulated", self.missing),
            ("preceding jobs with a number of several", self.ambiguous),
            ("think times guessed", self.guessed_think),
            ("jobs without user", self.without_user),
            ("jobs without wait", self.without_wait),
        ];
        let mut met = others.into_iter().filter(|(_, count)| *count > 0);
        met.try_for_each(|(what, count)| write!(f, "; {what}: {count}"))
    }
}

/// The places of the jobs by their numbers; `None` where several have one.
fn places(jobs: &[(Job, Record)]) -> FxHashMap<JobId, Option<usize>> {
    let mut places = FxHashMap::default();
    for (place, (job, _)) in jobs.iter().enumerate() {
        places.entry(job.id).and_modify(|known| *known = None).or_insert(Some(place));
    }
    places
}

/// When a job ended in the log.
fn end((job, record): &(Job, Record)) -> SimTime {
    let run_time = record.run_time.unwrap_or(job.run_time);
    job.submit.saturating_add(record.wait.unwrap_or_default()).saturating_add(run_time)
}

impl LinkCounts {
    /// The place of a preceding job before another place.
    fn find(&mut self, places: &FxHashMap<JobId, Option<usize>>, job: JobId, place: usize) -> Option<usize> {
        let found = places.get(&job);
        let before = found.copied().flatten().filter(|before| *before < place);
        self.ambiguous += u64::from(found == Some(&None));
        self.missing += u64::from(found != Some(&None) && before.is_none());
        before
    }
}

/// The preceding jobs and think times that the log names. Jobs are in the order of their submission.
pub fn dependencies(jobs: &[(Job, Record)]) -> Links {
    let places = places(jobs);
    let mut links = Links::default();
    let counts = &mut links.counts;
    for (place, (job, record)) in jobs.iter().enumerate() {
        let preceding = record.preceding_job.map(JobId).and_then(|number| {
            let before = counts.find(&places, number, place)?;
            let think = record.think_time.unwrap_or_else(|| {
                counts.guessed_think += 1;
                counts.without_wait += u64::from(jobs[before].1.wait.is_none());
                job.submit.saturating_since(end(&jobs[before]))
            });
            counts.links += 1;
            Some(Preceding::after(number, think))
        });
        links.preceding.push(preceding);
    }
    links
}

/// The preceding jobs that the log names, all of them. Jobs are in the order of their submission.
pub fn holds(jobs: &[(Job, Record)]) -> Links {
    let places = places(jobs);
    let mut links = Links::default();
    for (place, (_, record)) in jobs.iter().enumerate() {
        let ends = record.preceding_job.iter().map(|&job| (job, None));
        let mut preceding = Preceding::hold(Vec::new(), Vec::new());
        for (job, start) in ends.chain(record.also_preceding.iter().copied()) {
            if links.counts.find(&places, JobId(job), place).is_some() {
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

/// The session of a user that is going on.
struct Session {
    last_submit: SimTime,
    last_end: SimTime,
    /// The jobs that later ones may follow: their ends and places.
    ends: Vec<(SimTime, usize)>,
}

/// What follows from the sessions of users (see the [module's page](self)). Jobs are in the order of their submission.
pub fn sessions(jobs: &[(Job, Record)], rule: SessionRule) -> Links {
    let places = places(jobs);
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
        let end = end(pair);
        let Some(session) = open.get_mut(&user).filter(goes_on) else {
            counts.sessions += 1;
            let session = Session { last_submit: job.submit, last_end: end, ends: vec![(end, place)] };
            open.insert(user, session);
            links.preceding.push(None);
            continue;
        };
        // Of jobs that ended together the one that was submitted last.
        let ended = session.ends.iter().filter(|(end, _)| *end <= job.submit).max().copied();
        let preceding = ended.and_then(|(before_end, before)| {
            let id = jobs[before].0.id;
            if places[&id].is_none() {
                counts.ambiguous += 1;
                return None;
            }
            counts.links += 1;
            Some(Preceding::after(id, job.submit.since(before_end)))
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
