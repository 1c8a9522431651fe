//! Batch policies as data, and their names: what the engine runs and the audit judges by a name.

mod node_use;
mod place;
mod policy_error;
mod queue_order;

pub use node_use::NodeUse;
pub use place::Place;
pub use policy_error::PolicyError;
pub use queue_order::QueueOrder;

use crate::named::UnknownName;
use std::fmt;
use std::str::FromStr;

/// What happens to the reservations of CONS when a job ends before its estimate.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Compression {
    /// In the order of the queue, each waiting job gives up its reservation and takes the earliest hole, which is never
    /// later: no promise is broken.
    OneByOne,
    /// All waiting jobs give up their reservations, then each takes the earliest hole in the order of the queue: closer to
    /// that order, but a job may start later than it was promised.
    Replan,
}

/// Which waiting jobs have a reservation.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Discipline {
    /// None: first come, first served, in the order of the queue.
    #[default]
    Fcfs,
    /// The head of the queue, of a time: aggressive backfilling.
    Easy,
    /// The head of the queue, of certain nodes: backfilling into nodes that it leaves spare, as the dissertation's author has EASY in his
    /// simulator.
    Spare,
    /// All: conservative backfilling.
    Conservative(Compression),
    /// Those that Slurm's backfilling tries, of whole nodes, in passes beside those of its main scheduler.
    Slurm,
}

impl Discipline {
    /// All of them, in the order in which people know them.
    pub const ALL: [Discipline; 6] = [
        Discipline::Fcfs,
        Discipline::Easy,
        Discipline::Spare,
        Discipline::Conservative(Compression::OneByOne),
        Discipline::Conservative(Compression::Replan),
        Discipline::Slurm,
    ];

    /// Its name, and what it does in a few words.
    fn in_words(self) -> (&'static str, &'static str) {
        match self {
            Discipline::Fcfs => ("FCFS", "the head of the queue starts when its nodes are free"),
            Discipline::Easy => {
                ("EASY", "one reservation, for the head of the queue; others backfill around it")
            }
            Discipline::Spare => (
                "EASY/SPARE",
                "a reservation of certain nodes, for the head of the queue; others start on the nodes that it leaves",
            ),
            Discipline::Conservative(Compression::OneByOne) => {
                ("CONS", "a reservation for every job; an early end moves them up one by one, never later")
            }
            Discipline::Conservative(Compression::Replan) => {
                ("CONS/REPLAN", "a reservation for every job; an early end plans the whole queue again")
            }
            Discipline::Slurm => (
                "SLURM",
                "as Slurm's main scheduler and its backfilling do, each at its own times; nodes are shared",
            ),
        }
    }

    /// What of its nodes a job has to itself if the name of the policy does not say it.
    fn node_use(self) -> NodeUse {
        if self == Discipline::Slurm { NodeUse::Shared } else { NodeUse::Whole }
    }
}

/// A batch policy: which job starts when, and where.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct BatchPolicy {
    /// Which waiting jobs have a reservation.
    pub discipline: Discipline,
    /// The order of the queue.
    pub order: QueueOrder,
    /// The order in which jobs behind the head are tried, if it is another one; of [`Discipline::Easy`] and [`Discipline::Spare`] only.
    pub fill: Option<QueueOrder>,
    /// Which of the free nodes jobs get.
    pub place: Place,
    /// What of them they have to themselves.
    pub nodes: NodeUse,
}

impl From<Discipline> for BatchPolicy {
    fn from(discipline: Discipline) -> BatchPolicy {
        BatchPolicy {
            discipline,
            order: QueueOrder::default(),
            fill: None,
            place: Place::default(),
            nodes: discipline.node_use(),
        }
    }
}

