//! Which rows belong together in a table.

use super::table::Cell;
use crate::row::{Figures, Row};
use crate::scenario::{Scenario, Source, Workload};
use crate::setting::{Label, Setting, settings};
use dfrsim_model::SimSpan;

/// The penalty of the published tables.
const PUBLISHED_PENALTY: SimSpan = SimSpan::from_secs(300);

/// The instances over which a figure is averaged.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Scope<'a> {
    pub(super) workload: &'a str,
    load: Load,
}

#[derive(Clone, Copy, Debug, PartialEq)]
enum Load {
    /// The traces or weeks as they are.
    Unscaled,
    /// The traces scaled to this load.
    Of(f64),
    /// The loads from this one on together.
    From(f64),
    /// All loads together.
    All,
}

impl Scope<'_> {
    pub(super) fn has(&self, row: &Row) -> bool {
        row.cell.workload == self.workload
            && match self.load {
                Load::Unscaled | Load::All => true,
                Load::Of(load) => row.cell.load == Some(load),
                Load::From(least) => row.cell.load.is_some_and(|load| load >= least),
            }
    }
    /// Whether it is a workload as a whole, not some of its loads.
    pub(super) fn is_whole(&self) -> bool {
        matches!(self.load, Load::Unscaled | Load::All)
    }
    /// Whether it is what a published table of this least load is about.
    pub(super) fn is_from(&self, least: f64) -> bool {
        self.load == Load::From(least)
    }
    /// The load, if it is of one.
    pub(super) fn single_load(&self) -> Option<f64> {
        if let Load::Of(load) = self.load { Some(load) } else { None }
    }
    pub(super) fn load(&self) -> Cell {
        match self.load {
            Load::Unscaled => Cell::Nothing,
            Load::Of(load) => Cell::Text(load.to_string()),
            Load::From(least) => Cell::Text(format!(">={least}")),
            Load::All => Cell::Text("all".to_owned()),
        }
    }
}

/// The workloads; those with several loads once for each, then with those together that a published table is about, then
/// with all together.
pub(super) fn scopes(scenario: &Scenario) -> impl Iterator<Item = Scope<'_>> {
    scenario
        .workloads
        .iter()
        .flat_map(|workload| loads(workload).into_iter().map(|load| Scope { workload: &workload.name, load }))
}

fn loads(workload: &Workload) -> Vec<Load> {
    match &workload.source {
        Source::Lublin(source) if !source.loads.is_empty() => {
            let together = (source.loads.len() > 1).then_some(Load::All);
            let partly = workload.published.iter().filter_map(|table| table.least_load()).map(Load::From);
            source.loads.iter().copied().map(Load::Of).chain(partly).chain(together).collect()
        }
        _ => vec![Load::Unscaled],
    }
}

/// The rows of one setting and tau in one scope, in the order of the instances.
pub(super) struct Group<'a> {
    pub(super) scope: Scope<'a>,
    pub(super) label: Label,
    pub(super) tau: SimSpan,
    pub(super) rows: Vec<&'a Row>,
}

/// All groups, in the order of the scenario.
pub(super) fn groups<'a>(scenario: &'a Scenario, rows: &'a [Row]) -> Vec<Group<'a>> {
    let labels: Vec<Label> = settings(scenario).iter().map(Setting::label).collect();
    let mut groups = Vec::new();
    for scope in scopes(scenario) {
        // Row by row into its group, so that long matrices are not searched once for every group.
        let begin = groups.len();
        for &tau in &scenario.simulation.taus {
            for label in &labels {
                groups.push(Group { scope: scope.clone(), label: label.clone(), tau, rows: Vec::new() });
            }
        }
        for row in rows.iter().filter(|row| scope.has(row)) {
            let label = row.cell.label();
            let belongs = |group: &&mut Group<'_>| row.cell.tau_s == group.tau && label == group.label;
            if let Some(group) = groups[begin..].iter_mut().find(belongs) {
                group.rows.push(row);
            }
        }
    }
    groups
}

impl Group<'_> {
    /// The names of the cells that say which group it is.
    pub(super) const HEADER: [&'static str; 10] = [
        "workload",
        "load",
        "policy",
        "penalty_s",
        "period_s",
        "packing",
        "drop",
        "tau_s",
        "instances",
        "failed",
    ];

    /// Which group it is, how many simulations it has and how many of them failed.
    pub(super) fn cells(&self) -> Vec<Cell> {
        vec![
            Cell::Text(self.scope.workload.to_owned()),
            self.scope.load(),
            Cell::Text(self.label.policy.clone()),
            Cell::Span(self.label.penalty),
            self.label.period.map_or(Cell::Nothing, Cell::Span),
            self.label.packing.clone().map_or(Cell::Nothing, Cell::Text),
            self.label.drop.clone().map_or(Cell::Nothing, Cell::Text),
            Cell::Span(self.tau),
            Cell::Count(self.rows.len()),
            Cell::Count(self.rows.len() - self.figures().count()),
        ]
    }
    /// Whether it has the penalty of published tables.
    pub(super) fn has_published_penalty(&self) -> bool {
        self.label.penalty == PUBLISHED_PENALTY
    }
    /// The figures of the simulations that did not fail.
    pub(super) fn figures(&self) -> impl Iterator<Item = &Figures> {
        self.rows.iter().filter_map(|row| row.outcome.as_deref().ok())
    }
    /// One figure of each simulation that did not fail.
    pub(super) fn values(&self, figure: impl Fn(&Figures) -> f64) -> Vec<f64> {
        self.figures().map(figure).collect()
    }
}
