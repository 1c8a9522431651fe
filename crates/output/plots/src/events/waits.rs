//! Waits by group of jobs and hour of the week, as a heat map.

use super::attributes::JobAttributes;
use super::fault::EventsError;
use super::replay::{Change, Job, Observer, replay};
use crate::axis::Axis;
use crate::chart::Frame;
use crate::colour::{FINE_GRID, WHITE};
use crate::figure::Figure;
use crate::legend::SAMPLE_WIDTH;
use crate::picture::{CANNOT_FAIL, Picture};
use crate::scale::Scale;
use crate::size::FigureSize;
use crate::table::Csv;
use dfrsim_lab::mean;
use dfrsim_model::counted;
use plotters::element::{PathElement, Rectangle};
use plotters::style::{Color as _, RGBColor};
use std::collections::BTreeMap;
use std::path::Path;

dfrsim_model::named! {
    /// Property of jobs that have a row of their own in a heat map.
    #[derive(Default)]
    pub enum WaitsBy as "property of jobs" {
        /// Partitions of the submission.
        #[default]
        Partition = "partition",
        /// Queues of the submission.
        Queue = "queue",
        /// Accounts, the groups of users.
        Account = "account",
        /// Users.
        User = "user",
        /// All jobs in one row.
        All = "all",
    }
}

/// Number of hours in a week.
const HOURS: u64 = 7 * 24;
const HOUR_US: u64 = 3_600_000_000;
/// Largest number of rows; the groups with the fewest jobs share the last one.
const MAX_ROWS: usize = 12;
/// Days of the week, for files whose start is known.
const DAYS: [&str; 7] = ["Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun"];

/// Upper ends of the classes of mean waits in seconds, with names and colours from light to dark. They
/// are fixed, so that two pictures can be compared.
const CLASSES: [(f64, &str, RGBColor); 6] = [
    (60.0, "up to 1 min", RGBColor(0xfd, 0xe7, 0x25)),
    (600.0, "up to 10 min", RGBColor(0x9f, 0xda, 0x3a)),
    (3_600.0, "up to 1 h", RGBColor(0x4a, 0xc1, 0x6d)),
    (21_600.0, "up to 6 h", RGBColor(0x1f, 0xa1, 0x87)),
    (86_400.0, "up to 24 h", RGBColor(0x27, 0x7f, 0x8e)),
    (f64::INFINITY, "more than 24 h", RGBColor(0x44, 0x01, 0x54)),
];

/// Waits of the jobs that started.
#[derive(Default)]
struct Waits {
    /// Attributes, submit time and wait of each job, by its index; the wait is missing until the job
    /// starts.
    jobs: BTreeMap<u64, (JobAttributes, u64, Option<u64>)>,
}

impl Observer for Waits {
    fn before_change(&mut self, _: u64, _: &Job, _: Change) {}
    fn after_change(&mut self, at: u64, job: &Job, change: Change) {
        let known = self.jobs.entry(job.sequence).or_insert((job.of, job.submit, None));
        if matches!(change, Change::Start | Change::Migrate) {
            known.2.get_or_insert(at - job.submit);
        }
    }
}

impl WaitsBy {
    fn number(self, of: JobAttributes) -> Option<u32> {
        match self {
            WaitsBy::Partition => of.partition,
            WaitsBy::Queue => of.queue,
            WaitsBy::Account => of.group,
            WaitsBy::User => of.user,
            WaitsBy::All => Some(0),
        }
    }
}

