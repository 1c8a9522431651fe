//! Policies of the user's own, and such that fail.

use crate::{frame, numbers, registry, run_with, table};
use dfrsim_cluster::{Decision, Scheduler, Situation};
use dfrsim_lab::{Registry, RunOptions, Status};
use dfrsim_model::{NodeId, NodeTasks, Yield};
use dfrsim_policies::{CustomPolicy, Policies, Policy};

const SCENARIO: &str = "study = 'online'\npolicies = ['MINE', 'EASY']\n\
    [[workloads]]\nname = 'model'\nnodes = 8\nlublin = { replications = 2, jobs = 20 }\n";

/// Waits for ever.
struct Idle;

impl Scheduler for Idle {
    fn decide(&mut self, _: &Situation<'_>, _: &mut Decision) {}
}

/// Puts every task on node 0, whether it fits or not.
struct Crowd;

impl Scheduler for Crowd {
    fn decide(&mut self, situation: &Situation<'_>, decision: &mut Decision) {
        for &job in situation.submitted {
            let here = [NodeTasks { node: NodeId(0), tasks: situation.view.job(job).tasks() }];
            decision.start(job, here, Yield::ONE);
        }
    }
}

fn with(policy: CustomPolicy) -> Registry {
    registry().with(Policies::standard().with(policy))
}

fn easy(version: &str) -> CustomPolicy {
    CustomPolicy::new("MINE", version, |nodes, options, _| {
        "EASY".parse::<Policy>().unwrap().scheduler(nodes, options)
    })
}

#[test]
fn a_policy_of_the_users_has_rows_like_the_others() {
    let folder = tempfile::tempdir().unwrap();
    let options = RunOptions { audit: true, ..RunOptions::new(folder.path()) };
    let report = run_with(&with(easy("1")), SCENARIO, &[], None, &options);
    assert_eq!((report.counts.total, report.counts.failures()), (4, 0));
    let rows = frame(folder.path());
    assert_eq!(numbers(&rows, "MINE", "degradation"), numbers(&rows, "EASY", "degradation"));
    // Regular expressions know it, its rows are found again, and another version's are not.
    let computed = |registry: &Registry, set: &[&str]| {
        run_with(registry, SCENARIO, set, None, &RunOptions::new(folder.path())).counts.computed
    };
    assert_eq!(computed(&with(easy("1")), &["policies={ matching = '^MI|^EASY$' }"]), 0);
    assert_eq!(computed(&with(easy("2")), &[]), 2);
    let errors = registry().parse(SCENARIO, "s.toml", None, &[]).err().unwrap().to_string();
    assert!(errors.contains("unknown policy `MINE`"), "{errors}");
}

/// The rows of a policy that fails say why, the others are as ever, and the tables count it.
#[test]
fn a_failed_simulation_is_a_row() {
    let idle = || CustomPolicy::new("MINE", "idle", |_, _, _| Box::new(Idle));
    let crowd = || CustomPolicy::new("MINE", "crowd", |_, _, _| Box::new(Crowd));
    for (policy, status, message) in
        [(idle as fn() -> CustomPolicy, Status::Stalled, " 20 jobs "), (crowd, Status::Violation, "node 0")]
    {
        let folder = tempfile::tempdir().unwrap();
        let options = RunOptions::new(folder.path());
        let report = run_with(&with(policy()), SCENARIO, &[], None, &options);
        assert_eq!((report.counts.total, report.counts.of(status)), (4, 2));
        let rows = std::fs::read_to_string(folder.path().join("rows.csv")).unwrap();
        let failed: Vec<&str> = rows.lines().filter(|line| line.contains(status.name())).collect();
        assert_eq!(failed.len(), 2);
        assert!(failed.iter().all(|line| line.contains(message)), "{rows}");
        assert!(failed[0].contains(",model,trace-000,,MINE,300,,,,exact,extend,exact,,10,8,20,,"), "{rows}");
        let text = table(&report, "degradation").csv();
        let lines: Vec<&str> = text.lines().collect();
        assert!(lines[1].starts_with("model,,MINE,300,,,,exact,,10,2,2,,,,"), "{text}");
        assert!(lines[2].starts_with("model,,EASY,300,,,,exact,,10,2,0,"), "{text}");
        // The bounds come from the rows of the other policy.
        assert_eq!(table(&report, "bounds").lines().len(), 2);
        let again = run_with(&with(policy()), SCENARIO, &[], None, &options);
        assert_eq!((again.counts.restored, again.counts.of(status)), (4, 2));
    }
}
