//! Which rows belong together in a table.

use super::table::Cell;
use crate::row::{Figures, Row};
use crate::scenario::Scenario;
use crate::setting::Label;
use dfrsim_model::SimSpan;
use std::fmt;

/// The penalty and the period of the published tables.
const PUBLISHED_PENALTY: SimSpan = SimSpan::from_secs(300);
const PUBLISHED_PERIOD: SimSpan = SimSpan::from_secs(600);

/// The instances over which a figure is averaged.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Scope<'a> {
    pub(crate) workload: &'a str,
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
    pub(crate) fn has(&self, row: &Row) -> bool {
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
    /// The load: a number, `>=` and a number, `all`, or nothing for traces and weeks as they are.
    pub(crate) fn load(&self) -> Option<String> {
        match self.load {
            Load::Unscaled => None,
            Load::Of(load) => Some(load.to_string()),
            Load::From(least) => Some(format!(">={least}")),
            Load::All => Some("all".to_owned()),
        }
    }
}

/// The least loads of the published tables that are about some loads of a workload.
#[derive(Clone, Copy)]
pub(crate) struct LeastLoads<'a>(Option<&'a Scenario>);

impl<'a> LeastLoads<'a> {
    /// No table is looked at.
    pub(crate) const NONE: LeastLoads<'static> = LeastLoads(None);

    /// Those of a scenario.
    pub(super) fn of(scenario: &'a Scenario) -> LeastLoads<'a> {
        LeastLoads(Some(scenario))
    }
    fn of_workload(self, name: &str) -> impl Iterator<Item = f64> {
        let workloads = self.0.map(|scenario| scenario.workloads.as_slice()).unwrap_or_default();
        let workload = workloads.iter().filter(move |workload| workload.name == name);
        workload.flat_map(|workload| workload.published.iter().filter_map(|table| table.least_load()))
    }
}

/// The workloads in the order of the rows; those with several loads once for each, then with those together that a
/// published table is about, then with all together.
pub(crate) fn scopes<'a>(rows: impl Iterator<Item = &'a Row>, least_loads: LeastLoads<'_>) -> Vec<Scope<'a>> {
    let mut workloads: Vec<(&str, Vec<Option<f64>>)> = Vec::new();
    for Row { cell, .. } in rows {
        let place = workloads.iter().position(|(workload, _)| *workload == cell.workload);
        let place = place.unwrap_or_else(|| {
            workloads.push((&cell.workload, Vec::new()));
            workloads.len() - 1
        });
        let loads = &mut workloads[place].1;
        if !loads.contains(&cell.load) {
            loads.push(cell.load);
        }
    }
    let scopes = |(workload, loads): (_, Vec<Option<f64>>)| {
        let together = (loads.len() > 1).then_some(Load::All);
        let is_scaled = loads.iter().any(Option::is_some);
        let partly = least_loads.of_workload(workload).filter(|_| is_scaled).map(Load::From);
        let each = loads.into_iter().map(|load| load.map_or(Load::Unscaled, Load::Of));
        each.chain(partly).chain(together).map(|load| Scope { workload, load }).collect::<Vec<_>>()
    };
    workloads.into_iter().flat_map(scopes).collect()
}

/// The rows of one setting and tau in one scope, in the order of the instances.
pub(crate) struct Group<'a> {
    pub(crate) scope: Scope<'a>,
    pub(crate) label: Label,
    pub(crate) tau: SimSpan,
    pub(crate) rows: Vec<&'a Row>,
}

/// All groups, in the order of the scenario, which is that of the rows.
pub(crate) fn groups<'a>(rows: &'a [Row], least_loads: LeastLoads<'_>) -> Vec<Group<'a>> {
    let mut groups = Vec::new();
    for scope in scopes(rows.iter(), least_loads) {
        let members: Vec<(&Row, Label)> =
            rows.iter().filter(|row| scope.has(row)).map(|row| (row, row.cell.label())).collect();
        let taus = distinct(members.iter().map(|(row, _)| &row.cell.tau_s));
        let labels = distinct(members.iter().map(|(_, label)| label));
        // Row by row into its group, so that long matrices are not searched once for every group.
        let begin = groups.len();
        for &tau in &taus {
            for label in &labels {
                groups.push(Group { scope, label: (*label).clone(), tau: *tau, rows: Vec::new() });
            }
        }
        for (row, label) in &members {
            let belongs = |group: &&mut Group<'_>| row.cell.tau_s == group.tau && *label == group.label;
            if let Some(group) = groups[begin..].iter_mut().find(belongs) {
                group.rows.push(row);
            }
        }
    }
    groups.retain(|group| !group.rows.is_empty());
    groups
}

