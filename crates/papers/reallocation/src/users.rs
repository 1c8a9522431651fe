//! Waits of users in a federation, compared with those at their own sites.

use crate::engine::{GridJob, Outcome};
use crate::rows::Simulation;
use dfrsim_lab::{Bootstrap, Cell, Long, NamedTable, Table, TableLine, by_sorted_key};
use dfrsim_model::{Seed, UserId};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

const DAY_US: u64 = 86_400 * 1_000_000;
const HOUR_S: f64 = 3_600.0;
/// Number of resamples of an interval.
const RESAMPLES: usize = 2_000;
/// Smallest number of days for which an interval is given.
const FEWEST_DAYS: usize = 5;
/// Number of users that the printed table lists for each site.
const MOST_LISTED: usize = 8;

/// Jobs of a user of a site.
#[derive(Debug, Serialize, Deserialize)]
struct User {
    site: usize,
    name: String,
    /// For each day of submission: its number, the number of jobs, and the sums of their waits before
    /// and after, in seconds.
    days: Vec<(u64, usize, f64, f64)>,
}

/// Number of jobs and the sums of their waits before and after, in seconds, by day of submission.
type Days = BTreeMap<u64, (usize, f64, f64)>;

/// Formats the waits of all users as JSON, for a column of rows.
pub(crate) fn json(
    jobs: &[GridJob],
    (reference, outcome): (&Outcome, &Outcome),
    name: impl Fn(usize, u32) -> String,
) -> String {
    let mut users: BTreeMap<(usize, Option<UserId>), Days> = BTreeMap::new();
    for ((job, before), after) in jobs.iter().zip(&reference.jobs).zip(&outcome.jobs) {
        let (Some(site), Some(before), Some(after)) = (job.site, before, after) else { continue };
        let days = users.entry((site as usize, job.traits.user)).or_default();
        let day = days.entry(job.submit.micros() / DAY_US).or_default();
        day.0 += 1;
        day.1 += before.start.since(job.submit).as_secs_f64();
        day.2 += after.start.since(job.submit).as_secs_f64();
    }
    let user = |((site, user), days): ((usize, Option<UserId>), Days)| User {
        site,
        name: user.map_or_else(|| "unknown".to_owned(), |user| name(site, user.number())),
        days: days.into_iter().map(|(day, (jobs, before, after))| (day, jobs, before, after)).collect(),
    };
    let users: Vec<User> = users.into_iter().map(user).collect();
    serde_json::to_string(&users).unwrap_or_default()
}

/// Waits of a group of jobs by day of submission: the number of jobs, and the sums before and after.
#[derive(Clone, Debug, Default)]
struct Waits(BTreeMap<(u32, u64), (usize, f64, f64)>);

/// Mean waits of a group of jobs, in hours, with the interval of the change.
#[derive(Clone, Copy, Debug)]
struct Change {
    jobs: usize,
    before: f64,
    after: f64,
    interval: Option<(f64, f64)>,
}

impl Waits {
    fn add(&mut self, replication: u32, days: &[(u64, usize, f64, f64)]) {
        for (day, jobs, before, after) in days {
            let sum = self.0.entry((replication, *day)).or_default();
            *sum = (sum.0 + jobs, sum.1 + before, sum.2 + after);
        }
    }

    /// Computes the mean waits. The interval is that of days, which are resampled as a whole.
    fn change(&self, seed: Seed) -> Change {
        let sum = |of: fn(&(usize, f64, f64)) -> f64| self.0.values().map(of).sum::<f64>();
        let jobs: usize = self.0.values().map(|day| day.0).sum();
        let mean = |sum: f64| sum / (jobs.max(1) as f64) / HOUR_S;
        let blocks: Vec<Vec<(f64, f64)>> =
            self.0.values().map(|(jobs, before, after)| vec![(after - before, *jobs as f64)]).collect();
        let bootstrap =
            Bootstrap { seed, resamples: RESAMPLES, confidence: dfrsim_lab::Confidence::default() };
        let estimate = (blocks.len() >= FEWEST_DAYS).then(|| bootstrap.ratio_of_means(&blocks)).flatten();
        let interval = estimate.and_then(|estimate| estimate.interval);
        Change {
            jobs,
            before: mean(sum(|day| day.1)),
            after: mean(sum(|day| day.2)),
            interval: interval.map(|(low, high)| (low / HOUR_S, high / HOUR_S)),
        }
    }
}

