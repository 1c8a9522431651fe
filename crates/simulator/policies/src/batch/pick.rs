//! Selection of pools and nodes for jobs.

use super::allocation::{Allocation, Span};
use super::groups::Group;
use super::keys;
use super::place::{choose_nodes, order};
use super::pools::Pools;
use dfrsim_cluster::{NodeRange, View};
use dfrsim_model::batch::{NodeUse, Place};
use dfrsim_model::platform::devices::OnDevices;
use dfrsim_model::{NodeId, NodeTasks, SimTime};

impl Pools {
    /// Allocates as many of the job's tasks as fit. Groups whose next maintenance window is earliest
    /// come first, then those of the smallest [size rank](Group::size_rank), then those with the
    /// lowest node numbers. Within a group, the [`Place`] policy decides.
    pub(super) fn choose(
        &self,
        span: Span,
        need: usize,
        width: u32,
        room: impl Fn(usize) -> u64,
    ) -> Allocation {
        let room = &room;
        self.choose_among(span, need, width, |group| {
            group.pools.clone().map(|pool| (pool, room(pool))).filter(|(_, room)| *room > 0)
        })
    }

    /// Allocates tasks as [`Pools::choose`] does, given the fitting pools of each group.
    #[inline]
    pub(super) fn choose_among<I: Iterator<Item = (usize, u64)>>(
        &self,
        span: Span,
        need: usize,
        width: u32,
        rooms_of: impl Fn(&Group) -> I,
    ) -> Allocation {
        if width == 0 {
            return Allocation::default();
        }
        if self.is_one_pool {
            return Allocation::in_pool(0, width);
        }
        if self.is_scored() {
            return self.choose_by_key(span, need, width, rooms_of);
        }
        let (mut split, mut missing) = (Allocation::default(), width);
        for group in self.open_groups_in_order(need, span) {
            let wanted = missing;
            let rooms = rooms_of(group);
            let mut is_enough = |(pool, room): (usize, u64)| {
                let tasks = u32::try_from(room).unwrap_or(u32::MAX).min(missing);
                missing -= tasks;
                split.push(pool, tasks);
                missing == 0
            };
            let ends = if self.prefers_awake(span.1) && self.node_use != NodeUse::Whole {
                let rooms = self.awake_first(rooms.collect(), wanted);
                self.by_runs(&rooms, wanted).into_iter().any(&mut is_enough)
            } else if self.node_use == NodeUse::Whole || self.place == Place::First {
                { rooms }.any(is_enough)
            } else {
                self.by_runs(&rooms.collect::<Vec<_>>(), wanted).into_iter().any(&mut is_enough)
            };
            if ends {
                break;
            }
        }
        split
    }

    /// Allocates tasks to the pools with the smallest keys, those with the earliest next maintenance
    /// window first.
    fn choose_by_key<I: Iterator<Item = (usize, u64)>>(
        &self,
        (speed, start, end): Span,
        number: usize,
        width: u32,
        rooms_of: impl Fn(&Group) -> I,
    ) -> Allocation {
        let need = self.requests.get(number);
        let counts = self.fit_counts.get(number).filter(|counts| counts.version == self.version());
        let key = |pool: usize| match counts {
            Some(counts) if counts.by_pool[pool] > 0 => counts.keys[pool],
            _ => self.key(need, self.amounts_of(&self.free, pool), pool),
        };
        let ranked = self.open(need, speed, start, end).flat_map(|group| {
            let next = group.next_window(start).unwrap_or(SimTime::MAX);
            rooms_of(group).map(move |(pool, room)| (next, pool, room))
        });
        let mut ranked: Vec<_> = ranked.collect();
        if self.prefers_awake(start) {
            let awake = |pool: usize| self.awake.1[self.node_of(pool) as usize];
            let room: u64 = ranked.iter().filter(|(_, pool, _)| awake(*pool)).map(|it| it.2).sum();
            ranked.retain(|(_, pool, _)| room < u64::from(width) || awake(*pool));
        }
        let mut ranked: Vec<_> = ranked
            .into_iter()
            .map(|(next, pool, room)| ((next, key(pool), self.node_of(pool)), pool, room))
            .collect();
        if let Place::Mix(weight) = self.place {
            let mut keys: Vec<(i64, u64)> =
                ranked.iter().map(|((_, key, _), pool, _)| (*key, self.added_power(need, *pool))).collect();
            keys::mix(weight, &mut keys);
            ranked.iter_mut().zip(keys).for_each(|((rank, ..), (key, _))| rank.1 = key);
        }
        // Most jobs fit on one node, and need no sorted list.
        if let Some(&(_, pool, _)) = ranked.iter().min().filter(|(.., room)| *room >= u64::from(width)) {
            return Allocation::in_pool(pool, width);
        }
        ranked.sort_unstable();
        let (mut split, mut missing) = (Allocation::default(), width);
        for (_, pool, room) in ranked {
            let tasks = u32::try_from(room).unwrap_or(u32::MAX).min(missing);
            missing -= tasks;
            split.push(pool, tasks);
            if missing == 0 {
                break;
            }
        }
        split
    }

    /// Returns whether some nodes sleep, and those that are awake come first for a job that starts at a
    /// time: it is that of the decision.
    fn prefers_awake(&self, start: SimTime) -> bool {
        !self.awake.1.is_empty() && self.awake.0 == start
    }

