//! The nodes in groups of those that are like each other, and the job on each.

use super::profile::Profiles;
use super::{Group, Split, Wanted};
use crate::batch::{BatchJob, Place};
use dfrsim_cluster::{JobHandle, NodeRange, View};
use dfrsim_model::{NodeId, NodeTasks, SimTime, Yield};
use dfrsim_platform::classes::{NodeClass, NodeClasses};
use std::collections::BTreeMap;
use std::ops::Range;
use std::sync::Arc;

/// The groups as they are between two changes of the platform.
#[derive(Debug, Default)]
pub(in crate::batch) struct Groups {
    pub(super) all: Vec<Group>,
    /// Their different speeds, the highest first.
    speeds: Vec<Yield>,
    /// The group of each node.
    of: Vec<usize>,
    /// The nodes of each group that are up, or down in a window.
    up: Vec<u32>,
}

impl Groups {
    /// For the classes of nodes and the windows that are announced now, and the rule by which jobs are placed.
    fn new(view: View<'_>, place: Place) -> Groups {
        let windows = view.windows();
        let classes = view.classes();
        let mut by_windows: BTreeMap<(usize, Vec<usize>), Vec<u32>> = BTreeMap::new();
        for node in 0..view.nodes() {
            let places = windows.iter().enumerate().filter(|(_, it)| it.outage.nodes.has(node));
            let places = places.map(|(place, _)| place).collect();
            let class = classes.map_or(0, |classes| classes.class_of(node));
            by_windows.entry((class, places)).or_default().push(node);
        }
        let mut groups = Groups { of: vec![0; view.nodes() as usize], ..Groups::default() };
        let now = view.now();
        let plenty = match place {
            Place::Best => classes.map(by_plenty).unwrap_or_default(),
            Place::First | Place::Contiguous => Vec::new(),
        };
        for ((class, places), nodes) in by_windows {
            let of = |place: usize| windows[place].outage;
            let mut holes: Vec<_> = places.iter().map(|&it| (of(it).from, of(it).until)).collect();
            holes.sort_unstable();
            let in_window = holes.iter().any(|&(from, until)| from <= now && now < until);
            let up = nodes.iter().filter(|&&node| in_window || view.is_up(NodeId(node))).count();
            nodes.iter().for_each(|&node| groups.of[node as usize] = groups.all.len());
            groups.up.push(up as u32);
            let speed = classes.map_or(Yield::ONE, |classes| classes.classes()[class].speed);
            let plenty = plenty.get(class).copied().unwrap_or(0);
            groups.all.push(Group { nodes, class, speed, plenty, holes });
        }
        groups.speeds = groups.all.iter().map(|group| group.speed).collect();
        groups.speeds.sort_unstable_by(|a, b| b.cmp(a));
        groups.speeds.dedup();
        groups
    }

    /// The free nodes over time, if no job runs.
    pub(in crate::batch) fn profiles(&self, now: SimTime) -> Profiles<'_> {
        Profiles::new(now, &self.all, &self.speeds, &self.up)
    }

    /// How many nodes of each group these are.
    pub(in crate::batch) fn split(&self, on: &[NodeRange]) -> Split {
        let mut split = vec![0; self.all.len()];
        for node in on.iter().flat_map(|range| range.indices()) {
            split[self.of[node]] += 1;
        }
        split
    }

    /// When a job ends by its estimate that starts on some nodes of each group.
    pub(in crate::batch) fn end(&self, start: SimTime, job: BatchJob, split: &[u32]) -> SimTime {
        let used = self.all.iter().zip(split).filter(|(_, nodes)| **nodes > 0);
        let slowest = used.map(|(group, _)| group.speed).min();
        job.end(start, slowest.unwrap_or(Yield::ONE))
    }

    /// When a job leaves these nodes that would end at a moment: a window ends its stay at the latest.
    pub(in crate::batch) fn stays_until(&self, now: SimTime, end: SimTime, split: &[u32]) -> SimTime {
        let used = self.all.iter().zip(split).filter(|(_, nodes)| **nodes > 0);
        let begins = used.flat_map(|(group, _)| group.holes.iter().map(|&(from, _)| from));
        begins.filter(|&from| from > now).fold(end, SimTime::min)
    }
}

