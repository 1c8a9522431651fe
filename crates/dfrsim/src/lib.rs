//! dfrsim simulates job scheduling on a cluster: batch policies, which allocate whole nodes, and
//! fractional policies (DFRS), which allocate fractions of nodes and preempt and migrate tasks
//! without knowing run times.
//!
//! This crate is the library on which the program `dfrsim` is built, and on which you can build your
//! own. The [guide] covers the first hour, the log of your cluster, your first policy, and more.
//!
//! # A workload
//!
//! Jobs come from logs in the Standard Workload Format, from Batsim's workloads, or from the
//! Lublin-Feitelson model. Times are integer microseconds; CPU and memory are exact fractions of a
//! node.
//!
//! ```
//! use dfrsim::prelude::*;
//! use std::num::NonZeroU32;
//!
//! let parameters = LublinParameters {
//!     nodes: NonZeroU32::new(32).unwrap(),
//!     jobs: 100,
//!     ..LublinParameters::default()
//! };
//! let jobs: Vec<Job> = generate(&parameters, Seed::new(1));
//! assert_eq!(jobs.len(), 100);
//!
//! // One policy on these jobs, and the lower bound that no schedule beats.
//! let mut easy = Policies::standard().parse("EASY")?.scheduler(32, &PolicyOptions::default());
//! let mut metrics = Metrics::new(SummaryOptions::new(32));
//! simulate(32, &Options::default(), jobs.clone(), easy.as_mut(), &mut metrics)?;
//! let bounded = metrics.summary().unwrap().bounded_stretch[0];
//! assert!(bounded.distribution.max >= max_stretch_bound(&jobs, 32, bounded.tau).value);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! # A policy of your own
//!
//! A policy implements [`Scheduler`](cluster::Scheduler). It is called once for each time at which
//! something happens, after all events of that time (completions, then changes of the platform, then
//! submissions, then ticks): it gets the situation and fills a decision. The decision is checked as
//! a whole before any of it is applied. Run times are hidden from the policy.
//!
//! ```
//! use dfrsim::prelude::*;
//!
//! /// Runs one job at a time, in the order of submission, on the nodes from 0 on.
//! struct OneByOne;
//!
//! impl Scheduler for OneByOne {
//!     fn decide(&mut self, situation: &Situation<'_>, decision: &mut Decision) {
//!         let view = situation.view;
//!         let is_idle = view.jobs().iter().all(|&job| view.job(job).state() == JobState::Waiting);
//!         if let Some(&first) = view.jobs().first().filter(|_| is_idle) {
//!             let on = (0..view.job(first).tasks()).map(|node| NodeTasks { node: NodeId(node), tasks: 1 });
//!             decision.start(first, on, Yield::ONE);
//!         }
//!     }
//! }
//!
//! let one_by_one = CustomPolicy::new("ONE-BY-ONE", "1", |_, _, _| Box::new(OneByOne)).described("one job at a time");
//! let policies = Policies::standard().with(one_by_one);
//! assert!(policies.parse("ONE-BY-ONE").is_ok());
//! ```
//!
//! # A sweep
//!
//! A [`Registry`] has the studies and policies of a program. It reads scenarios and runs them in
//! parallel; a sweep that was killed resumes where it stopped, and the same scenario gives the same
//! bytes.
//!
//! ```
//! # use dfrsim::prelude::*;
//! # struct OneByOne;
//! # impl Scheduler for OneByOne {
//! #     fn decide(&mut self, situation: &Situation<'_>, decision: &mut Decision) {
//! #         let view = situation.view;
//! #         let is_idle = view.jobs().iter().all(|&job| view.job(job).state() == JobState::Waiting);
//! #         if let Some(&first) = view.jobs().first().filter(|_| is_idle) {
//! #             let on = (0..view.job(first).tasks()).map(|node| NodeTasks { node: NodeId(node), tasks: 1 });
//! #             decision.start(first, on, Yield::ONE);
//! #         }
//! #     }
//! # }
//! # let one_by_one = CustomPolicy::new("ONE-BY-ONE", "1", |_, _, _| Box::new(OneByOne));
//! use std::sync::atomic::AtomicBool;
//!
//! let registry = dfrsim::registry_with(Policies::standard().with(one_by_one));
//! let scenario = r#"
//!     study = "online"
//!     policies = ["EASY", "ONE-BY-ONE"]
//!     [[workloads]]
//!     name = "few"
//!     nodes = 16
//!     lublin = { replications = 3, jobs = 50 }
//! "#;
//! let scenario = registry.parse(scenario, "few.toml", None, &[])?;
//! let folder = tempfile::tempdir()?;
//! let options = RunOptions { audit: true, ..RunOptions::new(folder.path()) };
//! let report = scenario.run(&options, &AtomicBool::new(false), &())?;
//! assert_eq!((report.counts.total, report.counts.failures()), (6, 0));
//!
//! // What it left, with every file compared with its digest.
//! let results = Results::read(folder.path(), &registry)?;
//! let rows = &results.rows()?[0];
//! let degradation = rows.column_index("degradation").unwrap();
//! assert!((0..rows.len()).all(|row| rows.number(row, degradation).unwrap() >= 1.0));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! A complete program takes about ten lines: `dfrsim_commands::main_with(registry)` provides every
//! command of `dfrsim`.
//!
//! # The audit
//!
//! The [`Auditor`](audit::Auditor) checks a schedule with code that is independent of the simulator:
//! capacities at every time, the work of each job, penalties and metrics, all in exact integers.
//! `RunOptions::audit` above applies it to every simulation of a sweep; here it reads the events of
//! one.
//!
//! ```
//! use dfrsim::prelude::*;
//! use std::num::NonZeroU32;
//!
//! let parameters = LublinParameters {
//!     nodes: NonZeroU32::new(16).unwrap(),
//!     jobs: 50,
//!     ..LublinParameters::default()
//! };
//! let jobs = generate(&parameters, Seed::new(7));
//! let mut fcfs = Policies::standard().parse("FCFS")?.scheduler(16, &PolicyOptions::default());
//! let tau = SimSpan::from_secs(10);
//! let log = EventLog::new(Vec::new(), "FCFS", 16, SimSpan::ZERO, tau);
//! let mut watchers = (Metrics::new(SummaryOptions::new(16)), log);
//! simulate(16, &Options::default(), jobs, fcfs.as_mut(), &mut watchers)?;
//! let (metrics, log) = watchers;
//! let events = log.finish(&metrics.summary().unwrap())?;
//! assert!(audit(events.as_slice()).is_ok());
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! # Guarantees
//!
//! * **Exact.** Capacity checks and completion times have no tolerance.
//! * **One order of events**: time, then completion < platform change < submission < tick, then
//!   sequence.
//! * **Checked.** An invalid decision ends its simulation with the rule, the job and the time, and
//!   is recorded as a row with a status.
//! * **Reproducible.** Results have the same bytes with any number of threads, shards and machines,
//!   and after any interruption.

