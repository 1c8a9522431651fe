//! The shape of a scenario file of the adaptation study, and its way to checked values.

use super::scenario::Scenario;
use crate::scenario::fields::{Names, Numbers};
use crate::scenario::{Resolver, ScenarioErrors, ScenarioText, anywhere, resolved};
use dfrsim_adaptation::Adapter;
use serde::{Deserialize, Serialize};
use toml::Spanned;

/// A scenario file, before it is checked. Resolved scenarios are written in this shape too.
#[derive(Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct File {
    study: Study,
    #[serde(default)]
    title: String,
    #[serde(default = "first_seed")]
    seed: Spanned<i64>,
    #[serde(default = "thousand")]
    instances: Spanned<i64>,
    #[serde(default = "bytes")]
    cost: Spanned<Names>,
    #[serde(default = "judged_budgets")]
    budgets: Spanned<Numbers>,
    #[serde(default = "search_nodes")]
    search_nodes: Spanned<i64>,
    #[serde(default = "heuristic_steps")]
    heuristic_steps: Spanned<i64>,
}

#[derive(Debug, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
enum Study {
    Adaptation,
}

fn first_seed() -> Spanned<i64> {
    anywhere(1)
}

fn thousand() -> Spanned<i64> {
    anywhere(1_000)
}

fn bytes() -> Spanned<Names> {
    anywhere(Names(vec!["bytes".to_owned()]))
}

fn judged_budgets() -> Spanned<Numbers> {
    anywhere(Numbers(vec![10.0, 25.0, 50.0]))
}

fn search_nodes() -> Spanned<i64> {
    anywhere(100_000_000)
}

fn heuristic_steps() -> Spanned<i64> {
    anywhere(i64::from(Adapter::SEARCH_STEPS))
}

pub(super) fn scenario(source: &ScenarioText<'_>) -> Result<Scenario, ScenarioErrors> {
    resolved(source, |resolver, file: &File| {
        let Study::Adaptation = file.study;
        Scenario {
            title: file.title.clone(),
            seed: resolver.integer(&file.seed, "a seed", 0, i64::MAX) as u64,
            instances: resolver.integer(&file.instances, "a number of instances", 1, 1_000_000) as u64,
            costs: resolver.names(&file.cost, "cost"),
            budgets: budgets(resolver, &file.budgets),
            search_nodes: resolver.integer(&file.search_nodes, "a number of nodes", 0, i64::MAX) as u64,
            heuristic_steps: resolver.integer(
                &file.heuristic_steps,
                "a number of steps",
                0,
                i64::from(u32::MAX),
            ) as u32,
        }
    })
}

fn budgets(resolver: &mut Resolver<'_>, field: &Spanned<Numbers>) -> Vec<f64> {
    let mut budgets = field.get_ref().0.clone();
    if budgets.is_empty() {
        resolver.fault(field, "there must be at least one budget");
    }
    if let Some(wrong) = budgets.iter().find(|percent| !(0.0..=100.0).contains(*percent)) {
        resolver.fault(field, format!("expected percents of everything from 0 to 100, found {wrong}"));
    }
    budgets.sort_by(f64::total_cmp);
    budgets.dedup();
    budgets
}

/// A scenario in the shape of a file.
pub(super) fn file_of(scenario: &Scenario) -> File {
    File {
        study: Study::Adaptation,
        title: scenario.title.clone(),
        seed: anywhere(scenario.seed as i64),
        instances: anywhere(scenario.instances as i64),
        cost: anywhere(Names(scenario.costs.iter().map(ToString::to_string).collect())),
        budgets: anywhere(Numbers(scenario.budgets.clone())),
        search_nodes: anywhere(scenario.search_nodes as i64),
        heuristic_steps: anywhere(i64::from(scenario.heuristic_steps)),
    }
}
