//! The dissertation's figures in its panels: degradation by load for each penalty (figure 5.1), and
//! degradation and bandwidth by period with the sets as lines (figure 6.1); and the trade-off between
//! the two (section 6.3).

use crate::groups::{Group, Load, Matrix};
use crate::rows::SimulationRow;
use crate::scenario::{Simulation, Workload};
use crate::tables::{gb_per_s, migration_gb_per_s, preemption_gb_per_s};
use dfrsim_lab::{Axis, Bootstrap, Chart, Drawing, Estimate, Join, Series, by_key, platform_fields, stem};
use dfrsim_model::platform::classes::NodeClass;
use dfrsim_model::platform::common::{CommonDemand, CommonResource};
use dfrsim_model::{SimSpan, counted};
use dfrsim_policies::PolicySetting;
use std::collections::BTreeSet;

/// Name of the series of the best points of all lines (the Pareto front).
const BEST: &str = "best at equal bandwidth";

/// Number of resamples of the intervals of figure 5.1.
const RESAMPLES: usize = 1_000;

/// Groups of one scope and setting that differ only in their period; there are at least two.
struct Line<'g, 'a> {
    /// The instances, such as `lublin` or `lublin, load 0.7 and more`.
    scope: String,
    /// Further conditions of the figure where the scenario has several: penalty, knowledge of CPU
    /// needs, tau.
    conditions: String,
    /// Name that distinguishes the line within its figure: the policy with its rules, or the scope.
    name: String,
    /// The groups, by increasing period.
    groups: Vec<&'g Group<'a>>,
}

/// Function that computes a metric of a row, given the memory of a node in GB.
type Metric = fn(&SimulationRow, f64) -> f64;

const BY_PERIOD: [(&str, &str, &str, Metric); 4] = [
    ("period-degradation", "Degradation by period", "mean degradation from bound", |row, _| row.degradation),
    ("period-bandwidth", "Bandwidth by period", "mean preemption and migration (GB/s)", gb_per_s),
    ("period-preemption", "Preemption by period", "mean preemption (GB/s)", preemption_gb_per_s),
    ("period-migration", "Migration by period", "mean migration (GB/s)", migration_gb_per_s),
];

/// Builds the figures of settings with several loads or several periods. Of periods there is one for
/// each workload, and one for the loads of a published table that omits lighter ones. If each of these
/// has a single line, of the same policy, they share one figure; otherwise there is a further figure of
/// the policy with the most periods, with the workloads as lines.
pub(crate) fn all(matrix: &Matrix<'_>) -> Vec<Drawing> {
    let groups = matrix.groups();
    let mut drawings = by_load(matrix, &groups);
    drawings.extend(by_cap(matrix, &groups));
    let mut figures = by_key(lines(matrix, &groups), |line| (line.conditions.clone(), line.scope.clone()));
    for figure in &figures {
        drawings.extend(trade_off(figure));
    }
    let is_alone =
        |figure: &Vec<Line<'_, '_>>, first: &Line<'_, '_>| figure.len() == 1 && figure[0].name == first.name;
    let together =
        figures.first().is_some_and(|first| figures.iter().all(|figure| is_alone(figure, &first[0])));
    if together {
        figures = by_key(figures.into_iter().flatten(), |line| line.conditions.clone());
    }
    for figure in &figures {
        drawings.extend(by_period(figure));
    }
    if !together {
        for lines in by_key(figures.into_iter().flatten(), |line| line.conditions.clone()) {
            drawings.extend(paper_panels(lines));
        }
    }
    drawings
}

