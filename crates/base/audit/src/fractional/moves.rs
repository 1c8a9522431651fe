//! Restrictions on the moves of an MCB run: `/RELABEL` and `/BUDGET`.
//!
//! Several relabellings may be optimal, and the selection under a budget is not unique, so both are
//! checked by their properties.

use super::FractionalPolicy;
use super::mapping::Mapping;
use crate::devices::DeviceList;
use crate::nodes::TasksByNode;
use crate::placement::moved_tasks;
use dfrsim_model::{Share, SortedMap};

/// Tasks on each node, as (job, tasks).
type Contents = SortedMap<u32, Vec<(u64, u32)>>;

/// Memory of a node in GB.
const NODE_MEMORY_GB: f64 = 8.0;

/// Mapping that MCB found, and the recorded one.
pub(super) struct Moves<'a> {
    /// Mapping before the run, including the current placements in the cluster.
    pub(super) mapping: &'a Mapping<'a>,
    /// Mapped jobs by rank.
    pub(super) ranked: &'a [u64],
    /// Jobs that must not move.
    pub(super) pins: &'a [u64],
    pub(super) target: &'a SortedMap<u64, TasksByNode>,
    pub(super) recorded: &'a SortedMap<u64, &'a [(u32, u32)]>,
    /// Recorded devices.
    pub(super) of_record: &'a SortedMap<u64, DeviceList>,
}

fn contents<'a>(places: impl Iterator<Item = (u64, &'a [(u32, u32)])>) -> Contents {
    let mut contents = Contents::default();
    for (job, on) in places {
        on.iter().for_each(|&(node, tasks)| contents.or_default(node).push((job, tasks)));
    }
    contents
}

