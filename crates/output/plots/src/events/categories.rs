//! Categories of jobs, by which a Gantt chart colours them.

use super::attributes::JobAttributes;
use super::life::JobHistory;
use super::lives::JobHistories;
use super::replay::Change;
use crate::colour::OTHERS;
use crate::palette;
use plotters::style::RGBColor;
use std::collections::BTreeMap;

dfrsim_model::named! {
    /// Property of jobs by which a Gantt chart colours them.
    #[derive(Default)]
    pub enum ColourBy as "property of jobs" {
        /// Jobs in the order of their submission take turns with the colours.
        #[default]
        Job = "job",
        /// Users.
        User = "user",
        /// Accounts, the groups of users.
        Account = "account",
        /// Queues of the submission.
        Queue = "queue",
        /// Partitions of the submission.
        Partition = "partition",
        /// Numbers of tasks.
        Size = "size",
        /// Bounded stretch.
        Stretch = "stretch",
        /// Ends of jobs: completed, killed, lost, or still in the system.
        State = "state",
    }
}

/// Number of users, accounts, queues or partitions with a colour; the others share one.
const MOST: usize = 6;

/// Colours from few to many, from light to dark.
const SEQUENCE: [RGBColor; 5] = [
    RGBColor(0xfd, 0xe7, 0x25),
    RGBColor(0x7a, 0xd1, 0x51),
    RGBColor(0x22, 0xa8, 0x84),
    RGBColor(0x2a, 0x78, 0x8e),
    RGBColor(0x44, 0x3a, 0x83),
];

/// Categories of the jobs of a chart.
pub(super) struct Categories {
    /// Names and colours of the categories that occur; empty if each job has its own colour.
    pub(super) named: Vec<(String, RGBColor)>,
    /// Index of the category of each job.
    of_jobs: Vec<usize>,
}

impl Categories {
    /// Determines the categories of jobs.
    ///
    /// # Errors
    /// Returns a message if no job has the property.
    pub(super) fn new(lives: &JobHistories, by: ColourBy) -> Result<Categories, String> {
        match by {
            ColourBy::Job => Ok(Categories { named: Vec::new(), of_jobs: Vec::new() }),
            ColourBy::User => ranked(lives, "user", |of| of.user),
            ColourBy::Account => ranked(lives, "account", |of| of.group),
            ColourBy::Queue => ranked(lives, "queue", |of| of.queue),
            ColourBy::Partition => ranked(lives, "partition", |of| of.partition),
            ColourBy::Size => {
                let names = ["1 task", "2 to 4 tasks", "5 to 16 tasks", "17 to 64 tasks", "65 tasks or more"];
                let bounds = [1, 4, 16, 64];
                Ok(classes(lives, names, |job| bounds.partition_point(|most| *most < job.of.tasks)))
            }
            ColourBy::Stretch => {
                let names = ["stretch at most 1.1", "at most 2", "at most 10", "at most 100", "above 100"];
                let bounds = [1.1, 2.0, 10.0, 100.0];
                let class = |job: &JobHistory| {
                    let spent = job.end.saturating_sub(job.submit) as f64;
                    let stretch = spent / job.run.max(lives.tau).max(1) as f64;
                    bounds.partition_point(|most| *most < stretch)
                };
                Ok(classes(lives, names, class))
            }
            ColourBy::State => Ok(states(lives)),
        }
    }

    /// Returns the colour of a job.
    pub(super) fn colour(&self, job: usize, sequence: u64) -> RGBColor {
        match self.of_jobs.get(job) {
            Some(&category) => self.named[category].1,
            None => palette::fill(sequence),
        }
    }

    /// Leaves the categories that occur.
    fn pruned(named: Vec<(String, RGBColor)>, of_jobs: Vec<usize>) -> Categories {
        let mut places = vec![None; named.len()];
        of_jobs.iter().for_each(|&category| places[category] = Some(0));
        let mut kept = Vec::new();
        for (place, category) in places.iter_mut().zip(named) {
            if place.is_some() {
                *place = Some(kept.len());
                kept.push(category);
            }
        }
        let of_jobs = of_jobs.into_iter().filter_map(|category| places[category]).collect();
        Categories { named: kept, of_jobs }
    }
}

/// Puts jobs into the five classes of an ordered property.
fn classes(
    lives: &JobHistories,
    names: [&str; SEQUENCE.len()],
    class: impl Fn(&JobHistory) -> usize,
) -> Categories {
    let named = names.map(str::to_owned).into_iter().zip(SEQUENCE).collect();
    Categories::pruned(named, lives.jobs.iter().map(class).collect())
}

