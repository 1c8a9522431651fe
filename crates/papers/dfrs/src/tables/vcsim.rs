//! Comparison with the results of the author's own simulator, trace by trace.

use crate::groups::{Group, Load, Matrix};
use crate::published::Published;
use crate::vcsim::{Measure, values};
use dfrsim_lab::{Bootstrap, Table, mean};

/// Our values and those of the reference, for the traces that both have.
pub(crate) struct VcsimComparison {
    pub(crate) measure: Measure,
    pub(crate) ours: f64,
    pub(crate) theirs: f64,
    /// Ratio of the means, and its 95 % interval from the differences on single traces.
    pub(crate) ratio: Option<(f64, Option<(f64, f64)>)>,
    /// Number of traces on which the two differ by at most a thousandth.
    equal: usize,
    traces: usize,
}

impl VcsimComparison {
    /// Checks that the interval of the ratio includes 1.
    pub(crate) fn may_be_equal(&self) -> bool {
        let interval = self.ratio.and_then(|(_, interval)| interval);
        interval.is_some_and(|(low, high)| (low..=high).contains(&1.0))
    }
}

/// Compares the measures of a group that the reference has too.
pub(crate) fn compare_with_vcsim(matrix: &Matrix<'_>, group: &Group<'_>) -> Vec<VcsimComparison> {
    let is_compared = group.scope.workload.published.contains(&Published::VcsimUnscaled)
        && group.scope.load == Load::Unscaled
        && group.is_simulated_as_published();
    let measures = Measure::ALL.iter().filter(|_| is_compared);
    measures.filter_map(|&measure| compare_measure(matrix, group, measure)).collect()
}

fn compare_measure(matrix: &Matrix<'_>, group: &Group<'_>, measure: Measure) -> Option<VcsimComparison> {
    let reference = values(&group.setting.policy.to_string(), measure)?;
    let pair = |row: &crate::SimulationRow| {
        let trace: usize = row.instance.strip_prefix("trace-")?.parse().ok()?;
        let own = match measure {
            Measure::Degradation => row.degradation,
            // Every paused job has been resumed by the end, so the counts are equal.
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
    Some(VcsimComparison {
        measure,
        ours,
        theirs,
        ratio,
        equal: pairs.iter().filter(is_equal).count(),
        traces: pairs.len(),
    })
}

/// Builds the table of comparisons, with a line for each group and measure that the reference has.
pub(super) fn table(matrix: &Matrix<'_>, groups: &[Group<'_>]) -> Table {
    let line = |group: &Group<'_>, pairs: VcsimComparison| {
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
    let lines = |group| compare_with_vcsim(matrix, group).into_iter().map(move |pairs| line(group, pairs));
    groups.iter().flat_map(lines).collect()
}
