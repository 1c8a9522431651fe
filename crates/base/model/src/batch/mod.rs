//! Batch policies as data, and their names, which the engine and the audit interpret.

mod node_use;
mod place;
mod policy_error;
mod queue_order;
mod wait_power;

pub use node_use::NodeUse;
pub use place::Place;
pub use policy_error::PolicyError;
pub use queue_order::QueueOrder;
pub use wait_power::WaitPower;

use crate::formula::FormulaError;
use crate::named::UnknownName;
use std::fmt;
use std::str::FromStr;

/// Handling of the reservations of CONS when a job terminates early.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Compression {
    /// Compression in queue order: each waiting job cancels its reservation and takes the earliest
    /// free slot. That is never later than the cancelled reservation, so every guarantee is kept.
    OneByOne,
    /// Full replanning: all reservations are cancelled, then each waiting job takes the earliest
    /// free slot in queue order. The schedule is closer to the queue order, but a job may start
    /// later than its earlier reservation guaranteed.
    Replan,
    /// Full replanning in each cycle, in the order that a search finds: [`WaitPower`] has its rules.
    Plan(WaitPower),
}

/// Backfilling scheme: the waiting jobs that have a reservation.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Backfilling {
    /// No reservations: first come, first served, in queue order.
    #[default]
    Fcfs,
    /// No reservations, and all jobs are tried in queue order: those that fit start, as Kubernetes'
    /// scheduler starts pods.
    FirstFit,
    /// Reservation of a time for the queue head: aggressive backfilling.
    Easy,
    /// Reservations for the first job of each of two queues: one of short jobs, with estimates of at
    /// most an hour, and one of long ones. Jobs behind both heads backfill around both reservations.
    /// The source of several queues by estimated run time, the head of each of which must not be
    /// delayed, is multiple-queue backfilling (Lawson and Smirni 2002), which gives each queue a
    /// variable part of the nodes as well; here all nodes are for both queues.
    TwoQueues,
    /// Reservations for all jobs: conservative backfilling.
    Conservative(Compression),
    /// Reservations for the jobs that Slurm's backfilling tries, of whole nodes. Its cycles
    /// alternate with those of the main scheduler.
    Slurm,
}

impl Backfilling {
    /// All schemes in customary order, of plans in a searched order the one with squared waits.
    pub const ALL: [Backfilling; 8] = [
        Backfilling::Fcfs,
        Backfilling::FirstFit,
        Backfilling::Easy,
        Backfilling::TwoQueues,
        Backfilling::Conservative(Compression::OneByOne),
        Backfilling::Conservative(Compression::Replan),
        Backfilling::Conservative(Compression::Plan(WaitPower::Two)),
        Backfilling::Slurm,
    ];

    /// Returns the name and a short description.
    fn in_words(self) -> (&'static str, &'static str) {
        match self {
            Backfilling::Fcfs => ("FCFS", "the head of the queue starts when its nodes are free"),
            Backfilling::FirstFit => {
                ("FIRSTFIT", "no reservation; every job that fits starts, in queue order")
            }
            Backfilling::Easy => {
                ("EASY", "one reservation, for the head of the queue; others backfill around it")
            }
            Backfilling::TwoQueues => (
                "TWOQ",
                "two reservations: for the first job of at most an hour, and for the first longer one",
            ),
            Backfilling::Conservative(Compression::OneByOne) => {
                ("CONS", "a reservation for every job; an early end moves them up one by one, never later")
            }
            Backfilling::Conservative(Compression::Replan) => {
                ("CONS/REPLAN", "a reservation for every job; an early end plans the whole queue again")
            }
            Backfilling::Conservative(Compression::Plan(WaitPower::One)) => (
                "CONS/PLAN=1",
                "a plan of the whole queue in the order with the least sum of waits that annealing finds",
            ),
            Backfilling::Conservative(Compression::Plan(WaitPower::Two)) => (
                "CONS/PLAN=2",
                "a plan of the whole queue in the order with the least sum of squared waits that annealing finds",
            ),
            Backfilling::Conservative(Compression::Plan(WaitPower::Three)) => (
                "CONS/PLAN=3",
                "a plan of the whole queue in the order with the least sum of cubed waits that annealing finds",
            ),
            Backfilling::Slurm => (
                "SLURM",
                "as Slurm's main scheduler and its backfilling do, each at its own times; nodes are shared",
            ),
        }
    }

