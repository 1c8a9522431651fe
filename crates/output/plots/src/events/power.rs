//! Figures of the power of nodes over simulated time.

use super::fault::EventsError;
use super::lives::Window;
use super::thin::{Step, thin};
use crate::axis::Axis;
use crate::chart::{Chart, Frame, ONE_PANEL};
use crate::colour::{INK, OTHERS, mix_with_white};
use crate::figure::Figure;
use crate::legend::SAMPLE_WIDTH;
use crate::palette;
use crate::picture::CANNOT_FAIL;
use crate::scale::{Scale, group_digits};
use crate::size::FigureSize;
use crate::table::Csv;
use dfrsim_audit::{AuditError, PowerOverTime, power_over_time};

use dfrsim_model::{SimTime, counted};
use plotters::element::{PathElement, Polygon, Rectangle};
use plotters::series::LineSeries;
use plotters::style::{Color as _, RGBColor};
use std::fs::File;
use std::io::BufReader;
use std::path::Path;

/// Number of time spans whose extremes are drawn.
const SPANS: u64 = 700;

/// Entries of the legend.
const NAMES: [&str; 4] = ["idle power", "tasks", "cap", "above the cap"];

/// Power from one time on, in milliwatts.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Level {
    /// Time in microseconds.
    at: u64,
    idle: f64,
    tasks: f64,
    /// Cap of all nodes, if there is one.
    cap: Option<f64>,
    /// True if tasks draw more than the cap leaves for them: it counts the idle power of all nodes, even of
    /// those that are down or asleep.
    is_above: bool,
}

impl Level {
    fn power(&self) -> f64 {
        self.idle + self.tasks
    }
}

/// Draws the power of the nodes over time: that of nodes without tasks, and on it that of tasks, with the
/// power cap as a line. Times at which the cap is exceeded are marked. The power is that of the audit,
/// which checks the file.
///
/// Long files are thinned; the extremes of every time span are kept, in the data too.
///
/// # Errors
/// Returns an error if the file cannot be read, violates a rule, or has no power; and if nothing
/// happens in the window.
pub fn draw_power(path: &Path, window: Window, size: FigureSize) -> Result<Figure, EventsError> {
    let undrawable = |why: String| EventsError::undrawable(path, why);
    let file = File::open(path).map_err(|source| EventsError::Io { path: path.to_owned(), source })?;
    let power = power_over_time(BufReader::with_capacity(1 << 16, file)).map_err(|error| match error {
        AuditError::Io { source, .. } => EventsError::Io { path: path.to_owned(), source },
        AuditError::Faults(faults) => undrawable(match faults.shown() {
            [first, ..] if faults.count() > 1 => {
                format!("{first}; `dfrsim audit` lists all {} violations", faults.count())
            }
            _ => faults.to_string(),
        }),
        error => undrawable(error.to_string()),
    })?;
    let Some(power) = power else {
        return Err(undrawable(
            "the power of its nodes is unknown; simulate with `--platform` and a machine such as hpc2n-2002, or a platform file whose classes have `power`".to_owned(),
        ));
    };
    let (levels, end) = levels(&power, window);
    if levels.is_empty() {
        return Err(undrawable("no time passes from --from to --to".to_owned()));
    }
    Ok(draw(&power, &levels, end, size))
}

/// Returns the power in a window, from each time at which it or the cap changes, and the end of the last
/// level.
fn levels(power: &PowerOverTime, window: Window) -> (Vec<Level>, u64) {
    let micros = |time: Option<SimTime>, default| time.map_or(default, SimTime::micros);
    let (from, to) = (micros(window.from, 0), micros(window.to, u64::MAX));
    let (mut levels, mut at, mut step): (Vec<Level>, _, _) = (Vec::new(), power.begin.micros(), 0);
    for span in &power.spans {
        let end = at.saturating_add(span.span);
        while at < end {
            while power.cap.get(step + 1).is_some_and(|next| next.0.micros() <= at) {
                step += 1;
            }
            let until = power.cap.get(step + 1).map_or(end, |next| next.0.micros().min(end));
            let amount = power.cap.get(step).map(|(_, amount)| *amount);
            let (begin, stop) = (at.max(from), until.min(to));
            let level = Level {
                at: begin,
                idle: span.idle as f64,
                tasks: span.tasks_mw(),
                cap: amount.map(|amount| power.idle_of_all.saturating_add(amount) as f64),
                is_above: amount.is_some_and(|amount| span.exceeds(amount)),
            };
            if begin < stop {
                levels.push(level);
            }
            at = until;
        }
    }
    (levels, at.min(to))
}

