//! Metrics of a simulation, as text and as JSON.

use crate::commands::distribution;
use crate::output::{Answer, counted};
use dfrsim_cluster::{
    BoundedStretch, CommonFigures, DeviceFigures, EnergyFigures, EnergyMetrics, Fairness, SleepFigures,
    Summary,
};
use dfrsim_model::account::AccountSummary;
use dfrsim_model::platform::defer::Deferred;
use dfrsim_policies::Policy;
use schemars::JsonSchema;
use serde::Serialize;
use std::path::PathBuf;

/// Metrics of a simulation.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct Simulated {
    policy: String,
    /// The log as it was found.
    log: PathBuf,
    /// Account of the lines of the log.
    account: AccountSummary,
    /// The jobs that no node can hold, one line for each reason.
    fit_no_node: Vec<String>,
    #[serde(flatten)]
    parts: Parts,
    #[serde(flatten)]
    figures: Summary,
}

/// Jobs that ran below full speed.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct SlowedJobs {
    /// Name of the level of their lowest speed.
    level: String,
    /// Number of jobs.
    jobs: u64,
}

impl SlowedJobs {
    /// Counts the jobs of a run by level.
    pub(super) fn of(energy: &EnergyMetrics) -> Vec<SlowedJobs> {
        energy.slowed().map(|(level, jobs)| SlowedJobs { level: level.to_owned(), jobs }).collect()
    }
}

/// Figures that only some systems have.
#[derive(Debug, Serialize, JsonSchema)]
pub(super) struct Parts {
    /// Figures of the devices of the nodes, if they have any.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) devices: Option<DeviceFigures>,
    /// Energy of the nodes, if their power is known.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) energy: Option<EnergyFigures>,
    /// Jobs that ran below full speed, by level, if nodes have speed levels for jobs that lack power.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(super) slowed: Vec<SlowedJobs>,
    /// Figures of nodes that sleep, if there are any and their power is unknown.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) sleep: Option<SleepFigures>,
    /// Use of licences and other resources that the cluster has as a whole.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(super) common: Vec<CommonFigures>,
    /// Counts of the jobs that were held for a low carbon intensity, with `--defer`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) deferred: Option<Deferred>,
}

impl Simulated {
    pub(super) fn new(
        policy: Policy,
        (log, account): (PathBuf, AccountSummary),
        fit_no_node: Vec<String>,
        (figures, parts): (Summary, Parts),
    ) -> Simulated {
        Simulated { policy: policy.to_string(), log, account, fit_no_node, parts, figures }
    }
}

impl Answer for Simulated {
    fn text(&self) -> String {
        let figures = &self.figures;
        let mut text = String::new();
        let mut line = |name: &str, value: String| {
            text += &format!("{name:<22} {value}\n");
        };
        line("policy", self.policy.clone());
        line("jobs", figures.jobs.to_string());
        for (name, count) in [
            ("trimmed", figures.trimmed as u64),
            ("killed", figures.killed),
            ("rejected", figures.rejected),
            ("preemptions", figures.preemptions),
            ("migrations", figures.migrations),
        ] {
            if count > 0 {
                line(name, count.to_string());
            }
        }
        line("makespan [s]", figures.makespan.to_string());
        line("utilisation", format!("{:.4}", figures.utilisation));
        if let Some(ranges) = figures.ranges_per_start {
            line("ranges per start", format!("{ranges:.3}"));
        }
        if let Some(outages) = &figures.platform {
            line("availability", format!("{:.4}", outages.availability));
            line("goodput", format!("{:.4}", outages.goodput));
            line("interruptions", outages.interruptions.to_string());
            line("jobs lost", outages.lost.to_string());
            line("work lost [node-s]", format!("{:.1}", outages.lost_work));
        }
        if let Some(devices) = &self.parts.devices {
            let (held, last) = (devices.held, devices.held_at_last_submission);
            let held =
                format!("{held:.4}, at most {:.4}, at the last submission {last:.4}", devices.peak_held);
            line("devices held", held);
            let (useless, last) = (devices.useless, devices.useless_at_last_submission);
            let useless = format!("{useless:.4}, at the last submission {last:.4}");
            line("devices useless", useless);
        }
        for CommonFigures { name, mean, largest, amounts: (least, most) } in &self.parts.common {
            let amounts = if least == most { most.to_string() } else { format!("{least} to {most}") };
            line(name, format!("mean {mean:.2}, largest {largest} of {amounts}"));
        }
        if let Some(deferred) = &self.parts.deferred {
            let Deferred { deferrable, held, uncovered, total: _ } = deferred;
            let mut counts = format!(
                "{held} of {deferrable} deferrable jobs, by {:.2} h in the mean",
                deferred.mean_hours()
            );
            if *uncovered > 0 {
                counts += &format!("; {uncovered} are outside of the series");
            }
            line("jobs held", counts);
        }
        if let Some(energy) = &self.parts.energy {
            let of_jobs = energy.energy_of_jobs_kwh;
            line("energy [kWh]", format!("{:.3}, of jobs {of_jobs:.3}", energy.energy_kwh));
            line("power [W]", format!("{:.1}, at most {:.1}", energy.mean_w, energy.peak_w));
            if let Some(carbon) = energy.carbon_kg {
                line("carbon dioxide [kg]", format!("{carbon:.3}"));
            }
            if let Some(cost) = energy.cost {
                line("cost", format!("{cost:.2}"));
            }
        }
        let sleep = self.parts.energy.map_or(self.parts.sleep, |energy| energy.sleep);
        if let Some(SleepFigures { asleep, wakes, woken_s }) = sleep {
            let wakes = counted(usize::try_from(wakes).unwrap_or(usize::MAX), "wake-up");
            let figures = format!("{asleep:.4} of the time, {wakes}, jobs waited for {woken_s:.1} s");
            line("nodes asleep", figures);
        }
        for SlowedJobs { level, jobs } in &self.parts.slowed {
            line(&format!("jobs at {level}"), jobs.to_string());
        }
        if let Some(energy) = self.parts.energy.filter(|energy| energy.over_cap_s > 0.0) {
            line("above the cap [s]", format!("{:.1}", energy.over_cap_s));
        }
        line("", distribution::heading());
        line("wait [s]", distribution::line(&figures.wait));
        line("turnaround [s]", distribution::line(&figures.turnaround));
        line("stretch", distribution::line(&figures.stretch));
        for BoundedStretch { tau, distribution, .. } in &figures.bounded_stretch {
            line(&format!("bounded stretch, {tau} s"), distribution::line(distribution));
        }
        for BoundedStretch { tau, weighted_mean, fairness, .. } in &figures.bounded_stretch {
            line(&format!("  by weight, {tau} s"), format!("{weighted_mean:>14.2}"));
            if let Some(Fairness { users, jain, max_mean }) = fairness {
                let users = counted(*users, "user");
                let figures = format!("{users}, fairness {jain:.4}, largest mean {max_mean:.2}");
                line(&format!("  by user, {tau} s"), figures);
            }
        }
        line("", String::new());
        line(
            "tasks and run time",
            format!("{:>14}{:>14}{:>14}{:>14}", "jobs", "mean wait [s]", "mean b. str.", "max b. str."),
        );
        for class in &figures.classes {
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
