//! Fields of scenarios.

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
    /// Changes of the configuration of a cluster with the VMs of virtualised jobs (vjobs): random
    /// configurations in `[samples]`, vjobs over time in `[cluster]`, or both.
    #[derive(Clone, Debug, PartialEq)]
    pub struct ContextSwitches {
        /// Number of assignments that the optimiser tries for each plan, unless it proves its result
        /// before.
        pub steps: u64 = count("a number of steps", 0, i64::MAX), default Limits::default().steps;
        /// Time limit of the search, instead of `steps`. Results then depend on the clock and are
        /// not reproducible.
        pub time_limit_s: Option<SimSpan> = optional(positive_seconds());
        /// Durations of actions.
        pub durations: Times = table();
        /// Random configurations of a large cluster (figure 10).
        pub samples: Option<Configurations> = optional(table());
        /// A small cluster over time (figures 11 to 13).
        pub cluster: Option<Simulations> = optional(table());
    }
    check |scenario, at| {
        if scenario.samples.is_none() && scenario.cluster.is_none() {
            at.fault_of_table("expected a table `[samples]` or `[cluster]`");
        }
    }
}

fields! {
    /// Random configurations of a large cluster.
    #[derive(Clone, Debug, PartialEq)]
    pub struct Configurations {
        /// Number of nodes, each with 2 processing units and 4 GB.
        pub nodes: u32 = count("a number of nodes", 1, MAX), default 200;
        /// Numbers of VMs. Vjobs have 9 or 18 VMs, of 256 to 2,048 MB each.
        pub vms: Vec<u32> =
            one_or_many(count("a number of VMs", 1, MAX)), default (1..=9).map(|size| size * 54).collect();
        /// Initial states of vjobs, with equal probabilities.
        pub states: Vec<InitialState> = one_or_many(choice([
            ("waiting", InitialState::Waiting),
            ("running", InitialState::Running),
            ("sleeping", InitialState::Sleeping),
        ])), default InitialState::ALL.to_vec();
        /// Fraction of VMs that compute, drawn for each VM. By default VMs are at a random time of
        /// their application; in half of the applications one or two of nine VMs compute.
        pub busy: Option<f64> = optional(fraction("a fraction of all VMs"));
        /// Number of configurations of each size.
        pub replications: u32 = count("a number of replications", 1, MAX), default 30;
    }
    renamed { "samples" => "replications" }
}

fields! {
    /// A cluster over time.
    #[derive(Clone, Debug, PartialEq)]
    pub struct Simulations {
        /// Number of nodes.
        pub nodes: u32 = count("a number of nodes", 1, MAX), default 11;
        /// Number of processing units of each node.
        pub cpu: u32 = count("a number of processing units", 1, MAX), default 2;
        /// Memory of each node, in MB.
        pub memory_mb: u32 = count("a number of MB", 1, u32::MAX), default 3_584;
        /// Number of vjobs, each with 9 VMs and the applications ED, HC, VP and MB of the NAS grid
        /// benchmarks in turn.
        pub vjobs: u32 = count("a number of vjobs", 1, MAX), default 8;
        /// Memory sizes of VMs in MB, from which each is drawn.
        pub vm_memory_mb: Vec<u32> =
            one_or_many(count("a number of MB", 1, MAX)), default vec![512, 1_024, 2_048];
        /// Unit for which memory is drawn: each VM by itself, or all VMs of a vjob together.
        pub memory_by: MemoryBy =
            choice(MemoryBy::ALL.iter().map(|&it| (it.name(), it))), default MemoryBy::Vm;
        /// Time between the submissions of two vjobs.
        pub interarrival_s: f64 = number("a number of seconds", 0.0..=1e9), default 0.0;
        /// Priorities of vjobs, in turn; higher ones are served first.
        pub priorities: Vec<u32> = one_or_many(count("a priority", 0, MAX)), default vec![0];
        /// Amount of computation of applications, as a multiple of class A (4 is class B).
        pub work: f64 = number("a multiple of class A", (Bound::Excluded(0.0), Bound::Included(1e6))), default 4.0;
        /// Number of replications, each with its own memory sizes and deviations of the work.
        pub replications: u32 = count("a number of replications", 1, MAX), default 10;
        /// Policies that decide which vjobs run.
        pub policies: Vec<Policy> =
            one_or_many(choice(Policy::ALL.iter().map(|&it| (it.name(), it)))),
            default vec![Policy::Booking, Policy::FirstFit, Policy::Optimised];
        /// Time between decisions.
        pub period_s: SimSpan = positive_seconds(), default SimSpan::from_secs(30);
        /// Minimum time from the end of a switch to the next decision.
        pub observation_s: SimSpan = positive_seconds(), default SimSpan::from_secs(10);
        /// Fraction of all actions that fail, at the end of their duration.
        pub failures: f64 = fraction("a fraction of all actions"), default 0.0;
        /// Number of retries of a failed action. If all fail, the rest of the plan is dropped, and
        /// the next decision plans the rest.
        pub retries: u32 = count("a number of retries", 0, MAX), default 1;
        /// Latest end of a simulation; it fails if vjobs are left.
        pub horizon_s: SimSpan = positive_seconds(), default SimSpan::from_secs(1_000_000);
    }
    renamed { "repetitions" => "replications" }
}

named! {
    /// A decision module.
    pub enum Policy as "policy" {
        /// Static allocation, first come first served, with a processing unit for each VM.
        Booking = "booking",
        /// Static allocation with EASY backfilling.
        Easy = "easy",
        /// The sample decision module with the plan of its own configuration.
        FirstFit = "first-fit",
        /// The sample decision module with the cheapest plan found.
        Optimised = "optimised",
        /// The sample decision module with the cheapest plan found, suspending to RAM where enough
        /// is free.
        SuspendToRam = "suspend-to-ram",
    }
}

named! {
    /// Unit for which memory is drawn.
    pub enum MemoryBy as "unit" {
        /// Each VM by itself.
        Vm = "vm",
        /// All VMs of a vjob together.
        Vjob = "vjob",
    }
}

impl Policy {
    /// Returns true if the policy searches for the cheapest plan.
    pub(crate) const fn searches(self) -> bool {
        matches!(self, Policy::Optimised | Policy::SuspendToRam)
    }
}

impl ContextSwitches {
    /// Returns the limits of a search.
    pub(crate) fn limits(&self) -> Limits {
        let steps = if self.time_limit_s.is_some() { u64::MAX } else { self.steps };
        Limits { steps, time: self.time_limit_s.map(|limit| Duration::from_micros(limit.micros())) }
    }
}
