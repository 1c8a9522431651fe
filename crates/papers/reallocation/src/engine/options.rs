//! Options of the meta-scheduler.

use dfrsim_model::named;
use dfrsim_model::{Seed, SimSpan};

named! {
    /// Rule for mapping an arriving job to a cluster. Clusters smaller than the job are never
    /// considered; ties go to the first cluster.
    #[derive(Default)]
    pub enum Mapping as "mapping" {
        /// The cluster with the earliest expected completion.
        #[default]
        MinimumCompletionTime = "mct",
        /// A random cluster.
        Random = "random",
        /// The cluster after the one that was chosen last.
        RoundRobin = "round-robin",
        /// The cluster with the fewest waiting jobs.
        QueueLength = "queue-length",
        /// The cluster with the least work left per core: remaining walltimes times cores, of
        /// running and waiting jobs.
        LeastWorkLeft = "least-work-left",
        /// The cluster with the fastest cores.
        Fastest = "fastest",
        /// The cluster of the job's site of origin; if that cannot run it or is down, the one with
        /// the earliest expected completion.
        Home = "home",
    }
}

named! {
    /// Estimate of an arriving job's completion on a cluster, used for mapping.
    #[derive(Default)]
    pub enum Estimate as "estimate" {
        /// The prediction by the plan of the cluster.
        #[default]
        Plan = "plan",
        /// Completion as if the job started when its first core becomes free after all waiting jobs;
        /// too early for large jobs. Simbatch's example does so. Clusters that do not serve their
        /// queue in order predict one start for all cores of a job, which is used for them.
        FirstCore = "first-core",
    }
}

named! {
    /// Time at which the cluster of a job is chosen.
    #[derive(Default)]
    pub enum Mapped as "moment" {
        /// The arrival of the job.
        #[default]
        AtArrival = "at-arrival",
        /// The submission of the previous job, as in Simbatch's example; the arrival, if none of the
        /// clusters chosen then can take the job any more.
        AtPrevious = "at-previous",
    }
}

named! {
    /// Algorithm for the reallocation of waiting jobs (RR-7226, section 2.2.1).
    pub enum Algorithm as "reallocation algorithm" {
        /// Algorithm 1: a job moves to another cluster if it gains more than the threshold there.
        Without = "without",
        /// Algorithm 2, with cancellation: all waiting jobs are cancelled, then submitted again one by one.
        With = "with",
    }
}

named! {
    /// Order in which jobs are examined (RR-7226, section 2.2.2). Ties go to the job that was
    /// submitted first.
    pub enum Heuristic as "heuristic" {
        /// Order of submission.
        Mct = "mct",
        /// Smallest completion time first.
        MinMin = "minmin",
        /// Largest completion time first.
        MaxMin = "maxmin",
        /// Largest gain first: completion time on the current cluster minus the one on the new
        /// cluster.
        MaxGain = "maxgain",
        /// Largest gain per core first.
        MaxRelGain = "maxrelgain",
        /// Largest difference between the second best and the best cluster first; infinite if there
        /// is no second.
        Sufferage = "sufferage",
    }
}

/// Periodic reallocation of waiting jobs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Reallocation {
    /// Algorithm of the reallocation.
    pub algorithm: Algorithm,
    /// Order in which jobs are examined.
    pub heuristic: Heuristic,
    /// Period; the first reallocation is one period after the first submission.
    pub period: SimSpan,
    /// Smallest gain: algorithm 1 moves a job only if it gains more than this.
    pub threshold: SimSpan,
}

impl Reallocation {
    /// Creates the published setting: every hour, for a gain of more than a minute.
    pub const fn hourly(algorithm: Algorithm, heuristic: Heuristic) -> Reallocation {
        Reallocation {
            algorithm,
            heuristic,
            period: SimSpan::from_secs(3_600),
            threshold: SimSpan::from_secs(60),
        }
    }
    /// Returns the gain that a move must exceed; `None` with cancellation, which guarantees no gain.
    pub const fn moves_for_more_than(&self) -> Option<SimSpan> {
        match self.algorithm {
            Algorithm::Without => Some(self.threshold),
            Algorithm::With => None,
        }
    }
}

/// Time for transferring the data of a job to another cluster than the one to which it was submitted
/// first, which has them. The job occupies its cores there during the transfer, before it runs, and
/// its walltime is extended accordingly.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Transfer {
    /// Time per job.
    pub fixed: SimSpan,
    /// Additional time per core of the job.
    pub per_core: SimSpan,
}

impl Transfer {
    /// Returns whether transfers take no time.
    #[must_use]
    pub const fn is_zero(self) -> bool {
        self.fixed.is_zero() && self.per_core.is_zero()
    }
    /// Returns the time for a job with this number of cores.
    #[must_use]
    pub const fn of_width(self, width: u32) -> SimSpan {
        let cores = self.per_core.micros().saturating_mul(width as u64);
        SimSpan::from_micros(self.fixed.micros().saturating_add(cores))
    }
}

/// Options of the meta-scheduler.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Options {
    /// Rule for mapping arriving jobs.
    pub mapping: Mapping,
    /// Completion times used by [`Mapping::MinimumCompletionTime`].
    pub estimate: Estimate,
    /// Time at which the mapping is decided.
    pub mapped: Mapped,
    /// Number of clusters to which each job is submitted; once it starts on one it is cancelled on
    /// the others (Sonmez et al. 2009). With more than one, they are the first ones in the order of
    /// completion times for a mapping by completion time, or else the choice of the mapping and the
    /// clusters after it.
    pub copies: usize,
    /// Reallocation of waiting jobs, if any.
    pub reallocation: Option<Reallocation>,
    /// Additional time to run on a cluster that does not have the data.
    pub transfer: Transfer,
    /// Period after which clusters publish their states; the first time is one period after the
    /// first submission. Apart from these states the meta-scheduler only knows its own decisions.
    /// `None`: it always uses the present state.
    ///
    /// The meta-scheduler works on the published plan. It enters the jobs that it submits and
    /// removes those that it cancels. It does not know about early terminations, jobs that have
    /// moved up in the plan, and arrivals of local jobs. It does see which jobs still wait, and
    /// failures.
    ///
    /// M. Dahlin, *Interpreting Stale Load Information*, IEEE TPDS 11(10), 2000, calls this the
    /// periodic update model.
    pub publication_period: Option<SimSpan>,
    /// True if jobs that fit on no cluster are skipped and counted, instead of being an error.
    pub skip_too_wide: bool,
    /// Seed of the random mapping.
    pub seed: Seed,
}

impl Default for Options {
    /// Creates the default options: minimum completion time, one cluster per job, no reallocation.
    fn default() -> Options {
        Options {
            mapping: Mapping::default(),
            estimate: Estimate::default(),
            mapped: Mapped::default(),
            copies: 1,
            reallocation: None,
            transfer: Transfer::default(),
            publication_period: None,
            skip_too_wide: false,
            seed: Seed::new(1),
        }
    }
}
