//! Log of a site, and its windows.

use crate::engine::{GridJob, JobTraits};
use crate::scenario::SiteFields;
use chrono::{DateTime, NaiveDate, NaiveTime};
use dfrsim_lab::fields::LocatedFile;
use dfrsim_lab::{Digest, Input, RunError};
use dfrsim_model::platform::classes::is_of_site;
use dfrsim_model::{JobId, SimSpan, SimTime};
use dfrsim_workload::log::Naming;
use dfrsim_workload::prepare::{self, Opened, Options};
use std::collections::BTreeMap;
use std::fs::File;
use std::sync::Arc;

/// Home of jobs that stay at their site, until the number of the site is known.
pub(super) const HERE: u32 = u32::MAX;

const DAY_US: u64 = 86_400 * 1_000_000;

/// Jobs of a log, with times counted from its first submission. Missing walltimes are zero.
#[derive(Clone, Debug)]
pub(crate) struct Log {
    file: String,
    /// Start time in seconds since 1970 (UTC), if the header has it.
    begins: Option<i64>,
    jobs: Vec<GridJob>,
    /// Names of users by their numbers.
    users: Arc<BTreeMap<u32, String>>,
}

impl Log {
    /// Reads a log with the options of a site.
    ///
    /// # Errors
    /// If it cannot be read, or has no jobs.
    pub(super) fn read(file: &LocatedFile, site: &SiteFields) -> Result<(Log, Input), RunError> {
        let digest = File::open(&file.path).and_then(Digest::from_reader);
        let digest = digest.map_err(|error| RunError::io(&file.path, error))?;
        let reading = &site.reading;
        let options = Options {
            lines: reading.lines,
            size: reading.size,
            annotation: reading.annotation,
            rules: reading.rules,
            ..Options::default()
        };
        let mut users = BTreeMap::new();
        let special = match site.keeps_special {
            true => prepare::resources(&file.path, &options).map_err(RunError::input)?,
            false => Arc::default(),
        };
        let stays = |job: JobId| {
            let requests = special.get(&job).into_iter().flatten();
            { requests }.any(|(name, _)| is_of_site(name))
        };
        let read = match &reading.origin {
            Some(origin) => prepare::read_jobs_from(&file.path, &options, origin)
                .map(|(jobs, report)| (None, jobs, report)),
            None => Opened::open(&file.path, &options).and_then(|log| {
                let start = log.header().unix_start_time();
                let named = log.header().names(Naming::User);
                users = named.map(|(number, name)| (number, name.to_owned())).collect();
                let (jobs, report) = log.with_jobs(|jobs| jobs.collect::<Vec<_>>())?;
                Ok((start, jobs, report))
            }),
        };
        let (start, jobs, report) = read.map_err(RunError::input)?;
        let first = jobs.first().map(|job| job.submit);
        let first = first.ok_or_else(|| RunError::input(format!("{} has no jobs", file.given)))?;
        // All sites of a log share one time origin.
        let first = report.read.first_elsewhere.map_or(first, |elsewhere| elsewhere.min(first));
        let jobs: Vec<GridJob> = jobs
            .iter()
            .map(|job| GridJob {
                id: job.id,
                submit: SimTime::ZERO + job.submit.since(first),
                width: job.tasks,
                run: job.run_time,
                walltime: job.requested_time.unwrap_or(SimSpan::ZERO),
                // The number of the site is known later.
                home: stays(job.id).then_some(HERE),
                site: None,
                traits: JobTraits {
                    cpu_need: job.cpu_need,
                    memory: job.memory,
                    user: job.user,
                    origin: job.origin,
                },
            })
            .collect();
        let begins = start.map(|start| start.saturating_add((first.micros() / 1_000_000) as i64));
        let log = Log { file: file.given.clone(), begins, jobs, users: Arc::new(users) };
        let input = Input {
            report: vec![match &reading.origin {
                Some(origin) => format!("{origin}: {report}; {} days", log.days()),
                None => format!("{report}; {} days", log.days()),
            }],
            counts: vec![
                ("records".to_owned(), report.counts.records),
                ("jobs".to_owned(), log.jobs.len() as u64),
            ],
            account: Some(report.account().summary()),
            ..Input::new(&file.given, digest)
        };
        Ok((log, input))
    }

