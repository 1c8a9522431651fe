//! Which pools and nodes jobs get.

use super::groups::Group;
use super::place::{choose_nodes, order};
use super::pools::Pools;
use super::split::{Span, Split};
use dfrsim_cluster::{NodeRange, View};
use dfrsim_model::batch::{NodeUse, Place};
use dfrsim_model::{NodeId, NodeTasks, SimTime};

impl Pools {
    /// The pools that give a job their room: of the groups those first whose next window comes first, then those with the least
    /// [plenty](Group::plenty), then those with the lowest nodes; in a group by the [`Place`]. As many tasks as there is room for.
    pub(super) fn choose(&self, span: Span, need: usize, width: u32, room: impl Fn(usize) -> u64) -> Split {
        let room = &room;
        self.choose_among(span, need, width, |group| {
            group.pools.clone().map(|pool| (pool, room(pool))).filter(|(_, room)| *room > 0)
        })
    }

    /// The same where the pools of a group that have room are known.
    #[inline]
    pub(super) fn choose_among<I: Iterator<Item = (usize, u64)>>(
        &self,
        span: Span,
        need: usize,
        width: u32,
        rooms_of: impl Fn(&Group) -> I,
    ) -> Split {
        if width == 0 {
            return Split::default();
        }
        if self.is_single {
            return Split(vec![(0, width)]);
        }
        let (mut split, mut missing) = (Split::default(), width);
        for group in self.open_in_turn(need, span) {
            let wanted = missing;
            let rooms = rooms_of(group);
            let mut is_enough = |(pool, room): (usize, u64)| {
                let tasks = u32::try_from(room).unwrap_or(u32::MAX).min(missing);
                missing -= tasks;
                split.0.push((pool, tasks));
                missing == 0
            };
            let ends = if self.node_use == NodeUse::Whole || self.place == Place::First {
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

    /// The groups that are of use from a moment to another, in the order in which jobs get them.
    fn open_in_turn(&self, need: usize, (speed, start, end): Span) -> Vec<&Group> {
        let mut groups: Vec<&Group> = self.open(self.needs.get(need), speed, start, end).collect();
        groups.sort_by_key(|group| {
            (group.next_window(start).unwrap_or(SimTime::MAX), group.plenty, group.nodes[0])
        });
        groups
    }

    /// Nodes of a group with room in the order in which the rule for places takes runs of them.
    fn by_runs(&self, rooms: &[(usize, u64)], width: u32) -> Vec<(usize, u64)> {
        let follows = |a: &(usize, u64), b: &(usize, u64)| self.node(a.0) + 1 == self.node(b.0);
        let runs: Vec<&[(usize, u64)]> = rooms.chunk_by(follows).collect();
        let lengths: Vec<u64> = runs.iter().map(|run| run.iter().map(|(_, room)| room).sum()).collect();
        order(self.place, &lengths, width.into()).into_iter().flat_map(|at| runs[at]).copied().collect()
    }

    /// The nodes of a job that starts in these pools, which it has from now on.
    #[inline]
    pub(super) fn place(
        &mut self,
        view: View<'_>,
        width: u32,
        split: &Split,
        placement: &mut Vec<NodeRange>,
    ) {
        if self.is_single {
            self.nodes.take(width, placement);
        } else {
            self.place_on_groups(view, width, split, placement);
        }
    }

    #[inline(never)]
    fn place_on_groups(&mut self, view: View<'_>, width: u32, split: &Split, placement: &mut Vec<NodeRange>) {
        placement.clear();
        let mut parts: Vec<(u32, u32)> = Vec::with_capacity(width as usize);
        for (pool, tasks) in split.parts(width) {
            if self.node_use == NodeUse::Whole {
                let free = self.group_of(pool).nodes.iter().copied();
                let free = free.filter(|&node| self.nodes.has(node) && view.is_up(NodeId(node)));
                parts.extend(choose_nodes(self.place, free, tasks).map(|node| (node, 1)));
            } else {
                parts.push((self.node(pool), tasks));
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

    /// These nodes are free again, where a task has a node of its own.
    pub(super) fn leave(&mut self, on: &[NodeRange]) {
        if self.node_use == NodeUse::Whole {
            on.iter().for_each(|&range| self.nodes.insert(range));
        }
    }

    /// Takes nodes that a job has.
    pub(super) fn occupy(&mut self, on: &[NodeRange]) {
        if self.node_use == NodeUse::Whole {
            for range in on {
                let nodes = range.indices();
                self.nodes.remove(nodes.start as u32..nodes.end as u32);
            }
        }
    }

    /// The pools that some nodes with tasks are in.
    pub(super) fn split(&self, on: &[NodeRange]) -> Split {
        let mut split = Split::default();
        if self.is_single {
            return split;
        }
        for range in on {
            for node in range.indices() {
                match split.0.last_mut().filter(|(last, _)| *last == self.pool_of[node]) {
                    Some((_, sum)) => *sum += range.tasks,
                    None => split.add(self.pool_of[node], range.tasks),
                }
            }
        }
        split
    }
}
