//! Vector packing: nodes are filled one by one in order, each by the same rule.

use super::item_lists::ItemLists;
use super::node_runs::NodeRuns;
use std::ops::Range;

/// Rule for filling one node.
pub trait FillRule<const D: usize> {
    /// Appends the items that a node takes from the lists, and reduces `free` to the capacity left
    /// after that. Takes of the same item are combined into one [`Take`].
    fn fill(&mut self, items: &ItemLists<D>, free: &mut [u64; D], takes: &mut Vec<Take>);
}

/// Items of one size that a node takes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Take {
    /// Position in [`ItemLists::items`].
    pub item: u32,
    /// Number of items; at least one.
    pub count: u64,
}

/// Result of a packing: the items that the nodes take, in node order, up to the last node that takes
/// any.
#[derive(Debug, Default)]
pub struct PackingPlan {
    takes: Vec<Take>,
    fillings: Vec<Filling>,
}

#[derive(Clone, Copy, Debug)]
struct Filling {
    nodes: u32,
    takes: (u32, u32),
}

impl PackingPlan {
    fn clear(&mut self) {
        self.takes.clear();
        self.fillings.clear();
    }
    /// Counts the takes.
    pub fn takes(&self) -> usize {
        self.takes.len()
    }
    /// Returns runs of nodes that take the same items, with the takes of each node of the run.
    pub fn fillings(&self) -> impl Iterator<Item = (Range<u32>, &[Take])> {
        self.fillings.iter().scan(0, |first, filling| {
            let nodes = *first..*first + filling.nodes;
            *first = nodes.end;
            Some((nodes, &self.takes[filling.takes.0 as usize..filling.takes.1 as usize]))
        })
    }
    /// Returns each item and node with the number of the item placed there.
    pub fn parts(&self) -> impl Iterator<Item = (u32, u32, u64)> {
        self.fillings().flat_map(|(nodes, takes)| {
            nodes.flat_map(move |node| takes.iter().map(move |take| (take.item, node, take.count)))
        })
    }
}

/// Last filling of a node of one kind.
#[derive(Clone, Copy, Debug)]
struct CachedFilling<const D: usize> {
    takes: (u32, u32),
    free: [u64; D],
}

/// Packer of items into nodes; its memory is reused from one packing to the next.
#[derive(Debug, Default)]
pub struct Packer<const D: usize> {
    cache: Vec<Option<CachedFilling<D>>>,
}

impl<const D: usize> Packer<D> {
    /// Fills the nodes in order and returns whether all items were placed; `plan` is meaningful only
    /// then.
    ///
    /// Capacity that stays free on a node is lost. Once the loss exceeds the slack of the nodes over
    /// the volume of the items, the packing must fail, and ends.
    pub fn pack<R: FillRule<D>>(
        &mut self,
        rule: &mut R,
        items: &mut ItemLists<D>,
        nodes: &NodeRuns<D>,
        plan: &mut PackingPlan,
    ) -> bool {
        let Some(mut spare) = slack(items, nodes) else { return false };
        self.fill(rule, items, nodes, plan, |free, nodes| {
            for (spare, &free) in spare.iter_mut().zip(free) {
                let Some(rest) = spare.checked_sub(u128::from(free) * u128::from(nodes)) else {
                    return false;
                };
                *spare = rest;
            }
            true
        });
        items.is_empty()
    }

    /// Fills the nodes in order with as many items as they take by the rule.
    pub fn fill_all<R: FillRule<D>>(
        &mut self,
        rule: &mut R,
        items: &mut ItemLists<D>,
        nodes: &NodeRuns<D>,
        plan: &mut PackingPlan,
    ) {
        self.fill(rule, items, nodes, plan, |_, _| true);
    }

    /// Fills the nodes in order until no item is left or `should_continue` returns false; its
    /// arguments are the capacity left free, and the number of nodes with that.
    ///
    /// A node with the same free capacity as an earlier one takes the same items as long as enough
    /// of each taken item is left: the items that did not fit or were used up then are in the same
    /// state now.
    fn fill<R: FillRule<D>>(
        &mut self,
        rule: &mut R,
        items: &mut ItemLists<D>,
        nodes: &NodeRuns<D>,
        plan: &mut PackingPlan,
        mut should_continue: impl FnMut(&[u64; D], u32) -> bool,
    ) {
        plan.clear();
        self.cache.clear();
        self.cache.resize(nodes.kinds().len(), None);
        for run in nodes.runs() {
            let mut nodes_left = run.nodes;
            while nodes_left > 0 {
                if items.is_empty() {
                    return;
                }
                let remembered = &mut self.cache[run.kind as usize];
                let known = remembered.and_then(|known| Some((known, repeats(items, plan, known.takes)?)));
                let (filling, repeats) = known.unwrap_or_else(|| {
                    let mut free = nodes.kinds()[run.kind as usize];
                    let start = plan.takes.len() as u32;
                    items.skip_used_up();
                    rule.fill(items, &mut free, &mut plan.takes);
                    let takes = (start, plan.takes.len() as u32);
                    let filling = CachedFilling { takes, free };
                    *remembered = Some(filling);
                    (filling, repeats(items, plan, takes).expect("what was just taken is there"))
                });
                let alike = u64::from(nodes_left).min(repeats) as u32;
                if !should_continue(&filling.free, alike) {
                    return;
                }
                for take in &plan.takes[filling.takes.0 as usize..filling.takes.1 as usize] {
                    items.take(take.item, take.count * u64::from(alike));
                }
                plan.fillings.push(Filling { nodes: alike, takes: filling.takes });
                nodes_left -= alike;
            }
        }
    }
}

/// Computes the slack: the capacity of the nodes beyond the volume of the items; `None` if the
/// volume exceeds it in a dimension.
pub fn slack<const D: usize>(items: &ItemLists<D>, nodes: &NodeRuns<D>) -> Option<[u128; D]> {
    let mut spare = [0; D];
    for run in nodes.runs() {
        for (spare, &free) in spare.iter_mut().zip(&nodes.kinds()[run.kind as usize]) {
            *spare += u128::from(free) * u128::from(run.nodes);
        }
    }
    for (spare, volume) in spare.iter_mut().zip(items.volume()) {
        *spare = spare.checked_sub(volume)?;
    }
    Some(spare)
}

/// Counts the nodes that can repeat these takes one after the other until an item runs short; `None`
/// if none can.
fn repeats<const D: usize>(items: &ItemLists<D>, plan: &PackingPlan, takes: (u32, u32)) -> Option<u64> {
    let mut repeats = u64::MAX;
    for take in &plan.takes[takes.0 as usize..takes.1 as usize] {
        let left = items.items()[take.item as usize].left;
        if left < take.count {
            return None;
        }
        // Usually a job has fewer items than two nodes take; this avoids the division.
        repeats = if left / 2 < take.count { 1 } else { repeats.min(left / take.count) };
    }
    Some(repeats)
}
