//! The second phase: once a mapping and its minimum yield stand, what is left over raises the average yield.
//!
//! No task moves and no job gets less than the minimum. Yields are scaled ones, one for each job, however many tasks
//! it has; they are exact, rounded down to the units of [`Yield`].
//!
//! * [`by_increasing_need`] (RR-6692, section 3.5): jobs in the order of what a unit of yield costs, each as far as
//!   there is room. The best there is for serial jobs and one fluid resource, since nodes are then knapsacks of
//!   divisible goods.
//! * [`by_highest_increase`] (dissertation, section 4.4.7): on each node the job that could gain most goes first. Not
//!   always the best, although the text says so: see there.
//! * [`by_linear_program`] (dissertation, section 4.5.1): the best in all cases, by whatever solves linear programs.
//!
//! [`utilisation`] tells what that does to the cluster.
//!
//! ```
//! use dfrsim_model::offline::{Instance, OfflineJob};
//! use dfrsim_model::{NodeId, NodeTasks, Yield};
//! use dfrsim_offline::second_phase::{average, by_highest_increase, by_increasing_need};
//!
//! // Needs of 0.6 and 0.1 on a node with a CPU of 0.64: a yield of 0.2 for both leaves 0.5. The first job could then
//! // gain 0.8 for 0.48, which leaves next to nothing for the second; the other way round they gain 0.8 for 0.08 and
//! // 0.7 for 0.42.
//! let job = |need| OfflineJob { tasks: 1, demand: [need].into(), least_yield: Yield::ZERO };
//! let instance = Instance { fixed: 0, fluid: 1, nodes: vec![[640].into()], jobs: vec![job(600), job(100)] };
//! let mapping = vec![vec![NodeTasks { node: NodeId(0), tasks: 1 }]; 2];
//! let minimum = Yield::from_ratio(1, 5);
//! let best = by_increasing_need(&instance, &mapping, minimum)?;
//! let literal = by_highest_increase(&instance, &mapping, minimum)?;
//! assert!((average(&best) - (0.9 + 1.0) / 2.0).abs() < 1e-5);
//! assert!((average(&literal) - (1.0 + 0.4) / 2.0).abs() < 1e-5);
//! # Ok::<(), dfrsim_offline::second_phase::SecondPhaseError>(())
//! ```

use crate::room::Room;
use dfrsim_model::Yield;
use dfrsim_model::offline::{Instance, Mapping};
use std::cmp::Reverse;

/// Why yields cannot be raised.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum SecondPhaseError {
    /// The nodes cannot give all jobs the minimum yield.
    #[error("the mapping does not allow the minimum yield")]
    Minimum,
    /// The method is for jobs of one task each.
    #[error("jobs with several tasks need the linear program")]
    ParallelJobs,
    /// The method is for one fluid resource.
    #[error("several fluid resources need the linear program")]
    SeveralFluidResources,
}

/// Why a linear program does not raise yields.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ProgramError<E> {
    /// The nodes cannot give all jobs the minimum yield.
    #[error("the mapping does not allow the minimum yield")]
    Minimum,
    /// The solver failed.
    #[error("the linear program was not solved")]
    Solver(#[source] E),
}

/// The scaled yields when jobs are raised in the order of need * (1 - least yield), the smallest first, each as far
/// as its node allows. They have the greatest average of all. For serial jobs and one fluid resource.
///
/// # Errors
/// Another kind of instance, or a minimum that the mapping does not allow.
pub fn by_increasing_need(
    instance: &Instance,
    mapping: &Mapping,
    minimum: Yield,
) -> Result<Vec<Yield>, SecondPhaseError> {
    if instance.fluid != 1 {
        return Err(SecondPhaseError::SeveralFluidResources);
    }
    let mut room = room_of_serial_jobs(instance, mapping, minimum)?;
    let mut jobs: Vec<usize> = (0..mapping.len()).collect();
    jobs.sort_by_cached_key(|&job| mapping[job].first().and_then(|at| room.costs(job, at).next()));
    for job in jobs {
        room.raise(job, Yield::ONE);
    }
    Ok(room.into_yields())
}

/// The scaled yields when on each node the job that could gain most is raised as far as the node allows, and so on
/// until none can gain; of equal gains the first job's. For serial jobs.
///
/// The dissertation states that this is the best, but a job that gains much may cost much: with 0.5 of a CPU free,
/// jobs at 0.2 and needs of 0.6 and 0.1 it reaches an average of 0.70, where 0.95 is possible.
///
/// # Errors
/// Parallel jobs, or a minimum that the mapping does not allow.
pub fn by_highest_increase(
    instance: &Instance,
    mapping: &Mapping,
    minimum: Yield,
) -> Result<Vec<Yield>, SecondPhaseError> {
    let mut room = room_of_serial_jobs(instance, mapping, minimum)?;
    let mut of_nodes = vec![Vec::new(); instance.nodes.len()];
    for (job, placement) in mapping.iter().enumerate() {
        for at in placement {
            of_nodes[at.node.index()].push(job);
        }
    }
    for mut jobs in of_nodes {
        // Whoever was raised cannot be raised again: the room only shrinks.
        while let Some(at) = (0..jobs.len()).max_by_key(|&at| (room.most(jobs[at]), Reverse(at))) {
            room.raise(jobs.remove(at), Yield::ONE);
        }
    }
    Ok(room.into_yields())
}

fn room_of_serial_jobs<'a>(
    instance: &'a Instance,
    mapping: &'a Mapping,
    minimum: Yield,
) -> Result<Room<'a>, SecondPhaseError> {
    if instance.jobs.iter().any(|job| job.tasks > 1) {
        return Err(SecondPhaseError::ParallelJobs);
    }
    Room::at(instance, mapping, minimum).ok_or(SecondPhaseError::Minimum)
}

