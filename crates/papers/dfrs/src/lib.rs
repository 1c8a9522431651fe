//! The on-line study: jobs arrive over time, and policies decide where and how fast they run.
//!
//! * An instance is a week or the whole of a log, or a trace of the Lublin-Feitelson model, perhaps scaled to an offered
//!   load; with its cluster and, for each tau, the lower bound on the maximum bounded stretch that any schedule has.
//! * A variant is a policy with a rescheduling penalty, the rules and the period that it uses, what it knows of run times
//!   and CPU needs, and the tau of the bounded stretch. All taus of a policy are measured in one simulation.
//! * A row has the distributions of stretch, wait and turnaround, the costs of preemption and migration, and the
//!   degradation: the largest bounded stretch divided by the bound.
//! * Nodes may differ in CPU, memory, speed, GPUs and features, of which jobs ask.
//! * Nodes may go down: by failures, given or drawn, and for maintenance that policies know of in advance.
//!
//! Source: M. Stillwell, *Dynamic Fractional Resource Scheduling for Cluster Platforms*, dissertation, 2010: chapters 5
//! and 6 and appendix B; section 7.2.2 for policies that do not know the CPU needs.

mod audited;
mod claims;
mod drawings;
mod groups;
mod instance;
mod measured;
mod own;
mod platform;
mod published;
mod readings;
mod rows;
mod scenario;
mod setting;
mod study;
mod tables;
mod vcsim;
mod waits;

pub use own::{Named, Own, OwnMetric, OwnSource};
pub use published::{CostUnit, Published};
pub use readings::{Alternative, Readings};
pub use rows::SimulationRow;
pub use scenario::{
    BatsimLog, Cut, Log, LublinTraces, Online, OutageFields, OwnTraces, PeriodSweep, Simulation, Source,
    SwfLog, Workload,
};
pub use study::OnlineStudy;

/// The registry with this study. It is generic code, compiled here so that other crates need not be when the study changes.
#[inline(never)]
pub fn register(registry: dfrsim_lab::Registry) -> dfrsim_lab::Registry {
    registry.study::<OnlineStudy>()
}
