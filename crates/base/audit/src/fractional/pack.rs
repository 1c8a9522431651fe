//! MCB: search for the largest value at which all jobs can be packed (dissertation, sections 4.2.5,
//! 5.2.2 and 5.2.6).

use super::nodes::{FractionalNodes, whole_devices};
use crate::devices::{DeviceTasks, Triples, in_order, request_at};
use crate::nodes::TasksByNode;
use crate::nodes::{Kind, Size};
use dfrsim_model::{Share, SortedMap, Yield};
use std::cmp::Reverse;

/// Minimum yield that is tried (dissertation, section 5.2.2), 0.01, in units.
pub(super) const FLOOR: u32 = (1 << Yield::BITS) / 100;
/// Precision of the search for a yield: the gap between the last success and the last failure, 0.01.
const PRECISION: u32 = FLOOR;
/// Precision of the search for a stretch: 0.0001.
const STRETCH_PRECISION: u32 = (1_u32 << Yield::BITS).div_ceil(10_000);

/// Job to be mapped.
#[derive(Debug)]
pub(super) struct Item<'a> {
    pub(super) number: u64,
    pub(super) tasks: u32,
    pub(super) size: &'a Size,
    /// Placement at which the job stays unless it is left out.
    pub(super) pinned: Option<&'a TasksByNode>,
    /// Devices of a pinned job.
    pub(super) pinned_devices: &'a Triples,
}

/// Packed jobs.
#[derive(Debug)]
pub(super) struct Packed {
    /// Value at which they were packed.
    pub(super) value: u32,
    /// Placements in the order of the input; jobs that are left out come after them.
    pub(super) places: Vec<TasksByNode>,
}

/// Range of the search: yields up to what the nodes can provide in total, or inverse stretches up to
/// 1.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Search {
    Yield,
    Stretch,
}

/// Packs the longest prefix of the jobs, which are in descending rank, for which the search finds a
/// packing on empty nodes. `yield_at` returns the yield in units for a number of jobs, a job and a
/// value; there is no packing at a value at which a job has none.
pub(super) fn map(
    items: &[Item<'_>],
    nodes: &FractionalNodes,
    search: Search,
    yield_at: &dyn Fn(usize, usize, u32) -> Option<u32>,
) -> Packed {
    let mcb = Mcb { items, nodes, search, yield_at };
    let counts = (0..=items.len()).rev().filter(|&count| mcb.may_fit(count));
    let found =
        counts.map(|count| (count, mcb.largest(count))).find(|(count, it)| it.is_some() || *count == 0);
    found.and_then(|it| it.1).unwrap_or(Packed { value: Yield::ONE.units(), places: Vec::new() })
}

struct Mcb<'a> {
    items: &'a [Item<'a>],
    nodes: &'a FractionalNodes,
    search: Search,
    yield_at: &'a dyn Fn(usize, usize, u32) -> Option<u32>,
}