/// The linear program of the second phase (dissertation, equations 4.7 to 4.14): by how much the scaled yield of each
/// job is raised.
///
/// Maximise the sum of the variables, each in `[0, limit]`, so that no row's weighted sum exceeds its room. Rows that
/// could not be exceeded anyway are left out, and so may be variables: these are only limited by themselves.
#[derive(Clone, Debug, PartialEq)]
pub struct AverageYieldProgram {
    /// The number of variables, one for each job.
    pub variables: usize,
    /// The upper bound of each: 1 minus the minimum yield.
    pub limit: f64,
    /// One row for each node and fluid resource that matters.
    pub rows: Vec<ProgramRow>,
}

/// A row of an [`AverageYieldProgram`]; in parts of the node's capacity.
#[derive(Clone, Debug, PartialEq)]
pub struct ProgramRow {
    /// The variables, rising, and what they take of the node.
    pub terms: Vec<(usize, f64)>,
    /// What the minimum yields leave of the node.
    pub room: f64,
}

impl AverageYieldProgram {
    fn of(instance: &Instance, mapping: &Mapping, room: &Room<'_>, minimum: Yield) -> AverageYieldProgram {
        let limit = Yield::ONE.units() - minimum.units();
        let one = f64::from(Yield::ONE.units());
        let mut terms = vec![Vec::new(); instance.nodes.len() * instance.fluid];
        for (job, placement) in mapping.iter().enumerate() {
            for at in placement {
                let cells = &mut terms[at.node.index() * instance.fluid..];
                for (cell, cost) in cells.iter_mut().zip(room.costs(job, at)).filter(|(_, cost)| *cost > 0) {
                    cell.push((job, cost));
                }
            }
        }
        let free = (0..instance.nodes.len()).flat_map(|node| room.free(node));
        let capacities = instance.nodes.iter().flat_map(|node| &node[instance.fixed..]);
        let contested = terms.into_iter().zip(free).zip(capacities).filter(|((terms, free), _)| {
            let most: u128 = terms.iter().map(|(_, cost)| cost * u128::from(limit)).sum();
            most > **free
        });
        let rows = contested.map(|((terms, &free), &capacity)| {
            let whole = f64::from(capacity.max(1)) * one;
            ProgramRow {
                terms: terms.into_iter().map(|(job, cost)| (job, cost as f64 / whole)).collect(),
                room: free as f64 / whole / one,
            }
        });
        let limit = f64::from(limit) / one;
        AverageYieldProgram { variables: mapping.len(), limit, rows: rows.collect() }
    }
}

/// The scaled yields of greatest average, by a solver of linear programs; for all instances.
///
/// The solver returns the variables. They are rounded down, and a job that would then take more than a node has, as
/// may happen within the solver's tolerance, is raised as far as there is room: what is returned keeps all
/// capacities, whatever the solver says.
///
/// # Errors
/// The solver's error, or a minimum that the mapping does not allow.
pub fn by_linear_program<E>(
    instance: &Instance,
    mapping: &Mapping,
    minimum: Yield,
    solve: impl FnOnce(&AverageYieldProgram) -> Result<Vec<f64>, E>,
) -> Result<Vec<Yield>, ProgramError<E>> {
    let mut room = Room::at(instance, mapping, minimum).ok_or(ProgramError::Minimum)?;
    let program = AverageYieldProgram::of(instance, mapping, &room, minimum);
    let raises = solve(&program).map_err(ProgramError::Solver)?;
    for (job, raise) in (0..mapping.len()).zip(raises) {
        room.raise(job, Yield::from_f64(minimum.as_f64() + raise));
    }
    Ok(room.into_yields())
}

/// The mean of yields; 1 for none.
#[must_use]
pub fn average(yields: &[Yield]) -> f64 {
    if yields.is_empty() {
        return 1.0;
    }
    let sum: u64 = yields.iter().map(|each| u64::from(each.units())).sum();
    sum as f64 / yields.len() as f64 / f64::from(Yield::ONE.units())
}

/// The part of all fluid resources of the cluster that jobs with these scaled yields use, in [0, 1] (dissertation,
/// section 4.4.7). Fixed resources do not count: what is used of them is the same for every solution.
///
/// # Errors
/// The nodes cannot give the jobs these yields.
pub fn utilisation(
    instance: &Instance,
    mapping: &Mapping,
    yields: &[Yield],
) -> Result<f64, SecondPhaseError> {
    let mut room = Room::at(instance, mapping, Yield::ZERO).ok_or(SecondPhaseError::Minimum)?;
    for (job, &each) in (0..mapping.len()).zip(yields) {
        room.raise(job, each);
        if room.yields()[job] < each {
            return Err(SecondPhaseError::Minimum);
        }
    }
    let capacities = instance.nodes.iter().flat_map(|node| &node[instance.fixed..]);
    let all = capacities.map(|&capacity| u128::from(capacity)).sum::<u128>() << (2 * Yield::BITS);
    let free: u128 = (0..instance.nodes.len()).flat_map(|node| room.free(node)).sum();
    Ok(if all == 0 { 0.0 } else { (all - free) as f64 / all as f64 })
}

/// The unscaled yields of jobs with these scaled ones, rounded down.
#[must_use]
pub fn unscaled(instance: &Instance, yields: &[Yield]) -> Vec<Yield> {
    instance.jobs.iter().zip(yields).map(|(job, &scaled)| job.unscaled(scaled)).collect()
}
