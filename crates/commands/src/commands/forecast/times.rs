//! Times, durations and hypothetical jobs as users write them.

use chrono::{NaiveDate, NaiveDateTime};
use dfrsim_forecast::state::{Field, StateJob, duration};
use dfrsim_model::named::UnknownName;
use dfrsim_model::{Job, JobId, Share, SimSpan, SimTime, UserId};
use dfrsim_workload::formats::slurm::PresentJob;
use rustc_hash::FxHashMap;
use std::str::FromStr;

/// Time of a snapshot: a second of the log, or a date.
#[derive(Clone, Copy, Debug)]
pub(super) enum At {
    Second(SimTime),
    /// Seconds since 1970.
    Unix(i64),
}

impl FromStr for At {
    type Err = String;

    fn from_str(text: &str) -> Result<At, String> {
        if let Ok(second) = text.parse() {
            return Ok(At::Second(second));
        }
        let date = ["%Y-%m-%dT%H:%M:%S", "%Y-%m-%dT%H:%M"]
            .iter()
            .find_map(|form| NaiveDateTime::parse_from_str(text, form).ok())
            .or_else(|| NaiveDate::parse_from_str(text, "%Y-%m-%d").ok()?.and_hms_opt(0, 0, 0));
        date.map(|date| At::Unix(date.and_utc().timestamp())).ok_or_else(|| {
            format!("expected a second of the log or a date such as 2026-03-14T08:00, found `{text}`")
        })
    }
}

impl At {
    /// Returns the Unix time, given that of second 0 of the log.
    pub(super) fn unix(self, unix_start: i64) -> i64 {
        match self {
            At::Second(second) => unix_start.saturating_add_unsigned(second.micros() / 1_000_000),
            At::Unix(unix) => unix,
        }
    }

    /// Returns the Unix time of a date; `None` for a second of the log.
    pub(super) fn date(self) -> Option<i64> {
        match self {
            At::Second(_) => None,
            At::Unix(unix) => Some(unix),
        }
    }

    /// Returns the second of the log, given the Unix time of its second 0.
    pub(super) fn second(self, unix_start: Option<i64>) -> Result<SimTime, String> {
        match (self, unix_start) {
            (At::Second(second), _) => Ok(second),
            (At::Unix(_), None) => {
                Err("--at: the log has no UnixStartTime; give a second of the log instead of a date"
                    .to_owned())
            }
            (At::Unix(unix), Some(start)) => u64::try_from(unix - start)
                .map(SimTime::from_secs)
                .map_err(|_| "--at: the date is before the start of the log".to_owned()),
        }
    }
}

/// Duration such as `6h`, `30m`, `90` (seconds) or `2d`.
#[derive(Clone, Copy, Debug)]
pub(super) struct Duration(SimSpan);

impl Duration {
    pub(super) fn span(self) -> SimSpan {
        self.0
    }
}

impl FromStr for Duration {
    type Err = String;

    fn from_str(text: &str) -> Result<Duration, String> {
        let (digits, unit) = match text.strip_suffix(['s', 'm', 'h', 'd']) {
            Some(digits) => (digits, &text[digits.len()..]),
            None => (text, "s"),
        };
        let seconds = match unit {
            "m" => 60,
            "h" => 3_600,
            "d" => 86_400,
            _ => 1,
        };
        let count = digits.parse::<u64>().ok().filter(|count| (1..=1_000_000).contains(count));
        count.map(|count| Duration(SimSpan::from_secs(count * seconds))).ok_or_else(|| {
            format!("expected a time such as 6h, 30m, 2d or a number of seconds, found `{text}`")
        })
    }
}

/// Numbers of the users of a log, by name.
pub(super) type Users = FxHashMap<String, u32>;

/// Job that is not in the queue, such as `nodes=4 time=2:00:00 user=3`.
#[derive(Clone, Debug)]
pub(super) struct Hypothetical {
    text: String,
    nodes: u32,
    time: SimSpan,
    user: Option<String>,
    processors: Option<u32>,
    /// Fields that only jobs of a site have.
    others: Vec<(Field, String)>,
}

/// Parses a time limit above 0, as Slurm writes it.
fn limit(text: &str) -> Option<SimSpan> {
    duration(text).filter(|&seconds| seconds > 0).map(SimSpan::from_secs)
}

