//! The rules of batch policies: which job starts when.
//!
//! A policy decides once in each moment, after all completions and submissions. The checker decides for itself from the
//! schedule so far, and each start that it does not expect, and each expected one that is missing, is a fault. After a fault
//! it goes on from what happened, so that one wrong start is one fault and not a thousand.
//!
//! A job that starts gets the nodes that the policy's [rule](Placing) gives it, starts of the same moment in the order of the records.
//!
//! Where nodes have several tasks, FCFS and EASY are judged task by task.
//!
//! Where nodes go down or differ, FCFS and EASY are judged node by node; of EASY/SPARE and CONS it is checked that no job reaches into a window that
//! was announced.
//!
//! Where jobs have priorities, these are computed from the events alone, and the queue is in their order without the jobs that a limit holds
//! back ([`crate::priority`]). Where jobs may preempt others, it is found out which ones have to make room for each start.
//!
//! What a policy knows of run times is in the events: `estimate_us`, or the run time itself where that is absent.

mod backfilling;
mod by_priority;
mod check;
mod conservative;
mod outages;
mod packed;
mod placing;
mod preemption;
mod queue;
mod rule;
mod spare;

pub(crate) use check::BatchCheck;
pub use placing::{OnNodes, Packing, Placing};
pub use rule::BatchRule;

use queue::Order;

dfrsim_model::named! {
    /// A batch policy whose rules can be checked.
    pub enum BatchPolicy as "batch policy" {
        /// The head of the queue starts as soon as its nodes are free, and no other job before it.
        Fcfs = "FCFS",
        /// FCFS, shortest estimate first.
        FcfsSjf = "FCFS/ORDER=SJF",
        /// FCFS, longest estimate first.
        FcfsLjf = "FCFS/ORDER=LJF",
        /// FCFS, smallest estimate * nodes first.
        FcfsSaf = "FCFS/ORDER=SAF",
        /// FCFS, largest (wait / estimate)^3 * nodes first.
        FcfsWfp3 = "FCFS/ORDER=WFP3",
        /// The head of the queue has a reservation; each other job, in the order of the queue, starts now if it delays that
        /// by no moment.
        Easy = "EASY",
        /// EASY, shortest estimate first.
        EasySjf = "EASY/ORDER=SJF",
        /// EASY, longest estimate first.
        EasyLjf = "EASY/ORDER=LJF",
        /// EASY, smallest estimate * nodes first.
        EasySaf = "EASY/ORDER=SAF",
        /// EASY, largest (wait / estimate)^3 * nodes first.
        EasyWfp3 = "EASY/ORDER=WFP3",
        /// The head of the queue has a reservation of certain nodes, and the other jobs start on those that it leaves.
        EasySpare = "EASY/SPARE",
        /// Every job has a reservation from its submission on; when a job ends early, each moves up if it can.
        Conservative = "CONS" | "CBF",
        /// Every job has a reservation; when a job ends early, all are made again in the order of the queue.
        ConservativeReplan = "CONS/REPLAN" | "CBF-REPLAN",
    }
}

impl BatchPolicy {
    /// Whether there is a policy that uses nodes so: only FCFS and EASY have several tasks on a node.
    pub(crate) fn can_use(self, on_nodes: OnNodes) -> bool {
        let is_packable = !matches!(
            self,
            BatchPolicy::EasySpare | BatchPolicy::Conservative | BatchPolicy::ConservativeReplan
        );
        is_packable || on_nodes.packing == Packing::Whole
    }

    fn order(self) -> Order {
        match self {
            BatchPolicy::FcfsSjf | BatchPolicy::EasySjf => Order::ShortestFirst,
            BatchPolicy::FcfsLjf | BatchPolicy::EasyLjf => Order::LongestFirst,
            BatchPolicy::FcfsSaf | BatchPolicy::EasySaf => Order::SmallestAreaFirst,
            BatchPolicy::FcfsWfp3 | BatchPolicy::EasyWfp3 => Order::Wfp3,
            BatchPolicy::Fcfs
            | BatchPolicy::Easy
            | BatchPolicy::EasySpare
            | BatchPolicy::Conservative
            | BatchPolicy::ConservativeReplan => Order::Submission,
        }
    }
}