/// The groups of now, and the job on each node.
#[derive(Debug)]
pub(in crate::batch) struct NodeGroups {
    place: Place,
    holders: Vec<Option<JobHandle>>,
    groups: Arc<Groups>,
    /// The state of the platform for which the groups were made.
    platform_changes: Option<u64>,
}

impl NodeGroups {
    /// For a cluster of this many nodes, in which jobs get theirs by this rule.
    pub(in crate::batch) fn new(nodes: u32, place: Place) -> NodeGroups {
        NodeGroups {
            place,
            holders: vec![None; nodes as usize],
            groups: Arc::default(),
            platform_changes: None,
        }
    }

    pub(in crate::batch) fn groups(&self) -> &Arc<Groups> {
        &self.groups
    }

    /// Makes the groups again if the platform has changed; whether it has.
    pub(in crate::batch) fn follow(&mut self, view: View<'_>) -> bool {
        let changes = Some(view.platform_changes());
        let has_changed = std::mem::replace(&mut self.platform_changes, changes) != changes;
        if has_changed {
            self.groups = Arc::new(Groups::new(view, self.place));
        }
        has_changed
    }

    /// How many nodes have what a task of a job asks for.
    pub(in crate::batch) fn nodes_for(&self, view: View<'_>, job: JobHandle) -> u32 {
        let Some(classes) = view.classes() else { return self.holders.len() as u32 };
        let fitting = classes.classes().iter().enumerate().filter(|(class, _)| view.fits(job, *class));
        fitting.map(|(_, class)| class.nodes).sum()
    }

    /// Takes a job off its nodes.
    pub(in crate::batch) fn release(&mut self, on: &[NodeRange]) {
        on.iter().for_each(|range| self.holders[range.indices()].fill(None));
    }

    /// Free nodes of each group by the rule, which the job has from now on.
    pub(in crate::batch) fn place(
        &mut self,
        view: View<'_>,
        job: &BatchJob,
        split: &[u32],
    ) -> Vec<NodeRange> {
        let mut nodes = Vec::with_capacity(job.width as usize);
        for (group, &count) in self.groups.all.iter().zip(split) {
            let holders = &self.holders;
            let free = |node: &u32| holders[*node as usize].is_none() && view.is_up(NodeId(*node));
            let free = group.nodes.iter().copied().filter(free);
            match self.place {
                Place::First => nodes.extend(free.take(count as usize)),
                place => nodes.extend(place.choose(runs(free), count).into_iter().flatten()),
            }
        }
        nodes.sort_unstable();
        let mut ranges = Vec::new();
        for node in nodes {
            self.holders[node as usize] = Some(job.job);
            NodeRange::from(NodeTasks { node: NodeId(node), tasks: 1 }).push_onto(&mut ranges);
        }
        ranges
    }
}

impl Wanted {
    /// A job, with the classes of nodes that it fits.
    pub(in crate::batch) fn new(view: View<'_>, job: BatchJob) -> Wanted {
        let fits = view
            .classes()
            .map(|classes| (0..classes.classes().len()).map(|class| view.fits(job.job, class)).collect());
        Wanted { job, fits }
    }
}

/// The place of each class among all by what its nodes have. What a job leaves of it is in the same order for all jobs.
fn by_plenty(classes: &NodeClasses) -> Vec<usize> {
    let classes = classes.classes();
    let has = |class: &NodeClass| (class.amounts.clone(), class.memory, class.cpu);
    classes.iter().map(|class| classes.iter().filter(|other| has(other) < has(class)).count()).collect()
}

/// Rising nodes as few ranges.
fn runs(nodes: impl Iterator<Item = u32>) -> Vec<Range<u32>> {
    let mut runs: Vec<Range<u32>> = Vec::new();
    for node in nodes {
        match runs.last_mut().filter(|run| run.end == node) {
            Some(run) => run.end += 1,
            None => runs.push(node..node + 1),
        }
    }
    runs
}
