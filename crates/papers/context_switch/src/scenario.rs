//! The fields of scenarios.

use crate::durations::Times;
use dfrsim_context_switch::Limits;
use dfrsim_context_switch::workload::InitialState;
use dfrsim_lab::fields;
use dfrsim_lab::fields::{choice, count, fraction, number, one_or_many, optional, positive_seconds, table};
use dfrsim_model::{SimSpan, named};
use std::ops::Bound;
use std::time::Duration;

const MAX: u32 = 1_000_000;

fields! {
    /// VMs of virtualised jobs (vjobs) go from one configuration of a cluster to the next: random configurations in
    /// `[samples]`, vjobs over time in `[cluster]`, or both.
    #[derive(Clone, Debug, PartialEq)]
    pub struct ContextSwitches {
        /// How many assignments the optimiser tries for each plan, unless it proves its result before.
        pub steps: u64 = count("a number of steps", 0, i64::MAX), default Limits::default().steps;
        /// The longest search, instead of `steps`. Results then depend on the clock and are not reproducible.
        pub time_limit_s: Option<SimSpan> = optional(positive_seconds());
        /// The durations of actions.
        pub durations: Times = table();
        /// Random configurations of a large cluster (figure 10).
        pub samples: Option<Configurations> = optional(table());
        /// A small cluster over time (figures 11 to 13).
        pub cluster: Option<Simulations> = optional(table());
    }
    check |scenario, at| {
        if scenario.samples.is_none() && scenario.cluster.is_none() {
            at.fault_of_table("there must be `[samples]` or `[cluster]`");
        }
    }
}

fields! {
    /// Random configurations of a large cluster.
    #[derive(Clone, Debug, PartialEq)]
    pub struct Configurations {
        /// The number of nodes, each with 2 processing units and 4 GB.
        pub nodes: u32 = count("a number of nodes", 1, MAX), default 200;
        /// The numbers of VMs. Vjobs have 9 or 18, of 256 to 2,048 MB each.
        pub vms: Vec<u32> =
            one_or_many(count("a number of VMs", 1, MAX)), default (1..=9).map(|size| size * 54).collect();
        /// The states of vjobs, with equal probabilities.
        pub states: Vec<InitialState> = one_or_many(choice([
            ("waiting", InitialState::Waiting),
            ("running", InitialState::Running),
            ("sleeping", InitialState::Sleeping),
        ])), default InitialState::ALL.to_vec();
        /// The part of VMs that compute, drawn for each; by default VMs are at some time of their application, in half
        /// of which one or two of nine compute.
        pub busy: Option<f64> = optional(fraction("a part of all VMs"));
        /// The number of configurations of each size.
        pub replications: u32 = count("a number of replications", 1, MAX), default 30;
    }
    renamed { "samples" => "replications" }
}

fields! {
    /// A cluster over time.
    #[derive(Clone, Debug, PartialEq)]
    pub struct Simulations {
        /// The number of nodes.
        pub nodes: u32 = count("a number of nodes", 1, MAX), default 11;
        /// The processing units of each node.
        pub cpu: u32 = count("a number of processing units", 1, MAX), default 2;
        /// The memory of each node, in MB.
        pub memory_mb: u32 = count("a number of MB", 1, u32::MAX), default 3_584;
        /// The number of vjobs, each with 9 VMs and the applications ED, HC, VP and MB of the NAS grid
        /// benchmarks in turn.
        pub vjobs: u32 = count("a number of vjobs", 1, MAX), default 8;
        /// The memory of a VM in MB, drawn from these.
        pub vm_memory_mb: Vec<u32> =
            one_or_many(count("a number of MB", 1, MAX)), default vec![512, 1_024, 2_048];
        /// Whether each VM has its own memory, or all VMs of a vjob have the same.
        pub memory_by: MemoryBy =
            choice(MemoryBy::ALL.iter().map(|&it| (it.name(), it))), default MemoryBy::Vm;
        /// The time between the submissions of two vjobs.
        pub interarrival_s: f64 = number("a number of seconds", 0.0..=1e9), default 0.0;
        /// The priorities of vjobs, in turn; higher ones are served first.
        pub priorities: Vec<u32> = one_or_many(count("a priority", 0, MAX)), default vec![0];
        /// How much applications compute, as a multiple of class A (4 is class B).
        pub work: f64 = number("a multiple of class A", (Bound::Excluded(0.0), Bound::Included(1e6))), default 4.0;
        /// The number of replications, each with its own memory and deviations of the work.
        pub replications: u32 = count("a number of replications", 1, MAX), default 10;
        /// The policies that decide which vjobs run.
        pub policies: Vec<Policy> =
            one_or_many(choice(Policy::ALL.iter().map(|&it| (it.name(), it)))),
            default vec![Policy::Booking, Policy::FirstFit, Policy::Optimised];
        /// The time between decisions.
        pub period_s: SimSpan = positive_seconds(), default SimSpan::from_secs(30);
        /// The time from the end of a switch to the next decision, at least.
        pub observation_s: SimSpan = positive_seconds(), default SimSpan::from_secs(10);
        /// The part of all actions that fail after their time.
        pub failures: f64 = fraction("a part of all actions"), default 0.0;
        /// The number of retries of a failed action. Then the rest of the plan is dropped, and the next decision plans the
        /// rest.
        pub retries: u32 = count("a number of retries", 0, MAX), default 1;
        /// The latest end of a simulation; it fails if vjobs are left.
        pub horizon_s: SimSpan = positive_seconds(), default SimSpan::from_secs(1_000_000);
    }
    renamed { "repetitions" => "replications" }
}

named! {
    /// A decision module.
    pub enum Policy as "policy" {
        /// Static allocation, first come first served, a processing unit for each VM.
        Booking = "booking",
        /// The same with EASY backfilling.
        Easy = "easy",
        /// The sample decision module with the plan of its own configuration.
        FirstFit = "first-fit",
        /// The sample decision module with the cheapest plan found.
        Optimised = "optimised",
        /// The same, suspending to RAM where that is left.
        SuspendToRam = "suspend-to-ram",
    }
}

named! {
    /// Whose memory is drawn.
    pub enum MemoryBy as "unit" {
        /// Of each VM by itself.
        Vm = "vm",
        /// Of all VMs of a vjob at once.
        Vjob = "vjob",
    }
}

impl Policy {
    /// Whether it searches for the cheapest plan.
    pub(crate) const fn searches(self) -> bool {
        matches!(self, Policy::Optimised | Policy::SuspendToRam)
    }
}

impl ContextSwitches {
    /// When a search ends.
    pub(crate) fn limits(&self) -> Limits {
        let steps = if self.time_limit_s.is_some() { u64::MAX } else { self.steps };
        Limits { steps, time: self.time_limit_s.map(|limit| Duration::from_micros(limit.micros())) }
    }
}
