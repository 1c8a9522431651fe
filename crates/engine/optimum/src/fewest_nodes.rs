//! How many nodes can be turned off.

use crate::bound::lp_bound;
use crate::exact::{Feasibility, is_feasible};
use crate::outcome::{Limits, Placed};
use dfrsim_model::Yield;
use dfrsim_model::offline::Instance;
use std::time::Instant;

/// The fewest nodes that keep a minimum yield (dissertation, section 4.4.7: "some nodes can be turned off").
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FewestNodes {
    /// How many of the first nodes are on; the others are off.
    pub nodes: usize,
    /// A mapping onto those.
    pub placed: Placed,
    /// Fewer cannot do; the same number if it is proven to be the fewest.
    pub at_least: usize,
}

/// The fewest of the first nodes on which some mapping has at least this minimum yield, exactly as far as the limits, which
/// are for all attempts together, allow. `None` if all nodes cannot, or if a limit came before any try succeeded.
#[must_use]
pub fn fewest_nodes(instance: &Instance, min_yield: Yield, limits: &Limits) -> Option<FewestNodes> {
    let start = Instant::now();
    let mut unknown = None;
    first_success(instance, min_yield, |first| {
        let time = limits.time.map(|time| time.saturating_sub(start.elapsed()));
        match is_feasible(first, min_yield, &Limits { time, ..*limits }) {
            Feasibility::Yes(placed) => Some(placed),
            Feasibility::No => None,
            Feasibility::Unknown => {
                unknown.get_or_insert(first.nodes.len());
                None
            }
        }
    })
    .map(|(nodes, placed)| FewestNodes { nodes, placed, at_least: unknown.unwrap_or(nodes) })
}

/// The fewest of the first nodes on which a packing algorithm reaches this minimum yield. `pack` gets the instance with
/// only these nodes and gives a mapping of at least that yield, if it finds one. All numbers are tried from the least that
/// capacities allow, since the success of a packing algorithm is not monotone.
#[must_use]
pub fn fewest_nodes_by(
    instance: &Instance,
    min_yield: Yield,
    pack: impl FnMut(&Instance) -> Option<Placed>,
) -> Option<FewestNodes> {
    let at_least = fewest_by_sums(instance, min_yield)?;
    first_success(instance, min_yield, pack).map(|(nodes, placed)| FewestNodes { nodes, placed, at_least })
}

/// Tries rising numbers of nodes.
fn first_success(
    instance: &Instance,
    min_yield: Yield,
    mut pack: impl FnMut(&Instance) -> Option<Placed>,
) -> Option<(usize, Placed)> {
    (fewest_by_sums(instance, min_yield)?..=instance.nodes.len())
        .find_map(|nodes| pack(&first_nodes(instance, nodes)).map(|placed| (nodes, placed)))
}

/// The fewest of the first nodes that together offer what all tasks take at this minimum yield, if all do.
pub(crate) fn fewest_by_sums(instance: &Instance, min_yield: Yield) -> Option<usize> {
    let enough = |nodes| lp_bound(&first_nodes(instance, nodes)).is_some_and(|bound| bound >= min_yield);
    // More nodes offer no less.
    let (mut low, mut high) = (0, instance.nodes.len());
    if !enough(high) {
        return None;
    }
    while low < high {
        let middle = low + (high - low) / 2;
        if enough(middle) {
            high = middle;
        } else {
            low = middle + 1;
        }
    }
    Some(low)
}

fn first_nodes(instance: &Instance, nodes: usize) -> Instance {
    Instance { nodes: instance.nodes[..nodes].to_vec(), ..instance.clone() }
}