impl Moves<'_> {
    /// Checks that the record has an optimal relabelling of the mapping that MCB found. If that
    /// exceeds the budget, checks that the recorded mapping respects the budget.
    pub(super) fn check_mapping(&self, policy: &FractionalPolicy, at_tick: bool) -> Option<(u64, String)> {
        let found = || self.recorded.iter().map(|(job, on)| (*job, *on));
        if self.exceeds_budget(policy, at_tick) {
            return self.check_budget(Moves::budget(policy, at_tick).unwrap_or(0));
        }
        let target = || self.target.iter().map(|(job, on)| (*job, &on[..]));
        let best = self.best(policy);
        let same = if policy.parts.relabel {
            self.by_kind(target()) == self.by_kind(found()) && self.unmoved(found()) == best
        } else {
            target().filter(|it| !it.1.is_empty()).eq(found())
        };
        let differs =
            |&job: &u64| self.target.get(&job).map(|it| &it[..]) != self.recorded.get(&job).copied();
        let job = self.ranked.iter().copied().find(differs).or(self.ranked.first().copied());
        let rule = "the mapping is not that of MCB with the node labels that move the least memory";
        job.filter(|_| !same).map(|job| (job, rule.to_owned()))
    }

    /// Returns the budget of memory in share units, if there is one.
    fn budget(policy: &FractionalPolicy, at_tick: bool) -> Option<u64> {
        let gigabytes = policy.parts.budget_gb.filter(|_| at_tick)?;
        Some((f64::from(gigabytes) / NODE_MEMORY_GB * f64::from(Share::ONE.units())) as u64)
    }
    /// Computes what does not move with the labels that the policy may choose: pinned tasks, memory.
    fn best(&self, policy: &FractionalPolicy) -> (u64, u64) {
        let target = self.target.iter().map(|(job, on)| (*job, &on[..]));
        if policy.parts.relabel { self.max_unmoved(target) } else { self.unmoved(target) }
    }
    /// Returns whether the mapping that MCB found would move more memory than the budget.
    pub(super) fn exceeds_budget(&self, policy: &FractionalPolicy, at_tick: bool) -> bool {
        let placed = self.target.iter().filter(|(_, on)| !on.is_empty());
        let moves: u64 = placed.map(|(job, _)| self.memory_of(*job)).sum();
        Moves::budget(policy, at_tick).is_some_and(|budget| moves - self.best(policy).1 > budget)
    }

    /// Checks that a budget is respected, no pinned job moves, and no job is left out that fits.
    fn check_budget(&self, budget: u64) -> Option<(u64, String)> {
        let (mut moved, mut nodes) = (0, self.mapping.nodes.without_tasks());
        for (&job, on) in self.recorded {
            let seen = &self.mapping.jobs[&job];
            nodes.add(on, &seen.size, seen.weight);
            nodes.take_devices(self.of_record.get(&job).map_or(&[][..], Vec::as_slice), &seen.size);
            let tasks = if self.home(job).is_empty() { 0 } else { moved_tasks(self.home(job), on) };
            moved += seen.size.held[0] * tasks;
            if tasks > 0 && self.pins.contains(&job) {
                return Some((job, "it moves, although it is pinned".to_owned()));
            }
            if moved > budget {
                let rule = format!(
                    "the tick moves {moved} units of memory up to this job, more than the budget of {budget}"
                );
                return Some((job, rule));
            }
        }
        let has_room = |job: &u64| {
            let seen = &self.mapping.jobs[job];
            match self.home(*job) {
                [] => nodes.fits(seen.wanted()),
                home => nodes.fits_on(home, &seen.home_devices, &seen.size),
            }
        };
        let left_out = self.ranked.iter().filter(|job| !self.recorded.contains_key(job));
        let rule = "it is left out because of the budget, although it fits";
        left_out.copied().find(has_room).map(|job| (job, rule.to_owned()))
    }

    /// Returns the current placement of a job, if its nodes are available.
    fn home(&self, job: u64) -> &[(u32, u32)] {
        let home = &self.mapping.jobs[&job].home;
        let is_open = |&(node, _): &(u32, u32)| self.mapping.nodes.all[node as usize].is_open;
        if home.iter().all(is_open) { home } else { &[] }
    }
    /// Returns the memory of a job's placed tasks.
    fn memory_of(&self, job: u64) -> u64 {
        let tasks: u64 = self.home(job).iter().map(|it| u64::from(it.1)).sum();
        tasks * self.mapping.jobs[&job].size.held[0]
    }
    /// Computes the overlap of two nodes: pinned tasks, memory.
    fn common(&self, one: &[(u64, u32)], other: &[(u64, u32)]) -> (u64, u64) {
        let (mut pinned, mut memory) = (0, 0);
        for &(job, tasks) in one {
            let there = other.iter().find(|it| it.0 == job).map_or(0, |it| it.1.min(tasks));
            let held = self.mapping.jobs[&job].size.held[0] * u64::from(there);
            pinned += if self.pins.contains(&job) { u64::from(there) } else { 0 };
            memory += held;
        }
        (pinned, memory)
    }
    fn homes(&self) -> Contents {
        contents(self.ranked.iter().map(|&job| (job, self.home(job))))
    }
    /// Computes what does not move with the labels of a mapping: pinned tasks, memory.
    fn unmoved<'a>(&self, places: impl Iterator<Item = (u64, &'a [(u32, u32)])>) -> (u64, u64) {
        let (homes, new) = (self.homes(), contents(places));
        let common = new.iter().filter_map(|(node, all)| Some(self.common(homes.get(node)?, all)));
        common.fold((0, 0), |sum, it| (sum.0 + it.0, sum.1 + it.1))
    }
    /// Computes the maximum of what does not move with any labels.
    fn max_unmoved<'a>(&self, places: impl Iterator<Item = (u64, &'a [(u32, u32)])>) -> (u64, u64) {
        let (homes, new) = (self.homes(), contents(places));
        let nodes = &self.mapping.nodes.all;
        let none = Vec::new();
        let mut best = (0, 0);
        for kind in 0..self.mapping.nodes.kinds.len() {
            let alike = (0..nodes.len() as u32)
                .filter(|&node| nodes[node as usize].is_open && nodes[node as usize].kind == kind);
            let alike: Vec<u32> = alike.collect();
            let of = |all: &'_ Contents, node: &u32| all.get(node).unwrap_or(&none).clone();
            let common = |old: &u32, new_node: &u32| self.common(&of(&homes, old), &of(&new, new_node));
            let row = |old: &u32| alike.iter().map(|node| common(old, node)).collect();
            let table: Vec<Vec<(u64, u64)>> = alike.iter().map(row).collect();
            let all: u64 = self.ranked.iter().map(|&job| self.memory_of(job)).sum();
            let value = |it: &(u64, u64)| i128::from(it.0) * i128::from(all + 1) + i128::from(it.1);
            let worth: Vec<Vec<i128>> = table.iter().map(|row| row.iter().map(value).collect()).collect();
            for (row, column) in assign_columns(&worth).into_iter().enumerate() {
                let it = table[row][column];
                best = (best.0 + it.0, best.1 + it.1);
            }
        }
        best
    }
    /// Returns the tasks on the nodes of each kind, independent of labels.
    fn by_kind<'a>(
        &self,
        places: impl Iterator<Item = (u64, &'a [(u32, u32)])>,
    ) -> Vec<(usize, Vec<(u64, u32)>)> {
        let kind = |node: u32| self.mapping.nodes.all[node as usize].kind;
        let all = contents(places).into_iter().map(|(node, all)| (kind(node), all));
        let mut all: Vec<_> = all.collect();
        all.sort_unstable();
        all
    }
}

/// Solves the assignment problem: the column of each row of a square table that maximises the sum
/// (the Hungarian method with potentials).
fn assign_columns(worth: &[Vec<i128>]) -> Vec<usize> {
    let size = worth.len();
    let (mut of_row, mut of_column) = (vec![0_i128; size + 1], vec![0_i128; size + 1]);
    // Rows are numbered from 1; 0 is no row.
    let mut row_of = vec![0; size + 1];
    for row in 1..=size {
        let (mut way, mut slack, mut seen) =
            (vec![0; size + 1], vec![i128::MAX; size + 1], vec![false; size + 1]);
        row_of[0] = row;
        let mut column = 0;
        while row_of[column] > 0 {
            seen[column] = true;
            let (from, mut least, mut next) = (row_of[column], i128::MAX, 0);
            for other in (1..=size).filter(|&it| !seen[it]) {
                let cost = -worth[from - 1][other - 1] - of_row[from] - of_column[other];
                if cost < slack[other] {
                    (slack[other], way[other]) = (cost, column);
                }
                if slack[other] < least {
                    (least, next) = (slack[other], other);
                }
            }
            for other in 0..=size {
                if seen[other] {
                    of_row[row_of[other]] += least;
                    of_column[other] -= least;
                } else {
                    slack[other] = slack[other].saturating_sub(least);
                }
            }
            column = next;
        }
        while column > 0 {
            row_of[column] = row_of[way[column]];
            column = way[column];
        }
    }
    let mut columns = vec![0; size];
    (1..=size).for_each(|column| columns[row_of[column] - 1] = column - 1);
    columns
}
