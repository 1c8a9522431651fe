//! Groups of nodes that are interchangeable for the policy, and their free nodes.

use dfrsim_cluster::{JobHandle, View};
use dfrsim_model::{NodeId, SimSpan, SimTime, SortedMap, VirtualTime, Yield};

/// Nodes of one class that are in the same announced maintenance windows.
#[derive(Debug)]
pub(super) struct Group {
    /// Node numbers in ascending order.
    nodes: Vec<u32>,
    class: usize,
    speed: Yield,
    windows: Vec<(SimTime, SimTime)>,
    /// Number of nodes that no job uses. In a window all nodes count as up.
    pub(super) free: u32,
}

/// Numbers of nodes of a job, by group.
pub(super) type Allocation = Vec<(usize, u32)>;

/// Interval in which a job could run: the minimum speed of its nodes, its start, and its estimated
/// end at that speed.
#[derive(Clone, Copy, Debug)]
pub(super) struct Slot {
    speed: Yield,
    pub(super) start: SimTime,
    end: SimTime,
}

/// All nodes of the cluster.
#[derive(Debug, Default)]
pub(super) struct Groups {
    all: Vec<Group>,
    /// Distinct speeds, the highest first.
    speeds: Vec<Yield>,
    /// True, per node, if it is up and no job uses it.
    is_free: Vec<bool>,
}

/// Returns the estimated end of a job that starts on nodes whose slowest has this speed.
fn end_of(view: View<'_>, job: JobHandle, start: SimTime, speed: Yield) -> SimTime {
    let run_time = match view.job(job).remaining_estimate() {
        Some(estimate) if speed == Yield::ONE => estimate,
        Some(estimate) => VirtualTime::of(estimate).time_at(speed).unwrap_or(SimSpan::MAX),
        None => SimSpan::MAX,
    };
    start.saturating_add(run_time)
}

impl Group {
    /// Returns whether no window overlaps the interval.
    fn is_open(&self, start: SimTime, end: SimTime) -> bool {
        !self.windows.iter().any(|&(from, until)| from < end && until > start)
    }

    fn next_window(&self, after: SimTime) -> Option<SimTime> {
        self.windows.iter().map(|&(from, _)| from).filter(|&from| from > after).min()
    }
}

impl Groups {
    /// Groups the nodes of a cluster, all of them free.
    pub(super) fn new(view: View<'_>) -> Groups {
        let (now, windows) = (view.now(), view.windows());
        let mut alike: SortedMap<(usize, Vec<usize>), Vec<u32>> = SortedMap::default();
        for node in 0..view.nodes() {
            let over_it = (0..windows.len()).filter(|&at| windows[at].outage.nodes.contains(node));
            alike.or_default((view.class_of(node), over_it.collect())).push(node);
        }
        let mut groups = Groups { is_free: vec![true; view.nodes() as usize], ..Groups::default() };
        for ((class, over_it), nodes) in alike {
            let windows = over_it.iter().map(|&at| (windows[at].outage.from, windows[at].outage.until));
            let speed = view.classes().map_or(Yield::ONE, |classes| classes.classes()[class].speed);
            let mut group = Group { nodes, class, speed, windows: windows.collect(), free: 0 };
            let in_window = group.windows.iter().any(|&(from, until)| from <= now && until > now);
            for &node in &group.nodes {
                let is_up = view.is_up(NodeId(node));
                groups.is_free[node as usize] = is_up;
                group.free += u32::from(is_up || in_window);
            }
            groups.speeds.push(group.speed);
            groups.all.push(group);
        }
        groups.speeds.sort_unstable_by(|a, b| b.cmp(a));
        groups.speeds.dedup();
        groups
    }

    /// Returns the number of nodes on which the job could run, up or not.
    pub(super) fn eligible_nodes(&self, view: View<'_>, job: JobHandle) -> usize {
        self.all.iter().filter(|group| view.fits(job, group.class)).map(|group| group.nodes.len()).sum()
    }

    /// Returns the free nodes of each group.
    pub(super) fn free(&self) -> Vec<u32> {
        self.all.iter().map(|group| group.free).collect()
    }

    fn is_usable(&self, view: View<'_>, job: JobHandle, group: usize, slot: Slot) -> bool {
        let group = &self.all[group];
        group.speed >= slot.speed && view.fits(job, group.class) && group.is_open(slot.start, slot.end)
    }

    /// Returns, for each group, the number of free nodes that the job can use in the slot.
    pub(super) fn usable(&self, view: View<'_>, job: JobHandle, slot: Slot, free: &[u32]) -> Vec<u32> {
        let count = |(at, &free): (usize, &u32)| if self.is_usable(view, job, at, slot) { free } else { 0 };
        free.iter().enumerate().map(count).collect()
    }