pub use dfrsim_audit as audit;
pub use dfrsim_bound as bound;
pub use dfrsim_cluster as cluster;
pub use dfrsim_context_switch as context_switch;
pub use dfrsim_external as external;
pub use dfrsim_lab as lab;
pub use dfrsim_model as model;
pub use dfrsim_packing as packing;
pub use dfrsim_paper_dfrs as online_study;
pub use dfrsim_paper_vector_packing as offline_study;
pub use dfrsim_policies as policies;
pub use dfrsim_vector_packing as offline;
pub use dfrsim_workload as workload;

pub mod guide;
pub mod prelude;

use dfrsim_lab::Registry;
use dfrsim_lab::fields::{FileLocator, LocatedFile};
use dfrsim_policies::Policies;
use dfrsim_workload::traces::{Found, locate_beside};

/// Creates the registry with all studies, the policies of this project, and those in [other
/// processes](external).
pub fn registry() -> Registry {
    registry_with(Policies::standard())
}

/// Creates the registry with all studies, the given policies, and those in [other
/// processes](external).
pub fn registry_with(policies: Policies) -> Registry {
    let policies = external::families().into_iter().fold(policies, Policies::with_family);
    let registry = Registry::new().with(policies).with(FileLocator::new(|request| {
        if !request.is_log {
            return request.locate();
        }
        let Found { path, others } =
            locate_beside(request.name, request.folder).map_err(|missing| missing.to_string())?;
        Ok(LocatedFile { given: request.name.to_owned(), path, others })
    }));
    [
        dfrsim_paper_dfrs::register,
        dfrsim_paper_vector_packing::register,
        dfrsim_paper_reallocation::register,
        dfrsim_paper_coallocation::register,
        dfrsim_paper_discovery::register,
        dfrsim_paper_adaptation::register,
        dfrsim_paper_context_switch::register,
    ]
    .into_iter()
    .fold(registry, |registry, register| register(registry))
}
