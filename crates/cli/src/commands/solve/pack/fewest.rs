//! The fewest nodes that keep a yield, and the jobs that are admitted with it.

use super::answer::{Admitted, Answered, Fewest};
use crate::commands::solve::time_limit::within;
use crate::failure::Failure;
use dfrsim_audit::packing::check_minimum_yield;
use dfrsim_model::Yield;
use dfrsim_model::offline::Instance;
use dfrsim_offline::{Algorithm, Outcome, Settings, Solved};
use dfrsim_optimum::{FewestNodes, Placed, fewest_nodes, fewest_nodes_by};
use std::time::{Duration, Instant};

/// The result of an algorithm on an instance, if it keeps the yield and the independent checker finds no fault.
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

/// How many of the first nodes are enough for each algorithm, and a number below which none can do; and if none succeeds, why.
pub(super) fn fewest(
    instance: &Instance,
    algorithms: &[Algorithm],
    settings: &Settings,
    wanted: Yield,
    limit: Duration,
) -> Result<(Answered, Option<&'static str>), Failure> {
    let mut tried = Vec::new();
    for &algorithm in algorithms {
        let begin = Instant::now();
        let name = algorithm.to_string();
        let (all, settings) = (instance.clone(), *settings);
        let found = within(limit, &name, move || fewest_by(&all, algorithm, &settings, wanted));
        let timed_out = found.is_none();
        let found = found.transpose()?.flatten();
        tried.push(Fewest {
            algorithm: name,
            nodes: found.as_ref().map(|found| found.nodes),
            at_least: found.as_ref().map(|found| found.at_least),
            timed_out,
            time_ms: begin.elapsed().as_secs_f64() * 1e3,
        });
    }
    let missed = if tried.iter().any(|fewest| fewest.timed_out) {
        "no algorithm keeps the yield on all nodes within the limit of time"
    } else {
        "no algorithm keeps the yield on all nodes"
    };
    let missed = tried.iter().all(|fewest| fewest.nodes.is_none()).then_some(missed);
    Ok((Answered::FewestNodes { wanted: wanted.as_f64(), algorithms: tried }, missed))
}

/// The fewest of the first nodes that are enough for an algorithm.
fn fewest_by(
    instance: &Instance,
    algorithm: Algorithm,
    settings: &Settings,
    wanted: Yield,
) -> Result<Option<FewestNodes>, Failure> {
    if algorithm == Algorithm::Optimum {
        return Ok(fewest_nodes(instance, wanted, &settings.limits));
    }
    let mut failure = None;
    let found = fewest_nodes_by(instance, wanted, |first| {
        packed(first, algorithm, settings, wanted).unwrap_or_else(|fault| {
            failure.get_or_insert(fault);
            None
        })
    });
    failure.map_or(Ok(found), Err)
}

/// Which jobs are admitted, in the order of the file, if each is refused with which an algorithm does not keep the yield of
/// all (RR-6692, section 2.1).
pub(super) fn admitted(
    instance: &Instance,
    algorithms: &[Algorithm],
    settings: &Settings,
    wanted: Yield,
    limit: Duration,
) -> Result<Answered, Failure> {
    let mut tried = Vec::new();
    for &algorithm in algorithms {
        let name = algorithm.to_string();
        let (all, settings) = (instance.clone(), *settings);
        let found = within(limit, &name, move || admitted_by(&all, algorithm, &settings, wanted));
        let late = || Failure::Result(format!("{name}: no answer within {} s", limit.as_secs_f64()));
        tried.push(found.ok_or_else(late)??);
    }
    Ok(Answered::Admission { wanted: wanted.as_f64(), algorithms: tried })
}

fn admitted_by(
    instance: &Instance,
    algorithm: Algorithm,
    settings: &Settings,
    wanted: Yield,
) -> Result<Admitted, Failure> {
    let mut admitted = Instance { jobs: Vec::new(), ..instance.clone() };
    let (mut refused, mut reached) = (Vec::new(), Yield::ONE);
    for (number, job) in instance.jobs.iter().enumerate() {
        admitted.jobs.push(job.clone());
        match packed(&admitted, algorithm, settings, wanted)? {
            Some(placed) => reached = placed.min_yield,
            None => {
                admitted.jobs.pop();
                refused.push(number);
            }
        }
    }
    Ok(Admitted {
        algorithm: algorithm.to_string(),
        admitted: admitted.jobs.len(),
        minimum_yield: reached.as_f64(),
        refused,
    })
}
