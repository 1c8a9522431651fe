//! Mean degradation and bandwidth by period (dissertation, figure 6.1).

use super::Drawn;
use super::groups::{Group, Series, chosen};
use crate::axes::Axis;
use crate::chart::{Chart, Course, Line, ONE_PANEL, Panel};
use crate::figure::Figure;
use crate::picture::Point;
use crate::scale::Scale;
use crate::statistics::range;
use crate::table::Csv;
use dfrsim_legacy::{Figures, Results};

/// What is drawn together.
struct Subject<'a> {
    title: String,
    /// The begin of a file's name becomes the whole.
    stem: Box<dyn Fn(&str) -> String + 'a>,
    /// What the lines stand for.
    column: &'static str,
    remarks: Vec<String>,
    lines: Vec<PeriodLine<'a>>,
}

/// A line: a setting on a workload.
struct PeriodLine<'a> {
    name: String,
    workload: &'a str,
    series: Series<'a>,
}

/// Draws the groups with several periods: a figure for each, or a line for each if all of them have the same one policy.
pub(super) fn draw(results: &Results, groups: &[Group<'_>], drawn: &mut Drawn) {
    for (index, group) in groups.iter().enumerate() {
        let others: Vec<&Group<'_>> = groups.iter().filter(|other| other.has_setting_of(group)).collect();
        match one_policy(&others) {
            // The first group stands for all of them.
            Some(_) if groups[..index].iter().any(|other| other.has_setting_of(group)) => {}
            Some(subject) => draw_subject(&subject, results, drawn),
            None => draw_subject(&of_group(group), results, drawn),
        }
    }
}

/// The settings of a group that have several periods.
pub(super) fn periodic<'a>(group: &Group<'a>) -> Vec<Series<'a>> {
    let mut series = group.series(true);
    series.retain(|series| series.periods().len() > 1);
    series
}

fn of_group<'a>(group: &'a Group<'a>) -> Subject<'a> {
    let (series, choice) = chosen(periodic(group));
    let line =
        |series: Series<'a>| PeriodLine { name: series.name.clone(), workload: group.workload, series };
    Subject {
        title: group.title(),
        stem: Box::new(|kind| group.stem(kind)),
        column: "policy",
        remarks: group.remarks().into_iter().chain(choice).collect(),
        lines: series.into_iter().map(line).collect(),
    }
}

/// Several workloads, each with one and the same policy: a line a workload.
fn one_policy<'a>(groups: &[&'a Group<'a>]) -> Option<Subject<'a>> {
    let mut lines = Vec::new();
    for group in groups {
        let mut series = periodic(group);
        let (only, is_only) = (series.pop()?, series.is_empty());
        if !is_only || lines.first().is_some_and(|first: &PeriodLine<'_>| first.series.name != only.name) {
            return None;
        }
        lines.push(PeriodLine { name: group.name(), workload: group.workload, series: only });
    }
    let group = *groups.first().filter(|_| lines.len() > 1)?;
    Some(Subject {
        title: format!("{}, {}", lines[0].series.name, group.setting_title()),
        stem: Box::new(|kind| group.setting_stem(kind)),
        column: "workload",
        remarks: groups.iter().flat_map(|group| group.remarks()).collect(),
        lines,
    })
}

