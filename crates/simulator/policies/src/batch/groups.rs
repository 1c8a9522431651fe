//! Alike nodes.

use dfrsim_cluster::View;
use dfrsim_model::batch::Place;
use dfrsim_model::platform::classes::{NodeClass, NodeClasses};
use dfrsim_model::{SimTime, SortedMap, Yield};
use std::ops::Range;

/// Alike nodes.
#[derive(Clone, Debug)]
pub(super) struct Group {
    /// Rising.
    pub(super) nodes: Vec<u32>,
    /// The place of their class; 0 if all nodes are equal.
    pub(super) class: usize,
    pub(super) speed: Yield,
    /// Jobs take nodes of groups with less of it first, where the policy places them so; otherwise 0.
    pub(super) plenty: usize,
    /// The windows that are announced and not over, by begin.
    pub(super) windows: Vec<(SimTime, SimTime)>,
    pub(super) pools: Range<usize>,
    /// Its place among the groups.
    pub(super) number: usize,
}

impl Group {
    /// Whether none of its nodes is in a window at any time from one moment to another.
    pub(super) fn is_open(&self, start: SimTime, end: SimTime) -> bool {
        !self.windows.iter().any(|&(from, until)| from < end && until > start)
    }

    /// When the next window after a moment begins.
    pub(super) fn next_window(&self, after: SimTime) -> Option<SimTime> {
        self.windows.iter().map(|&(from, _)| from).filter(|&from| from > after).min()
    }
}

/// Groups alike nodes.
pub(super) fn alike(view: View<'_>, place: Place) -> Vec<Group> {
    let (windows, classes) = (view.windows(), view.classes());
    let mut alike: SortedMap<(usize, Vec<usize>), Vec<u32>> = SortedMap::default();
    for node in 0..view.nodes() {
        let over_it = windows.iter().enumerate().filter(|(_, it)| it.outage.nodes.has(node));
        let over_it = over_it.map(|(place, _)| place).collect();
        let class = classes.map_or(0, |classes| classes.class_of(node));
        alike.or_default((class, over_it)).push(node);
    }
    let plenty = classes.filter(|_| place == Place::Best).map(by_plenty).unwrap_or_default();
    let mut groups = Vec::new();
    for ((class, over_it), nodes) in alike {
        let mut windows: Vec<_> =
            over_it.iter().map(|&it| (windows[it].outage.from, windows[it].outage.until)).collect();
        windows.sort_unstable();
        let speed = classes.map_or(Yield::ONE, |classes| classes.classes()[class].speed);
        let plenty = plenty.get(class).copied().unwrap_or(0);
        groups.push(Group { nodes, class, speed, plenty, windows, pools: 0..0, number: groups.len() });
    }
    groups
}

/// Ranks each class among all by what its nodes have. What a job leaves of it is in the same order for all jobs.
fn by_plenty(classes: &NodeClasses) -> Vec<usize> {
    let classes = classes.classes();
    let has = |class: &NodeClass| (class.amounts.clone(), class.memory, class.cpu);
    classes.iter().map(|class| classes.iter().filter(|other| has(other) < has(class)).count()).collect()
}
