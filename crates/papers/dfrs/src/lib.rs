//! The on-line study: jobs arrive over time, and policies decide where and how fast they run.
//!
//! * An instance is a week or the whole of a log, or a trace of the Lublin-Feitelson model, perhaps
//!   scaled to an offered load. It includes its cluster and, for each tau, a lower bound on the
//!   maximum bounded stretch of any schedule.
//! * A variant is a policy with a rescheduling penalty, its rules and period, its knowledge of run
//!   times and CPU needs, and the tau of the bounded stretch. One simulation measures all taus of a
//!   policy.
//! * A row has the distributions of stretch, wait and turnaround, the costs of preemption and
//!   migration, and the degradation: the largest bounded stretch divided by the bound.
//! * Nodes may differ in CPU, memory, speed, GPUs and features, and jobs may request these.
//! * Nodes may go down: by failures, given or random, and for maintenance that is announced to
//!   policies in advance.
//!
//! Source: M. Stillwell, *Dynamic Fractional Resource Scheduling for Cluster Platforms*,
//! dissertation, 2010: chapters 5 and 6 and appendix B; section 7.2.2 for policies that do not know
//! the CPU needs.

mod audited;
mod claims;
mod columns;
mod drawings;
mod easy_spare;
mod groups;
mod instance;
mod jitter;
mod measured;
mod own;
mod platform;
mod published;
mod readings;
mod rows;
mod saturate;
mod scenario;
mod setting;
mod study;
mod tables;
mod vcsim;
mod waits;

use dfrsim_policies::Policies;

pub use columns::Columns;
pub use own::{Named, Own, OwnMetric, OwnSource};
pub use published::{CostUnit, Published};
pub use readings::{Alternative, Interpretations};
pub use rows::SimulationRow;
pub use scenario::{
    BatsimLog, Cut, Log, LublinTraces, Online, OutageFields, OwnTraces, PeriodSweep, Simulation, Source,
    SwfLog, Workload,
};
pub use study::OnlineStudy;

/// Registers this study, and the policy EASY/SPARE besides those that are registered already. It is
/// generic code, compiled here so that other crates are not recompiled when the study changes.
#[inline(never)]
pub fn register(registry: dfrsim_lab::Registry) -> dfrsim_lab::Registry {
    let policies = registry.environment().get::<Policies>().cloned().unwrap_or_default();
    registry.with(policies.with(easy_spare::easy_spare())).study::<OnlineStudy>()
}
