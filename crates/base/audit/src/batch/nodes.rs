//! The nodes in pools of those that are alike, and which of them a job gets.

use super::queue::{Parts, Waiting};
use crate::nodes::Kind;
use crate::platform::{Platform, Window};
use dfrsim_model::batch::{BatchPolicy, NodeUse, Place};
use dfrsim_model::priority::Reservation;
use dfrsim_model::{SortedMap, Yield};
use std::sync::Arc;

/// What is counted together: nodes of a kind with the same windows, or one node where several tasks can be on it.
#[derive(Debug)]
pub(super) struct Pool {
    nodes: Vec<u32>,
    /// The lowest of all nodes that are like these.
    group: u32,
    pub(super) kind: usize,
    pub(super) speed: u32,
    /// How many kinds have less, where that matters.
    plenty: usize,
    /// Begins and ends.
    pub(super) windows: Vec<(u64, u64)>,
    /// What its nodes have, resource by resource.
    pub(super) whole: Vec<i64>,
    /// The same of those that are up, or down in a window.
    pub(super) usable: Vec<i64>,
}

/// The pools between two changes of the platform.
#[derive(Debug, Default)]
pub(super) struct Pools {
    pub(super) policy: BatchPolicy,
    /// By kind and windows, or by node.
    pub(super) all: Vec<Pool>,
    pool_of: Vec<usize>,
    /// The different speeds, the highest first.
    pub(super) speeds: Vec<u32>,
}

impl Pools {
    /// What tasks of a job take of a resource of a pool.
    pub(super) fn amount(&self, job: &Waiting, pool: usize, tasks: u64, resource: usize) -> i64 {
        match self.policy.nodes {
            NodeUse::Exclusive if tasks > 0 => self.all[pool].whole[resource],
            _ => job.need[resource].saturating_mul(tasks as i64),
        }
    }
    pub(super) fn parts(&self, on: &[(u32, u32)]) -> Parts {
        let mut parts = Parts::default();
        on.iter().for_each(|it| *parts.or_default(self.pool_of[it.0 as usize]) += u64::from(it.1));
        parts
    }
    pub(super) fn slowest(&self, parts: &Parts) -> u32 {
        parts.keys().iter().map(|&pool| self.all[pool].speed).min().unwrap_or(Yield::ONE.units())
    }

    /// Which pools give tasks to a job that starts at a moment, of those for which each has room: those whose next window comes first,
    /// then those with the least plenty, then those of the lowest nodes.
    pub(super) fn choose(&self, start: u64, room: &[u64], tasks: u64) -> Parts {
        let next = |pool: &Pool| pool.windows.iter().map(|it| it.0).filter(|&from| from > start).min();
        let rank = |&place: &usize| {
            let pool = &self.all[place];
            (next(pool).unwrap_or(u64::MAX), pool.plenty, pool.group)
        };
        let mut order: Vec<usize> = (0..room.len()).filter(|&place| room[place] > 0).collect();
        order.sort_unstable_by_key(|&place| (rank(&place), place));
        let mut parts = Parts::default();
        for group in order.chunk_by(|a, b| rank(a) == rank(b)) {
            let missing = tasks - total(parts.values().iter().copied());
            let rooms = group.iter().map(|&place| (place, room[place]));
            parts.extend(pick(self.policy.place, rooms, missing));
        }
        parts
    }
}

/// The sum of tasks.
pub(super) fn total(tasks: impl Iterator<Item = u64>) -> u64 {
    tasks.fold(0, u64::saturating_add)
}

