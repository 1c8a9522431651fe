//! The second phase: the largest average yield with the mapping kept.

use crate::amounts::node_offers;
use crate::outcome::{Limits, Status};
use crate::program::{Program, Relation, Variable};
use crate::solver::{Solver, SolverError};
use dfrsim_model::Yield;
use dfrsim_model::offline::{Instance, Mapping};
use std::cmp::Reverse;
use std::collections::BinaryHeap;

/// The outcome of the second phase.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SecondPhase {
    /// Whether the yields are optimal, up to the solver's tolerances and the rounding to units; if not, a limit came first
    /// and the yields are those of a greedy raise in the order of the jobs.
    pub status: Status,
    /// The scaled yield of each job, no less than the minimum yield.
    pub yields: Vec<Yield>,
}

/// Maximises the average scaled yield over the jobs, none below `min_yield`, with the mapping kept: the program (4.7) to
/// (4.14) of the dissertation (section 4.5.1), which for tasks that are alone is that of section 4.4.7.
///
/// All tasks of a job have one yield (4.11), so the program here has one variable a job. The solver's yields are rounded
/// down, given to one job after the other as far as exact arithmetic allows, and what that leaves is given away in the same
/// order; a job whose whole need is guaranteed has a scaled yield of 1. `None` if the mapping does not allow
/// `min_yield`.
///
/// # Errors
///
/// When the solver fails.
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

/// In what order a greedy raise takes the jobs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RaiseOrder {
    /// By increasing need between the minimum and the full yield, the largest over the fluid resources: RR-6692, section
    /// 3.5. Optimal for tasks that are alone and one fluid resource.
    SmallestFirst,
    /// Always the job whose yield could grow most: what section 4.4.7 of the dissertation says. Not optimal, although the text
    /// says so: a job that gains much may cost much.
    HighestIncrease,
}

/// Raises the yields of jobs one after the other, each as far as the nodes of its tasks allow; ties: the lowest job.
/// `None` if the mapping does not allow `min_yield`.
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
            // Increases only shrink while others are raised: one that is still the same when it comes to the top is the
            // highest of all.
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

/// The mean of yields; 1 for none.
pub fn average(yields: &[Yield]) -> f64 {
    if yields.is_empty() {
        return 1.0;
    }
    let sum: u64 = yields.iter().map(|each| u64::from(each.units())).sum();
    sum as f64 / yields.len() as f64 / f64::from(Yield::ONE.units())
}

/// The part of all nodes' fluid resources that jobs use at their scaled yields, from 0 to 1: the utilisation of section
/// 4.4.7. Without resources it is 0.
pub fn utilisation(instance: &Instance, yields: &[Yield]) -> f64 {
    let fluid = instance.fixed..instance.dimensions();
    let offered: u128 = (instance.nodes.iter())
        .flat_map(|node| &node[fluid.clone()])
        .map(|&amount| u128::from(node_offers(amount)))
        .sum();
    let used: u128 = (instance.jobs.iter().zip(yields))
        .map(|(job, &scaled)| {
            let need: u128 = job.demand[fluid.clone()].iter().map(|&need| u128::from(need)).sum();
            need * u128::from(job.tasks) * u128::from(job.unscaled(scaled).units())
        })
        .sum();
    if offered == 0 { 0.0 } else { used as f64 / offered as f64 }
}

/// The program of what can be added to the yields, with the variable of each job that can have more. What is free comes
/// from exact arithmetic, so that leaving all yields as they are is always a solution.
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
        let whole = node_offers(offers.max(1)) as f64;
        let terms = terms.into_iter().map(|(added, takes)| (added, takes / whole));
        program.constrain(terms, Relation::AtMost, free as f64 / whole);
    }
    (program, added)
}

/// Yields and what they leave of each node's fluid resources, exactly.
#[derive(Clone, Debug)]
struct Sharing<'a> {
    instance: &'a Instance,
    mapping: &'a Mapping,
    yields: Vec<Yield>,
    /// One row of fluid resources a node, in the units of [`node_offers`].
    free: Vec<u128>,
}

impl<'a> Sharing<'a> {
    /// All jobs at the minimum yield, if that fits.
    fn new(instance: &'a Instance, mapping: &'a Mapping, min_yield: Yield) -> Option<Sharing<'a>> {
        let allowed = crate::amounts::mapping_yield(instance, mapping)?;
        if allowed < min_yield {
            return None;
        }
        let free = (instance.nodes.iter())
            .flat_map(|node| &node[instance.fixed..])
            .map(|&amount| u128::from(node_offers(amount)))
            .collect();
        let jobs = &instance.jobs;
        let yields: Vec<Yield> = (jobs.iter())
            .map(|job| if job.least_yield < Yield::ONE { min_yield } else { Yield::ONE })
            .collect();
        let mut sharing = Sharing { instance, mapping, yields, free };
        for (job, described) in jobs.iter().enumerate() {
            sharing.take(job, described.unscaled(min_yield).units());
        }
        Some(sharing)
    }

    /// Takes some units of yield of a job from its nodes.
    fn take(&mut self, job: usize, units: u32) {
        let needs = &self.instance.jobs[job].demand[self.instance.fixed..];
        for place in &self.mapping[job] {
            let free = &mut self.free[place.node.index() * needs.len()..];
            for (free, &need) in free.iter_mut().zip(needs) {
                *free -= u128::from(need) * u128::from(place.tasks) * u128::from(units);
            }
        }
    }

    /// How far up to `limit` the yield of a job can be raised.
    fn most(&self, job: usize, limit: Yield) -> Yield {
        let described = &self.instance.jobs[job];
        let needs = &described.demand[self.instance.fixed..];
        let mut room = u128::from(Yield::ONE.units());
        for place in &self.mapping[job] {
            for (&free, &need) in self.free[place.node.index() * needs.len()..].iter().zip(needs) {
                if need > 0 {
                    room = room.min(free / (u128::from(need) * u128::from(place.tasks)));
                }
            }
        }
        let now = self.yields[job];
        let (one, least) = (u128::from(Yield::ONE.units()), u128::from(described.least_yield.units()));
        if least == one {
            return now;
        }
        // Unscaled, the part of a scaled yield beyond the least one is rounded down: it stays within this as long as scaled *
        // (one - least) < (beyond + 1) * one.
        let beyond = u128::from(described.unscaled(now).units()) - least + room;
        let most = ((beyond + 1) * one - 1) / (one - least);
        let most = u32::try_from(most).ok().and_then(Yield::try_from_units).unwrap_or(Yield::ONE);
        most.min(limit).max(now)
    }

    /// By how many units the yield of a job could be raised.
    fn increase(&self, job: usize) -> u32 {
        self.most(job, Yield::ONE).units() - self.yields[job].units()
    }

    /// Raises the yield of a job up to `limit` as far as there is room.
    fn raise_to(&mut self, job: usize, limit: Yield) {
        let described = &self.instance.jobs[job];
        let (now, then) = (self.yields[job], self.most(job, limit));
        self.take(job, described.unscaled(then).units() - described.unscaled(now).units());
        self.yields[job] = then;
    }
}
