//! Groups of identical nodes.

use dfrsim_cluster::View;
use dfrsim_model::batch::Place;
use dfrsim_model::platform::classes::{NodeClass, NodeClasses};
use dfrsim_model::{NodeId, SimTime, SortedMap, Yield};
use std::ops::Range;

/// A group of identical (interchangeable) nodes.
#[derive(Clone, Debug)]
pub(super) struct Group {
    /// Node numbers in ascending order.
    pub(super) nodes: Vec<u32>,
    /// Index of the node class; 0 if all nodes are equal.
    pub(super) class: usize,
    pub(super) speed: Yield,
    /// Speeds at the levels below full speed.
    pub(super) speeds_below: Vec<Yield>,
    /// Rank by node size for best-fit placement, smallest first; 0 under other placements.
    pub(super) size_rank: usize,
    /// Announced maintenance windows that are not over, ordered by start.
    pub(super) windows: Vec<(SimTime, SimTime)>,
    pub(super) pools: Range<usize>,
    /// Index of this group among all groups.
    pub(super) index: usize,
}

impl Group {
    /// Returns whether no maintenance window overlaps the interval from `start` to `end`.
    pub(super) fn is_open(&self, start: SimTime, end: SimTime) -> bool {
        !self.windows.iter().any(|&(from, until)| from < end && until > start)
    }

    /// Returns the speed at a level.
    #[inline]
    pub(super) fn speed_at(&self, level: u8) -> Yield {
        if level == 0 { self.speed } else { self.speeds_below[usize::from(level) - 1] }
    }

    /// Returns the start of the first maintenance window after `after`.
    pub(super) fn next_window(&self, after: SimTime) -> Option<SimTime> {
        self.windows.iter().map(|&(from, _)| from).filter(|&from| from > after).min()
    }
}

/// Groups nodes that are of the same class and in the same maintenance windows. Drained nodes, on which
/// jobs may still run, are apart from others.
pub(super) fn group_identical_nodes(view: View<'_>, place: Place) -> Vec<Group> {
    let (windows, classes) = (view.windows(), view.classes());
    let windows_over = |node: u32| {
        windows
            .iter()
            .enumerate()
            .filter(move |(_, it)| it.outage.nodes.contains(node))
            .map(|(place, _)| place)
    };
    let class_and_drain = |node| (view.class_of(node), view.is_drained(NodeId(node)));
    let is_like = |a, b| class_and_drain(a) == class_and_drain(b) && windows_over(a).eq(windows_over(b));
    let mut alike: SortedMap<(usize, bool, Vec<usize>), Vec<u32>> = SortedMap::default();
    // Neighbours are mostly identical: the map is searched once for each run of them.
    let mut first = 0;
    while first < view.nodes() {
        let end = (first + 1..view.nodes()).find(|&node| !is_like(first, node)).unwrap_or(view.nodes());
        let (class, is_drained) = class_and_drain(first);
        alike.or_default((class, is_drained, windows_over(first).collect())).extend(first..end);
        first = end;
    }
    let plenty = classes.filter(|_| place == Place::Best).map(size_ranks).unwrap_or_default();
    let mut groups = Vec::new();
    for ((class, _, over_it), nodes) in alike {
        let mut windows: Vec<_> =
            over_it.iter().map(|&it| (windows[it].outage.from, windows[it].outage.until)).collect();
        windows.sort_unstable();
        let speed = classes.map_or(Yield::ONE, |classes| classes.classes()[class].speed);
        let speeds_below = classes.map_or_else(Vec::new, |classes| {
            (1..=classes.levels().len() as u8).map(|level| classes.speed_at(class, level)).collect()
        });
        let plenty = plenty.get(class).copied().unwrap_or(0);
        groups.push(Group {
            nodes,
            class,
            speed,
            speeds_below,
            size_rank: plenty,
            windows,
            pools: 0..0,
            index: groups.len(),
        });
    }
    groups
}

/// Ranks each node class by the amounts of its nodes. The amounts left over by a job would give the
/// same ranking for every job, so this is best fit.
fn size_ranks(classes: &NodeClasses) -> Vec<usize> {
    let classes = classes.classes();
    let has = |class: &NodeClass| (class.amounts.clone(), class.memory, class.cpu);
    classes.iter().map(|class| classes.iter().filter(|other| has(other) < has(class)).count()).collect()
}