/// Picks tasks on nodes, which rise, each of which has room for some.
fn pick(rule: Place, room: impl Iterator<Item = (usize, u64)>, mut missing: u64) -> Parts {
    let mut enough = 0_u64;
    let is_needed = |&(_, room): &(usize, u64)| {
        let is_needed = rule != Place::First || enough < missing;
        enough = enough.saturating_add(room);
        is_needed
    };
    let mut left: Vec<(usize, u64)> = room.take_while(is_needed).collect();
    let mut parts = Parts::default();
    while missing > 0 && !left.is_empty() {
        let length = |run: &&[(usize, u64)]| total(run.iter().map(|it| it.1));
        let runs = || left.chunk_by(|a, b| a.0 + 1 == b.0);
        let mut enough = runs().filter(|run| length(run) >= missing);
        let run = match rule {
            Place::First => None,
            Place::Contiguous => enough.next(),
            Place::Best => enough.min_by_key(length).or_else(|| runs().rev().max_by_key(length)),
        };
        let run = run.unwrap_or(&left).to_vec();
        for &(place, room) in &run {
            let given = room.min(missing);
            missing -= given;
            parts.extend((given > 0).then_some((place, given)));
        }
        left.retain(|it| it.0 < run[0].0 || it.0 > run[run.len() - 1].0);
    }
    parts
}

/// All that is known of the nodes.
#[derive(Debug, Default)]
pub(super) struct Nodes {
    kinds: Arc<Vec<Kind>>,
    down: Vec<bool>,
    windows: Vec<Window>,
    pub(super) reservations: Vec<Reservation>,
    /// How many jobs each has.
    pub(super) jobs: Vec<u32>,
    /// Whether the pools are not those of now.
    is_changed: bool,
    /// The last moment for which pools were made: windows that begin or end then are in them.
    made_at: Option<u64>,
    pub(super) pools: Arc<Pools>,
}

impl Nodes {
    pub(super) fn new(policy: BatchPolicy, kinds: &Arc<Vec<Kind>>) -> Nodes {
        let nodes = kinds.iter().map(|kind| kind.nodes as usize).sum();
        let pools = Arc::new(Pools { policy, ..Pools::default() });
        let (down, jobs, kinds) = (vec![false; nodes], vec![0; nodes], Arc::clone(kinds));
        let (windows, reservations) = (Vec::new(), Vec::new());
        Nodes { kinds, down, windows, reservations, jobs, is_changed: true, made_at: None, pools }
    }
    pub(super) fn differ(&mut self, kinds: &Arc<Vec<Kind>>) {
        self.kinds = Arc::clone(kinds);
        self.is_changed = true;
    }
    pub(super) fn change(&mut self, platform: &Platform) {
        self.down.clone_from(&platform.down);
        self.windows.clone_from(&platform.windows);
        self.is_changed = true;
    }
    /// Whether it is known for how many tasks nodes have room.
    pub(super) fn are_known(&self) -> bool {
        self.kinds.iter().all(|kind| !self.pieces(&kind.pieces).is_empty())
    }
    /// What counts of the pieces of a node, or of those that a task takes: one node where a task has a node of its own.
    pub(super) fn pieces(&self, pieces: &[i64]) -> Vec<i64> {
        if self.pools.policy.nodes == NodeUse::Whole { vec![1] } else { pieces.to_vec() }
    }
    /// Whether all nodes are up, no window is announced, and none are reserved any more.
    pub(super) fn are_up(&self, now: u64) -> bool {
        let is_over = self.bounds().all(|bound| bound <= now);
        self.windows.is_empty() && !self.down.contains(&true) && is_over
    }
    /// When reservations keep jobs that ask for these features off nodes of each kind.
    pub(super) fn closed(&self, features: &[String]) -> Vec<Vec<(u64, u64)>> {
        let of_kind = |kind: &Kind| {
            let its = self.reservations.iter().filter(|it| kind.features.contains(&it.feature()));
            its.flat_map(|it| it.closed(features.contains(&it.feature()))).collect()
        };
        self.kinds.iter().map(of_kind).collect()
    }
    /// The begins and ends of reservations, in microseconds.
    pub(super) fn bounds(&self) -> impl Iterator<Item = u64> {
        self.reservations.iter().flat_map(|it| [it.from_s, it.until_s]).map(|it| it.saturating_mul(1_000_000))
    }
    /// Whether there are no pools yet.
    pub(super) fn are_new(&self) -> bool {
        self.pools.all.is_empty()
    }
    /// For how many tasks of a job an empty cluster has room.
    pub(super) fn most(&self, job: &Waiting) -> u64 {
        let fitting = self.kinds.iter().zip(&job.fits).filter(|(_, fits)| **fits);
        let on = |kind: &Kind| job.times_in(self.pieces(&kind.pieces).into_iter());
        total(fitting.map(|(kind, _)| on(kind).saturating_mul(kind.nodes.into())))
    }

