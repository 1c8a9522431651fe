//! Preemption at full speed: jobs run alone on their part of the nodes or not at all, in the order of
//! a rank. No node is shared beyond its CPU, no job moves while it runs, and there are no ticks.
//!
//! These policies are baselines: how far is preemption alone from fractional shares?
//!
//! Sources: for SRPT L. Schrage, "A proof of the optimality of the shortest remaining processing time
//! discipline", Operations Research 16(3), 1968; for LAS with levels M. Nuyens and A. Wierman, "The
//! foreground-background queue: a survey", Performance Evaluation 65(3-4), 2008, and the multilevel
//! feedback queues of F. Corbato et al., "An experimental time-sharing system", AFIPS 1962. RANKED
//! combines the priority of the dissertation (section 5.2.3), squared in the virtual time, with the
//! bound on penalties of `/PAY`. EDF is the rule of earliest deadlines of J. Jackson, "Scheduling a
//! production line to minimize maximum tardiness", 1955; the deadlines for a target of the largest
//! stretch are those of theorem 1 of the dissertation (M. Bender, S. Chakrabarti and S. Muthukrishnan,
//! "Flow and stretch metrics for scheduling continuous job streams", SODA 1998).

mod due;
mod rank;
mod scheduler;

pub use due::{EarliestDue, EarliestDueScheduler};
pub use rank::Rank;
pub use scheduler::RankedScheduler;