    /// Returns the part of the log that begins on a day, with times counted from that day.
    ///
    /// # Errors
    /// If the log has no start time, or no job from that day on.
    pub(super) fn starting_on(&self, day: NaiveDate) -> Result<Log, RunError> {
        let file = &self.file;
        let begins = self.begins.ok_or_else(|| {
            RunError::input(format!(
                "{file} has no start time (`UnixStartTime`), which `from` = {day} requires"
            ))
        })?;
        let midnight = day.and_time(NaiveTime::MIN).and_utc().timestamp();
        let later = (i128::from(begins) - i128::from(midnight)) * 1_000_000;
        let moved = |job: &GridJob| {
            let submit = u64::try_from(i128::from(job.submit.micros()) + later).ok()?;
            Some(GridJob { submit: SimTime::from_micros(submit), ..*job })
        };
        let jobs: Vec<GridJob> = self.jobs.iter().filter_map(moved).collect();
        if jobs.is_empty() {
            let first = DateTime::from_timestamp(begins, 0).map(|first| first.date_naive().to_string());
            let first = first.unwrap_or_else(|| format!("second {begins} since 1970"));
            return Err(RunError::input(format!("{file} begins on {first} and has no job from {day} on")));
        }
        Ok(Log { file: file.clone(), begins: Some(midnight), jobs, users: Arc::clone(&self.users) })
    }

    /// Returns the name of a user: its number if the log has no names.
    pub(super) fn user(&self, number: u32) -> String {
        self.users.get(&number).cloned().unwrap_or_else(|| number.to_string())
    }

    /// Returns the number of whole days from the first submission to the last one.
    fn days(&self) -> u64 {
        self.jobs.last().map_or(0, |job| job.submit.micros() / DAY_US)
    }

    /// Checks that the offset is within the log, and that it has as many jobs as requested.
    pub(super) fn check(&self, site: &SiteFields) -> Result<(), RunError> {
        let (days, offset) = (self.days(), u64::from(site.offset_days));
        if offset > days {
            let Log { file, .. } = self;
            return Err(RunError::input(format!(
                "{file} has only {days} days, fewer than `offset_days` = {offset}"
            )));
        }
        let wanted = site.jobs.iter().flatten().sum::<usize>();
        if wanted > self.jobs.len() {
            let (file, found) = (&self.file, self.jobs.len());
            return Err(RunError::input(format!(
                "{file} has only {found} jobs, fewer than the {wanted} that `jobs` requests"
            )));
        }
        Ok(())
    }

    /// Returns the start of a replication's window of `days` days, in days after the first job.
    fn window_start(&self, site: &SiteFields, days: u64, replication: u32) -> u64 {
        let wanted = u64::from(site.offset_days) + u64::from(site.shift_days) * u64::from(replication);
        let last = self.days().saturating_sub(days);
        if wanted <= last || (replication == 0 || site.shift_days == 0) {
            wanted
        } else {
            wanted % (last + 1)
        }
    }

    /// Returns the months of a replication: the first day of the window, and the jobs of each month,
    /// with times counted from its beginning.
    pub(super) fn months(
        &self,
        site: &SiteFields,
        days: &[u32],
        replication: u32,
    ) -> (u64, Vec<Vec<GridJob>>) {
        let all_days: u64 = days.iter().copied().map(u64::from).sum();
        let begin = self.window_start(site, all_days, replication);
        let mut from = SimTime::from_micros(begin * DAY_US);
        if let Some(counts) = &site.jobs {
            let wanted: usize = counts.iter().sum();
            let mut place = self.first_at_or_after(from).min(self.jobs.len() - wanted);
            let begin = self.jobs.get(place).map_or(begin, |job| job.submit.micros() / DAY_US);
            let mut month = |(&count, &days): (&usize, &u32)| {
                let jobs = self.stretched_jobs(place, count, u64::from(days) * DAY_US);
                place += count;
                jobs
            };
            return (begin, counts.iter().zip(days).map(&mut month).collect());
        }
        let months = days.iter().map(|&days| {
            let until = from + SimSpan::from_micros(u64::from(days) * DAY_US);
            let those = &self.jobs[self.first_at_or_after(from)..self.first_at_or_after(until)];
            let moved = |job: &GridJob| GridJob { submit: SimTime::ZERO + job.submit.since(from), ..*job };
            let jobs = those.iter().map(moved).collect();
            from = until;
            jobs
        });
        (begin, months.collect())
    }

    /// Returns the index of the first job that arrives at this time or later.
    fn first_at_or_after(&self, from: SimTime) -> usize {
        self.jobs.partition_point(|job| job.submit < from)
    }

