//! Tests policies against the independent audit where `tests/judge` does not: wrong CPU needs, and
//! each pair of batch policies.

use crate::support::{assert_judged, lublin, recorded};
use dfrsim_audit::{AuditError, CheckedPolicy, audit, audit_policy};
use dfrsim_cluster::{EstimateModel, NeedModel, Options};
use dfrsim_model::batch::BatchPolicy;
use dfrsim_model::{Job, Seed, Share, SimSpan};
use dfrsim_policies::{PolicyOptions, catalogue};
use rayon::prelude::*;

const NODES: u32 = 32;

fn events(policy: &str, options: &Options, jobs: &[Job]) -> String {
    recorded::<()>(&PolicyOptions::default(), policy, NODES, options, None, jobs).events
}

/// Audits policies that get wrong needs and discover the correct ones; the audit checks the CPU that
/// jobs actually get.
#[test]
fn wrong_needs_pass_the_audit() {
    let jobs = lublin(NODES, 150, Seed::new(1), 0.9);
    for policy in ["EASY", "EQUIPARTITION", "GreedyPM*/per/OPT=MIN/MVT=600", "MCB*/per/OPT=AVG"] {
        for needs in [NeedModel::Whole, NeedModel::Factor(0.5), NeedModel::Factor(2.0)] {
            for discovery in [None, Some(SimSpan::from_secs(60))] {
                let penalty = SimSpan::from_secs(300);
                let options = Options { penalty, needs, discovery, ..Options::default() };
                let report = audit(events(policy, &options, &jobs).as_bytes())
                    .unwrap_or_else(|error| panic!("{policy}, {needs}: {error}"));
                assert_eq!(report.completed + report.rejected, 150);
            }
        }
    }
}

/// Rejects a job with one task more than nodes, of which no two fit on a node: no policy lets such a
/// job wait.
#[test]
fn jobs_that_not_even_the_empty_cluster_has_room_for_are_rejected() {
    let mut jobs = lublin(NODES, 50, Seed::new(1), 0.9);
    jobs[10] = Job { tasks: NODES + 1, memory: Share::from_ratio(6, 10), ..jobs[10].clone() };
    for policy in ["EASY", "SLURM", "EQUIPARTITION", "GreedyPM*/per/OPT=MIN/MVT=600", "MCB*/per/OPT=AVG"] {
        let found =
            recorded::<()>(&PolicyOptions::default(), policy, NODES, &Options::default(), None, &jobs);
        assert_eq!((found.records.len(), found.summary.rejected), (49, 1), "{policy}");
        assert_judged(&found.events, policy);
    }
}

/// Creates jobs whose users requested between a quarter and five times of the run time; some
/// requested no time.
fn requesting_jobs() -> Vec<Job> {
    let mut jobs = lublin(NODES, 400, Seed::new(0), 1.1);
    for (job, place) in jobs.iter_mut().zip(0_u64..) {
        let factor = [0.25, 5.0, 1.0, 0.9, 1.5, 2.0][(place % 6) as usize];
        // Whole minutes, so that many jobs are expected to end at equal times.
        let minutes = (job.run_time.as_secs_f64() * factor / 60.0).ceil() as u64;
        job.requested_time = (place % 7 > 0).then(|| SimSpan::from_secs(60 * minutes));
    }
    jobs
}

/// A schedule of one batch policy violates the rules of every other one.
#[test]
fn batch_policies_are_distinguished() {
    let options = Options { estimates: EstimateModel::Requested, ..Options::default() };
    let policies: Vec<BatchPolicy> =
        catalogue().iter().filter_map(|info| BatchPolicy::parse(&info.name)).collect();
    let all = requesting_jobs();
    policies.par_iter().for_each(|&policy| {
        // A few jobs distinguish most of them.
        let events = [50, 100, 200, 400].map(|jobs| events(&policy.to_string(), &options, &all[..jobs]));
        events.iter().for_each(|events| _ = audit(events.as_bytes()).unwrap());
        for &other in policies.iter().filter(|&&other| other != policy) {
            let has_faults = |events: &String| {
                let renamed = events.replacen(&format!("\"{policy}\""), &format!("\"{other}\""), 1);
                let found = audit_policy(renamed.as_bytes(), CheckedPolicy::Batch(other));
                assert!(
                    matches!(found, Ok(_) | Err(AuditError::Faults(_))),
                    "{policy} as {other}: {found:?}"
                );
                found.is_err()
            };
            assert!(events.iter().any(has_faults), "{policy} as {other}");
        }
    });
}
