//! The figures of a simulation, for people and for programs.

use crate::commands::distribution;
use crate::output::{Answer, counted};
use dfrsim_cluster::{ClassSummary, Distribution, Fairness, PlatformSummary, Summary};
use dfrsim_policies::Policy;
use schemars::JsonSchema;
use serde::Serialize;

/// The figures of a simulation.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct Simulated {
    policy: String,
    /// Completed jobs that count in the distributions.
    jobs: usize,
    /// Completed jobs that were left out of them by `--warm-up` and `--cool-down`.
    trimmed: usize,
    /// Jobs that were killed at their estimate.
    killed: u64,
    /// Jobs that the policy rejected or ended before their work was done.
    rejected: u64,
    /// The time from the first submission to the last completion.
    makespan_s: f64,
    /// The utilisation: work done / (nodes * makespan).
    utilisation: f64,
    /// The wait: from submission to the first start.
    wait_s: Distribution,
    /// The turnaround: from submission to completion.
    turnaround_s: Distribution,
    /// The stretch: turnaround / run time.
    stretch: Distribution,
    /// The bounded stretch for each tau.
    bounded_stretch: Vec<Bounded>,
    /// Jobs by size and run time.
    classes: Vec<ClassSummary>,
    /// The number of pauses.
    preemptions: u64,
    /// The number of migrations.
    migrations: u64,
    /// Tasks that changed node in migrations.
    migrated_tasks: u64,
    /// Memory written by preemptions, in memories of one node.
    paused_memory_nodes: f64,
    /// Memory moved by migrations, in memories of one node.
    migrated_memory_nodes: f64,
    /// The mean number of ranges of nodes on which a job starts: 1 if the nodes of each job have numbers that follow each other.
    ranges_per_start: Option<f64>,
    /// What outages did, if nodes go down.
    #[serde(skip_serializing_if = "Option::is_none")]
    outages: Option<PlatformSummary>,
}

#[derive(Debug, Serialize, JsonSchema)]
struct Bounded {
    tau_s: f64,
    distribution: Distribution,
    /// The mean in which jobs count by their weights.
    weighted_mean: f64,
    /// Between users; null if no user is known.
    users: Option<Fairness>,
}

impl Simulated {
    pub(super) fn new(policy: Policy, summary: &Summary) -> Simulated {
        let bounded = summary.bounded_stretch.iter().zip(&summary.objectives);
        Simulated {
            policy: policy.to_string(),
            jobs: summary.jobs,
            trimmed: summary.trimmed,
            killed: summary.killed,
            rejected: summary.rejected,
            makespan_s: summary.makespan.as_secs_f64(),
            utilisation: summary.utilisation,
            wait_s: summary.wait,
            turnaround_s: summary.turnaround,
            stretch: summary.stretch,
            bounded_stretch: bounded
                .map(|(&(tau, values), objectives)| Bounded {
                    tau_s: tau.as_secs_f64(),
                    distribution: values,
                    weighted_mean: objectives.weighted_bounded_stretch,
                    users: objectives.fairness,
                })
                .collect(),
            classes: summary.classes.clone(),
            preemptions: summary.preemptions,
            migrations: summary.migrations,
            migrated_tasks: summary.migrated_tasks,
            paused_memory_nodes: summary.paused_memory,
            migrated_memory_nodes: summary.migrated_memory,
            ranges_per_start: summary.ranges_per_start,
            outages: summary.platform,
        }
    }
}

impl Answer for Simulated {
    fn text(&self) -> String {
        let mut text = String::new();
        let mut line = |name: &str, value: String| {
            text += &format!("{name:<22} {value}\n");
        };
        line("policy", self.policy.clone());
        line("jobs", self.jobs.to_string());
        for (name, count) in [
            ("trimmed", self.trimmed as u64),
            ("killed", self.killed),
            ("rejected", self.rejected),
            ("preemptions", self.preemptions),
            ("migrations", self.migrations),
        ] {
            if count > 0 {
                line(name, count.to_string());
            }
        }
        line("makespan [s]", self.makespan_s.to_string());
        line("utilisation", format!("{:.4}", self.utilisation));
        if let Some(ranges) = self.ranges_per_start {
            line("ranges per start", format!("{ranges:.3}"));
        }
        if let Some(outages) = &self.outages {
            line("availability", format!("{:.4}", outages.availability));
            line("goodput", format!("{:.4}", outages.goodput));
            line("interruptions", outages.interruptions.to_string());
            line("jobs lost", outages.lost.to_string());
            line("work lost [node-s]", format!("{:.1}", outages.lost_work));
        }
        line("", distribution::heading());
        line("wait [s]", distribution::line(&self.wait_s));
        line("turnaround [s]", distribution::line(&self.turnaround_s));
        line("stretch", distribution::line(&self.stretch));
        for Bounded { tau_s, distribution, .. } in &self.bounded_stretch {
            line(&format!("bounded stretch, {tau_s} s"), distribution::line(distribution));
        }
        for Bounded { tau_s, weighted_mean, users, .. } in &self.bounded_stretch {
            line(&format!("  by weight, {tau_s} s"), format!("{weighted_mean:>14.2}"));
            if let Some(Fairness { users, jain, max_mean }) = users {
                let users = counted(*users, "user");
                let figures = format!("{users}, fairness {jain:.4}, largest mean {max_mean:.2}");
                line(&format!("  by user, {tau_s} s"), figures);
            }
        }
        line("", String::new());
        line(
            "tasks and run time",
            format!("{:>14}{:>14}{:>14}{:>14}", "jobs", "mean wait [s]", "mean b. str.", "max b. str."),
        );
        for class in &self.classes {
            line(
                &format!("{:>6} {:>8}", class.size, class.length),
                format!(
                    "{:>14}{:>14.2}{:>14.2}{:>14.2}",
                    class.jobs, class.mean_wait, class.mean_bounded_stretch, class.max_bounded_stretch
                ),
            );
        }
        text
    }
}
