//! Batch policies, and their names.

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
        Conservative = "CONS",
        /// All; when a job ends early, all reservations are made again in the order of the queue.
        Replan = "CONS/REPLAN",
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
/// assert!(BatchPolicy::parse("CONS/SPARE").is_none() && BatchPolicy::parse("EASY/PLACE=FIRST").is_none());
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct BatchPolicy {
    /// Which jobs have reservations.
    pub depth: Depth,
    /// The order of the queue, behind priorities where there are any.
    pub order: Order,
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

impl BatchPolicy {
    /// The policy of a name, whose parts may be in any order.
    #[must_use]
    pub fn parse(name: &str) -> Option<BatchPolicy> {
        let parts = |name: &str| {
            let mut parts: Vec<String> = name.split('/').map(str::to_owned).collect();
            parts[1..].sort_unstable();
            parts
        };
        // Conservative backfilling has another name in the literature.
        let usual = name.replacen("CBF-REPLAN", "CONS/REPLAN", 1).replacen("CBF", "CONS", 1);
        BatchPolicy::all().find(|policy| parts(&policy.to_string()) == parts(&usual))
    }

    /// All batch policies.
    pub fn all() -> impl Iterator<Item = BatchPolicy> {
        let depths = Depth::ALL.iter().flat_map(|depth| Order::ALL.iter().map(move |order| (depth, order)));
        let placed = depths.flat_map(|it| Placing::ALL.iter().map(move |placing| (it, placing)));
        placed.flat_map(|((&depth, &order), &placing)| {
            Packing::ALL.iter().map(move |&packing| BatchPolicy { depth, order, placing, packing })
        })
    }
}

impl fmt::Display for BatchPolicy {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.depth)?;
        let parts = [
            (self.order != Order::default()).then(|| format!("/ORDER={}", self.order)),
            (self.placing != Placing::default()).then(|| format!("/PLACE={}", self.placing)),
            (self.packing != self.depth.packing()).then(|| format!("/NODES={}", self.packing)),
        ];
        parts.iter().flatten().try_for_each(|part| f.write_str(part))
    }
}