/// Draws the mean wait of the jobs by the hour of the week of their submission, with a row for each
/// partition or other group; that of all jobs has a row for each day. `monday` is the time from Monday,
/// 0:00 to the time 0 of the file, in seconds; without it weeks begin at time 0.
///
/// The CSV data have a line for each row and hour with jobs: number of jobs, mean and largest wait.
///
/// # Errors
/// Returns an error if the file cannot be read, is incomplete or is not an events file; if no job
/// started; or if no job has the property, with those that the jobs have.
pub fn draw_waits(
    path: &Path,
    by: WaitsBy,
    monday: Option<u64>,
    size: FigureSize,
) -> Result<Figure, EventsError> {
    let mut waits = Waits::default();
    let run = replay(path, &mut waits)?;
    let all = waits.jobs.len();
    let started = waits.jobs.into_values().filter_map(|(of, submit, wait)| Some((of, submit, wait?)));
    let started: Vec<(JobAttributes, u64, u64)> = started.collect();
    if started.is_empty() {
        return Err(EventsError::undrawable(path, "no job starts"));
    }
    if started.iter().all(|(of, ..)| by.number(*of).is_none()) {
        let known = |by: &&WaitsBy| started.iter().any(|(of, ..)| by.number(*of).is_some());
        let known: Vec<&str> = WaitsBy::ALL.iter().filter(known).map(|by| by.name()).collect();
        let message =
            format!("no job of this file has a known {}; there are rows by: {}", by.name(), known.join(", "));
        return Err(EventsError::undrawable(path, &message));
    }
    let rows = rows(&started, by);
    let hour = |submit: u64| (monday.unwrap_or(0) + submit / 1_000_000) / 3_600 % HOURS;
    let mut cells: BTreeMap<(usize, u64), Vec<f64>> = BTreeMap::new();
    for (of, submit, wait) in &started {
        let number = by.number(*of);
        let row = rows.iter().position(|row| row.numbers.contains(&number));
        let row = row.unwrap_or(rows.len() - 1);
        cells.entry((row, hour(*submit))).or_default().push(*wait as f64 / 1e6);
    }
    let mut csv = Csv::new([by.name(), "hour_of_week", "jobs", "mean_wait_s", "max_wait_s"]);
    for ((row, hour), waits) in &cells {
        let most = waits.iter().copied().fold(0.0, f64::max);
        csv.line([&rows[*row].name, hour, &waits.len(), &mean(waits), &most]);
    }
    let mut remarks = Vec::new();
    if started.len() < all {
        remarks.push(format!("{} of {all} jobs never start and are left out.", all - started.len()));
    }
    let weeks = started.iter().map(|(_, submit, _)| submit / (HOURS * HOUR_US)).max().unwrap_or(0) + 1;
    remarks.push(match monday {
        Some(_) => {
            format!("Means over {}; grey: no job is submitted in this hour.", counted(weeks as usize, "week"))
        }
        None => format!(
            "Means over {} from time 0 of the file; grey: no job in this hour.",
            counted(weeks as usize, "week")
        ),
    });
    let names: Vec<String> = rows.into_iter().map(|row| row.name).collect();
    let title = format!("Mean wait by hour of the week, {}", run.title());
    let picture = picture(title, remarks, names, by, monday.is_some(), &cells, size);
    Ok(Figure { stem: "waits".to_owned(), picture, csv: csv.finish(), remarks: Vec::new() })
}

/// A row of the map: its name, and the numbers of its groups.
struct Row {
    name: String,
    numbers: Vec<Option<u32>>,
}

/// Returns the rows: the groups with the most jobs in the order of their numbers, all others together,
/// and jobs without the property.
fn rows(started: &[(JobAttributes, u64, u64)], by: WaitsBy) -> Vec<Row> {
    let mut jobs = BTreeMap::<Option<u32>, usize>::new();
    started.iter().for_each(|(of, ..)| *jobs.entry(by.number(*of)).or_default() += 1);
    let has_none = jobs.remove(&None).is_some();
    let mut ranking: Vec<(usize, u32)> =
        jobs.into_iter().filter_map(|(number, jobs)| Some((jobs, number?))).collect();
    ranking.sort_by_key(|(jobs, number)| (std::cmp::Reverse(*jobs), *number));
    let others = if ranking.len() > MAX_ROWS { ranking.split_off(MAX_ROWS - 1) } else { Vec::new() };
    let mut shown: Vec<u32> = ranking.into_iter().map(|(_, number)| number).collect();
    shown.sort_unstable();
    let name = |number: u32| match by {
        WaitsBy::All => "all jobs".to_owned(),
        _ => format!("{} {number}", by.name()),
    };
    let mut rows: Vec<Row> =
        shown.iter().map(|&number| Row { name: name(number), numbers: vec![Some(number)] }).collect();
    if !others.is_empty() {
        let numbers = others.iter().map(|(_, number)| Some(*number)).collect();
        rows.push(Row { name: format!("{} others", others.len()), numbers });
    }
    if has_none {
        rows.push(Row { name: format!("no {}", by.name()), numbers: vec![None] });
    }
    rows
}

/// Returns the index of the class of a wait in seconds.
fn class(wait: f64) -> usize {
    CLASSES.partition_point(|(most, ..)| *most < wait)
}