    /// Finds a slot that begins at `start`, on the fastest nodes that suffice.
    pub(super) fn find_slot(
        &self,
        view: View<'_>,
        job: JobHandle,
        start: SimTime,
        free: &[u32],
    ) -> Option<Slot> {
        let tasks = u64::from(view.job(job).tasks());
        let has_room = |free: &[u32]| free.iter().map(|&free| u64::from(free)).sum::<u64>() >= tasks;
        if !has_room(free) {
            return None;
        }
        let slots =
            self.speeds.iter().map(|&speed| Slot { speed, start, end: end_of(view, job, start, speed) });
        { slots }.find(|&slot| has_room(&self.usable(view, job, slot, free)))
    }

    /// Selects `tasks` of the free nodes for a slot: first those whose next window is the earliest,
    /// then those of the lowest numbers.
    pub(super) fn choose(
        &self,
        view: View<'_>,
        job: JobHandle,
        slot: Slot,
        tasks: u32,
        free: &[u32],
    ) -> Allocation {
        let mut usable: Vec<usize> =
            (0..self.all.len()).filter(|&at| self.is_usable(view, job, at, slot)).collect();
        usable.sort_by_key(|&at| {
            let group = &self.all[at];
            (group.next_window(slot.start).unwrap_or(SimTime::MAX), group.nodes[0])
        });
        let mut missing = tasks;
        let mut take = |at: usize| {
            let nodes = free[at].min(missing);
            missing -= nodes;
            (at, nodes)
        };
        usable.into_iter().map(&mut take).filter(|(_, nodes)| *nodes > 0).collect()
    }

    /// Returns whether each group has as many free nodes as the allocation needs.
    pub(super) fn are_free(&self, nodes: &Allocation) -> bool {
        nodes.iter().all(|&(at, nodes)| self.all[at].free >= nodes)
    }

    /// Returns whether no window overlaps the run of the job on these nodes.
    pub(super) fn are_open(&self, nodes: &Allocation, start: SimTime, end: SimTime) -> bool {
        nodes.iter().all(|&(at, _)| self.all[at].is_open(start, end))
    }

    /// Returns the estimated end of a job on these nodes.
    pub(super) fn end(&self, view: View<'_>, job: JobHandle, start: SimTime, nodes: &Allocation) -> SimTime {
        let slowest = nodes.iter().map(|&(at, _)| self.all[at].speed).min();
        end_of(view, job, start, slowest.unwrap_or(Yield::ONE))
    }

    /// Returns the time at which a job with this estimated end releases its nodes: at their next
    /// window at the latest.
    pub(super) fn release_time(&self, now: SimTime, end: SimTime, nodes: &Allocation) -> SimTime {
        nodes.iter().filter_map(|&(at, _)| self.all[at].next_window(now)).fold(end, SimTime::min)
    }

    /// Returns the first end of a window after `after`.
    pub(super) fn next_opening(&self, after: SimTime) -> Option<SimTime> {
        let ends = self.all.iter().flat_map(|group| &group.windows).map(|&(_, until)| until);
        ends.filter(|&until| until > after).min()
    }

    /// Allocates the free nodes with the lowest numbers; returns them in ascending order.
    pub(super) fn allocate(&mut self, nodes: &Allocation) -> Vec<u32> {
        let mut on = Vec::new();
        for &(at, count) in nodes {
            let (group, is_free) = (&mut self.all[at], &self.is_free);
            group.free -= count;
            let free = group.nodes.iter().copied().filter(|&node| is_free[node as usize]);
            on.extend(free.take(count as usize));
        }
        on.sort_unstable();
        on.iter().for_each(|&node| self.is_free[node as usize] = false);
        on
    }

    /// Marks the nodes of a running job as used; returns their numbers by group.
    pub(super) fn occupy(&mut self, on: &[u32]) -> Allocation {
        on.iter().for_each(|&node| self.is_free[node as usize] = false);
        let mut nodes = Allocation::new();
        for (at, group) in self.all.iter_mut().enumerate() {
            let count = on.iter().filter(|node| group.nodes.binary_search(node).is_ok()).count() as u32;
            group.free -= count;
            nodes.extend((count > 0).then_some((at, count)));
        }
        nodes
    }

    /// Releases the nodes of a job.
    pub(super) fn release(&mut self, on: &[u32], nodes: &Allocation) {
        on.iter().for_each(|&node| self.is_free[node as usize] = true);
        nodes.iter().for_each(|&(at, count)| self.all[at].free += count);
    }
}
