//! Batch policies as data, and their names.

use super::{
    BatchScheduler, Compression, Conservative, Easy, EasySpare, Fcfs, NodeUse, PackedScheduler, Place,
    Planner, PriorityScheduler, QueueOrder, Rule, WithOutages,
};
use dfrsim_cluster::Scheduler;
use dfrsim_model::priority::Priorities;
use std::fmt;
use std::sync::Arc;

/// The rules by which jobs start.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Discipline {
    /// First come, first served, in the given order of the queue.
    Fcfs(QueueOrder),
    /// Aggressive backfilling, in the given order of the queue.
    Easy(QueueOrder),
    /// Backfilling into nodes that the reservation leaves spare, as the dissertation's author has EASY in his simulator.
    Spare,
    /// Conservative backfilling.
    Conservative(Compression),
}

impl Discipline {
    /// All of them, in the order in which people know them.
    pub(crate) fn all() -> impl Iterator<Item = Discipline> {
        let fcfs = QueueOrder::ALL.into_iter().map(Discipline::Fcfs);
        let easy = QueueOrder::ALL.into_iter().map(Discipline::Easy);
        let conservative = [Compression::OneByOne, Compression::Replan].map(Discipline::Conservative);
        fcfs.chain(easy).chain([Discipline::Spare]).chain(conservative)
    }

    fn description(self) -> String {
        match self {
            Discipline::Fcfs(order) => {
                format!("the head of the queue starts when its nodes are free; {}", order.description())
            }
            Discipline::Easy(order) => format!(
                "one reservation, for the head of the queue; others backfill around it; {}",
                order.description()
            ),
            Discipline::Spare => "a reservation of certain nodes, for the head of the queue; others start on the nodes that it leaves, by arrival".into(),
            Discipline::Conservative(Compression::OneByOne) => {
                "a reservation for every job; an early end moves them up one by one, never later".into()
            }
            Discipline::Conservative(Compression::Replan) => {
                "a reservation for every job; an early end plans the whole queue again".into()
            }
        }
    }
}

impl fmt::Display for Discipline {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (base, order) = match self {
            Discipline::Fcfs(order) => ("FCFS", *order),
            Discipline::Easy(order) => ("EASY", *order),
            Discipline::Spare => ("EASY/SPARE", QueueOrder::Arrival),
            Discipline::Conservative(Compression::OneByOne) => ("CONS", QueueOrder::Arrival),
            Discipline::Conservative(Compression::Replan) => ("CONS/REPLAN", QueueOrder::Arrival),
        };
        match order {
            QueueOrder::Arrival => f.write_str(base),
            order => write!(f, "{base}/ORDER={}", order.name()),
        }
    }
}

/// A batch policy: which job starts when, and where.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct BatchPolicy {
    /// When jobs start.
    pub discipline: Discipline,
    /// Which of the free nodes they get.
    pub place: Place,
    /// What of them they have to themselves; other than [`NodeUse::Whole`] only with FCFS and EASY, and [`Place::First`].
    pub nodes: NodeUse,
}

impl From<Discipline> for BatchPolicy {
    fn from(discipline: Discipline) -> BatchPolicy {
        BatchPolicy { discipline, place: Place::default(), nodes: NodeUse::default() }
    }
}

impl BatchPolicy {
    /// The policy of a name.
    pub(crate) fn parse(name: &str) -> Option<BatchPolicy> {
        Discipline::all().find_map(|discipline| BatchPolicy::from(discipline).with_parts(name))
    }

    /// The same policy with the parts that a name has behind that of its discipline.
    fn with_parts(self, name: &str) -> Option<BatchPolicy> {
        let parts = name.strip_prefix(&self.discipline.to_string())?;
        self.variants().find(|policy| policy.parts() == parts)
    }

    /// The same policy with any parts.
    pub(crate) fn variants(self) -> impl Iterator<Item = BatchPolicy> {
        let is_packed = |nodes: &NodeUse| *nodes != NodeUse::Whole;
        let can_pack = matches!(self.discipline, Discipline::Fcfs(_) | Discipline::Easy(_));
        let packed = NodeUse::ALL.into_iter().filter(move |nodes| can_pack && is_packed(nodes));
        let placed = Place::ALL.into_iter().map(move |place| BatchPolicy { place, ..self });
        placed.chain(packed.map(move |nodes| BatchPolicy { nodes, ..self }))
    }

    /// Whether several tasks can be on a node.
    pub(crate) fn is_packed(self) -> bool {
        self.nodes != NodeUse::Whole
    }

    fn parts(self) -> String {
        let place = match self.place {
            Place::First => String::new(),
            place => format!("/PLACE={}", place.name()),
        };
        let nodes = match self.nodes {
            NodeUse::Whole => String::new(),
            nodes => format!("/NODES={}", nodes.name()),
        };
        place + &nodes
    }

    /// A scheduler in its first state, for a cluster of this many nodes.
    pub(crate) fn scheduler(self, nodes: u32) -> Box<dyn Scheduler> {
        if self.is_packed() {
            return Box::new(PackedScheduler::new(self));
        }
        match self.discipline {
            Discipline::Fcfs(order) => self.with_planner(Fcfs::new(nodes, order), nodes),
            Discipline::Easy(order) => self.with_planner(Easy::new(nodes, order), nodes),
            Discipline::Spare => self.with_planner(EasySpare::new(nodes), nodes),
            Discipline::Conservative(compression) => {
                self.with_planner(Conservative::new(nodes, compression), nodes)
            }
        }
    }

    fn with_planner(self, planner: impl Planner + 'static, nodes: u32) -> Box<dyn Scheduler> {
        Box::new(WithOutages::new(BatchScheduler::new(planner, nodes, self.place), self))
    }

    /// The rule by which a site's priorities are followed, if that is possible.
    fn rule(self) -> Option<Rule> {
        match self.discipline {
            _ if self.is_packed() => None,
            Discipline::Fcfs(QueueOrder::Arrival) => Some(Rule::Fcfs),
            Discipline::Easy(QueueOrder::Arrival) => Some(Rule::Easy),
            Discipline::Conservative(_) => Some(Rule::Conservative),
            Discipline::Fcfs(_) | Discipline::Easy(_) | Discipline::Spare => None,
        }
    }

    pub(crate) fn knows_priorities(self) -> bool {
        self.rule().is_some()
    }

    /// A scheduler that orders jobs by priority.
    pub(crate) fn scheduler_by_priority(
        self,
        nodes: u32,
        settings: &Arc<Priorities>,
    ) -> Option<Box<dyn Scheduler>> {
        let scheduler = PriorityScheduler::new(Arc::clone(settings), self.rule()?, nodes, self.place);
        Some(Box::new(scheduler))
    }

    /// A description, in one line.
    pub(crate) fn description(self) -> String {
        let when = self.discipline.description();
        match (self.place, self.nodes) {
            (Place::First, NodeUse::Whole) => when,
            (place, NodeUse::Whole) => format!("{when}; on {}", place.description()),
            (_, nodes) => format!("{when}; {}", nodes.description()),
        }
    }
}

impl fmt::Display for BatchPolicy {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}{}", self.discipline, self.parts())
    }
}
