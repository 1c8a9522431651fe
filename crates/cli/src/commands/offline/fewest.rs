//! The fewest nodes that keep a yield, and the jobs that are admitted with it.

use crate::failure::Failure;
use crate::output;
use dfrsim_audit::packing::check_minimum_yield;
use dfrsim_model::Yield;
use dfrsim_model::offline::Instance;
use dfrsim_offline::{Algorithm, Outcome, Settings, Solved};
use dfrsim_optimum::{FewestNodes, Placed, fewest_nodes, fewest_nodes_by};
use std::fmt::Write as _;
use std::time::Instant;

/// What an algorithm makes of an instance, if it keeps the yield and the independent checker finds no fault.
fn packed(
    instance: &Instance,
    algorithm: Algorithm,
    settings: &Settings,
    wanted: Yield,
) -> Result<Option<Placed>, Failure> {
    let Outcome::Solved(Solved { mapping, minimum_yield }) = algorithm.solve(instance, settings) else {
        return Ok(None);
    };
    if let Some(fault) = check_minimum_yield(instance, &mapping, minimum_yield).first() {
        return Err(Failure::Result(format!("{algorithm}: the packing is wrong: {fault}")));
    }
    Ok((minimum_yield >= wanted).then_some(Placed { mapping, min_yield: minimum_yield }))
}

/// Prints a line for each algorithm: how many of the first nodes are enough, and a number below which none can do.
pub(super) fn print_fewest(
    instance: &Instance,
    algorithms: &[Algorithm],
    settings: &Settings,
    wanted: Yield,
) -> Result<(), Failure> {
    let width = algorithms.iter().map(|each| each.to_string().len()).max().unwrap_or(0).max(9);
    let mut text = format!("{:width$}  {:>8}  {:>8}  {:>12}\n", "algorithm", "nodes", "at least", "time");
    let mut is_any = false;
    for &algorithm in algorithms {
        let begin = Instant::now();
        let mut failure = None;
        let found = if algorithm == Algorithm::Optimum {
            fewest_nodes(instance, wanted, &settings.limits)
        } else {
            fewest_nodes_by(instance, wanted, |first| match packed(first, algorithm, settings, wanted) {
                Ok(placed) => placed,
                Err(fault) => {
                    failure.get_or_insert(fault);
                    None
                }
            })
        };
        if let Some(failure) = failure {
            return Err(failure);
        }
        let time = format!("{:.3} ms", begin.elapsed().as_secs_f64() * 1e3);
        let name = algorithm.to_string();
        let (nodes, least) = match &found {
            Some(FewestNodes { nodes, at_least, .. }) => (nodes.to_string(), at_least.to_string()),
            None => ("none".to_owned(), String::new()),
        };
        writeln!(text, "{name:width$}  {nodes:>8}  {least:>8}  {time:>12}").expect("a string takes any text");
        is_any |= found.is_some();
    }
    output::print(&text)?;
    if is_any { Ok(()) } else { Err(Failure::Result("no algorithm keeps the yield on all nodes".to_owned())) }
}

/// Prints which jobs are admitted, in the order of the file, if each is refused with which an algorithm does not keep the yield of
/// all (RR-6692, section 2.1).
pub(super) fn print_admitted(
    instance: &Instance,
    algorithms: &[Algorithm],
    settings: &Settings,
    wanted: Yield,
) -> Result<(), Failure> {
    let mut text = String::new();
    for &algorithm in algorithms {
        let mut admitted = Instance { jobs: Vec::new(), ..instance.clone() };
        let (mut refused, mut reached) = (Vec::new(), Yield::ONE);
        for (number, job) in instance.jobs.iter().enumerate() {
            admitted.jobs.push(job.clone());
            match packed(&admitted, algorithm, settings, wanted)? {
                Some(placed) => reached = placed.min_yield,
                None => {
                    admitted.jobs.pop();
                    refused.push(number.to_string());
                }
            }
        }
        let (count, reached) = (admitted.jobs.len(), reached.as_f64());
        let refused = if refused.is_empty() { "none".to_owned() } else { refused.join(", ") };
        writeln!(text, "{algorithm}: {count} jobs admitted, minimum yield {reached:.6}; refused: {refused}")
            .expect("a string takes any text");
    }
    output::print(&text)
}