impl Change {
    /// Returns the verdict: `less`, `more`, `same`, or `open` if the interval has both signs or is
    /// unknown.
    fn verdict(&self) -> &'static str {
        match self.interval {
            Some((_, high)) if high < 0.0 => "less",
            Some((low, _)) if low > 0.0 => "more",
            _ if self.before == self.after => "same",
            _ => "open",
        }
    }

    fn line(&self, line: TableLine) -> TableLine {
        let (low, high) = self.interval.unzip();
        line.with("jobs", self.jobs)
            .with("wait_before_h", self.before)
            .with("wait_after_h", self.after)
            .with("change_h", self.after - self.before)
            .with("change_h_low", low)
            .with("change_h_high", high)
            .with("waits", self.verdict())
    }

    /// Formats the change for a sentence.
    fn words(&self) -> String {
        let interval = self.interval.map_or_else(
            || "too few days for an interval".to_owned(),
            |(low, high)| format!("95 % interval {low:+.2} to {high:+.2} h"),
        );
        format!(
            "{:.2} h before, {:.2} h after: {:+.2} h, {interval}",
            self.before,
            self.after,
            self.after - self.before
        )
    }
}

/// Builds the tables of waits by user: the answer, which is printed, and the one with all users.
/// `sites` returns the names of the sites of a workload.
pub(crate) fn tables(
    rows: &Long<Simulation>,
    seed: Seed,
    sites: impl Fn(&str) -> Vec<String>,
) -> Vec<NamedTable> {
    let seed = seed.fork("waits of users");
    let rows = rows.ok().filter(|row| row.users.is_some());
    let places = by_sorted_key(rows, |row| [row.workload.as_str(), &row.platform, &row.local]);
    let (mut all_lines, mut listed, mut notes, mut titles) = (Vec::new(), Vec::new(), Vec::new(), Vec::new());
    for ([workload, platform, local], rows) in places {
        let sites = sites(workload);
        let mut whole = Waits::default();
        let mut of_sites: BTreeMap<usize, Waits> = BTreeMap::new();
        let mut of_users: BTreeMap<(usize, String), Waits> = BTreeMap::new();
        for row in rows {
            let users: Vec<User> =
                row.users.as_deref().and_then(|text| serde_json::from_str(text).ok()).unwrap_or_default();
            for User { site, name, days } in users {
                whole.add(row.replication, &days);
                of_sites.entry(site).or_default().add(row.replication, &days);
                of_users.entry((site, name)).or_default().add(row.replication, &days);
            }
        }
        let site_name = |site: usize| sites.get(site).cloned().unwrap_or_else(|| site.to_string());
        let begin = |site: &str, user: &str| {
            TableLine::new()
                .with("workload", workload)
                .with("platform", platform)
                .with("local", local)
                .with("site", Cell::from(site.to_owned()))
                .with("user", Cell::from(user.to_owned()))
        };
        let whole = whole.change(seed);
        let mut lines = vec![whole.line(begin("all", "all"))];
        let mut users: Vec<(usize, String, Change)> = of_users
            .iter()
            .map(|((site, name), waits)| (*site, name.clone(), waits.change(seed.fork(name))))
            .collect();
        // Those whose jobs save or lose most in total come first.
        let total = |change: &Change| ((change.after - change.before) * change.jobs as f64).abs();
        users.sort_by(|one, other| total(&other.2).total_cmp(&total(&one.2)));
        let count = |verdict: &str| users.iter().filter(|(.., change)| change.verdict() == verdict).count();
        let [less, more, open] = ["less", "more", "open"].map(count);
        let answer = format!(
            "{less} of {} users wait less, {more} more, {open} are open; mean wait of all jobs {}",
            users.len(),
            whole.words()
        );
        titles.push(answer.clone());
        notes.push(format!("{workload}, {platform}, {local}: {answer}."));
        for (&site, waits) in &of_sites {
            let change = waits.change(seed);
            let name = site_name(site);
            notes.push(format!("{workload}, site {name}: {}.", change.words()));
            lines.push(change.line(begin(&name, "all")));
        }
        listed.extend(lines.iter().cloned());
        let mut printed: BTreeMap<usize, usize> = BTreeMap::new();
        for (site, name, change) in &users {
            let line = change.line(begin(&site_name(*site), name));
            let count = printed.entry(*site).or_default();
            *count += 1;
            if *count <= MOST_LISTED {
                listed.push(line.clone());
            }
            lines.push(line);
        }
        all_lines.extend(lines);
    }
    let title = match &titles[..] {
        [one] => format!("In the federation {one}"),
        _ => "Waits in the federation, by user".to_owned(),
    };
    notes.push(format!(
        "Intervals resample days of submission; below {FEWEST_DAYS} days there is none. `tables/users_all.csv` has all users."
    ));
    let answer: Table = listed.into_iter().collect();
    let all =
        NamedTable::new("users_all", "Waits of all users in the federation", all_lines.into_iter().collect());
    vec![NamedTable::printed("users", title, answer.with_notes(notes)), all]
}