    /// Returns `count` jobs from an index, with arrivals stretched or compressed so that the next
    /// job would arrive at the end of the month.
    fn stretched_jobs(&self, place: usize, count: usize, length: u64) -> Vec<GridJob> {
        let those = &self.jobs[place..place + count];
        let (Some(first), Some(last)) = (those.first(), those.last()) else { return Vec::new() };
        let behind = self.jobs.get(place + count).unwrap_or(last).submit;
        let natural = behind.since(first.submit).micros();
        let factor = if natural > 0 { length as f64 / natural as f64 } else { 0.0 };
        let moved = |job: &GridJob| GridJob {
            submit: SimTime::ZERO + job.submit.since(first.submit).scaled(factor),
            ..*job
        };
        those.iter().map(moved).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Builds a log with one job per day for ten days; the k-th has size k + 1.
    fn log() -> Log {
        let job = |day: u64| GridJob {
            id: JobId(day),
            submit: SimTime::from_micros(day * DAY_US),
            width: day as u32 + 1,
            run: SimSpan::from_secs(60),
            walltime: SimSpan::ZERO,
            home: None,
            site: None,
            traits: JobTraits::default(),
        };
        Log {
            file: "ten.swf".to_owned(),
            begins: Some(30 * 86_400 + 3_600),
            jobs: (0..10).map(job).collect(),
            users: Arc::default(),
        }
    }
    fn site(jobs: Option<Vec<usize>>, offset_days: u32, shift_days: u32) -> SiteFields {
        let (cluster, reading) = ("a".to_owned(), crate::scenario::LogReading::default());
        let keeps_special = false;
        SiteFields { cluster, log: None, jobs, load: None, offset_days, shift_days, keeps_special, reading }
    }
    /// Returns the beginning of the window, and the sizes and submit days of each month's jobs.
    fn months(site: &SiteFields, days: &[u32], replication: u32) -> (u64, Vec<Vec<(u32, f64)>>) {
        let (begin, months) = log().months(site, days, replication);
        let of_job = |job: &GridJob| (job.width, job.submit.micros() as f64 / DAY_US as f64);
        (begin, months.iter().map(|jobs| jobs.iter().map(of_job).collect()).collect())
    }

    #[test]
    fn months_are_the_days_behind_the_offset() {
        let found = months(&site(None, 2, 0), &[3, 1], 0);
        assert_eq!(found, (2, vec![vec![(3, 0.0), (4, 1.0), (5, 2.0)], vec![(6, 0.0)]]));
    }

    /// A log that begins on January 31, 1970, an hour after midnight.
    #[test]
    fn logs_have_the_time_of_the_calendar() {
        let days = |day: &str| {
            let jobs = log()
                .starting_on(day.parse().unwrap())
                .map(|log| log.jobs)
                .map_err(|error| error.to_string())?;
            Ok(jobs.iter().map(|job| (job.width, job.submit.micros() / 3_600_000_000)).collect::<Vec<_>>())
        };
        assert_eq!(days("1970-02-08"), Ok::<_, String>(vec![(9, 1), (10, 25)]));
        assert_eq!(days("1970-01-29").unwrap()[0], (1, 49));
        assert!(
            days("1970-02-10")
                .unwrap_err()
                .contains("ten.swf begins on 1970-01-31 and has no job from 1970-02-10")
        );
        let undated = Log { begins: None, ..log() };
        assert!(
            undated
                .starting_on("1970-02-10".parse().unwrap())
                .unwrap_err()
                .to_string()
                .contains("UnixStartTime")
        );
    }

    /// Checks windows of a log of ten days with a job each, the last one at the beginning of day 9:
    /// windows of four days may begin on days 0 to 5.
    #[test]
    fn replications_have_windows_of_their_own_and_wrap() {
        let of = |replication| months(&site(None, 1, 3), &[4], replication).0;
        assert_eq!([0, 1, 2, 3].map(of), [1, 4, 1, 4]);
        let same = months(&site(None, 8, 0), &[4], 5);
        assert_eq!(same, (8, vec![vec![(9, 0.0), (10, 1.0)]]));
    }

    #[test]
    fn a_number_of_jobs_fills_its_month() {
        let found = months(&site(Some(vec![4, 2]), 3, 0), &[2, 10], 0);
        let first = vec![(4, 0.0), (5, 0.5), (6, 1.0), (7, 1.5)];
        assert_eq!(found, (3, vec![first, vec![(8, 0.0), (9, 5.0)]]));
        // Only six jobs follow day 4, so the last eight are taken; none follows them.
        let last = months(&site(Some(vec![8]), 4, 0), &[7], 0);
        assert_eq!((last.0, last.1[0][0], last.1[0][7]), (2, (3, 0.0), (10, 7.0)));
    }

    #[test]
    fn what_the_log_does_not_have_is_refused() {
        let error = |site: SiteFields| log().check(&site).unwrap_err().to_string();
        assert!(error(site(None, 10, 0)).contains("ten.swf has only 9 days, fewer than `offset_days` = 10"));
        assert!(
            error(site(Some(vec![6, 5]), 0, 0))
                .contains("ten.swf has only 10 jobs, fewer than the 11 that `jobs` requests")
        );
        assert!(log().check(&site(Some(vec![6, 4]), 9, 0)).is_ok());
    }
}