fn states(lives: &JobHistories) -> Categories {
    let names = ["completed", "killed", "lost", "in the system at the end"];
    let colours = [2, 6, 3, 0].map(palette::fill);
    let state = |job: &JobHistory| match job.fate {
        Some(Change::Kill) => 1,
        Some(Change::Lose) => 2,
        None => 3,
        Some(_) => 0,
    };
    let named = names.map(str::to_owned).into_iter().zip(colours).collect();
    Categories::pruned(named, lives.jobs.iter().map(state).collect())
}

/// Puts jobs into categories by a number; those with the most work have colours of their own.
fn ranked(
    lives: &JobHistories,
    name: &str,
    number: impl Fn(JobAttributes) -> Option<u32>,
) -> Result<Categories, String> {
    let mut work = BTreeMap::<Option<u32>, u128>::new();
    for job in &lives.jobs {
        *work.entry(number(job.of)).or_default() += u128::from(job.run) * u128::from(job.of.tasks.max(1));
    }
    let mut ranking: Vec<(u128, u32)> =
        work.iter().filter_map(|(number, work)| Some((*work, (*number)?))).collect();
    if ranking.is_empty() {
        return Err(format!("no job of this file has a known {name}"));
    }
    ranking.sort_by_key(|(work, number)| (std::cmp::Reverse(*work), *number));
    let shown = &ranking[..ranking.len().min(MOST)];
    let mut named: Vec<(String, RGBColor)> = (0_u64..)
        .zip(shown)
        .map(|(place, (_, number))| (format!("{name} {number}"), palette::fill(place)))
        .collect();
    named.push((format!("{} others", ranking.len() - shown.len()), OTHERS));
    named.push((format!("no {name}"), palette::fill(MOST as u64)));
    let category = |job: &JobHistory| match number(job.of) {
        Some(number) => shown.iter().position(|(_, other)| *other == number).unwrap_or(shown.len()),
        None => shown.len() + 1,
    };
    Ok(Categories::pruned(named, lives.jobs.iter().map(category).collect()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use dfrsim_model::Share;

    fn lives(jobs: &[(Option<u32>, u32, u64)]) -> JobHistories {
        let job = |(place, &(user, tasks, run)): (usize, &(Option<u32>, u32, u64))| JobHistory {
            id: place as u64,
            sequence: place as u64,
            submit: 0,
            run,
            cpu_need: Share::ONE,
            of: JobAttributes { tasks, user, ..JobAttributes::default() },
            end: 3 * run,
            fate: Some(Change::Complete),
        };
        JobHistories { jobs: jobs.iter().enumerate().map(job).collect(), ..JobHistories::default() }
    }

    fn names(categories: &Categories) -> Vec<&str> {
        categories.of_jobs.iter().map(|&category| categories.named[category].0.as_str()).collect()
    }

    #[test]
    fn users_with_the_most_work_have_colours() {
        let mut jobs: Vec<(Option<u32>, u32, u64)> = (1..=8).map(|user| (Some(user), user, 10)).collect();
        jobs.push((None, 1, 1));
        let by_user = Categories::new(&lives(&jobs), ColourBy::User).unwrap();
        assert_eq!(names(&by_user)[..3], ["2 others", "2 others", "user 3"]);
        assert_eq!(by_user.named[0].0, "user 8");
        assert_eq!(names(&by_user)[8], "no user");
        assert_ne!(by_user.colour(7, 0), by_user.colour(6, 0));
        let none = Categories::new(&lives(&jobs), ColourBy::Queue).err().unwrap();
        assert_eq!(none, "no job of this file has a known queue");
    }

    #[test]
    fn classes_that_do_not_occur_are_left_out() {
        let by_size = Categories::new(&lives(&[(None, 1, 5), (None, 64, 5)]), ColourBy::Size).unwrap();
        assert_eq!(names(&by_size), ["1 task", "17 to 64 tasks"]);
        assert_eq!(by_size.named.len(), 2);
        let by_stretch = Categories::new(&lives(&[(None, 1, 5)]), ColourBy::Stretch).unwrap();
        assert_eq!(names(&by_stretch), ["at most 10"]);
        assert_eq!(names(&Categories::new(&lives(&[(None, 1, 5)]), ColourBy::State).unwrap()), ["completed"]);
    }
}