    /// Returns the use of nodes if the name of the policy does not specify it.
    fn node_use(self) -> NodeUse {
        if self == Backfilling::Slurm { NodeUse::Shared } else { NodeUse::Whole }
    }
}

/// Batch policy: it determines when and on which nodes each job starts.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct BatchPolicy {
    /// Backfilling scheme.
    pub backfilling: Backfilling,
    /// Queue order.
    pub order: QueueOrder,
    /// Backfill order, if it differs from the queue order; only of [`Backfilling::Easy`].
    pub fill: Option<QueueOrder>,
    /// True if the reservation of the queue head is one of nodes alone, without its amounts of the
    /// resources of the whole cluster; only of [`Backfilling::Easy`].
    pub reserves_nodes_only: bool,
    /// Node selection among the free nodes.
    pub place: Place,
    /// Sharing of nodes among tasks and jobs.
    pub nodes: NodeUse,
}

impl From<Backfilling> for BatchPolicy {
    fn from(discipline: Backfilling) -> BatchPolicy {
        BatchPolicy {
            backfilling: discipline,
            order: QueueOrder::default(),
            fill: None,
            reserves_nodes_only: false,
            place: Place::default(),
            nodes: discipline.node_use(),
        }
    }
}

impl BatchPolicy {
    /// Parses the name of a policy; its parts may be in any order.
    ///
    /// ```
    /// use dfrsim_model::batch::BatchPolicy;
    /// let policy = BatchPolicy::parse("CBF/NODES=SHARED/ORDER=SJF").unwrap();
    /// assert_eq!(policy.to_string(), "CONS/ORDER=SJF/NODES=SHARED");
    /// assert!(BatchPolicy::parse("FCFS/ORDER='wait / width'/PLACE=BEST").is_some());
    /// assert!(BatchPolicy::parse("EASY/PLACE=BEST/FILL='wait / width'").unwrap().fill.is_some());
    /// assert!(BatchPolicy::parse("EASY/RESERVE=NODES/FILL=SJF").unwrap().reserves_nodes_only);
    /// assert_eq!(BatchPolicy::parse("CONS/NODES=SHARED/PLAN=2").unwrap().to_string(), "CONS/PLAN=2/NODES=SHARED");
    /// assert!(BatchPolicy::parse("CONS/PLAN=4").is_none() && BatchPolicy::parse("CONS/RESERVE=NODES").is_none());
    /// assert!(BatchPolicy::parse("CONS/FILL=SJF").is_none() && BatchPolicy::parse("EASY/PLACE=FIRST").is_none());
    /// ```
    pub fn parse(name: &str) -> Option<BatchPolicy> {
        BatchPolicy::read(name).ok().flatten()
    }

    /// Reads the name of a policy; `None` if it is not the name of a batch policy.
    ///
    /// # Errors
    ///
    /// Returns an error for the first invalid formula of a batch policy, and for a
    /// [scored](Place::is_scored) placement on whole nodes.
    pub fn read(name: &str) -> Result<Option<BatchPolicy>, PolicyError> {
        let fault = |fault| PolicyError::Formula { name: name.to_owned(), fault };
        match BatchPolicy::from_parts(parts(name)).map_err(fault)? {
            Some(BatchPolicy { place, nodes: NodeUse::Whole, .. }) if place.is_scored() => {
                Err(PolicyError::WholeNodes { name: name.to_owned(), place })
            }
            policy => Ok(policy),
        }
    }

