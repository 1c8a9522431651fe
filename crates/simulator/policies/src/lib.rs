//! Every on-line policy of dfrsim, and its name.
//!
//! * [`Policy`] is a policy as data: it parses from its name, prints back to it, and [builds](Policy::scheduler)
//!   the scheduler. [`catalogue`] lists the known names with a line on each.
//! * [`Policies`]: the known policies and those that a user [adds](CustomPolicy) from a crate of their own, or whole
//!   [families](PolicyFamily) of them.
//! * [`batch`]: FCFS, EASY and CONS with all their parts.
//! * [`fractional`]: the DFRS policies, put together from orthogonal parts.
//! * [`equipartition`]: every job the same share, the simplest fractional policy.
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
//! From another crate: [`Policies::with`]. To this one:
//!
//! 1. Implement [`dfrsim_cluster::Scheduler`] in a module of its own; its page shows a complete one in a dozen
//!    lines, `own_policy`, an example of the library `dfrsim`, one that pauses and resumes. Ties are broken by the order of submission,
//!    never by chance.
//! 2. Add a variant to [`Policy`], its name to `Display` and `FromStr`, and a line to [`catalogue`]; a test
//!    checks that every listed name parses and prints back.
//! 3. Derive a schedule of three or four jobs by hand and put it beside the others in `tests/policies/derived`. If the
//!    policy is clever, write the slow, obvious version of it too, and compare both in `tests/policies/twins.rs`.
//!
//! `dfrsim policies` then lists it, scenarios and `dfrsim simulate` know it, and the audit checks its runs.

pub mod batch;
mod custom;
pub use fractional::equipartition;
pub mod fractional;
mod policy;
mod registry;
mod site;

pub use custom::CustomPolicy;
pub use dfrsim_model::batch::PolicyError;
pub use fractional::PolicySetting;
pub use policy::{Policy, PolicyInfo, PolicyOptions, catalogue};
pub use registry::{Policies, PolicyFamily};
