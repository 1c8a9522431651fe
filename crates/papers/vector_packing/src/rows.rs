//! Columns of rows.

use crate::parameters::Parameters;
use dfrsim_lab::columns;
use dfrsim_model::Yield;

columns! {
    /// A packing.
    pub struct Row of |parameters: &Parameters| {
        /// Name of the group of instances.
        label pub instances: String,
        /// Number of tasks.
        label pub tasks: u32,
        /// Free fraction of the fixed resources.
        label pub slack: f64,
        /// Number of the scenario in its group, from 0.
        instance pub scenario: u32,
        /// Number of the instance among those of its scenario, from 0.
        instance pub replication: u32,
        /// Number of nodes.
        fact pub nodes: u32 = parameters.nodes,
        /// Number of resources.
        fact pub dimensions: u32 = parameters.dimensions,
        /// Deviation of requirements and needs (dissertation).
        fact pub sigma: Option<f64> = parameters.of_dissertation().map(|of| of.sigma),
        /// Probability of a quality of service (dissertation).
        fact pub rho: Option<f64> = parameters.of_dissertation().map(|of| of.rho),
        /// Variation of memory requirements (RR-6692).
        fact pub memory_variation: Option<f64> = parameters.of_report().map(|of| of.memory_variation),
        /// Variation of CPU needs (RR-6692).
        fact pub cpu_variation: Option<f64> = parameters.of_report().map(|of| of.cpu_variation),
        /// True if jobs have several tasks (RR-6692).
        fact pub parallel: Option<bool> = parameters.of_report().map(|of| of.parallel),
        /// LPBOUND, an upper bound on the minimum yield; none if the sums of demands already show
        /// that there is no packing.
        fact pub bound: Option<f64>,
        /// Name of the algorithm.
        variant pub algorithm: String,
        /// Largest minimum yield that the packing allows.
        primary(more) pub minimum_yield: f64,
        /// Largest average yield of the packing, at its minimum yield.
        metric(more) pub average_yield: Option<f64>,
        /// Average yield by the dissertation's rule, for serial jobs.
        metric(more) pub average_yield_by_rule: Option<f64>,
        /// Used fraction of the fluid resources at the minimum yield.
        metric(more) pub utilisation: Option<f64>,
        /// Used fraction of the fluid resources with yields raised by the dissertation's rule; for
        /// parallel jobs, to the largest average.
        metric(more) pub raised_utilisation: Option<f64>,
    }
}

/// Rounds a yield to seven decimals, as written in rows. They are enough to recover the exact value.
pub(crate) fn decimal(exact: Yield) -> f64 {
    (exact.as_f64() * 1e7).round() / 1e7
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_yield_is_found_again() {
        for units in 0..=Yield::ONE.units() {
            let exact = Yield::try_from_units(units).unwrap();
            let text = decimal(exact).to_string();
            assert!(text.len() <= 9, "{text}");
            assert_eq!(Yield::nearest(text.parse().unwrap()), exact);
        }
    }
}