impl FromStr for Hypothetical {
    type Err = String;

    fn from_str(text: &str) -> Result<Hypothetical, String> {
        let (mut nodes, mut time, mut user, mut processors) = (None, None, None, None);
        let mut others = Vec::new();
        for word in text.split([' ', ',']).filter(|word| !word.is_empty()) {
            let (name, value) = word.split_once('=').unwrap_or((word, ""));
            let wrong = || {
                format!(
                    "`{word}`: expected nodes=N, time=H:MM:SS and user=NAME; of a site, also cpus=N, partition=NAME, account=NAME, qos=NAME, gres=NAME:N, mem=SIZE, features=NAME and reservation=NAME"
                )
            };
            let number = || value.parse().ok().filter(|&number: &u32| number > 0).ok_or_else(wrong);
            let field = match name {
                "nodes" => {
                    nodes = Some(number()?);
                    continue;
                }
                "cpus" => {
                    processors = Some(number()?);
                    continue;
                }
                "time" => {
                    time = Some(limit(value).ok_or_else(wrong)?);
                    continue;
                }
                _ if value.is_empty() => return Err(wrong()),
                "user" => {
                    user = Some(value.to_owned());
                    continue;
                }
                "partition" => Field::Partition,
                "account" => Field::Account,
                "qos" => Field::Qos,
                "gres" => Field::TresPerNode,
                "mem" => Field::ReqTres,
                "features" => Field::Features,
                "reservation" => Field::Reservation,
                _ => return Err(wrong()),
            };
            others.push((field, value.to_owned()));
        }
        match (nodes, time) {
            (Some(nodes), Some(time)) => {
                Ok(Hypothetical { text: text.to_owned(), nodes, time, user, processors, others })
            }
            (None, _) => Err("expected nodes=N".to_owned()),
            (_, None) => Err("expected time=H:MM:SS".to_owned()),
        }
    }
}

impl Hypothetical {
    /// Returns the description as the user wrote it.
    pub(super) fn text(&self) -> String {
        self.text.clone()
    }

    /// Returns the name of the user, if it is given.
    pub(super) fn user(&self) -> Option<String> {
        self.user.clone()
    }

    /// Returns the job as a line of the listing of a site, with this number and submitted at this time.
    /// Without `cpus=N` it has one processor on each node.
    pub(super) fn listed(&self, number: u64, at: i64) -> Result<PresentJob, String> {
        let processors = self.processors.unwrap_or(self.nodes);
        let other = |(field, value): &(Field, String)| {
            let value = match field {
                Field::ReqTres => format!("cpu={processors},mem={value},node={}", self.nodes),
                _ => value.clone(),
            };
            (*field, value)
        };
        let job = StateJob {
            place: 1,
            name: number.to_string(),
            user: self.user.clone(),
            size: self.nodes,
            limit: self.time.micros() / 1_000_000,
            submit: at,
            start: None,
            after: Vec::new(),
            reason: None,
            processors: Some(processors),
            others: self.others.iter().map(other).collect(),
        };
        job.listed(at).map_err(|fault| fault.message)
    }

    /// Returns the job, submitted at a time. `users` maps the names of users to numbers; a
    /// number denotes itself.
    ///
    /// # Errors
    /// If the user is unknown, or if the job has fields that only a site has.
    pub(super) fn job(&self, at: SimTime, users: &Users) -> Result<Job, String> {
        if let Some((field, _)) = self.others.first() {
            return Err(format!("--submit: {field}: give the --slurm-conf of the site"));
        }
        if self.processors.is_some() {
            return Err("--submit: cpus: give the --slurm-conf of the site".to_owned());
        }
        let number = |name: &String| match (users.get(name), name.parse()) {
            (Some(&number), _) | (None, Ok(number)) => Ok(number),
            (None, Err(_)) => Err(UnknownName::new("user", name, users.keys())),
        };
        let user = self.user.as_ref().map(number).transpose().map_err(|unknown| unknown.to_string())?;
        Ok(Job {
            id: JobId(u64::MAX / 4),
            submit: at,
            tasks: self.nodes,
            cpu_need: Share::ONE,
            run_time: self.time,
            requested_time: Some(self.time),
            user: user.and_then(UserId::new),
            ..Job::default()
        })
    }
}
