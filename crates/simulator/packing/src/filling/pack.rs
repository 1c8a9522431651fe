//! Vector packing: nodes are filled one by one in order, each by the same rule.

use super::item_lists::ItemLists;
use super::node_runs::NodeRuns;
use std::ops::Range;

/// How one node is filled.
pub trait FillRule<const D: usize> {
    /// Appends what a node takes of what is left in the lists, and reduces `free` to what then is free. Takes
    /// of the same item are one [`Take`].
    fn fill(&mut self, items: &ItemLists<D>, free: &mut [u64; D], takes: &mut Vec<Take>);
}

/// Some items of one size that a node takes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Take {
    /// The position in [`ItemLists::items`].
    pub item: u32,
    /// How many; at least one.
    pub count: u64,
}

/// A packing that was found: what the nodes take, in their order, up to the last one that takes anything.
#[derive(Debug, Default)]
pub struct Plan {
    takes: Vec<Take>,
    fillings: Vec<Filling>,
}

#[derive(Clone, Copy, Debug)]
struct Filling {
    nodes: u32,
    takes: (u32, u32),
}

impl Plan {
    fn clear(&mut self) {
        self.takes.clear();
        self.fillings.clear();
    }
    /// How many times a node took items.
    pub fn takes(&self) -> usize {
        self.takes.len()
    }
    /// The nodes in runs that take the same, and what each node of a run takes.
    pub fn fillings(&self) -> impl Iterator<Item = (Range<u32>, &[Take])> {
        self.fillings.iter().scan(0, |first, filling| {
            let nodes = *first..*first + filling.nodes;
            *first = nodes.end;
            Some((nodes, &self.takes[filling.takes.0 as usize..filling.takes.1 as usize]))
        })
    }
    /// Each item, node and how many of the item it took there.
    pub fn parts(&self) -> impl Iterator<Item = (u32, u32, u64)> {
        self.fillings().flat_map(|(nodes, takes)| {
            nodes.flat_map(move |node| takes.iter().map(move |take| (take.item, node, take.count)))
        })
    }
}

/// The amount that nodes of one kind took last.
#[derive(Clone, Copy, Debug)]
struct Remembered<const D: usize> {
    takes: (u32, u32),
    free: [u64; D],
}

/// Packs items into nodes; holds memory that is used again from one packing to the next.
#[derive(Debug, Default)]
pub struct Packer<const D: usize> {
    remembered: Vec<Option<Remembered<D>>>,
}

impl<const D: usize> Packer<D> {
    /// Fills the nodes in order and says whether all items found a place; `plan` is meaningful only then.
    ///
    /// Capacity that stays free on a node is lost: once more is lost than the nodes have beyond the volume of the items,
    /// the packing must fail, and ends.
    pub fn pack<R: FillRule<D>>(
        &mut self,
        rule: &mut R,
        items: &mut ItemLists<D>,
        nodes: &NodeRuns<D>,
        plan: &mut Plan,
    ) -> bool {
        let Some(mut spare) = spare(items, nodes) else { return false };
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
        plan: &mut Plan,
    ) {
        self.fill(rule, items, nodes, plan, |_, _| true);
    }

    /// Fills the nodes in order until no item is left, or `goes_on` is false; its arguments are what stays free and on
    /// how many nodes.
    ///
    /// A node that starts with as much free as one before takes the same, as long as that many are left of all that was
    /// taken: items that did not fit or had run out then are in the same state now.
    fn fill<R: FillRule<D>>(
        &mut self,
        rule: &mut R,
        items: &mut ItemLists<D>,
        nodes: &NodeRuns<D>,
        plan: &mut Plan,
        mut goes_on: impl FnMut(&[u64; D], u32) -> bool,
    ) {
        plan.clear();
        self.remembered.clear();
        self.remembered.resize(nodes.kinds().len(), None);
        for run in nodes.runs() {
            let mut nodes_left = run.nodes;
            while nodes_left > 0 {
                if items.is_empty() {
                    return;
                }
                let remembered = &mut self.remembered[run.kind as usize];
                let known = remembered.and_then(|known| Some((known, repeats(items, plan, known.takes)?)));
                let (filling, repeats) = known.unwrap_or_else(|| {
                    let mut free = nodes.kinds()[run.kind as usize];
                    let start = plan.takes.len() as u32;
                    items.skip_what_ran_out();
                    rule.fill(items, &mut free, &mut plan.takes);
                    let takes = (start, plan.takes.len() as u32);
                    let filling = Remembered { takes, free };
                    *remembered = Some(filling);
                    (filling, repeats(items, plan, takes).expect("what was just taken is there"))
                });
                let alike = u64::from(nodes_left).min(repeats) as u32;
                if !goes_on(&filling.free, alike) {
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

/// What the nodes can hold beyond the volume of the items; `None` if the items are more than they can hold.
pub fn spare<const D: usize>(items: &ItemLists<D>, nodes: &NodeRuns<D>) -> Option<[u128; D]> {
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

/// How many nodes can take this one after the other, until one of the items runs short; `None` if none can.
fn repeats<const D: usize>(items: &ItemLists<D>, plan: &Plan, takes: (u32, u32)) -> Option<u64> {
    let mut repeats = u64::MAX;
    for take in &plan.takes[takes.0 as usize..takes.1 as usize] {
        let left = items.items()[take.item as usize].left;
        if left < take.count {
            return None;
        }
        // Most often the items of one job are fewer than two nodes take: no division then.
        repeats = if left / 2 < take.count { 1 } else { repeats.min(left / take.count) };
    }
    Some(repeats)
}