    /// The next moment at which a window begins or ends.
    pub(super) fn next_change(&self, now: u64) -> Option<u64> {
        self.windows.iter().flat_map(|it| [it.from, it.until]).filter(|&at| at > now).min()
    }
    /// Makes the pools of now if they are others; whether the platform has changed.
    pub(super) fn follow(&mut self, now: u64) -> bool {
        let is_new = self.made_at != Some(now);
        let is_bound = is_new && self.windows.iter().any(|it| it.from == now || it.until == now);
        if !std::mem::take(&mut self.is_changed) && !is_bound {
            return false;
        }
        self.made_at = Some(now);
        self.windows.retain(|window| window.until > now);
        let mut alike: SortedMap<(usize, Vec<usize>), Vec<u32>> = SortedMap::default();
        let mut kind_of = self.kinds.iter().enumerate().flat_map(|(kind, it)| vec![kind; it.nodes as usize]);
        for node in 0..self.down.len() as u32 {
            let windows = (0..self.windows.len()).filter(|&place| self.windows[place].has(node));
            alike.or_default((kind_of.next().unwrap_or(0), windows.collect())).push(node);
        }
        let policy = self.pools.policy;
        let mut pools = Pools { policy, pool_of: vec![0; self.down.len()], ..Pools::default() };
        for ((place, windows), nodes) in alike {
            let kind = &self.kinds[place];
            let pieces = self.pieces(&kind.pieces);
            let windows = windows.iter().map(|&place| (self.windows[place].from, self.windows[place].until));
            let windows: Vec<(u64, u64)> = windows.collect();
            let is_usable =
                |node: &&u32| !self.down[**node as usize] || windows.iter().any(|&(from, _)| from <= now);
            for some in nodes.chunks(if policy.nodes == NodeUse::Whole { nodes.len() } else { 1 }) {
                let of =
                    |count: usize| pieces.iter().map(|amount| amount.saturating_mul(count as i64)).collect();
                pools.all.push(Pool {
                    nodes: some.to_vec(),
                    group: nodes[0],
                    kind: place,
                    speed: kind.speed,
                    plenty: if policy.place == Place::Best { kind.plenty } else { 0 },
                    windows: windows.clone(),
                    whole: of(some.len()),
                    usable: of(some.iter().filter(is_usable).count()),
                });
            }
        }
        if policy.nodes != NodeUse::Whole {
            pools.all.sort_unstable_by_key(|pool| pool.nodes[0]);
        }
        for (place, pool) in pools.all.iter().enumerate() {
            pool.nodes.iter().for_each(|&node| pools.pool_of[node as usize] = place);
        }
        pools.speeds = self.kinds.iter().map(|kind| kind.speed).collect();
        pools.speeds.sort_unstable_by(|a, b| b.cmp(a));
        pools.speeds.dedup();
        self.pools = Arc::new(pools);
        true
    }

    /// The nodes of a job that gets tasks of these pools now.
    pub(super) fn place(&self, parts: &Parts) -> Vec<(u32, u32)> {
        let Pools { policy, all, .. } = &*self.pools;
        // Where tasks share nodes the pools are the nodes, and were chosen as those.
        let room = |&node: &u32| match policy.nodes {
            NodeUse::Whole => u64::from(self.jobs[node as usize] == 0 && !self.down[node as usize]),
            _ => u64::MAX,
        };
        let with_room = |pool: usize| all[pool].nodes.iter().map(move |node| (*node as usize, room(node)));
        let of = |(&pool, &tasks): (&usize, &u64)| {
            pick(policy.place, with_room(pool).filter(|it| it.1 > 0), tasks)
        };
        let on: Parts = parts.iter().flat_map(of).collect();
        on.into_iter().map(|(node, tasks)| (node as u32, tasks as u32)).collect()
    }
}