/// Keeps the levels at which the idle power, all power or the cap has its first, last, least or largest
/// value of a time span.
fn thinned(levels: &[Level]) -> Vec<Level> {
    let steps = |value: fn(&Level) -> f64| -> Vec<Step> {
        let steps: Vec<Step> = levels.iter().map(|level| (level.at, value(level))).collect();
        thin(&steps, SPANS)
    };
    let values: [fn(&Level) -> f64; 4] = [
        |level| level.idle,
        Level::power,
        |level| level.cap.unwrap_or(0.0),
        |level| f64::from(u8::from(level.is_above)),
    ];
    let mut kept: Vec<u64> = values.into_iter().flat_map(steps).map(|(at, _)| at).collect();
    kept.sort_unstable();
    kept.dedup();
    let mut kept = kept.into_iter().peekable();
    levels.iter().filter(|level| kept.next_if_eq(&level.at).is_some()).copied().collect()
}

/// Converts milliwatts to watts, rounded to milliwatts.
fn watts(milliwatts: f64) -> f64 {
    milliwatts.round() / 1e3
}

fn draw(power: &PowerOverTime, levels: &[Level], end: u64, size: FigureSize) -> Figure {
    let most = levels.iter().flat_map(|level| [level.power(), level.cap.unwrap_or(0.0)]).fold(0.0, f64::max);
    let (unit, factor) = match most {
        most if most >= 1e10 => ("MW", 1e9),
        most if most >= 1e7 => ("kW", 1e6),
        _ => ("W", 1e3),
    };
    let shown = thinned(levels);
    let mut csv = Csv::new(["from_s", "idle_w", "tasks_w", "power_w", "cap_w"]);
    for level in &shown {
        let cap = level.cap.map_or(String::new(), |cap| watts(cap).to_string());
        let [idle, tasks, power] = [level.idle, level.tasks, level.power()].map(watts);
        csv.line([&SimTime::from_micros(level.at), &idle, &tasks, &power, &cap]);
    }
    let mut remarks = vec![mean_and_most(levels, end)];
    if shown.len() < levels.len() {
        let [all, shown] = [levels.len(), shown.len()].map(|count| group_digits(count as f64, 0));
        remarks.push(format!("{shown} of {all} changes are drawn, with all extremes."));
    }
    let begin = SimTime::from_micros(levels[0].at);
    let (x, unit_of_time) = Scale::time(begin, SimTime::from_micros(end));
    let has = [true, true, levels.iter().any(|it| it.cap.is_some()), levels.iter().any(|it| it.is_above)];
    let entries: Vec<usize> = (0..NAMES.len()).filter(|at| has[*at]).collect();
    let frame = Frame {
        title: format!("{}, {}", power.policy, counted(power.nodes as usize, "node")),
        remarks,
        x: Axis::new(format!("time [{unit_of_time}]"), x),
        panels: vec![(
            Axis::new(format!("power of the nodes [{unit}]"), Scale::linear(0.0, most / factor * 1.02, 6)),
            ONE_PANEL * 80 / 100,
        )],
        names: entries.iter().map(|at| NAMES[*at].to_owned()).collect(),
        size,
    };
    let picture = frame.draw(&mut |_, chart| fill(chart, &shown, end, factor), &mut |area, place, (x, y)| {
        let entry = entries[place];
        let half = SAMPLE_WIDTH / 2;
        let result = match entry {
            2 => area.draw(&PathElement::new([(x - half, y), (x + half, y)], INK.stroke_width(18))),
            _ => area.draw(&Rectangle::new([(x - half, y - 45), (x + half, y + 45)], colour(entry).filled())),
        };
        result.expect(CANNOT_FAIL);
    });
    Figure { stem: "power".to_owned(), picture, csv: csv.finish(), remarks: Vec::new() }
}

/// Returns the colour of an area.
fn colour(entry: usize) -> RGBColor {
    match entry {
        0 => mix_with_white(OTHERS, 0.4),
        1 => palette::fill(0),
        _ => palette::colour(1),
    }
}

