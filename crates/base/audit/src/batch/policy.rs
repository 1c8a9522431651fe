//! Batch policies, and their names.

use dfrsim_model::formula::Formula;
use std::fmt;

dfrsim_model::named! {
    /// Which waiting job is first; ties by submission.
    #[derive(Default)]
    pub enum Order as "order of the queue" {
        /// The one that came first.
        #[default]
        Arrival = "ARRIVAL",
        /// The shortest by estimate.
        Sjf = "SJF",
        /// The longest by estimate.
        Ljf = "LJF",
        /// The smallest estimate * tasks.
        Saf = "SAF",
        /// The largest (wait / estimate)^3 * tasks, which changes with time, in double precision (Tang et al. 2009).
        Wfp3 = "WFP3",
        /// The smallest (wait + estimate) / estimate, in double precision as all that follow (Legrand et al. 2019).
        Sexp = "SEXP",
        /// The largest wait / (log2(tasks) * estimate), where 1e-11 is added to the wait and to the tasks (Zhang et al. 2020).
        Unicef = "UNICEF" | "UNICEP",
        /// The smallest log10(estimate) * tasks + 870 * log10(submit), where 0.1 s is the least time of submission here and below
        /// (Carastan-Santos and de Camargo 2017).
        F1 = "F1",
        /// The smallest sqrt(estimate) * tasks + 25600 * log10(submit).
        F2 = "F2",
        /// The smallest estimate * tasks + 6860000 * log10(submit).
        F3 = "F3",
        /// The smallest estimate * sqrt(tasks) + 530000 * log10(submit).
        F4 = "F4",
    }
}

dfrsim_model::named! {
    /// How many of the waiting jobs have a reservation.
    #[derive(Default)]
    pub enum Depth as "batch policy" {
        /// None: the head of the queue starts as soon as it has room, and no other job before it.
        #[default]
        Fcfs = "FCFS",
        /// The head of the queue; each other job, in the order of the queue, starts now if it delays that by no moment.
        Easy = "EASY",
        /// The head of the queue, of certain nodes that it keeps; the other jobs start on those that it leaves.
        Spare = "EASY/SPARE",
        /// All; when a job ends early, each moves up if it can.
        Conservative = "CONS" | "CBF",
        /// All; when a job ends early, all reservations are made again in the order of the queue.
        Replan = "CONS/REPLAN" | "CBF-REPLAN" | "CBF/REPLAN",
        /// Those that backfilling tries, of whole nodes, behind a main scheduler that starts jobs in strict order; each looks at times of its own.
        Slurm = "SLURM",
    }
}

dfrsim_model::named! {
    /// Which of the nodes with room a job gets that starts under a batch policy. A run is nodes with room whose numbers follow each other.
    #[derive(Default)]
    pub enum Placing as "rule for nodes" {
        /// The lowest ones.
        #[default]
        First = "FIRST",
        /// The lowest run that is long enough; if there is none, the lowest nodes.
        Contiguous = "CONTIGUOUS",
        /// The shortest run that is long enough; while there is none, all of the longest, and the same for the rest. The lowest of runs of
        /// the same length.
        Best = "BEST",
    }
}

dfrsim_model::named! {
    /// How many tasks a node has under a batch policy.
    #[derive(Default)]
    pub enum Packing as "use of nodes" {
        /// One.
        #[default]
        Whole = "WHOLE",
        /// As many of any jobs as its cores, its memory and its other resources allow.
        Shared = "SHARED",
        /// The same, of one job.
        Exclusive = "EXCLUSIVE",
    }
}

/// A batch policy whose rules can be checked.
///
/// ```
/// use dfrsim_audit::batch::BatchPolicy;
/// let policy = BatchPolicy::parse("CBF/NODES=SHARED/ORDER=SJF").unwrap();
/// assert_eq!(policy.to_string(), "CONS/ORDER=SJF/NODES=SHARED");
/// assert!(BatchPolicy::parse("FCFS/ORDER='wait / width'/PLACE=BEST").unwrap().formula.is_some());
/// assert!(BatchPolicy::parse("EASY/PLACE=BEST/FILL='wait / width'").unwrap().fill.is_some());
/// assert!(BatchPolicy::parse("CONS/SPARE").is_none() && BatchPolicy::parse("EASY/PLACE=FIRST").is_none());
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct BatchPolicy {
    /// Which jobs have reservations.
    pub depth: Depth,
    /// The order of the queue, behind priorities where there are any.
    pub order: Order,
    /// A formula of which the smallest value is first, in place of that order.
    pub formula: Option<Formula>,
    /// The order and formula by which jobs behind the head are tried, if by others.
    pub fill: Option<(Order, Option<Formula>)>,
    /// Which nodes a job gets.
    pub placing: Placing,
    /// How many tasks they have.
    pub packing: Packing,
}

