//! Beside the figures of the author's own simulator, trace by trace.

use crate::groups::{Group, Load, Matrix};
use crate::published::Published;
use crate::vcsim::{Measure, values};
use dfrsim_lab::{Bootstrap, Table, mean};

/// Our values and those of the reference, of the traces that both have.
pub(crate) struct Pairs {
    pub(crate) measure: Measure,
    pub(crate) ours: f64,
    pub(crate) theirs: f64,
    /// The ratio of the means, and its 95 % interval by the differences on single traces.
    pub(crate) ratio: Option<(f64, Option<(f64, f64)>)>,
    /// Traces on which the two differ by less than a thousandth.
    equal: usize,
    traces: usize,
}

impl Pairs {
    /// Whether the means are within this part of each other.
    pub(crate) fn is_within(&self, part: f64) -> bool {
        self.ratio.is_some_and(|(ratio, _)| (ratio - 1.0).abs() <= part)
    }
    /// Whether the interval of the ratio includes 1.
    pub(crate) fn may_be_equal(&self) -> bool {
        let interval = self.ratio.and_then(|(_, interval)| interval);
        interval.is_some_and(|(low, high)| (low..=high).contains(&1.0))
    }
}

/// The measures of a group that the reference has too.
pub(crate) fn pairs(matrix: &Matrix<'_>, group: &Group<'_>) -> Vec<Pairs> {
    let is_compared = group.scope.workload.published.contains(&Published::VcsimUnscaled)
        && group.scope.load == Load::Unscaled
        && group.is_simulated_as_published();
    let measures = Measure::ALL.iter().filter(|_| is_compared);
    measures.filter_map(|&measure| of_measure(matrix, group, measure)).collect()
}

fn of_measure(matrix: &Matrix<'_>, group: &Group<'_>, measure: Measure) -> Option<Pairs> {
    let reference = values(&group.setting.policy.to_string(), measure)?;
    let pair = |row: &crate::SimulationRow| {
        let trace: usize = row.instance.strip_prefix("trace-")?.parse().ok()?;
        let own = match measure {
            Measure::Degradation => row.degradation,
            // Every paused job has been resumed at the end.
            Measure::Resumes => row.preemptions as f64,
            Measure::Migrations => row.migrations as f64,
        };
        Some((own, *reference.get(trace)?))
    };
    let pairs: Vec<(f64, f64)> = group.rows().filter_map(pair).collect();
    let (ours, theirs): (Vec<f64>, Vec<f64>) = pairs.iter().copied().unzip();
    if pairs.is_empty() {
        return None;
    }
    let (ours, theirs) = (mean(&ours), mean(&theirs));
    let differences: Vec<f64> = pairs.iter().map(|(ours, theirs)| ours - theirs).collect();
    let difference = Bootstrap::for_tables(matrix.scenario.seed).mean(&differences);
    let ratio = difference.filter(|_| theirs > 0.0).map(|it| {
        let of = |difference: f64| 1.0 + difference / theirs;
        let interval = it.interval.map(|(low, high)| (of(low), of(high)));
        (ours / theirs, interval)
    });
    let is_equal = |(ours, theirs): &&(f64, f64)| (ours - theirs).abs() <= 1e-3 * theirs.abs();
    Some(Pairs {
        measure,
        ours,
        theirs,
        ratio,
        equal: pairs.iter().filter(is_equal).count(),
        traces: pairs.len(),
    })
}

/// A line for each group and measure that the reference has.
pub(super) fn table(matrix: &Matrix<'_>, groups: &[Group<'_>]) -> Table {
    let line = |group: &Group<'_>, pairs: Pairs| {
        let (ratio, interval) = pairs.ratio.unzip();
        let (low, high) = interval.flatten().unzip();
        group
            .line()
            .with("measure", pairs.measure.name())
            .with("mean", pairs.ours)
            .with("vcsim_mean", pairs.theirs)
            .with("ratio", ratio)
            .with("low_ratio", low)
            .with("high_ratio", high)
            .with("equal_traces", pairs.equal)
            .with("traces", pairs.traces)
    };
    let lines = |group| pairs(matrix, group).into_iter().map(move |pairs| line(group, pairs));
    groups.iter().flat_map(lines).collect()
}
