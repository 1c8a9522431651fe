//! Speed levels of nodes, at which tasks are slower and draw less power.

use crate::job::Job;
use crate::nodes::{Kind, Size};
use dfrsim_model::Yield;
use dfrsim_model::event::{LevelOfNode, ResourceOfCluster};
use std::sync::Arc;

impl Kind {
    /// Returns a level by its number, if such nodes have it.
    pub(crate) fn level(&self, number: u32) -> Option<&LevelOfNode> {
        let at = self.levels.iter().position(|own| *own == number)?;
        self.power.as_ref()?.levels.get(at)
    }
    /// Returns the speed of tasks at a level relative to that of a node at full speed.
    pub(crate) fn slowdown(&self, level: u32) -> u32 {
        self.level(level).map_or(Yield::ONE.units(), |it| it.speed)
    }
    /// Returns the speed of tasks at a level.
    pub(crate) fn speed_at(&self, level: u32) -> u32 {
        ((u64::from(self.speed) * u64::from(self.slowdown(level))) >> Yield::BITS) as u32
    }
}

/// Returns the number of the last level of these kinds of nodes.
pub(crate) fn last_level(kinds: &[Kind]) -> u32 {
    kinds.iter().flat_map(|kind| &kind.levels).copied().max().unwrap_or(0)
}

/// Returns the largest of a power of a task on the kinds of nodes that may have it, for all tasks of a job.
fn largest(kinds: &[Kind], size: &Size, tasks: u32, of: impl Fn(&Kind) -> u64) -> u64 {
    let kinds = kinds.iter().zip(&size.allowed).filter(|(_, is_allowed)| **is_allowed);
    kinds.map(|(kind, _)| of(kind).saturating_mul(tasks.into())).max().unwrap_or(0)
}

/// Returns the largest power of all tasks of a job at a level, on nodes that may have them, in milliwatts,
/// without that of used devices and sockets.
pub(crate) fn linear_power(kinds: &[Kind], size: &Size, tasks: u32, level: u32) -> u64 {
    largest(kinds, size, tasks, |kind| kind.task_power(size, level))
}

/// Returns the largest power of devices and sockets that all tasks of a job use, on nodes that may have
/// them, in milliwatts. It is the same at all levels.
pub(crate) fn fixed_power(kinds: &[Kind], size: &Size, tasks: u32) -> u64 {
    largest(kinds, size, tasks, |kind| kind.used_power(size))
}

/// Returns the largest power of all tasks of a job at a level, on nodes that may have them, in milliwatts.
pub(crate) fn largest_power(kinds: &[Kind], size: &Size, tasks: u32, level: u32) -> u64 {
    linear_power(kinds, size, tasks, level).saturating_add(fixed_power(kinds, size, tasks))
}

/// Returns what a job takes at each speed level: the power of the whole cluster is that of the level.
pub(crate) fn by_level(kinds: &[Kind], common: &[ResourceOfCluster], job: &Job) -> Vec<Arc<Size>> {
    let at = |level: u32| {
        let mut size = Size::clone(&job.size);
        let power = largest_power(kinds, &job.size, job.tasks, level);
        let of_power = size.common.iter_mut().zip(common).filter(|(_, resource)| resource.power);
        of_power.for_each(|(amount, _)| *amount = power);
        Arc::new(size)
    };
    let lower = (1..=last_level(kinds)).map(at);
    [Arc::clone(&job.size)].into_iter().chain(lower).collect()
}

/// Returns, for each level, the least speed relative to full speed of the kinds of nodes that have tasks.
pub(crate) fn slowdowns<'a>(kinds: &[Kind], placements: impl Iterator<Item = &'a [(u32, u32)]>) -> Vec<u32> {
    let mut is_used = vec![false; kinds.len()];
    for (node, _) in placements.flatten() {
        let mut end = 0_u64;
        let has_it = |kind: &Kind| {
            end += u64::from(kind.nodes);
            u64::from(*node) < end
        };
        let kind = kinds.iter().position(has_it);
        kind.into_iter().for_each(|kind| is_used[kind] = true);
    }
    let used = || kinds.iter().zip(&is_used).filter(|(_, is_used)| **is_used).map(|(kind, _)| kind);
    let least = |level: u32| used().map(|kind| kind.slowdown(level)).min().unwrap_or(Yield::ONE.units());
    (0..=last_level(kinds)).map(least).collect()
}
