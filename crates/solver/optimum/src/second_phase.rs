//! The second phase: maximisation of the average yield for a fixed mapping.

use crate::amounts::node_capacity;
use crate::outcome::{Limits, Status};
use crate::program::{Program, Relation, Variable};
use crate::solver::{Solver, SolverError};
use dfrsim_model::Yield;
use dfrsim_model::offline::{Instance, Mapping};
use std::cmp::Reverse;
use std::collections::BinaryHeap;

/// Result of the second phase.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SecondPhase {
    /// [`Status::Optimal`] if the yields are optimal, up to the solver's tolerances and the rounding
    /// to units. Otherwise a limit was reached, and the yields are those of a greedy raise in the
    /// order of jobs.
    pub status: Status,
    /// Scaled yield of each job, at least the minimum yield.
    pub yields: Vec<Yield>,
}

/// Maximises the average scaled yield over the jobs for a fixed mapping, with no yield below
/// `min_yield`: the program (4.7) to (4.14) of the dissertation (section 4.5.1), which for jobs of
/// one task is that of section 4.4.7.
///
/// All tasks of a job have one yield (4.11), so the program here has one variable per job. The
/// solver's yields are rounded down and applied job by job as far as exact arithmetic allows; the
/// remaining capacity is distributed in the same order. A job whose whole need is guaranteed has a
/// scaled yield of 1. Returns `None` if the mapping does not permit `min_yield`.
///
/// # Errors
///
/// A failure of the solver.
pub fn max_average(
    instance: &Instance,
    mapping: &Mapping,
    min_yield: Yield,
    solver: &dyn Solver,
    limits: &Limits,
) -> Result<Option<SecondPhase>, SolverError> {
    let Some(mut sharing) = Sharing::new(instance, mapping, min_yield) else { return Ok(None) };
    let (program, added) = program(&sharing);
    let answer = solver.solve(&program, limits)?;
    if answer.status == Status::Optimal {
        for (job, &added) in added.iter().enumerate() {
            let added = added.map_or(0.0, |added| answer.value(added));
            sharing.raise_to(job, Yield::from_f64(sharing.yields[job].as_f64() + added));
        }
    }
    for job in 0..instance.jobs.len() {
        sharing.raise_to(job, Yield::ONE);
    }
    let status = if answer.status == Status::Optimal { Status::Optimal } else { Status::TimedOut };
    Ok(Some(SecondPhase { status, yields: sharing.yields }))
}

/// Orders in which a greedy raise considers the jobs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RaiseOrder {
    /// Increasing need between the minimum and the full yield, the maximum over the fluid resources:
    /// RR-6692, section 3.5. Optimal for jobs of one task and one fluid resource.
    SmallestFirst,
    /// Always the job whose yield can grow most, as in section 4.4.7 of the dissertation. It is not
    /// optimal, contrary to the text: a job with a large gain may have a large cost.
    HighestIncrease,
}