/// Builds the panels of figure 6.1: the policy that was simulated with the most periods, with a line
/// for each set of instances. None if it was simulated on one set alone.
fn paper_panels(lines: Vec<Line<'_, '_>>) -> Vec<Drawing> {
    let most = lines.iter().map(|line| line.groups.len()).max().unwrap_or(0);
    let Some(policy) = lines.iter().find(|line| line.groups.len() == most).map(|line| line.name.clone())
    else {
        return Vec::new();
    };
    let (own, others): (Vec<_>, Vec<_>) = lines.into_iter().partition(|line| line.name == policy);
    if own.len() < 2 {
        return Vec::new();
    }
    let names: BTreeSet<String> = others.into_iter().map(|line| line.name).collect();
    let left_out = names.into_iter().collect::<Vec<_>>().join(", ");
    let remark = format!("Left out, and drawn in the figures of each workload: {left_out}.");
    by_period(&own).into_iter().map(|drawing| drawing.with_remark(remark.clone())).collect()
}

/// Builds the panels of figure 5.1: the mean degradation by load, with a line for each policy, for each
/// workload and penalty (or other condition). None for a scenario with a single panel, which is drawn
/// for every study.
fn by_load(matrix: &Matrix<'_>, groups: &[Group<'_>]) -> Vec<Drawing> {
    let simulation = &matrix.scenario.simulation;
    let of_loads = groups.iter().filter_map(|group| match group.scope.load {
        Load::Of(load) if !group.scope.has_all && group.has_period(simulation.periods[0]) => {
            Some((load, group))
        }
        _ => None,
    });
    let panel =
        |(_, group): &(f64, &Group<'_>)| (conditions(simulation, group), group.scope.workload.name.clone());
    let panels = by_key(of_loads, panel);
    if panels.len() < 2 {
        return Vec::new();
    }
    let bootstrap = Bootstrap { resamples: RESAMPLES, ..Bootstrap::for_tables(matrix.scenario.seed) };
    let drawing = |groups: Vec<(f64, &Group<'_>)>| {
        let (conditions, workload) = panel(&groups[0]);
        let of_policies = by_key(groups, |(_, group)| name(simulation, group));
        let series = of_policies.iter().map(|groups| {
            let point = |(load, group): &(f64, &Group<'_>)| {
                let Estimate { value, interval } = bootstrap.mean(&group.values(|row| row.degradation))?;
                Some(((*load, value), interval))
            };
            let (points, intervals) = groups.iter().filter_map(point).unzip();
            Series { intervals, ..Series::new(name(simulation, groups[0].1), points) }
        });
        let y = Axis::logarithmic("mean degradation from bound");
        let chart = Chart::lines(Axis::linear("load"), y, "policy", series.collect());
        let parts: Vec<&str> =
            [&*workload, &*conditions].into_iter().filter(|part| !part.is_empty()).collect();
        let stem = format!("load-degradation-{}", stem(&parts.join(" ")));
        Drawing::new(stem, format!("Degradation by load: {}", parts.join(", ")), chart).with_remark(
            "Degradation: largest bounded stretch / lower bound, mean over traces with 95 % intervals.",
        )
    };
    panels.into_iter().map(drawing).collect()
}

/// Returns the constant power cap of the platform of a workload, in per cent of the power that all tasks
/// may add to that of idle nodes; `None` without one.
fn cap_percent(workload: &Workload) -> Option<f64> {
    let (cap, added) = cap_of(workload)?;
    (cap.is_constant() && added > 0).then(|| 100.0 * cap.lasting_amount() as f64 / added as f64)
}

/// Returns the power cap of a workload, and the power that all tasks may add; `None` without a cap.
fn cap_of(workload: &Workload) -> Option<(CommonResource, u64)> {
    let mut classes = platform_fields(workload.kinds.platform.as_ref()?).ok()?.classes().ok()?;
    if let Some(cap) = &workload.cap {
        classes.cap_power(cap).ok()?;
    }
    let cap = classes.common().iter().find(|resource| resource.demand == CommonDemand::Draw)?;
    let of_class = |class: &NodeClass| {
        let power = class.power.as_ref()?;
        let units = power.units.iter().zip(&class.amounts);
        let of_units: u64 = units.map(|((idle, busy), amount)| (busy - idle) * u64::from(*amount)).sum();
        Some((power.busy - power.idle + of_units) * u64::from(class.nodes))
    };
    let added: u64 = classes.classes().iter().filter_map(of_class).sum();
    Some((cap.clone(), added))
}

/// Figures by power cap: name, title, axis and metric.
type ByCap = (&'static str, &'static str, &'static str, fn(&SimulationRow) -> Option<f64>);

const BY_CAP: [ByCap; 2] = [
    ("cap-degradation", "Degradation by power cap", "mean degradation from bound", |row| {
        Some(row.degradation)
    }),
    ("cap-energy", "Energy by power cap", "mean energy (kWh)", |row| row.energy),
];

/// Builds the figures of workloads that differ in their power cap alone: their names are the same up to
/// the last hyphen.
fn by_cap(matrix: &Matrix<'_>, groups: &[Group<'_>]) -> Vec<Drawing> {
    let simulation = &matrix.scenario.simulation;
    let of_caps = groups.iter().filter_map(|group| {
        let cap = cap_percent(group.scope.workload).filter(|_| group.scope.has_all)?;
        let (name, _) = group.scope.workload.name.rsplit_once('-')?;
        group.has_period(simulation.periods[0]).then_some((cap, name, group))
    });
    let panel =
        |(_, name, group): &(f64, &str, &Group<'_>)| ((*name).to_owned(), conditions(simulation, group));
    let bootstrap = Bootstrap { resamples: RESAMPLES, ..Bootstrap::for_tables(matrix.scenario.seed) };
    let mut drawings = Vec::new();
    let stepped = matrix.scenario.workloads.iter();
    let stepped = stepped.filter(|it| cap_of(it).is_some_and(|(cap, _)| !cap.is_constant()));
    let stepped: Vec<&str> = stepped.map(|workload| &*workload.name).collect();
    if !stepped.is_empty() {
        let nothing = Chart::lines(Axis::linear("cap"), Axis::linear("metric"), "policy", Vec::new());
        let skipped = Drawing::new("cap-steps", "Figures by power cap", nothing);
        drawings.push(skipped.with_remark(format!(
            "skipped: {}: a cap that changes in steps is no point on the axis of caps",
            stepped.join(", ")
        )));
    }
    for groups in by_key(of_caps, panel) {
        let (workload, conditions) = panel(&groups[0]);
        let caps: BTreeSet<u64> = groups.iter().map(|(cap, ..)| cap.to_bits()).collect();
        if caps.len() < 2 {
            continue;
        }
        let parts: Vec<&str> =
            [&*workload, &*conditions].into_iter().filter(|part| !part.is_empty()).collect();
        let mut of_policies = by_key(groups, |(.., group)| name(simulation, group));
        of_policies.iter_mut().for_each(|groups| groups.sort_by(|a, b| a.0.total_cmp(&b.0)));
        let rejecting: Vec<String> = of_policies
            .iter()
            .filter_map(|groups| {
                let rejected = |group: &Group<'_>| group.rows().map(|row| row.rejected).sum::<u64>();
                let most = groups.iter().map(|(.., group)| rejected(group)).max().filter(|&most| most > 0)?;
                Some(format!(
                    "{} rejects up to {}",
                    name(simulation, groups[0].2),
                    counted(most as usize, "job")
                ))
            })
            .collect();
        for (kind, title, y, metric) in BY_CAP {
            let series = of_policies.iter().map(|groups| {
                let point = |(cap, _, group): &(f64, &str, &Group<'_>)| {
                    let values: Option<Vec<f64>> = group.rows().map(metric).collect();
                    let Estimate { value, interval } = bootstrap.mean(&values?)?;
                    Some(((*cap, value), interval))
                };
                let (points, intervals) = groups.iter().filter_map(point).unzip();
                Series { intervals, ..Series::new(name(simulation, groups[0].2), points) }
            });
            let series: Vec<Series> = series.filter(|series| !series.points.is_empty()).collect();
            if series.is_empty() {
                continue;
            }
            let y = if kind == "cap-energy" { Axis::linear(y) } else { Axis::logarithmic(y) };
            let chart =
                Chart::lines(Axis::linear("cap (% of the power that tasks may add)"), y, "policy", series);
            let stem = format!("{kind}-{}", stem(&parts.join(" ")));
            let drawing = Drawing::new(stem, format!("{title}: {}", parts.join(", ")), chart);
            let mut drawing = drawing.with_remark("Means over traces with 95 % intervals.");
            if !rejecting.is_empty() {
                let remark = format!("At a cap {}, which no mean includes.", rejecting.join(", "));
                drawing = drawing.with_remark(remark);
            }
            drawings.push(drawing);
        }
    }
    drawings
}

fn lines<'g, 'a>(matrix: &Matrix<'_>, groups: &'g [Group<'a>]) -> Vec<Line<'g, 'a>> {
    let simulation = &matrix.scenario.simulation;
    let periodic = groups
        .iter()
        .filter(|group| group.setting.policy.reads(PolicySetting::Period) && is_drawn(matrix, group));
    let line = |group| Line {
        scope: scope_name(group),
        conditions: conditions(simulation, group),
        name: name(simulation, group),
        groups: vec![group],
    };
    let alike =
        by_key(periodic.map(line), |line| (line.scope.clone(), line.conditions.clone(), line.name.clone()));
    let mut lines = Vec::new();
    for mut parts in alike.into_iter().filter(|parts| parts.len() > 1) {
        parts.sort_by_key(|part| period(part.groups[0]));
        let groups = parts.iter().map(|part| part.groups[0]).collect();
        lines.extend(parts.into_iter().next().map(|first| Line { groups, ..first }));
    }
    lines
}

fn period(group: &Group<'_>) -> SimSpan {
    group.setting.parameters.period
}

/// Checks that the group has all instances of its workload, or those of a published table that omits
/// some.
fn is_drawn(matrix: &Matrix<'_>, group: &Group<'_>) -> bool {
    let whole = matrix.instance_count(group.scope.workload);
    group.scope.has_all || matches!(group.scope.load, Load::AtLeast(_)) && group.records.len() < whole
}

fn scope_name(group: &Group<'_>) -> String {
    let workload = &group.scope.workload.name;
    match group.scope.load {
        Load::AtLeast(load) => format!("{workload}, load {load} and more"),
        _ => workload.clone(),
    }
}

fn conditions(simulation: &Simulation, group: &Group<'_>) -> String {
    let options = &group.setting.options;
    let mut parts = Vec::new();
    if simulation.penalties.len() > 1 {
        parts.push(format!("penalty {} s", options.penalty));
    }
    if simulation.cpu_needs.len() > 1 {
        parts.push(format!("CPU needs {}", options.needs));
        parts.extend(options.discovery.map(|span| format!("discovered after {span} s")));
    }
    if simulation.taus.len() > 1 {
        parts.push(format!("tau {} s", group.tau));
    }
    parts.join(", ")
}

fn name(simulation: &Simulation, group: &Group<'_>) -> String {
    let (policy, mcb) = (group.setting.policy, group.setting.parameters.mcb);
    let mut parts = vec![policy.to_string()];
    if simulation.packings.len() > 1 && policy.reads(PolicySetting::Mcb) {
        parts.push(mcb.packing.to_string());
    }
    if simulation.drops.len() > 1 && policy.reads(PolicySetting::Mcb) {
        parts.push(mcb.drop.to_string());
    }
    parts.join(", ")
}

/// Builds the charts of degradation, preemption and migration by period: with one series for each
/// line of a scope, or one for each scope.
fn by_period(lines: &[Line<'_, '_>]) -> Vec<Drawing> {
    let is_by_scope = lines.iter().any(|line| line.scope != lines[0].scope);
    let what = if is_by_scope { &lines[0].name } else { &lines[0].scope };
    let series = |metric: Metric| {
        let points = |line: &Line<'_, '_>| {
            let point = |group: &&Group<'_>| Some((period(group).as_secs_f64(), group.mean_of(metric)?));
            line.groups.iter().filter_map(point).collect()
        };
        let name = |line: &Line<'_, '_>| if is_by_scope { line.scope.clone() } else { line.name.clone() };
        lines.iter().map(|line| Series::new(name(line), points(line))).collect()
    };
    let drawing = |(kind, title, y, metric): (&str, &str, &str, Metric)| {
        let chart = Chart::Lines {
            x: Axis::automatic("period (s)"),
            y: Axis::automatic(y),
            name: if is_by_scope { "workload" } else { "policy" }.to_owned(),
            series: series(metric),
        };
        drawing(kind, title, what, lines, chart)
    };
    BY_PERIOD.map(drawing).into()
}

/// Builds the chart of mean degradation against mean bandwidth, with one point for each period. A
/// further series is the Pareto front of all points: the least degradation at no more than a given
/// bandwidth.
fn trade_off(lines: &[Line<'_, '_>]) -> Option<Drawing> {
    let points = |line: &Line<'_, '_>| -> Vec<(f64, f64)> {
        let point =
            |group: &&Group<'_>| Some((group.mean_of(gb_per_s)?, group.mean_of(|row, _| row.degradation)?));
        line.groups.iter().filter_map(point).collect()
    };
    let mut series: Vec<Series> =
        lines.iter().map(|line| Series::new(line.name.clone(), points(line))).collect();
    let best = pareto_front(series.iter().flat_map(|series| series.points.clone()).collect());
    series.push(Series::new(BEST.to_owned(), best).joined(Join::Steps));
    let chart = Chart::Lines {
        x: Axis::linear("mean preemption and migration (GB/s)"),
        y: Axis::automatic("mean degradation from bound"),
        name: "policy".to_owned(),
        series,
    };
    let mut drawing =
        drawing("degradation-by-bandwidth", "Degradation and bandwidth", &lines[0].scope, lines, chart);
    drawing.remarks.push("A point a period; longer periods move less.".to_owned());
    (lines.len() > 1).then_some(drawing)
}

fn drawing(kind: &str, title: &str, what: &str, lines: &[Line<'_, '_>], chart: Chart) -> Drawing {
    let parts: Vec<&str> = [what, &lines[0].conditions].into_iter().filter(|part| !part.is_empty()).collect();
    let records = || lines.iter().flat_map(|line| &line.groups).flat_map(|group| &group.records);
    let failed = records().filter(|record| record.outcome.is_err()).count();
    let remark = format!("Failed simulations are left out: {failed}.");
    Drawing {
        stem: format!("{kind}-{}", stem(&parts.join(" "))),
        title: format!("{title}: {}", parts.join(", ")),
        remarks: if failed > 0 { vec![remark] } else { Vec::new() },
        chart,
    }
}

/// Returns the Pareto front of the points, by increasing bandwidth.
fn pareto_front(mut points: Vec<(f64, f64)>) -> Vec<(f64, f64)> {
    points.sort_by(|a, b| a.0.total_cmp(&b.0).then(a.1.total_cmp(&b.1)));
    let mut least = f64::INFINITY;
    points.retain(|point| {
        let is_better = point.1 < least;
        least = least.min(point.1);
        is_better
    });
    points
}

#[cfg(test)]
mod tests {
    use super::pareto_front;

    #[test]
    fn the_best_fall_as_the_bandwidth_rises() {
        let points = vec![(3.0, 1.0), (1.0, 5.0), (2.0, 6.0), (2.0, 2.0), (4.0, 1.0)];
        assert_eq!(pareto_front(points), [(1.0, 5.0), (2.0, 2.0), (3.0, 1.0)]);
    }
}
