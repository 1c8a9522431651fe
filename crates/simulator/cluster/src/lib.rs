//! The simulated cluster: jobs arrive, a [`Scheduler`] decides, and the cluster checks and applies
//! the decision and measures.
//!
//! * [`simulate`] runs one policy over one stream of jobs and reports all events to an [`Observer`];
//!   [`Simulation`] does the same step by step, for programs with a main loop of their own.
//! * [`Scheduler`] is the one trait of all policies: once per event time it gets a [`Situation`]
//!   (the events, and a read-only [`View`]) and fills a [`Decision`].
//! * The whole decision is checked before any of it is applied; an invalid one ends the run with a
//!   [`Violation`] that names the rule, the job and the time.
//! * [`Metrics`] collects stretch, waits, fairness, utilisation and moves; [`EventLog`] writes an
//!   events file that the audit can check.
//!
//! A task occupies memory on its node and gets CPU = need * yield of its job; all tasks of a job
//! have the same yield; on no node may memory or CPU exceed the node, not even by rounding
//! (dissertation, sections 4.1 and 5.1). A job that resumes, or of which a task changes node, makes
//! no progress for the rescheduling penalty (section 5.3.1).
//!
//! Schedulers may be given wrong CPU needs ([`NeedModel`]) and discover the right ones while jobs
//! run: then a yield grants a task an entitlement, and CPU that the tasks of a node leave unused
//! goes to tasks on that node that need more.
//!
//! Nodes may go down and come back ([`Options::outages`]): jobs there are
//! [interrupted](Occurrence::Interrupted), no job may be placed on them, and the view shows which
//! nodes are up and which outages are announced.
//!
//! Nodes may differ in CPU, memory, speed, further resources such as GPUs, and features
//! ([`Options::unequal`]): a job progresses at its yield times the speed of the slowest of its
//! nodes.
//!
//! # How to write a scheduler
//!
//! ```
//! use dfrsim_cluster::{simulate, Decision, Metrics, Options, Scheduler, Situation, SummaryOptions};
//! use dfrsim_model::{Job, JobId, NodeId, NodeTasks, Share, SimSpan, SimTime, Yield};
//!
//! /// Runs each job at once, all of its tasks on node 0, at a fixed yield.
//! struct Everything;
//!
//! impl Scheduler for Everything {
//!     fn decide(&mut self, situation: &Situation<'_>, decision: &mut Decision) {
//!         for &job in situation.submitted {
//!             let tasks = situation.view.job(job).tasks();
//!             let here = [NodeTasks { node: NodeId(0), tasks }];
//!             decision.start(job, here, Yield::from_ratio(1, 2));
//!         }
//!     }
//! }
//!
//! let job = Job {
//!     id: JobId(1),
//!     submit: SimTime::ZERO,
//!     tasks: 2,
//!     cpu_need: Share::from_ratio(1, 4),
//!     memory: Share::from_ratio(1, 10),
//!     run_time: SimSpan::from_secs(60),
//!     requested_time: None,
//!     user: None,
//!     origin: dfrsim_model::Origin::UNKNOWN,
//! };
//! let mut metrics = Metrics::new(SummaryOptions::new(1));
//! simulate(1, &Options::default(), [job], &mut Everything, &mut metrics).unwrap();
//! let summary = metrics.summary().unwrap();
//! assert_eq!(summary.stretch.max, 2.0);
//! ```

mod check;
mod classes;
mod common;
mod common_figures;
mod conditions;
mod decision;
mod device_figures;
mod devices;
mod distribution;
mod downtime;
mod energy;
mod event_log;
mod followers;
mod free_nodes;
mod initial_state;
mod job_table;
mod lists;
mod metrics;
mod misfit_counts;
mod node_loads;
mod objectives;
mod observer;
mod options;
mod placement;
mod platform;
pub mod records;
mod replay;
mod residents;
mod sample;
mod scheduler;
mod share_weights;
mod simulation;
mod sketch;
mod sleep;
mod speeds;
mod summary_options;
mod tally;
mod unequal;
mod used_power;
mod view;
mod violation;
mod weights;

pub use classes::{ClassSummary, LengthClass, SizeClass};
pub use common_figures::{CommonFigures, CommonMetrics};
pub use conditions::Conditions;
pub use decision::Decision;
pub use device_figures::{DeviceFigures, DeviceMetrics};
pub use devices::DevicesOnNodes;
pub use distribution::Distribution;
pub use downtime::PlatformSummary;
pub use energy::{EnergyFigures, EnergyMetrics, SleepFigures};
pub use event_log::EventLog;
pub use followers::{After, Followers, Link};
pub use free_nodes::{FreeNodes, NodeOrder};
pub use initial_state::{InitialState, InitialStateError, StartedBefore};
pub use job_table::{JobHandle, JobState};
pub use lists::{ExpectedEnd, Lists};
pub use metrics::{Metrics, Summary};
pub use misfit_counts::MisfitCounts;
pub use objectives::{BoundedStretch, Fairness};
pub use observer::{JobRecord, Observer, Occurrence, Pace, PlatformChange};
pub use options::{EstimateModel, NeedModel, Options, Overrun};
pub use placement::{NodeRange, Parts, Placement};
pub use platform::Interrupted;
pub use replay::Replay;
pub use residents::decide_for_residents;
pub use scheduler::{Memory, Scheduler, Situation};
pub use share_weights::ShareWeights;
pub use simulation::{Simulation, SimulationError, simulate, simulate_with};
pub use summary_options::SummaryOptions;
pub use tally::Tally;
pub use view::{JobView, View};
pub use violation::{Rule, Violation};
pub use weights::Weights;