/// Raises the yields of jobs one after the other, each as far as the nodes of its tasks permit; ties
/// are broken by the lowest job. Returns `None` if the mapping does not permit `min_yield`.
///
/// ```
/// use dfrsim_model::offline::{Instance, OfflineJob};
/// use dfrsim_model::{NodeId, NodeTasks, Yield};
/// use dfrsim_optimum::{RaiseOrder, raise};
///
/// // At 1/5 each, 50 of 64 are free. The small job takes 8 of them to be at 1, the large one has 12 + 42 of 60.
/// let job = |need| OfflineJob { tasks: 1, demand: [need].into(), least_yield: Yield::ZERO };
/// let instance = Instance { fixed: 0, fluid: 1, nodes: vec![[64].into()], jobs: vec![job(60), job(10)] };
/// let mapping = vec![vec![NodeTasks { node: NodeId(0), tasks: 1 }]; 2];
/// let yields = raise(&instance, &mapping, Yield::from_ratio(1, 5), RaiseOrder::SmallestFirst).unwrap();
/// assert_eq!(yields, [Yield::from_ratio(54, 60), Yield::ONE]);
/// ```
pub fn raise(
    instance: &Instance,
    mapping: &Mapping,
    min_yield: Yield,
    order: RaiseOrder,
) -> Option<Vec<Yield>> {
    let mut sharing = Sharing::new(instance, mapping, min_yield)?;
    match order {
        RaiseOrder::SmallestFirst => {
            let mut jobs: Vec<usize> = (0..instance.jobs.len()).collect();
            jobs.sort_by_key(|&job| {
                let described = &instance.jobs[job];
                let most = described.demand[instance.fixed..].iter().max().copied().unwrap_or(0);
                u64::from(most) * u64::from(Yield::ONE.units() - described.unscaled(min_yield).units())
            });
            jobs.into_iter().for_each(|job| sharing.raise_to(job, Yield::ONE));
        }
        RaiseOrder::HighestIncrease => {
            // Possible increases only shrink as others are raised, so an entry that is still up to
            // date at the top of the heap is the maximum.
            let now = |sharing: &Sharing<'_>, job| (sharing.increase(job), Reverse(job));
            let mut queue: BinaryHeap<(u32, Reverse<usize>)> =
                (0..instance.jobs.len()).map(|job| now(&sharing, job)).collect();
            while let Some(before) = queue.pop() {
                let Reverse(job) = before.1;
                let increase = now(&sharing, job);
                if increase == before {
                    sharing.raise_to(job, Yield::ONE);
                } else {
                    queue.push(increase);
                }
            }
        }
    }
    Some(sharing.yields)
}

/// Computes the mean of yields; 1 if there are none.
pub fn average(yields: &[Yield]) -> f64 {
    if yields.is_empty() {
        return 1.0;
    }
    let sum: u64 = yields.iter().map(|each| u64::from(each.units())).sum();
    sum as f64 / yields.len() as f64 / f64::from(Yield::ONE.units())
}

/// Computes the fraction of all nodes' fluid resources that jobs use at their scaled yields, from 0
/// to 1: the utilisation of section 4.4.7. Without resources it is 0.
pub fn utilisation(instance: &Instance, yields: &[Yield]) -> f64 {
    let fluid = instance.fixed..instance.dimensions();
    let offered: u128 = (instance.nodes.iter())
        .flat_map(|node| &node[fluid.clone()])
        .map(|&amount| u128::from(node_capacity(amount)))
        .sum();
    let used: u128 = (instance.jobs.iter().zip(yields))
        .map(|(job, &scaled)| {
            let need: u128 = job.demand[fluid.clone()].iter().map(|&need| u128::from(need)).sum();
            need * u128::from(job.tasks) * u128::from(job.unscaled(scaled).units())
        })
        .sum();
    if offered == 0 { 0.0 } else { used as f64 / offered as f64 }
}

/// Builds the program of the increases of yields, and returns it with the variable of each job below
/// 1. Free amounts come from exact arithmetic, so that zero increases are always feasible.
fn program(sharing: &Sharing<'_>) -> (Program, Vec<Option<Variable>>) {
    let Sharing { instance, mapping, yields, free } = sharing;
    let mut program = Program::new();
    let added: Vec<Option<Variable>> = yields
        .iter()
        .map(|scaled| (*scaled < Yield::ONE).then(|| program.real(1.0, 0.0..=1.0 - scaled.as_f64())))
        .collect();
    let fluid = instance.fluid;
    let mut terms = vec![Vec::new(); free.len()];
    for ((job, places), &added) in instance.jobs.iter().zip(mapping.iter()).zip(&added) {
        let Some(added) = added else { continue };
        let beyond = Yield::ONE.units() - job.least_yield.units();
        for place in places {
            for (at, &need) in job.demand[instance.fixed..].iter().enumerate().filter(|need| *need.1 > 0) {
                let takes = f64::from(need) * f64::from(place.tasks) * f64::from(beyond);
                terms[place.node.index() * fluid + at].push((added, takes));
            }
        }
    }
    let offers = instance.nodes.iter().flat_map(|node| &node[instance.fixed..]);
    for ((terms, &free), &offers) in terms.into_iter().zip(free).zip(offers).filter(|row| !row.0.0.is_empty())
    {
        let whole = node_capacity(offers.max(1)) as f64;
        let terms = terms.into_iter().map(|(added, takes)| (added, takes / whole));
        program.constrain(terms, Relation::AtMost, free as f64 / whole);
    }
    (program, added)
}