    fn from_parts<'a>(mut parts: impl Iterator<Item = &'a str>) -> Result<Option<BatchPolicy>, FormulaError> {
        // The literature also calls conservative backfilling CBF.
        let base = match parts.next() {
            Some("CBF") => "CONS",
            Some("CBF-REPLAN") => "CONS/REPLAN",
            base => base.unwrap_or_default(),
        };
        let named = Backfilling::ALL.into_iter().find(|discipline| discipline.in_words().0 == base);
        let Some(discipline) = named else { return Ok(None) };
        let mut policy = BatchPolicy::from(discipline);
        for part in parts {
            let before = policy;
            match (part.split_once('='), policy.backfilling) {
                (None, Backfilling::Conservative(Compression::OneByOne)) if part == "REPLAN" => {
                    policy.backfilling = Backfilling::Conservative(Compression::Replan);
                }
                (Some(("PLAN", power)), Backfilling::Conservative(Compression::OneByOne)) => {
                    let Some(power) = WaitPower::parse(power) else { return Ok(None) };
                    policy.backfilling = Backfilling::Conservative(Compression::Plan(power));
                }
                (Some(("RESERVE", "NODES")), Backfilling::Easy) if !policy.reserves_nodes_only => {
                    policy.reserves_nodes_only = true;
                }
                (Some(("ORDER", name)), _) if policy.order == QueueOrder::default() => {
                    let Some(order) = QueueOrder::parse(name)? else { return Ok(None) };
                    policy.order = order;
                }
                (Some(("FILL", name)), Backfilling::Easy) if policy.fill.is_none() => {
                    let Some(fill) = QueueOrder::parse(name)? else { return Ok(None) };
                    policy.fill = Some(fill);
                }
                (Some(("PLACE", name)), _) if policy.place == Place::default() => {
                    let Ok(place) = name.parse() else { return Ok(None) };
                    policy.place = place;
                }
                (Some(("NODES", name)), _) if policy.nodes == discipline.node_use() => {
                    let Ok(nodes) = name.parse() else { return Ok(None) };
                    policy.nodes = nodes;
                }
                _ => return Ok(None),
            }
            // Names that spell out a default are rejected, so that each policy has one name.
            if policy == before {
                return Ok(None);
            }
        }
        Ok(Some(policy).filter(|policy| policy.fill != Some(policy.order)))
    }

    /// Iterates over all policies without user-defined formulas, without a separate backfill order and
    /// without [`BatchPolicy::reserves_nodes_only`]. A searched order begins with the order of submission.
    pub fn all() -> impl Iterator<Item = BatchPolicy> {
        let ordered = Backfilling::ALL
            .into_iter()
            .flat_map(|it| QueueOrder::all().map(move |order| BatchPolicy { order, ..it.into() }));
        let placed =
            ordered.flat_map(|policy| Place::ALL.iter().map(move |&place| BatchPolicy { place, ..policy }));
        let used =
            placed.flat_map(|policy| NodeUse::ALL.iter().map(move |&nodes| BatchPolicy { nodes, ..policy }));
        let is_searched =
            |it: &BatchPolicy| matches!(it.backfilling, Backfilling::Conservative(Compression::Plan(_)));
        used.filter(move |policy| !is_searched(policy) || policy.order == QueueOrder::default())
            .filter(|policy| !policy.place.is_scored() || policy.nodes != NodeUse::Whole)
    }

    /// Iterates over the variants of this policy with each other named backfill order.
    pub fn filled(self) -> impl Iterator<Item = BatchPolicy> {
        QueueOrder::all()
            .filter(move |fill| *fill != self.order)
            .map(move |fill| BatchPolicy { fill: Some(fill), ..self })
    }

    /// Returns a one-line description.
    pub fn description(self) -> String {
        let mut parts = vec![self.backfilling.in_words().1.to_owned(), self.order.description()];
        parts.extend(self.fill.map(|fill| format!("behind its head {}", fill.description())));
        parts.extend(self.reserves_nodes_only.then(|| "its reservation is of nodes alone".to_owned()));
        parts.extend((self.place != Place::First).then(|| self.place.description().to_owned()));
        parts.extend((self.nodes != NodeUse::Whole).then(|| self.nodes.description().to_owned()));
        parts.join("; ")
    }
}

impl FromStr for BatchPolicy {
    type Err = PolicyError;
    fn from_str(name: &str) -> Result<Self, Self::Err> {
        let known = Backfilling::ALL.map(|discipline| discipline.in_words().0);
        Ok(BatchPolicy::read(name)?.ok_or_else(|| UnknownName::new("batch policy", name, known))?)
    }
}

/// Splits a name at slashes outside of quotes.
fn parts(name: &str) -> impl Iterator<Item = &str> {
    let mut is_quoted = false;
    name.split(move |letter| {
        is_quoted ^= letter == '\'';
        letter == '/' && !is_quoted
    })
}

impl fmt::Display for BatchPolicy {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.backfilling.in_words().0)?;
        if self.order != QueueOrder::default() {
            write!(f, "/ORDER={}", self.order)?;
        }
        if let Some(fill) = self.fill {
            write!(f, "/FILL={fill}")?;
        }
        if self.reserves_nodes_only {
            write!(f, "/RESERVE=NODES")?;
        }
        if self.place != Place::default() {
            write!(f, "/PLACE={}", self.place)?;
        }
        if self.nodes != self.backfilling.node_use() {
            write!(f, "/NODES={}", self.nodes)?;
        }
        Ok(())
    }
}