/// Each value once, in the order in which they come first.
fn distinct<'a, T: PartialEq>(values: impl Iterator<Item = &'a T>) -> Vec<&'a T> {
    let mut distinct = Vec::new();
    for value in values {
        if !distinct.contains(&value) {
            distinct.push(value);
        }
    }
    distinct
}

/// What a group is known by: the first columns of every table.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct GroupKey {
    /// The workload.
    pub workload: String,
    /// The offered load of its traces, or `all` of several; nothing if they are not scaled.
    pub load: Option<String>,
    /// The policy.
    pub policy: String,
    /// The rescheduling penalty.
    pub penalty_s: SimSpan,
    /// The period, where the policy is periodic.
    pub period_s: Option<SimSpan>,
    /// The packing rule of MCB, where the policy uses it.
    pub packing: Option<String>,
    /// The drop rule of MCB, where the policy uses it.
    pub drop: Option<String>,
    /// The tau of the bounded stretch.
    pub tau_s: SimSpan,
}

impl GroupKey {
    /// The names of its cells.
    pub(crate) const HEADER: [&'static str; 8] =
        ["workload", "load", "policy", "penalty_s", "period_s", "packing", "drop", "tau_s"];

    pub(crate) fn cells(&self) -> Vec<Cell> {
        let text = |text: &Option<String>| text.clone().map_or(Cell::Nothing, Cell::Text);
        vec![
            Cell::Text(self.workload.clone()),
            text(&self.load),
            Cell::Text(self.policy.clone()),
            Cell::Span(self.penalty_s),
            self.period_s.map_or(Cell::Nothing, Cell::Span),
            text(&self.packing),
            text(&self.drop),
            Cell::Span(self.tau_s),
        ]
    }
    /// All but the workload: `load 0.7, EASY, penalty 300 s, tau 10 s`.
    pub(crate) fn within_workload(&self) -> String {
        let mut parts = Vec::new();
        parts.extend(self.load.as_deref().map(|load| match load {
            "all" => "all loads".to_owned(),
            _ => format!("load {load}"),
        }));
        parts.extend([self.policy.clone(), format!("penalty {} s", self.penalty_s)]);
        parts.extend(self.period_s.map(|period| format!("period {period} s")));
        parts.extend(self.packing.iter().chain(&self.drop).cloned());
        parts.push(format!("tau {} s", self.tau_s));
        parts.join(", ")
    }
}

impl fmt::Display for GroupKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}, {}", self.workload, self.within_workload())
    }
}

impl Group<'_> {
    /// What it is known by.
    pub(crate) fn key(&self) -> GroupKey {
        let Label { policy, penalty, period, packing, drop } = self.label.clone();
        GroupKey {
            workload: self.scope.workload.to_owned(),
            load: self.scope.load(),
            policy,
            penalty_s: penalty,
            period_s: period,
            packing,
            drop,
            tau_s: self.tau,
        }
    }
    /// The names of the cells that say which group it is, how many simulations it has and how many of them failed.
    pub(super) fn header() -> Vec<&'static str> {
        GroupKey::HEADER.into_iter().chain(["instances", "failed"]).collect()
    }
    pub(super) fn cells(&self) -> Vec<Cell> {
        let mut cells = self.key().cells();
        cells.extend([Cell::Count(self.rows.len()), Cell::Count(self.failed())]);
        cells
    }
    /// How many of its simulations failed.
    pub(crate) fn failed(&self) -> usize {
        self.rows.len() - self.figures().count()
    }
    /// Whether it has the penalty and, where that matters, the period of published tables.
    pub(super) fn is_simulated_as_published(&self) -> bool {
        self.label.penalty == PUBLISHED_PENALTY
            && self.label.period.is_none_or(|period| period == PUBLISHED_PERIOD)
    }
    /// The figures of the simulations that did not fail.
    pub(crate) fn figures(&self) -> impl Iterator<Item = &Figures> {
        self.rows.iter().filter_map(|row| row.outcome.as_deref().ok())
    }
    /// One figure of each simulation that did not fail.
    pub(crate) fn values(&self, figure: impl Fn(&Figures) -> f64) -> Vec<f64> {
        self.figures().map(figure).collect()
    }
}
