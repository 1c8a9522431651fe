//! Shares of jobs in contested resources (dissertation, sections 5.2.5 and 5.2.6).

use super::nodes::FractionalNodes;
use crate::devices::Triples;
use crate::nodes::Size;
use dfrsim_model::{Share, SortedMap, Yield};

/// Job on nodes. The yield at a filling level is `slope * level + offset`, clamped to at least its
/// floor and at most 1.
#[derive(Debug)]
pub(super) struct Sharer<'a> {
    pub(super) size: &'a Size,
    pub(super) on: &'a [(u32, u32)],
    /// Devices on these nodes.
    pub(super) devices: &'a Triples,
    pub(super) slope: f64,
    pub(super) offset: f64,
    pub(super) floor: f64,
}

impl Sharer<'_> {
    fn at(&self, level: f64) -> f64 {
        (self.slope * level + self.offset).clamp(self.floor, 1.0)
    }
    /// Returns the levels between which its yield rises.
    fn bends(&self) -> [f64; 2] {
        [self.floor, 1.0].map(|at| (at - self.offset) / self.slope)
    }
}

/// Resource of a node for which the demand of its jobs exceeds the capacity.
#[derive(Debug)]
pub(super) struct Contested {
    pub(super) capacity: f64,
    /// Use by the tasks of each job at a yield of 1.
    pub(super) loads: Vec<(usize, f64)>,
}