fn picture(
    title: String,
    remarks: Vec<String>,
    names: Vec<String>,
    by: WaitsBy,
    has_days: bool,
    cells: &BTreeMap<(usize, u64), Vec<f64>>,
    size: FigureSize,
) -> Picture {
    let day = |day: usize| match has_days {
        true => DAYS[day].to_owned(),
        false => format!("day {}", day + 1),
    };
    // One row of a week would hide that days are alike, so that each day has a row.
    let (across, rows, x) = match by {
        WaitsBy::All => {
            let hours = (0..=24).step_by(3).map(|hour| (f64::from(hour), hour.to_string()));
            (24, (0..7).map(day).collect(), ("hour of the day of the submission", hours.collect()))
        }
        _ => {
            let middles: Vec<(f64, String)> =
                (0..7).map(|each| (each as f64 * 24.0 + 12.0, day(each))).collect();
            (HOURS, names, ("hour of the week of the submission", middles))
        }
    };
    let x = Axis { has_grid: false, ..Axis::new(x.0, Scale::labelled(0.0, across as f64, x.1)) };
    let count = rows.len();
    let labels = (0..).map(|row| f64::from(row) + 0.5).zip(rows);
    let y = Axis::rows(if by == WaitsBy::All { "" } else { by.name() }, count, labels);
    let frame = Frame {
        title,
        remarks,
        x,
        panels: vec![(y, (count as i32 * 300).max(600))],
        names: CLASSES.map(|(_, name, _)| name.to_owned()).to_vec(),
        size,
    };
    frame.draw(
        &mut |_, chart| {
            let area = [(0.0, 0.0), (across as f64, count as f64)];
            chart.draw_series([Rectangle::new(area, FINE_GRID.filled())]).expect(CANNOT_FAIL);
            let cell = |((row, hour), waits): (&(usize, u64), &Vec<f64>)| {
                let corner = ((*hour % across) as f64, (*row as u64 + *hour / across) as f64);
                let colour = CLASSES[class(mean(waits))].2;
                Rectangle::new([corner, (corner.0 + 1.0, corner.1 + 1.0)], colour.filled())
            };
            chart.draw_series(cells.iter().map(cell)).expect(CANNOT_FAIL);
            let line = WHITE.stroke_width(10);
            let days = (1..across / 24).map(|day| {
                let at = day as f64 * 24.0;
                PathElement::new([(at, 0.0), (at, count as f64)], line)
            });
            chart.draw_series(days).expect(CANNOT_FAIL);
            let rows = (1..count).map(|row| {
                let ends = [(0.0, row as f64), (across as f64, row as f64)];
                PathElement::new(ends, line)
            });
            chart.draw_series(rows).expect(CANNOT_FAIL);
        },
        &mut |area, number, (x, y)| {
            let corners = [(x - SAMPLE_WIDTH * 35 / 100, y - 55), (x + SAMPLE_WIDTH * 35 / 100, y + 55)];
            area.draw(&Rectangle::new(corners, CLASSES[number].2.filled())).expect(CANNOT_FAIL);
        },
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(partition: Option<u32>) -> JobAttributes {
        JobAttributes { tasks: 1, partition, ..JobAttributes::default() }
    }

    /// Draws all jobs with a row for each day, and partitions with a row each.
    #[test]
    fn all_jobs_have_a_row_for_each_day() {
        let cells = BTreeMap::from([((0, 26), vec![30.0])]);
        let svg = |by| {
            let names = vec!["a row".to_owned()];
            picture("Waits".to_owned(), Vec::new(), names, by, true, &cells, FigureSize::default()).svg()
        };
        let (all, partitions) = (svg(WaitsBy::All), svg(WaitsBy::Partition));
        assert!(all.contains("hour of the day") && all.contains("Wed") && !all.contains("a row"), "{all}");
        assert!(partitions.contains("hour of the week") && partitions.contains("a row"), "{partitions}");
    }

    #[test]
    fn classes_are_closed_above() {
        assert_eq!([0.0, 60.0, 60.5, 3_600.0, 1e9].map(class), [0, 0, 1, 2, 5]);
    }

    #[test]
    fn the_groups_with_the_fewest_jobs_share_a_row() {
        let mut started = Vec::new();
        for number in 0..15 {
            started.extend((0..=number).map(|_| (of(Some(number)), 0, 0)));
        }
        started.push((of(None), 0, 0));
        let rows = rows(&started, WaitsBy::Partition);
        let names: Vec<&str> = rows.iter().map(|row| row.name.as_str()).collect();
        assert_eq!(names.len(), MAX_ROWS + 1);
        assert_eq!(names[..2], ["partition 4", "partition 5"]);
        assert_eq!(names[MAX_ROWS - 1..], ["4 others", "no partition"]);
        assert!(rows[MAX_ROWS - 1].numbers.contains(&Some(0)));
    }
}