/// Draws the areas and the cap.
fn fill(chart: &mut Chart<'_>, levels: &[Level], end: u64, factor: f64) {
    let seconds = |at: u64| SimTime::from_micros(at).as_secs_f64();
    let ends = || levels.iter().skip(1).map(|level| level.at).chain([end]).map(seconds);
    let corners = |value: &dyn Fn(&Level) -> f64| -> Vec<(f64, f64)> {
        let of = |(level, end): (&Level, f64)| {
            let value = value(level) / factor;
            [(seconds(level.at), value), (end, value)]
        };
        levels.iter().zip(ends()).flat_map(of).collect()
    };
    let area = |chart: &mut Chart<'_>, value: &dyn Fn(&Level) -> f64, entry: usize| {
        let mut points = corners(value);
        let (first, last) = (points[0].0, points[points.len() - 1].0);
        points.extend([(last, 0.0), (first, 0.0)]);
        chart.draw_series([Polygon::new(points, colour(entry).filled())]).expect(CANNOT_FAIL);
    };
    // Each area covers the lower part of the one before it.
    area(chart, &Level::power, 1);
    area(chart, &|level| level.idle, 0);
    if levels.iter().all(|level| level.cap.is_none()) {
        return;
    }
    let cap = corners(&|level| level.cap.unwrap_or(0.0));
    let above = levels.iter().zip(ends()).filter(|(level, _)| level.is_above);
    // Nodes that are asleep or down may keep the power below the line.
    let mark = |(level, end): (&Level, f64)| {
        let cap = level.cap.unwrap_or(0.0);
        let corners = [(seconds(level.at), cap / factor), (end, level.power().max(cap) / factor)];
        Rectangle::new(corners, colour(3).filled())
    };
    chart.draw_series(above.clone().map(mark)).expect(CANNOT_FAIL);
    chart.draw_series(LineSeries::new(cap, INK.stroke_width(18))).expect(CANNOT_FAIL);
    let thick = |(level, end): (&Level, f64)| {
        let cap = level.cap.unwrap_or(0.0) / factor;
        PathElement::new([(seconds(level.at), cap), (end, cap)], colour(3).stroke_width(40))
    };
    chart.draw_series(above.map(thick)).expect(CANNOT_FAIL);
}

/// Formats the mean and the largest power of a window, and the time above the cap.
fn mean_and_most(levels: &[Level], end: u64) -> String {
    let ends = levels.iter().skip(1).map(|level| level.at).chain([end]);
    let (mut energy, mut span, mut above, mut most) = (0.0, 0, 0, 0.0_f64);
    for (level, end) in levels.iter().zip(ends) {
        let length = end - level.at;
        energy += level.power() * length as f64;
        span += length;
        above += if level.is_above { length } else { 0 };
        most = most.max(level.power());
    }
    let power = |milliwatts: f64| match most {
        most if most < 1e7 => format!("{} W", group_digits(milliwatts / 1e3, 1)),
        _ => format!("{} kW", group_digits(milliwatts / 1e6, 2)),
    };
    let mut text = format!("Mean {}, largest {}", power(energy / span.max(1) as f64), power(most));
    if above > 0 {
        text += &format!("; above the cap for {} s", group_digits(above as f64 / 1e6, 0));
    }
    text + "."
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tests::legible::assert_legible;
    use dfrsim_audit::PowerSpan;

    /// Returns the power of 40 W without tasks and more of tasks, in spans of 10 s, under a cap of 100 W
    /// that falls to 60 W at 20 s.
    fn power(tasks: impl Iterator<Item = u128>) -> PowerOverTime {
        let span = |watts| PowerSpan { span: 10_000_000, idle: 40_000, tasks: (watts * 1000) << 20 };
        PowerOverTime {
            policy: "EASY".to_owned(),
            nodes: 2,
            begin: SimTime::from_secs(5),
            spans: tasks.map(span).collect(),
            cap: vec![(SimTime::ZERO, 60_000), (SimTime::from_secs(20), 20_000)],
            idle_of_all: 40_000,
        }
    }

    #[test]
    fn levels_change_with_the_power_and_the_cap() {
        let power = power([50, 60, 20].into_iter());
        let (all, end) = levels(&power, Window::default());
        let found: Vec<_> =
            all.iter().map(|it| (it.at / 1_000_000, it.power(), it.cap, it.is_above)).collect();
        let [high, low] = [Some(100_000.0), Some(60_000.0)];
        let expected = [
            (5, 90_000.0, high, false),
            (15, 100_000.0, high, false),
            (20, 100_000.0, low, true),
            (25, 60_000.0, low, false),
        ];
        assert_eq!((found, end), (expected.to_vec(), 35_000_000));
        let figure = draw(&power, &all, end, FigureSize::default());
        assert_legible(&figure);
        assert!(figure.picture.svg().contains("Mean 83.3 W, largest 100.0 W; above the cap for 5 s."));
        assert_eq!(figure.csv.lines().nth(3), Some("20,40,60,100,60"));
        let window = Window { from: Some(SimTime::from_secs(18)), to: Some(SimTime::from_secs(22)) };
        let (part, end) = levels(&power, window);
        let times: Vec<u64> = part.iter().map(|level| level.at / 1_000_000).collect();
        assert_eq!((times, end), (vec![18, 20], 22_000_000));
        let late = Window { from: Some(SimTime::from_secs(99)), to: None };
        assert!(levels(&power, late).0.is_empty());
    }
}