/// Finds all contested resources.
pub(super) fn contested(jobs: &[Sharer<'_>], nodes: &FractionalNodes) -> Vec<Contested> {
    let mut by_node: SortedMap<u32, Vec<(usize, u32)>> = SortedMap::default();
    for (job, sharer) in jobs.iter().enumerate() {
        for &(node, tasks) in sharer.on {
            by_node.or_default(node).push((job, tasks));
        }
    }
    let mut found = Vec::new();
    for (node, here) in by_node {
        for (it, &capacity) in nodes.capacity(node).iter().enumerate() {
            let load =
                |&(job, tasks): &(usize, u32)| (job, jobs[job].size.used[it] as f64 * f64::from(tasks));
            let loads: Vec<(usize, f64)> = here.iter().map(load).filter(|(_, load)| *load > 0.0).collect();
            if loads.iter().map(|(_, load)| load).sum::<f64>() > capacity as f64 {
                found.push(Contested { capacity: capacity as f64, loads });
            }
        }
    }
    // Each shared device is a resource of its own.
    let mut by_device: SortedMap<(u32, u32), Vec<(usize, f64)>> = SortedMap::default();
    for (job, sharer) in jobs.iter().enumerate().filter(|(_, sharer)| sharer.size.shares_devices) {
        let part = sharer.size.devices.map_or(0, |request| request.1) as f64;
        for &(node, device, tasks) in sharer.devices {
            by_device.or_default((node, device)).push((job, part * f64::from(tasks)));
        }
    }
    let capacity = f64::from(Share::ONE.units());
    for (_, loads) in by_device {
        if loads.iter().map(|(_, load)| load).sum::<f64>() > capacity {
            found.push(Contested { capacity, loads });
        }
    }
    found
}

/// Computes the largest yield that all jobs can have.
pub(super) fn common(contested: &[Contested]) -> f64 {
    let load = |it: &Contested| it.loads.iter().map(|(_, load)| load).sum::<f64>();
    contested.iter().map(|it| it.capacity / load(it)).fold(1.0, f64::min)
}

/// Computes the level at which a resource is full, given the jobs that have stopped; `None` if it
/// never is.
fn full_at(jobs: &[Sharer<'_>], stopped: &[Option<f64>], resource: &Contested) -> Option<f64> {
    let used = |level: f64| -> f64 {
        let at = |job: usize| stopped[job].unwrap_or_else(|| jobs[job].at(level));
        resource.loads.iter().map(|&(job, load)| load * at(job)).sum()
    };
    let rising = resource.loads.iter().filter(|(job, _)| stopped[*job].is_none());
    let mut bends: Vec<f64> = rising.flat_map(|&(job, _)| jobs[job].bends()).collect();
    bends.sort_unstable_by(f64::total_cmp);
    let over = bends.iter().position(|&bend| used(bend) > resource.capacity)?;
    let Some(below) = over.checked_sub(1).map(|below| bends[below]) else { return Some(bends[0]) };
    let (from, to) = (used(below), used(bends[over]));
    Some(below + (bends[over] - below) * ((resource.capacity - from) / (to - from)))
}

/// Computes yields by progressive filling: all rise until a resource is full, which stops its jobs,
/// and so on. If `once` is set, the first full resource stops all jobs.
pub(super) fn fill(jobs: &[Sharer<'_>], contested: &[Contested], once: bool) -> Vec<f64> {
    let mut stopped: Vec<Option<f64>> = vec![None; jobs.len()];
    loop {
        let rises = |resource: &&Contested| resource.loads.iter().any(|(job, _)| stopped[*job].is_none());
        let levels = contested.iter().filter(rises);
        let levels = levels.filter_map(|it| Some((full_at(jobs, &stopped, it)?, it)));
        let Some((level, resource)) = levels.min_by(|a, b| a.0.total_cmp(&b.0)) else { break };
        let stop = |job: usize| _ = stopped[job].get_or_insert_with(|| jobs[job].at(level));
        if once {
            (0..jobs.len()).for_each(stop);
        } else {
            resource.loads.iter().map(|(job, _)| *job).for_each(stop);
        }
    }
    stopped.into_iter().map(|at| at.unwrap_or(1.0)).collect()
}

/// Computes the largest weighted sum of yields that are not below the floors: a linear program,
/// solved by the simplex method on a full tableau with Bland's rule.
pub(super) fn largest_sum(floors: &[f64], weights: &[f64], contested: &[Contested]) -> Vec<f64> {
    const ZERO: f64 = 1e-9;
    let jobs = floors.len();
    let mut rows: Vec<Vec<f64>> = Vec::new();
    for Contested { capacity, loads } in contested {
        let mut row = vec![0.0; jobs + 1];
        row[jobs] = 1.0;
        for &(job, load) in loads {
            row[job] = load / capacity;
            row[jobs] -= row[job] * floors[job];
        }
        rows.push(row);
    }
    for job in 0..jobs {
        let mut row = vec![0.0; jobs + 1];
        (row[job], row[jobs]) = (1.0, 1.0 - floors[job]);
        rows.push(row);
    }
    rows.iter_mut().for_each(|row| row[jobs] = row[jobs].max(0.0));
    // Variables are the jobs and then the rows. A column belongs to a variable that is zero; a row
    // has the value of another one.
    let (mut columns, mut basics): (Vec<usize>, Vec<usize>) =
        ((0..jobs).collect(), (jobs..jobs + rows.len()).collect());
    let mut gains = [weights, &[0.0]].concat();
    loop {
        let entering = (0..jobs).filter(|&it| gains[it] > ZERO).min_by_key(|&it| columns[it]);
        let Some(column) = entering else { break };
        let limits = (0..rows.len()).filter(|&row| rows[row][column] > ZERO);
        let limit = |row: usize| rows[row][jobs] / rows[row][column];
        let leaving = limits.min_by(|&a, &b| limit(a).total_cmp(&limit(b)).then(basics[a].cmp(&basics[b])));
        let Some(leaving) = leaving else { break };
        let pivot = rows[leaving][column];
        rows[leaving].iter_mut().for_each(|it| *it /= pivot);
        rows[leaving][column] = 1.0 / pivot;
        let by = rows[leaving].clone();
        let others = rows.iter_mut().enumerate().filter(|(row, _)| *row != leaving).map(|(_, row)| row);
        for row in others.chain([&mut gains]) {
            let times = row[column];
            row[column] = 0.0;
            row.iter_mut().zip(&by).for_each(|(it, by)| *it -= times * by);
        }
        std::mem::swap(&mut columns[column], &mut basics[leaving]);
    }
    let mut yields = floors.to_vec();
    for (row, &variable) in rows.iter().zip(&basics).filter(|(_, variable)| **variable < jobs) {
        yields[variable] += row[jobs];
    }
    yields
}

/// Converts a yield to units.
pub(super) fn units(at: f64) -> f64 {
    at * f64::from(Yield::ONE.units())
}