impl Depth {
    /// How many tasks a node has if the name of a policy does not say it.
    fn packing(self) -> Packing {
        if self == Depth::Slurm { Packing::Shared } else { Packing::Whole }
    }
}

/// An order, and the formula in its place if there is one.
type ByOrder = (Order, Option<Formula>);

fn by_order_of(name: &str) -> Option<ByOrder> {
    match name.strip_prefix('\'').and_then(|name| name.strip_suffix('\'')) {
        Some(formula) => Some((Order::default(), Some(Formula::parse(formula).ok()?))),
        None => Some((name.parse().ok()?, None)),
    }
}

/// What a part of a name says, which must be something else than what is usual without that part.
fn other_than<T: PartialEq>(usual: T, part: Option<&str>, read: impl Fn(&str) -> Option<T>) -> Option<T> {
    match part {
        Some(part) => read(part).filter(|said| *said != usual),
        None => Some(usual),
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

impl BatchPolicy {
    /// Whether jobs are in the order of submission where there are no priorities.
    pub(super) fn is_by_arrival(&self) -> bool {
        self.order == Order::Arrival && self.formula.is_none() && self.fill.is_none()
    }

    /// Whether the order of two jobs can change while they wait.
    pub(super) fn depends_on_time(&self) -> bool {
        let is_by_wait = matches!(self.order, Order::Wfp3 | Order::Sexp | Order::Unicef);
        self.formula.map_or(is_by_wait, Formula::depends_on_time)
    }

    /// The policy of a name, whose parts may be in any order.
    pub fn parse(name: &str) -> Option<BatchPolicy> {
        let mut parts = parts(name);
        let mut depth = parts.next()?.to_owned();
        let (mut order, mut fill, mut placing, mut packing) = (None, None, None, None);
        for part in parts {
            let earlier = match part.split_once('=') {
                Some(("ORDER", value)) => order.replace(value),
                Some(("FILL", value)) => fill.replace(value),
                Some(("PLACE", value)) => placing.replace(value),
                Some(("NODES", value)) => packing.replace(value),
                _ => {
                    depth = format!("{depth}/{part}");
                    None
                }
            };
            if earlier.is_some() {
                return None;
            }
        }
        let depth: Depth = depth.parse().ok()?;
        let by_order = other_than(ByOrder::default(), order, by_order_of)?;
        let has_head = matches!(depth, Depth::Easy | Depth::Spare);
        let fill = match fill {
            Some(fill) => Some(by_order_of(fill).filter(|fill| has_head && *fill != by_order)?),
            None => None,
        };
        Some(BatchPolicy {
            depth,
            order: by_order.0,
            formula: by_order.1,
            fill,
            placing: other_than(Placing::default(), placing, |name| name.parse().ok())?,
            packing: other_than(depth.packing(), packing, |name| name.parse().ok())?,
        })
    }

    /// All batch policies but those with formulas, or with another order behind the head.
    pub fn all() -> impl Iterator<Item = BatchPolicy> {
        let depths = Depth::ALL.iter().flat_map(|depth| Order::ALL.iter().map(move |order| (depth, order)));
        let placed = depths.flat_map(|it| Placing::ALL.iter().map(move |placing| (it, placing)));
        placed.flat_map(|((&depth, &order), &placing)| {
            let usual = BatchPolicy { depth, order, placing, ..BatchPolicy::default() };
            Packing::ALL.iter().map(move |&packing| BatchPolicy { packing, ..usual })
        })
    }
}

impl fmt::Display for BatchPolicy {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.depth)?;
        let parts = [
            (self.order != Order::default()).then(|| format!("/ORDER={}", self.order)),
            self.formula.map(|formula| format!("/ORDER='{formula}'")),
            self.fill.map(|(order, formula)| match formula {
                Some(formula) => format!("/FILL='{formula}'"),
                None => format!("/FILL={order}"),
            }),
            (self.placing != Placing::default()).then(|| format!("/PLACE={}", self.placing)),
            (self.packing != self.depth.packing()).then(|| format!("/NODES={}", self.packing)),
        ];
        parts.iter().flatten().try_for_each(|part| f.write_str(part))
    }
}