    /// Selects the nodes that are awake if all tasks fit there, and otherwise all nodes.
    fn awake_first(&self, rooms: Vec<(usize, u64)>, width: u32) -> Vec<(usize, u64)> {
        let awake = rooms.iter().filter(|(pool, _)| self.awake.1[self.node_of(*pool) as usize]);
        let awake: Vec<(usize, u64)> = awake.copied().collect();
        let room: u64 = awake.iter().map(|(_, room)| room).sum();
        if room >= u64::from(width) { awake } else { rooms }
    }

    /// Returns the groups that are usable during the interval, in the order in which jobs get them.
    fn open_groups_in_order(&self, need: usize, (speed, start, end): Span) -> Vec<&Group> {
        let mut groups: Vec<&Group> = self.open(self.requests.get(need), speed, start, end).collect();
        groups.sort_by_key(|group| {
            (group.next_window(start).unwrap_or(SimTime::MAX), group.size_rank, group.nodes[0])
        });
        groups
    }

    /// Sorts the fitting nodes of a group into the order in which the placement policy takes runs of
    /// consecutive nodes.
    fn by_runs(&self, rooms: &[(usize, u64)], width: u32) -> Vec<(usize, u64)> {
        let follows = |a: &(usize, u64), b: &(usize, u64)| self.node_of(a.0) + 1 == self.node_of(b.0);
        let runs: Vec<&[(usize, u64)]> = rooms.chunk_by(follows).collect();
        let lengths: Vec<u64> = runs.iter().map(|run| run.iter().map(|(_, room)| room).sum()).collect();
        order(self.place, &lengths, width.into()).into_iter().flat_map(|at| runs[at]).copied().collect()
    }

    /// Assigns nodes to a job that starts now in these pools, and stores them in `placement`.
    #[inline]
    pub(super) fn assign_nodes(
        &mut self,
        view: View<'_>,
        width: u32,
        split: &Allocation,
        placement: &mut Vec<NodeRange>,
    ) {
        if self.is_one_pool && self.awake.1.is_empty() {
            self.nodes.take(width, placement);
        } else {
            self.assign_nodes_of_groups(view, width, split, placement);
        }
    }

    #[inline(never)]
    fn assign_nodes_of_groups(
        &mut self,
        view: View<'_>,
        width: u32,
        split: &Allocation,
        placement: &mut Vec<NodeRange>,
    ) {
        placement.clear();
        let mut parts: Vec<(u32, u32)> = Vec::with_capacity(width as usize);
        let is_awake = |node: u32| self.awake.1.get(node as usize).is_none_or(|&is_awake| is_awake);
        for (pool, tasks) in split.parts(width) {
            if self.node_use == NodeUse::Whole {
                let free = self.group_of(pool).nodes.iter().copied();
                let free = free.filter(|&node| self.nodes.contains(node) && view.is_up(NodeId(node)));
                // If the nodes that are awake suffice, the job gets only these.
                let awake = free.clone().filter(|&node| is_awake(node));
                if !self.awake.1.is_empty() && awake.clone().count() >= tasks as usize {
                    parts.extend(choose_nodes(self.place, awake, tasks).map(|node| (node, 1)));
                } else {
                    parts.extend(choose_nodes(self.place, free, tasks).map(|node| (node, 1)));
                }
            } else {
                parts.push((self.node_of(pool), tasks));
            }
        }
        parts.sort_unstable();
        for (node, tasks) in parts {
            if self.node_use == NodeUse::Whole {
                self.nodes.remove(node..node + 1);
            }
            NodeRange::from(NodeTasks { node: NodeId(node), tasks }).push_onto(placement);
        }
    }

    /// Releases nodes, where each task has a node of its own.
    pub(super) fn release_nodes(&mut self, on: &[NodeRange]) {
        if self.node_use == NodeUse::Whole {
            on.iter().for_each(|&range| self.nodes.insert(range));
        }
    }

    /// Marks nodes as used by a running job, where each task has a node of its own.
    pub(super) fn occupy_nodes(&mut self, on: &[NodeRange]) {
        if self.node_use == NodeUse::Whole {
            for range in on {
                let nodes = range.indices();
                self.nodes.remove(nodes.start as u32..nodes.end as u32);
            }
        }
    }

    /// Converts nodes with tasks to an allocation of tasks to pools, given the devices that the tasks
    /// hold on each node. Tasks on drained nodes do not count: what they take is not available to
    /// others, now or later.
    pub(super) fn allocation_on(&self, on: &[NodeRange], devices: &[(u32, OnDevices)]) -> Allocation {
        let mut split = Allocation::default();
        if self.is_one_pool {
            return split;
        }
        for range in on {
            for node in range.indices() {
                let pool = self.pool_of[node];
                let takes_jobs = self.has_resources(pool);
                split.extend(pool, if takes_jobs { range.tasks } else { 0 });
            }
        }
        if self.requests.device_columns() > 0 && !devices.is_empty() {
            split.choose_devices(|pool, tasks| {
                if tasks == 0 {
                    return OnDevices::default();
                }
                let place = devices.partition_point(|(node, _)| *node < self.node_of(pool));
                devices.get(place).map_or_else(OnDevices::default, |(_, on)| *on)
            });
        }
        split
    }
}