impl BatchPolicy {
    /// The policy of a name, whose parts may come in any order.
    ///
    /// ```
    /// use dfrsim_model::batch::BatchPolicy;
    /// let policy = BatchPolicy::parse("CBF/NODES=SHARED/ORDER=SJF").unwrap();
    /// assert_eq!(policy.to_string(), "CONS/ORDER=SJF/NODES=SHARED");
    /// assert!(BatchPolicy::parse("FCFS/ORDER='wait / width'/PLACE=BEST").is_some());
    /// assert!(BatchPolicy::parse("EASY/PLACE=BEST/FILL='wait / width'").unwrap().fill.is_some());
    /// assert!(BatchPolicy::parse("CONS/SPARE").is_none() && BatchPolicy::parse("EASY/PLACE=FIRST").is_none());
    /// ```
    pub fn parse(name: &str) -> Option<BatchPolicy> {
        let mut parts = parts(name);
        // Conservative backfilling has another name in the literature.
        let base = match parts.next()? {
            "CBF" => "CONS",
            "CBF-REPLAN" => "CONS/REPLAN",
            base => base,
        };
        let discipline = Discipline::ALL.into_iter().find(|discipline| discipline.in_words().0 == base)?;
        let mut policy = BatchPolicy::from(discipline);
        for part in parts {
            let before = policy;
            match (part.split_once('='), policy.discipline) {
                (None, Discipline::Easy) if part == "SPARE" => policy.discipline = Discipline::Spare,
                (None, Discipline::Conservative(Compression::OneByOne)) if part == "REPLAN" => {
                    policy.discipline = Discipline::Conservative(Compression::Replan);
                }
                (Some(("ORDER", name)), _) if policy.order == QueueOrder::default() => {
                    policy.order = name.parse().ok()?;
                }
                (Some(("FILL", name)), Discipline::Easy | Discipline::Spare) if policy.fill.is_none() => {
                    policy.fill = Some(name.parse().ok()?);
                }
                (Some(("PLACE", name)), _) if policy.place == Place::default() => {
                    policy.place = name.parse().ok()?;
                }
                (Some(("NODES", name)), _) if policy.nodes == discipline.node_use() => {
                    policy.nodes = name.parse().ok()?;
                }
                _ => return None,
            }
            // What is the default is not said.
            if policy == before {
                return None;
            }
        }
        Some(policy).filter(|policy| policy.fill != Some(policy.order))
    }

    /// Checks the formulas in a name.
    ///
    /// # Errors
    /// What is wrong with the first that is none.
    pub fn check_formulas(name: &str) -> Result<(), PolicyError> {
        let fault = parts(name).find_map(|part| {
            let order = part.strip_prefix("ORDER=").or_else(|| part.strip_prefix("FILL="))?;
            QueueOrder::parse(order).err()
        });
        fault.map_or(Ok(()), |fault| Err(PolicyError::Formula { name: name.to_owned(), fault }))
    }

    /// All of them without formulas of users, and without another order behind the head.
    pub fn all() -> impl Iterator<Item = BatchPolicy> {
        let ordered = Discipline::ALL
            .into_iter()
            .flat_map(|it| QueueOrder::all().map(move |order| BatchPolicy { order, ..it.into() }));
        let placed =
            ordered.flat_map(|policy| Place::ALL.iter().map(move |&place| BatchPolicy { place, ..policy }));
        placed.flat_map(|policy| NodeUse::ALL.iter().map(move |&nodes| BatchPolicy { nodes, ..policy }))
    }

    /// The same policy with each other order that has a name for the jobs behind the head.
    pub fn filled(self) -> impl Iterator<Item = BatchPolicy> {
        QueueOrder::all()
            .filter(move |fill| *fill != self.order)
            .map(move |fill| BatchPolicy { fill: Some(fill), ..self })
    }

    /// A description, in one line.
    pub fn description(self) -> String {
        let mut parts = vec![self.discipline.in_words().1.to_owned(), self.order.description()];
        parts.extend(self.fill.map(|fill| format!("behind its head {}", fill.description())));
        parts.extend((self.place != Place::First).then(|| self.place.description().to_owned()));
        parts.extend((self.nodes != NodeUse::Whole).then(|| self.nodes.description().to_owned()));
        parts.join("; ")
    }
}

impl FromStr for BatchPolicy {
    type Err = PolicyError;
    fn from_str(name: &str) -> Result<Self, Self::Err> {
        BatchPolicy::check_formulas(name)?;
        let known = Discipline::ALL.map(|discipline| discipline.in_words().0);
        Ok(BatchPolicy::parse(name).ok_or_else(|| UnknownName::new("batch policy", name, known))?)
    }
}

/// The parts of a name, between slashes that are not in quotes.
fn parts(name: &str) -> impl Iterator<Item = &str> {
    let mut is_quoted = false;
    name.split(move |letter| {
        is_quoted ^= letter == '\'';
        letter == '/' && !is_quoted
    })
}

impl fmt::Display for BatchPolicy {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.discipline.in_words().0)?;
        if self.order != QueueOrder::default() {
            write!(f, "/ORDER={}", self.order)?;
        }
        if let Some(fill) = self.fill {
            write!(f, "/FILL={fill}")?;
        }
        if self.place != Place::default() {
            write!(f, "/PLACE={}", self.place)?;
        }
        if self.nodes != self.discipline.node_use() {
            write!(f, "/NODES={}", self.nodes)?;
        }
        Ok(())
    }
}
