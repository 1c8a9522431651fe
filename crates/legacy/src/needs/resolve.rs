//! From what stands in a file to a checked scenario of the study.

use super::file::{File, Study as Field};
use super::scenario::Scenario;
use crate::Study;
use crate::scenario::{Resolver, ScenarioErrors, ScenarioText, resolved};
use dfrsim_model::SimSpan;
use dfrsim_policies::fractional::Periodic;
use dfrsim_policies::{Policy, catalogue};
use std::num::NonZeroU32;

/// The scenario of a text.
pub(crate) fn read(source: &ScenarioText<'_>) -> Result<Study, ScenarioErrors> {
    let scenario = resolved(source, |resolver, file: &File| {
        let Field::Needs = file.study;
        let nodes = resolver.integer(&file.nodes, "a number of nodes", 1, u32::MAX.into());
        let nodes = u32::try_from(nodes).ok().and_then(NonZeroU32::new).unwrap_or(NonZeroU32::MIN);
        Scenario {
            title: file.title.clone(),
            seed: resolver.integer(&file.seed, "a seed", 0, i64::MAX) as u64,
            policies: resolver.policies_of_any_need(file),
            needs: resolver.names(&file.needs, "model of needs"),
            discovery: if file.discovery.get_ref().0.is_empty() {
                Vec::new()
            } else {
                resolver.spans_above_zero(&file.discovery, "time of discovery")
            },
            penalty: resolver.span(&file.penalty, *file.penalty.get_ref()),
            period: {
                let period = resolver.span(&file.period, *file.period.get_ref());
                if period.is_zero() {
                    resolver.fault(&file.period, "a period must be longer than zero");
                }
                period.max(SimSpan::from_micros(1))
            },
            traces: resolver.lublin(&file.lublin, nodes),
        }
    })?;
    Ok(Study::Experiment(Box::new(scenario)))
}

impl Resolver<'_> {
    /// Policies that compute all yields anew whenever they decide, so that they can do with needs that change.
    fn policies_of_any_need(&mut self, file: &File) -> Vec<Policy> {
        let policies = self.selected(&file.policies, "policy", || {
            catalogue().into_iter().map(|info| (info.name, info.policy)).collect()
        });
        for policy in &policies {
            let keeps_yields = |policy| matches!(policy, Policy::Fractional(parts) if parts.periodic == Periodic::McbStretch);
            if keeps_yields(*policy) {
                let message = format!(
                    "{policy} keeps its yields between ticks, which needs that are found do not let it do"
                );
                self.fault(&file.policies, message);
            }
        }
        policies
    }
}