/// Yields, and the exact free amounts of the nodes' fluid resources under them.
#[derive(Clone, Debug)]
struct Sharing<'a> {
    instance: &'a Instance,
    mapping: &'a Mapping,
    yields: Vec<Yield>,
    /// Free amounts, one row of fluid resources per node, in the units of [`node_capacity`].
    free: Vec<u128>,
}

impl<'a> Sharing<'a> {
    /// Creates the state with all jobs at the minimum yield, if that fits.
    fn new(instance: &'a Instance, mapping: &'a Mapping, min_yield: Yield) -> Option<Sharing<'a>> {
        let allowed = crate::amounts::mapping_yield(instance, mapping)?;
        if allowed < min_yield {
            return None;
        }
        let free = (instance.nodes.iter())
            .flat_map(|node| &node[instance.fixed..])
            .map(|&amount| u128::from(node_capacity(amount)))
            .collect();
        let jobs = &instance.jobs;
        let yields: Vec<Yield> = (jobs.iter())
            .map(|job| if job.least_yield < Yield::ONE { min_yield } else { Yield::ONE })
            .collect();
        let mut sharing = Sharing { instance, mapping, yields, free };
        for (job, described) in jobs.iter().enumerate() {
            sharing.allocate(job, described.unscaled(min_yield).units());
        }
        Some(sharing)
    }

    /// Subtracts the resources for some units of a job's yield from its nodes.
    fn allocate(&mut self, job: usize, units: u32) {
        let needs = &self.instance.jobs[job].demand[self.instance.fixed..];
        for place in &self.mapping[job] {
            let free = &mut self.free[place.node.index() * needs.len()..];
            for (free, &need) in free.iter_mut().zip(needs) {
                *free -= u128::from(need) * u128::from(place.tasks) * u128::from(units);
            }
        }
    }

    /// Returns the largest yield up to `limit` to which a job can be raised.
    fn max_yield(&self, job: usize, limit: Yield) -> Yield {
        let described = &self.instance.jobs[job];
        let needs = &described.demand[self.instance.fixed..];
        let mut headroom = u128::from(Yield::ONE.units());
        for place in &self.mapping[job] {
            for (&free, &need) in self.free[place.node.index() * needs.len()..].iter().zip(needs) {
                if need > 0 {
                    headroom = headroom.min(free / (u128::from(need) * u128::from(place.tasks)));
                }
            }
        }
        let now = self.yields[job];
        let (one, least) = (u128::from(Yield::ONE.units()), u128::from(described.least_yield.units()));
        if least == one {
            return now;
        }
        // The unscaled yield exceeds the least yield by a product that is rounded down; it stays
        // within `beyond` as long as scaled * (one - least) < (beyond + 1) * one.
        let beyond = u128::from(described.unscaled(now).units()) - least + headroom;
        let most = ((beyond + 1) * one - 1) / (one - least);
        let most = u32::try_from(most).ok().and_then(Yield::try_from_units).unwrap_or(Yield::ONE);
        most.min(limit).max(now)
    }

    /// Returns the possible increase of a job's yield, in units.
    fn increase(&self, job: usize) -> u32 {
        self.max_yield(job, Yield::ONE).units() - self.yields[job].units()
    }

    /// Raises the yield of a job up to `limit`, as far as free resources permit.
    fn raise_to(&mut self, job: usize, limit: Yield) {
        let described = &self.instance.jobs[job];
        let (now, then) = (self.yields[job], self.max_yield(job, limit));
        self.allocate(job, described.unscaled(then).units() - described.unscaled(now).units());
        self.yields[job] = then;
    }
}
