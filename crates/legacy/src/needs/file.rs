//! The shape of a scenario file of the study.

use super::scenario::Scenario;
use crate::scenario::fields::{Names, Numbers, PolicyField};
use crate::scenario::{LublinFile, anywhere, lublin_file};
use dfrsim_model::SimSpan;
use serde::{Deserialize, Serialize};
use toml::Spanned;

/// A scenario file, before it is checked. Resolved scenarios are written in this shape too.
#[derive(Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct File {
    pub(super) study: Study,
    #[serde(default)]
    pub(super) title: String,
    #[serde(default = "one")]
    pub(super) seed: Spanned<i64>,
    pub(super) policies: Spanned<Vec<Spanned<PolicyField>>>,
    pub(super) needs: Spanned<Names>,
    #[serde(default = "a_minute")]
    pub(super) discovery: Spanned<Numbers>,
    #[serde(default = "five_minutes")]
    pub(super) penalty: Spanned<f64>,
    #[serde(default = "ten_minutes")]
    pub(super) period: Spanned<f64>,
    pub(super) nodes: Spanned<i64>,
    pub(super) lublin: LublinFile,
}

#[derive(Debug, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(super) enum Study {
    Needs,
}

impl File {
    /// A scenario in the shape of a file.
    pub(super) fn of(scenario: &Scenario) -> File {
        let Scenario { title, seed, policies, needs, discovery, penalty, period, traces } = scenario;
        let name = |policy: &dfrsim_policies::Policy| anywhere(PolicyField::Name(policy.to_string()));
        File {
            study: Study::Needs,
            title: title.clone(),
            seed: anywhere(*seed as i64),
            policies: anywhere(policies.iter().map(name).collect()),
            needs: anywhere(Names(needs.iter().map(ToString::to_string).collect())),
            discovery: anywhere(Numbers(discovery.iter().map(|span| SimSpan::as_secs_f64(*span)).collect())),
            penalty: anywhere(penalty.as_secs_f64()),
            period: anywhere(period.as_secs_f64()),
            nodes: anywhere(traces.parameters.nodes.get().into()),
            lublin: lublin_file(traces),
        }
    }
}

fn one() -> Spanned<i64> {
    anywhere(1)
}

fn a_minute() -> Spanned<Numbers> {
    anywhere(Numbers(vec![60.0]))
}

fn five_minutes() -> Spanned<f64> {
    anywhere(300.0)
}

fn ten_minutes() -> Spanned<f64> {
    anywhere(600.0)
}