impl Mcb<'_> {
    /// Returns whether the nodes have in total at least the sum of amounts of the first jobs, in
    /// each dimension.
    fn fits_in_total(&self, count: usize, amount: impl Fn(usize, &Size, usize) -> u128) -> bool {
        let open = || self.nodes.all.iter().filter(|node| node.is_open);
        let dimensions = self.nodes.kinds[0].capacity.len();
        (0..dimensions).all(|it| {
            let has: u128 = open().map(|node| u128::from(self.nodes.kinds[node.kind].capacity[it])).sum();
            let of = |(job, item): (usize, &Item<'_>)| amount(job, item.size, it) * u128::from(item.tasks);
            self.items[..count].iter().enumerate().map(of).sum::<u128>() <= has << Yield::BITS
        })
    }
    /// Returns whether the nodes have in total what the first jobs hold at any yield.
    fn may_fit(&self, count: usize) -> bool {
        self.fits_in_total(count, |_, size, it| u128::from(size.held[it]) << Yield::BITS)
    }
    fn is_enough(&self, count: usize, value: u32) -> bool {
        let at = |job: usize| u128::from((self.yield_at)(count, job, value).unwrap_or(0));
        self.fits_in_total(count, |job, size, it| u128::from(size.used[it]) * at(job))
    }

    /// Searches the largest value: tries the highest, then the lowest, then bisects between them.
    /// Returns the last success.
    fn largest(&self, count: usize) -> Option<Packed> {
        let one = Yield::ONE.units();
        let (lowest, highest, precision) = match self.search {
            Search::Stretch => (1, one, STRETCH_PRECISION),
            Search::Yield => {
                let highest = if self.is_enough(count, one) {
                    one
                } else {
                    bisect(0, one, 1, |value| self.is_enough(count, value))
                };
                (FLOOR, highest, PRECISION)
            }
        };
        if highest < lowest {
            return None;
        }
        if let Some(places) = self.pack(count, highest) {
            return Some(Packed { value: highest, places });
        }
        let mut places = self.pack(count, lowest)?;
        let value = bisect(lowest, highest, precision, |value| {
            let packed = self.pack(count, value);
            packed.map(|packed| places = packed).is_some()
        });
        Some(Packed { value, places })
    }

    /// Packs the first jobs at a value. Node after node, each repeatedly takes the first task of the
    /// list that fits. The list is in descending order of the largest fraction of a node that a task
    /// takes of any resource, then of the second largest and so on, then by submission.
    fn pack(&self, count: usize, value: u32) -> Option<Vec<TasksByNode>> {
        let units = |kind: &Kind| kind.capacity.iter().map(|&it| u128::from(it) << Yield::BITS).collect();
        let empty: Vec<Vec<u128>> = self.nodes.kinds.iter().map(units).collect();
        let kind = |node: u32| self.nodes.all[node as usize].kind;
        // Free amounts of nodes with pinned jobs.
        let mut beside: SortedMap<u32, Vec<u128>> = SortedMap::default();
        let items = &self.items[..count];
        let mut sizes: Vec<Vec<u128>> = Vec::new();
        for (job, Item { size, pinned, .. }) in items.iter().enumerate() {
            let at = u128::from((self.yield_at)(count, job, value)?);
            let amounts = size.held.iter().zip(&size.used);
            let take =
                amounts.map(|(&held, &used)| (u128::from(held) << Yield::BITS) + u128::from(used) * at);
            let take: Vec<u128> = take.collect();
            for &(node, tasks) in pinned.iter().flat_map(|on| on.iter()) {
                let free = beside.or_insert_with(node, || empty[kind(node)].clone());
                for (free, size) in free.iter_mut().zip(&take) {
                    *free = free.checked_sub(size * u128::from(tasks))?;
                }
            }
            sizes.push(take);
        }
        let most =
            |it: usize| self.nodes.kinds.iter().map(|kind| kind.capacity[it]).max().unwrap_or(1).max(1);
        // Memory and CPU are relative to the reference node, other resources to the node that has
        // most of them.
        let one = u64::from(Share::ONE.units());
        let wholes: Vec<u64> =
            (0..self.nodes.kinds[0].capacity.len()).map(|it| if it < 2 { one } else { most(it) }).collect();
        let parts = |job: usize| {
            let part = |(size, &whole): (&u128, &u64)| Reverse(size * u128::from(one) / u128::from(whole));
            let mut parts: Vec<Reverse<u128>> = sizes[job].iter().zip(&wholes).map(part).collect();
            parts.sort_unstable();
            parts
        };
        let mut list: Vec<usize> = (0..count).filter(|&job| items[job].pinned.is_none()).collect();
        list.sort_by_cached_key(|&job| (parts(job), items[job].number));
        let mut left: Vec<u32> = items.iter().map(|item| item.tasks).collect();
        let mut places: Vec<TasksByNode> =
            items.iter().map(|item| item.pinned.cloned().unwrap_or_default()).collect();
        let mut free: Vec<u128> = Vec::new();
        let mut devices: Vec<Vec<i64>> =
            self.nodes.all.iter().map(|node| whole_devices(&self.nodes.kinds[node.kind])).collect();
        let mut requests = Vec::new();
        for (job, Item { size, .. }) in items.iter().enumerate() {
            let at = (self.yield_at)(count, job, value)?;
            let of_job = |request| if size.shares_devices { request_at(request, at) } else { request };
            requests.push(size.devices.map(of_job));
        }
        for (item, request) in items.iter().zip(&requests).filter(|(item, _)| item.pinned.is_some()) {
            for &(node, device, tasks) in item.pinned_devices {
                let part = request.map_or(0, |request| request.1);
                let free = devices[node as usize].get_mut(device as usize)?;
                *free -= (part * u64::from(tasks)) as i64;
            }
        }
        if devices.iter().flatten().any(|free| *free < 0) {
            return None;
        }
        for (number, node) in (0..).zip(&self.nodes.all) {
            if list.is_empty() {
                break;
            }
            if !node.is_open {
                continue;
            }
            free.clone_from(beside.get(&number).unwrap_or(&empty[node.kind]));
            let mut with_devices: Vec<DeviceTasks> = Vec::new();
            for &job in list.iter().filter(|&&job| items[job].size.allowed[node.kind]) {
                let times = free.iter().zip(&sizes[job]).filter_map(|(free, size)| free.checked_div(*size));
                let tasks = times.fold(left[job], |most, times| times.min(u128::from(most)) as u32);
                let mut tasks = tasks;
                if let Some(request) = requests[job] {
                    let groups = &self.nodes.kinds[node.kind].device_groups[..];
                    let with = |tasks: u32| {
                        let own = DeviceTasks { number: items[job].number, request, tasks: tasks.into() };
                        with_devices.iter().copied().chain([own])
                    };
                    let has_room = |&tasks: &u32| {
                        in_order(devices[number as usize].clone(), groups, with(tasks)).is_some()
                    };
                    tasks = (1..=tasks).take_while(has_room).last().unwrap_or(0);
                    if tasks > 0 {
                        with_devices = with(tasks).collect();
                    }
                }
                free.iter_mut().zip(&sizes[job]).for_each(|(free, size)| *free -= size * u128::from(tasks));
                left[job] -= tasks;
                places[job].extend((tasks > 0).then_some((number, tasks)));
            }
            list.retain(|&job| left[job] > 0);
        }
        list.is_empty().then_some(places)
    }
}

/// Bisects between a success and a failure until their gap is at most `precision`. Returns the last
/// success.
fn bisect(mut success: u32, mut failure: u32, precision: u32, mut succeeds: impl FnMut(u32) -> bool) -> u32 {
    while failure - success > precision {
        let middle = success + (failure - success) / 2;
        if succeeds(middle) {
            success = middle;
        } else {
            failure = middle;
        }
    }
    success
}
