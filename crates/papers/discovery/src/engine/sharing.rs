//! CPU that virtual machines get from their node.
//!
//! Xen's credit scheduler has two modes (dissertation, section 7.2.1). With *weights*, a machine is
//! entitled to a share of the CPU in proportion to its weight. CPU that it does not need goes to the
//! others in proportion to their weights, and so on until no CPU is left or no machine needs more:
//! weighted max-min fairness. With *caps*, each machine gets its need, up to its cap, and the rest
//! stays idle.
//!
//! ```
//! use dfrsim_paper_discovery::engine::sharing::{Competitor, Sharing};
//! use dfrsim_model::Share;
//!
//! let percent = |percent| Share::from_ratio(percent, 100);
//! // Weights of 70 and 30; the first needs 40 % of the node, the second all of it.
//! let competitors = [(70, 40), (30, 100)].map(|(weight, need)| Competitor { weight, need: percent(need) });
//! let mut shares = Vec::new();
//! Sharing::Weights.share(&competitors, Share::ONE, &mut shares);
//! assert_eq!(shares, [percent(40), percent(60)]);
//! Sharing::Caps.share(&competitors, Share::ONE, &mut shares);
//! assert_eq!(shares, [percent(40), percent(30)]);
//! ```

use crate::engine::points::POINTS;
use dfrsim_model::{Share, named};

/// A virtual machine that competes for the CPU of its node.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Competitor {
    /// Weight, which must be positive; in percent of the node if weights are caps.
    pub weight: u32,
    /// CPU that the machine could use.
    pub need: Share,
}

named! {
    /// Mode in which a node shares its CPU.
    #[derive(Default)]
    pub enum Sharing as "sharing" {
        /// Work-conserving, in proportion to the weights.
        #[default]
        Weights = "weights",
        /// Not work-conserving: weights are percentages that no machine may exceed.
        Caps = "caps",
    }
}

impl Sharing {
    /// Computes the share of each competitor in the capacity, rounded down to a unit of [`Share`].
    /// Competitors whose need is met get exactly their need. Caps are relative to the capacity.
    pub fn share(self, competitors: &[Competitor], capacity: Share, shares: &mut Vec<Share>) {
        match self {
            Sharing::Weights => by_weights(competitors, capacity, shares),
            Sharing::Caps => {
                shares.clear();
                let cap = |weight: u32| {
                    let units =
                        u64::from(capacity.units()) * u64::from(weight.min(POINTS)) / u64::from(POINTS);
                    Share::try_from_units(units as u32).expect("a part of a node")
                };
                shares.extend(competitors.iter().map(|one| one.need.min(cap(one.weight))));
            }
        }
    }
}

/// Computes shares by weighted max-min fairness, in increasing order of need relative to weight.
/// Each machine gets its need or, if that exceeds it, its share by weight of the remaining CPU, as
/// do all machines after it.
fn by_weights(competitors: &[Competitor], capacity: Share, shares: &mut Vec<Share>) {
    let product = |share: u64, weight: u64| u128::from(share) * u128::from(weight);
    let need = |one: &Competitor| u64::from(one.need.units());
    let mut order: Vec<usize> = (0..competitors.len()).collect();
    order.sort_unstable_by(|&a, &b| {
        let [a, b] = [&competitors[a], &competitors[b]];
        product(need(a), b.weight.into()).cmp(&product(need(b), a.weight.into()))
    });
    let mut capacity = u64::from(capacity.units());
    let mut weights: u64 = competitors.iter().map(|one| u64::from(one.weight)).sum();
    shares.clear();
    shares.resize(competitors.len(), Share::ZERO);
    for at in order {
        let one = &competitors[at];
        let weight = u64::from(one.weight);
        if product(need(one), weights) <= product(capacity, weight) {
            shares[at] = one.need;
            capacity -= need(one);
            weights -= weight;
        } else {
            let part = product(capacity, weight) / u128::from(weights);
            shares[at] = Share::try_from_units(part as u32).expect("less than what is needed");
        }
    }
}
