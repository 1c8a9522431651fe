//! Resamples of the rows of a workload.

use super::numbers::{Numbers, SampledRow, numbers};
use crate::groups::{Group, block};
use crate::tables::gb_per_s;
use dfrsim_lab::query::Cells;
use dfrsim_model::Seed;
use dfrsim_policies::Policy;
use rand::RngExt as _;
use std::collections::BTreeSet;

/// Rows of the groups of a workload. Weeks, or traces with all of their loads, are drawn as a whole,
/// and the same ones for all groups.
pub(super) struct Sample<'g, 'a> {
    groups: Vec<SampledGroup<'g, 'a>>,
    blocks: usize,
}

struct SampledGroup<'g, 'a> {
    group: &'g Group<'a>,
    /// Rows in the order of the instances.
    rows: Vec<SampledRow>,
    /// Rows by block.
    by_block: Vec<Vec<SampledRow>>,
}

/// Sorts items by the names of their policies; equal ones keep their order.
pub(super) fn sorted_by_policy<T>(mut items: Vec<T>, policy: impl Fn(&T) -> Policy) -> Vec<T> {
    items.sort_by_cached_key(|item| policy(item).to_string());
    items
}

impl<'g, 'a> Sample<'g, 'a> {
    /// Collects the rows of the groups of a workload, which it sorts by policy.
    pub(super) fn new(groups: impl Iterator<Item = &'g Group<'a>>) -> Sample<'g, 'a> {
        let groups = sorted_by_policy(groups.collect(), |group: &&Group<'_>| group.setting.policy);
        let names: BTreeSet<&str> = groups.iter().flat_map(|group| group.rows()).map(block).collect();
        let names: Vec<&str> = names.into_iter().collect();
        let sampled = |group: &'g Group<'a>| {
            let mut by_block = vec![Vec::new(); names.len()];
            let mut rows = Vec::new();
            for row in group.rows() {
                let (degradation, memory) = (row.degradation, group.scope.workload.node_memory_gb);
                let values = SampledRow { degradation, gb_per_s: gb_per_s(row, memory) };
                rows.push(values);
                if let Ok(place) = names.binary_search(&block(row)) {
                    by_block[place].push(values);
                }
            }
            SampledGroup { group, rows, by_block }
        };
        Sample { groups: groups.into_iter().map(sampled).collect(), blocks: names.len() }
    }
    /// Iterates over the groups, sorted by policy.
    pub(super) fn groups(&self) -> impl Iterator<Item = &'g Group<'a>> {
        self.groups.iter().map(|sampled| sampled.group)
    }
    /// Returns the number of weeks or traces.
    pub(super) fn blocks(&self) -> usize {
        self.blocks
    }
    /// Computes the metrics of all rows of a group.
    pub(super) fn numbers_of(&self, at: usize) -> Numbers {
        numbers(&self.groups[at].rows)
    }
    /// Draws as many blocks as there are, with replacement, and replaces the numbers of the cells by
    /// those of the drawn rows. Samples with equally many blocks draw the same ones with one seed, as
    /// two sets of one hundred traces are the same traces.
    pub(super) fn resampled(&self, cells: &Cells<'static>, seed: Seed) -> Cells<'static> {
        let mut rng = seed.rng();
        let drawn: Vec<usize> = (0..self.blocks).map(|_| rng.random_range(0..self.blocks)).collect();
        let of_group = |sampled: &SampledGroup<'_, '_>| {
            let rows: Vec<SampledRow> = drawn.iter().flat_map(|&at| &sampled.by_block[at]).copied().collect();
            numbers(&rows)
        };
        cells.with_numbers(self.groups.iter().map(of_group))
    }
}
