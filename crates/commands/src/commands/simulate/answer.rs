//! The figures of a simulation, for people and for programs.

use crate::commands::distribution::{self, Figures};
use crate::output::{Answer, counted};
use dfrsim_cluster::{Fairness, Summary};
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
    wait_s: Figures,
    /// The turnaround: from submission to completion.
    turnaround_s: Figures,
    /// The stretch: turnaround / run time.
    stretch: Figures,
    /// The bounded stretch for each tau.
    bounded_stretch: Vec<Bounded>,
    /// Jobs by size and run time.
    classes: Vec<Class>,
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
    outages: Option<OutageFigures>,
}

/// From the first submission to the last completion.
#[derive(Debug, Serialize, JsonSchema)]
struct OutageFigures {
    /// The part of the node-seconds in which nodes were up.
    availability: f64,
    /// Run times of completed jobs as work / the node-seconds in which nodes were up.
    goodput: f64,
    /// How often a job was interrupted, lost jobs included.
    interruptions: u64,
    /// Jobs that left for good.
    lost: u64,
    /// Work that was done and not kept.
    lost_work_node_s: f64,
}

#[derive(Debug, Serialize, JsonSchema)]
struct Bounded {
    tau_s: f64,
    distribution: Figures,
    /// The mean in which jobs count by their weights.
    weighted_mean: f64,
    /// Between users; null if no user is known.
    users: Option<Users>,
}

#[derive(Debug, Serialize, JsonSchema)]
struct Users {
    count: usize,
    /// Jain's index of the users' means.
    fairness: f64,
    /// The largest mean of a user.
    max_mean: f64,
}

#[derive(Debug, Serialize, JsonSchema)]
struct Class {
    /// The name of the class of sizes.
    tasks: &'static str,
    /// The name of the class of run times.
    run_time: &'static str,
    jobs: usize,
    mean_wait_s: f64,
    /// The mean bounded stretch, with the first tau.
    mean_bounded_stretch: f64,
    /// The largest bounded stretch, with the first tau.
    max_bounded_stretch: f64,
}

impl Simulated {
    pub(super) fn new(policy: Policy, summary: &Summary) -> Simulated {
        let bounded = summary.bounded_stretch.iter().zip(&summary.objectives);
        let users = |Fairness { users, jain, max_mean }| Users { count: users, fairness: jain, max_mean };
        let classes = summary.classes.iter();
        Simulated {
            policy: policy.to_string(),
            jobs: summary.jobs,
            trimmed: summary.trimmed,
            killed: summary.killed,
            rejected: summary.rejected,
            makespan_s: summary.makespan.as_secs_f64(),
            utilisation: summary.utilisation,
            wait_s: summary.wait.into(),
            turnaround_s: summary.turnaround.into(),
            stretch: summary.stretch.into(),
            bounded_stretch: bounded
                .map(|(&(tau, values), objectives)| Bounded {
                    tau_s: tau.as_secs_f64(),
                    distribution: values.into(),
                    weighted_mean: objectives.weighted_bounded_stretch,
                    users: objectives.fairness.map(users),
                })
                .collect(),
            classes: classes
                .map(|class| Class {
                    tasks: class.size.name(),
                    run_time: class.length.name(),
                    jobs: class.jobs,
                    mean_wait_s: class.mean_wait,
                    mean_bounded_stretch: class.mean_bounded_stretch,
                    max_bounded_stretch: class.max_bounded_stretch,
                })
                .collect(),
            preemptions: summary.preemptions,
            migrations: summary.migrations,
            migrated_tasks: summary.migrated_tasks,
            paused_memory_nodes: summary.paused_memory,
            migrated_memory_nodes: summary.migrated_memory,
            ranges_per_start: summary.ranges_per_start,
            outages: summary.platform.map(|it| OutageFigures {
                availability: it.availability,
                goodput: it.goodput,
                interruptions: it.interruptions,
                lost: it.lost,
                lost_work_node_s: it.lost_work,
            }),
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
            line("work lost [node-s]", format!("{:.1}", outages.lost_work_node_s));
        }
        line("", distribution::heading());
        line("wait [s]", self.wait_s.to_string());
        line("turnaround [s]", self.turnaround_s.to_string());
        line("stretch", self.stretch.to_string());
        for Bounded { tau_s, distribution, .. } in &self.bounded_stretch {
            line(&format!("bounded stretch, {tau_s} s"), distribution.to_string());
        }
        for Bounded { tau_s, weighted_mean, users, .. } in &self.bounded_stretch {
            line(&format!("  by weight, {tau_s} s"), format!("{weighted_mean:>14.2}"));
            if let Some(Users { count, fairness, max_mean }) = users {
                let users = counted(*count, "user");
                let figures = format!("{users}, fairness {fairness:.4}, largest mean {max_mean:.2}");
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
                &format!("{:>6} {:>8}", class.tasks, class.run_time),
                format!(
                    "{:>14}{:>14.2}{:>14.2}{:>14.2}",
                    class.jobs, class.mean_wait_s, class.mean_bounded_stretch, class.max_bounded_stretch
                ),
            );
        }
        text
    }
}
