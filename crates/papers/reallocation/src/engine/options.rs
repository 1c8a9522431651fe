//! What the meta-scheduler does.

use dfrsim_model::named;
use dfrsim_model::{Seed, SimSpan};

named! {
    /// Where an arriving job goes. Clusters that are narrower than the job are never asked; ties go to the first cluster.
    #[derive(Default)]
    pub enum Mapping as "mapping" {
        /// Where it is expected to complete first.
        #[default]
        MinimumCompletionTime = "mct",
        /// Anywhere.
        Random = "random",
        /// The cluster after the one that was chosen last.
        RoundRobin = "round-robin",
        /// Where the fewest jobs wait.
        QueueLength = "queue-length",
        /// Where the least work is left: walltimes still to come times cores, of running and waiting jobs, for each core.
        LeastWorkLeft = "least-work-left",
        /// The one with the fastest cores.
        Fastest = "fastest",
        /// That of the site which the job is from, whose users submit it there; if that cannot run it or is down, where it is expected to
        /// complete first.
        Home = "home",
    }
}

named! {
    /// How the completion of an arriving job on a cluster is estimated when it is mapped.
    #[derive(Default)]
    pub enum Estimate as "estimate" {
        /// By the plan of the cluster.
        #[default]
        Plan = "plan",
        /// As if the job started when the first of its cores is free, behind all that wait: too early for wide jobs. So does Simbatch's
        /// example. Clusters that do not serve their queue in turn have one start for all cores of a job, and that is meant there.
        FirstCore = "first-core",
    }
}

named! {
    /// When it is decided where a job goes.
    #[derive(Default)]
    pub enum Mapped as "moment" {
        /// When it arrives.
        #[default]
        AtArrival = "at-arrival",
        /// When the job before it has been submitted, as Simbatch's example does; if none of its clusters can take it any more when it
        /// arrives, then.
        AtPrevious = "at-previous",
    }
}

named! {
    /// How waiting jobs are reallocated (RR-7226, section 2.2.1).
    pub enum Algorithm as "reallocation algorithm" {
        /// Algorithm 1: a job moves to another cluster if it gains more than the threshold there.
        Without = "without",
        /// Algorithm 2, with cancellation: all waiting jobs are cancelled, then submitted again one by one.
        With = "with",
    }
}

named! {
    /// Which job is examined next (RR-7226, section 2.2.2). Ties go to the job that was submitted first.
    pub enum Heuristic as "heuristic" {
        /// In the order of submission.
        Mct = "mct",
        /// Least completion time first.
        MinMin = "minmin",
        /// Largest completion time first.
        MaxMin = "maxmin",
        /// Largest gain first: completion time on its current cluster less the one on the new cluster.
        MaxGain = "maxgain",
        /// Largest gain for each core first.
        MaxRelGain = "maxrelgain",
        /// Largest difference between the second best and the best cluster first; without a second it is infinite.
        Sufferage = "sufferage",
    }
}

/// Periodic reallocation of waiting jobs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Reallocation {
    /// How.
    pub algorithm: Algorithm,
    /// In which order.
    pub heuristic: Heuristic,
    /// How often; for the first time one period after the first submission.
    pub period: SimSpan,
    /// What a job must gain more than to be moved by algorithm 1.
    pub threshold: SimSpan,
}

impl Reallocation {
    /// Every hour, for more than a minute, as published.
    pub const fn hourly(algorithm: Algorithm, heuristic: Heuristic) -> Reallocation {
        Reallocation {
            algorithm,
            heuristic,
            period: SimSpan::from_secs(3_600),
            threshold: SimSpan::from_secs(60),
        }
    }
    /// A job moves only if it gains more than this; `None` with cancellation, which guarantees no gain.
    pub const fn moves_for_more_than(&self) -> Option<SimSpan> {
        match self.algorithm {
            Algorithm::Without => Some(self.threshold),
            Algorithm::With => None,
        }
    }
}

/// How long the data of a job take to another cluster than the one to which it was submitted first, which has them. The job needs
/// its cores there for that time, before it runs: its walltime is longer by as much.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Transfer {
    /// For each job.
    pub fixed: SimSpan,
    /// For each of its cores, on top of that.
    pub per_core: SimSpan,
}

impl Transfer {
    /// Whether data take no time.
    #[must_use]
    pub const fn is_zero(self) -> bool {
        self.fixed.is_zero() && self.per_core.is_zero()
    }
    /// For a job of this width.
    #[must_use]
    pub const fn of_width(self, width: u32) -> SimSpan {
        let cores = self.per_core.micros().saturating_mul(width as u64);
        SimSpan::from_micros(self.fixed.micros().saturating_add(cores))
    }
}

/// What the meta-scheduler does, and how.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Options {
    /// Where arriving jobs go.
    pub mapping: Mapping,
    /// By which completion times [`Mapping::MinimumCompletionTime`] goes.
    pub estimate: Estimate,
    /// When it is decided where they go.
    pub mapped: Mapped,
    /// To how many clusters each goes; once it starts on one it is cancelled on the others (Sonmez et al. 2009). With
    /// more than one they are those that a mapping by completion time would choose first to last, or the next ones
    /// after the choice of the mapping.
    pub copies: usize,
    /// Whether and how waiting jobs move.
    pub reallocation: Option<Reallocation>,
    /// The extra time to run elsewhere than where the data are.
    pub transfer: Transfer,
    /// How often clusters publish their states, for the first time one period after the first submission; besides these
    /// the meta-scheduler knows only its own decisions. `None`: it always asks.
    ///
    /// It then works on the plan that was published. A job that it submits takes the place that it finds there, and one that it
    /// cancels gives its place back. What it does not know is that jobs have ended before their walltimes, that others have moved up, and
    /// that local jobs have come. Which jobs still wait it sees, and failures too.
    ///
    /// M. Dahlin, *Interpreting Stale Load Information*, IEEE TPDS 11(10), 2000, calls this the periodic update model.
    pub publication_period: Option<SimSpan>,
    /// Whether jobs that fit on no cluster are left out and counted, instead of being an error.
    pub skip_too_wide: bool,
    /// For the random mapping.
    pub seed: Seed,
}

impl Default for Options {
    /// Minimum completion time, one cluster, no reallocation.
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