fn draw_subject(subject: &Subject<'_>, results: &Results, drawn: &mut Drawn) {
    if subject.lines.is_empty() {
        let reason = "no policy has several periods";
        drawn.left_out.push(format!("degradation and bandwidth by period of {}: {reason}", subject.title));
        return;
    }
    let mut csv = Csv::new([subject.column, "period_s", "instances", "mean_degradation"]);
    let lines = subject.by_period(|_, figures| figures.degradation);
    for (name, seconds, instances, mean) in lines.iter().flatten() {
        csv.line([name, seconds, instances, mean]);
    }
    let scale = |(low, high): (f64, f64)| {
        if high > 10.0 * low { Scale::logarithmic(low, high) } else { Scale::linear(0.0, high, 6) }
    };
    let panel = subject.panel("mean degradation from bound", ONE_PANEL, &lines, scale);
    subject.add("Degradation by period", "degradation-by-period", vec![panel], csv, drawn);

    let memory = |line: &PeriodLine<'_>| results.node_memory_gb(line.workload);
    if let Some(line) = subject.lines.iter().find(|line| memory(line).is_none()) {
        let reason = format!("scenario.toml does not tell the memory of a node of {}", line.workload);
        drawn.left_out.push(format!("bandwidth by period of {}: {reason}", subject.title));
        return;
    }
    let gigabytes: Vec<f64> = subject.lines.iter().filter_map(memory).collect();
    let preemption = subject.by_period(|line, figures| figures.preemption_gb_per_s(gigabytes[line]));
    let migration = subject.by_period(|line, figures| figures.migration_gb_per_s(gigabytes[line]));
    let mut csv = Csv::new([
        subject.column,
        "period_s",
        "instances",
        "mean_preemption_gb_per_s",
        "mean_migration_gb_per_s",
    ]);
    for (paused, moved) in preemption.iter().flatten().zip(migration.iter().flatten()) {
        csv.line([&paused.0, &paused.1, &paused.2, &paused.3, &moved.3]);
    }
    let scale = |(_, high): (f64, f64)| Scale::linear(0.0, if high > 0.0 { high } else { 1.0 }, 4);
    let height = ONE_PANEL * 0.55;
    let panels = vec![
        subject.panel("preemption [GB/s]", height, &preemption, scale),
        subject.panel("migration [GB/s]", height, &migration, scale),
    ];
    subject.add("Bandwidth by period", "bandwidth-by-period", panels, csv, drawn);
}

/// The points of one line: its name, the period in seconds, how many instances, and the mean over them.
type Means = Vec<(String, f64, usize, f64)>;

impl Subject<'_> {
    /// The means of a figure, which may depend on the line, by rising period.
    fn by_period(&self, figure: impl Fn(usize, &Figures) -> f64) -> Vec<Means> {
        let mean = |(number, line): (usize, &PeriodLine<'_>)| {
            let point = |period| {
                let is_meant = |row: &dfrsim_legacy::Row| row.cell.period_s == Some(period);
                let (instances, mean) =
                    line.series.mean_where(is_meant, |figures| figure(number, figures))?;
                Some((line.name.clone(), period.as_secs_f64(), instances, mean))
            };
            line.series.periods().into_iter().filter_map(point).collect()
        };
        self.lines.iter().enumerate().map(mean).collect()
    }

    fn panel(&self, title: &str, height: f64, lines: &[Means], scale: impl Fn((f64, f64)) -> Scale) -> Panel {
        let means = lines.iter().flatten().map(|point| point.3);
        let line = |(number, means): (usize, &Means)| {
            let points: Vec<Point> = means.iter().map(|&(_, seconds, _, mean)| (seconds, mean)).collect();
            Line { number, points, course: Course::Straight }
        };
        Panel {
            y: Axis::new(title, scale(range(means).unwrap_or((0.0, 1.0)))),
            height,
            lines: lines.iter().enumerate().map(line).collect(),
        }
    }

    fn add(&self, title: &str, kind: &str, panels: Vec<Panel>, csv: Csv, drawn: &mut Drawn) {
        let points = panels.iter().flat_map(|panel| &panel.lines).flat_map(|line| &line.points);
        let (low, high) = range(points.map(|point| point.0)).unwrap_or((1.0, 1.0));
        let scale =
            if high > 10.0 * low { Scale::logarithmic(low, high) } else { Scale::linear(low, high, 8) };
        let chart = Chart {
            title: format!("{title}: {}", self.title),
            remarks: self.remarks.clone(),
            x: Axis::new("period [s]", scale),
            panels,
            names: self.lines.iter().map(|line| line.name.clone()).collect(),
        };
        let (picture, csv) = (chart.picture(), csv.finish());
        drawn.add(Figure { stem: (self.stem)(kind), picture, csv, remarks: self.remarks.clone() });
    }
}
