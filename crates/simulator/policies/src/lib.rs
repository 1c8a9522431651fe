//! All on-line policies of dfrsim, and their names.
//!
//! * [`Policy`] is a policy as data: it parses from its name, prints back to it, and
//!   [builds](Policy::scheduler) the scheduler. [`catalogue`] lists the known names with a
//!   description of each.
//! * [`Policies`]: the known policies, those that a user [adds](CustomPolicy) from another crate,
//!   and whole [families](PolicyFamily) of policies.
//! * [`batch`]: FCFS, EASY and CONS with all their options.
//! * [`fractional`]: the DFRS policies, composed of orthogonal parts.
//! * [`ranked`]: preemption at full speed in the order of a rank, without shares.
//! * [`gang`]: jobs take turns on the nodes.
//! * [`equipartition`]: the same share for every job, the simplest fractional policy.
//!
//! ```
//! use dfrsim_policies::Policy;
//! let policy: Policy = "EASY/ORDER=SJF".parse().unwrap();
//! assert_eq!(policy.to_string(), "EASY/ORDER=SJF");
//! let wrong = "EASY/ORDER=SFJ".parse::<Policy>().unwrap_err();
//! assert!(wrong.to_string().contains("did you mean `EASY/ORDER=SJF`?"));
//! ```
//!
//! # How to add a policy
//!
//! From another crate: [`Policies::with`]. To this crate:
//!
//! * Implement [`dfrsim_cluster::Scheduler`] in a module of its own. The documentation of the trait
//!   shows a complete scheduler in a dozen lines; `own_policy`, an example of the library `dfrsim`,
//!   shows one that pauses and resumes jobs. Break ties by the order of submission, never at random.
//! * Then add a variant to [`Policy`], its name to `Display` and `FromStr`, and a line to
//!   [`catalogue`]; a test checks that every listed name parses and prints back.
//! * Finally, derive a schedule of three or four jobs by hand and add it to
//!   `tests/policies/derived`. If the policy is optimised, also write a slow, obvious reference
//!   implementation, and compare the two in `tests/policies/twins.rs`.
//!
//! `dfrsim policies` then lists the policy, scenarios and `dfrsim simulate` accept it, and the audit
//! checks its runs.

pub mod batch;
mod custom;
pub use fractional::equipartition;
pub mod fractional;
pub mod gang;
mod policy;
pub mod ranked;
mod registry;
mod setup;
mod site;

pub use custom::CustomPolicy;
pub use dfrsim_model::batch::PolicyError;
pub use fractional::PolicySetting;
pub use policy::{Policy, PolicyInfo, PolicyOptions, catalogue};
pub use registry::{Policies, PolicyFamily};
pub use setup::Setup;
