//! Parameters that the names of fractional policies do not determine: numbers, and interpretations
//! of points that the dissertation leaves open.
//!
//! The author's own simulator (vcsim, M. Stillwell, 2010, `results/scripts/sim.py`) settles each of
//! these points in one way, which is not always that of the text. Where the text is explicit, it is
//! the default.

use super::McbOptions;
use dfrsim_model::{SimSpan, named};

named! {
    /// Rule for the priority of a job. The priority is infinite at virtual time 0, and ties go to
    /// the earlier submission.
    ///
    /// Where jobs have weights, virtual time counts as (virtual time) / weight, as in weighted fair
    /// queueing: jobs of the same age that had yields in proportion to their weights have the same
    /// priority, and flow time / virtual time becomes the weighted stretch.
    #[derive(Default)]
    pub enum PriorityRule as "priority" {
        /// Flow time / (virtual time)^2, so that the priority of paused jobs increases again.
        #[default]
        FlowOverVirtualSquared = "flow-over-virtual-squared",
        /// Flow time / virtual time, that is, the stretch so far; according to the text, it leads to
        /// significantly poorer results.
        FlowOverVirtual = "flow-over-virtual",
        /// 1 / virtual time.
        InverseVirtual = "inverse-virtual",
    }
}

named! {
    /// Events to which `*` reacts.
    #[derive(Default)]
    pub enum Opportunism as "reaction of `*`" {
        /// Completions, according to the text (section 5.2.4): waiting and paused jobs are tried by
        /// Greedy when a job completes, before the jobs that arrive at the same time.
        #[default]
        Completions = "completions",
        /// Every event, after all its other effects, so that jobs that a tick has just dropped are
        /// tried, too. Only jobs that have been paused for another at the same time are not tried.
        /// Behaviour of the author's program.
        EveryEvent = "every-event",
    }
}

named! {
    /// Time at which GreedyP and GreedyPM restore victims (un-mark jobs). In the text they are
    /// un-marked before the new job is placed, but this refers to the test for whether it can be
    /// started; the order relative to its placement is left open.
    #[derive(Default)]
    pub enum Unmarking as "order of un-marking" {
        /// Before the new job has its nodes: a victim is restored if the new job can then still be
        /// started.
        #[default]
        BeforePlacing = "before-placing",
        /// After the new job is placed with all victims removed: a victim is restored if its memory
        /// is free on its old nodes. Jobs that arrive at the same time are placed in turn, each
        /// followed by this step, and jobs that GreedyPM moves are placed after all of them.
        /// Behaviour of the author's program.
        AfterPlacing = "after-placing",
    }
}

named! {
    /// Yields of `/stretch-per` between ticks. The text (section 5.2.6) mentions ticks only.
    #[derive(Default)]
    pub enum StretchYields as "yields of `/stretch-per`" {
        /// Yields are held until the next tick.
        #[default]
        Held = "held",
        /// Yields are recomputed at each event, for the time left until the next tick. Behaviour of
        /// the author's program.
        Recomputed = "recomputed",
    }
}

named! {
    /// Origin of the grid of ticks. The text does not define it.
    #[derive(Default)]
    pub enum TickOrigin as "origin of ticks" {
        /// The first tick is one period after the first submission.
        #[default]
        FirstSubmission = "first-submission",
        /// Time 0 of the log or trace is a tick. Behaviour of the author's program.
        Zero = "zero",
    }
}

named! {
    /// Treatment of jobs that arrive exactly at a tick. The text does not define it.
    #[derive(Default)]
    pub enum ArrivalsAtTicks as "treatment of arrivals at ticks" {
        /// The jobs are admitted, then the tick maps all jobs.
        #[default]
        Admitted = "admitted",
        /// Only the tick maps the jobs. Behaviour of the author's program.
        LeftToTick = "left-to-tick",
    }
}

/// Interpretation of all points that the dissertation leaves open, except those of MCB, which are in
/// [`McbOptions`](super::McbOptions).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Readings {
    /// Events to which `*` reacts.
    pub opportunism: Opportunism,
    /// Time at which GreedyP and GreedyPM restore victims.
    pub unmarking: Unmarking,
    /// Yields of `/stretch-per` between ticks.
    pub stretch_yields: StretchYields,
    /// Origin of the grid of ticks.
    pub tick_origin: TickOrigin,
    /// Treatment of jobs that arrive exactly at a tick.
    pub arrivals_at_ticks: ArrivalsAtTicks,
    /// Step of a coarse clock, with which jobs complete and priorities are computed in whole
    /// milliseconds. It only affects priorities here; completions are rounded by the cluster
    /// ([`dfrsim_cluster::Options::clock`]).
    pub clock: Option<SimSpan>,
}

/// Parameters of a fractional policy that its name does not determine.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct FractionalOptions {
    /// Time between ticks.
    pub period: SimSpan,
    /// Packing and search of MCB.
    pub mcb: McbOptions,
    /// Rule for the priorities of jobs.
    pub priority: PriorityRule,
    /// Interpretations of other points that the text leaves open.
    pub readings: Readings,
    /// Memory of a node in GB, positive; unit conversion for the budget of `/BUDGET=`.
    pub node_memory_gb: f64,
}

impl Default for FractionalOptions {
    /// Returns the parameters of the dissertation: a period of 600 s (section 5.3.1), nodes of 8 GB
    /// (section 6.1).
    fn default() -> Self {
        FractionalOptions {
            period: SimSpan::from_secs(600),
            mcb: McbOptions::default(),
            priority: PriorityRule::default(),
            readings: Readings::default(),
            node_memory_gb: 8.0,
        }
    }
}

/// A setting that a policy may read: a field of [`FractionalOptions`], or a part of its environment.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PolicySetting {
    /// The setting [`FractionalOptions::period`].
    Period,
    /// The setting [`FractionalOptions::mcb`].
    Mcb,
    /// The setting [`FractionalOptions::priority`].
    Priority,
    /// The setting [`FractionalOptions::readings`].
    Readings,
    /// The setting [`FractionalOptions::node_memory_gb`].
    NodeMemory,
    /// Priorities, limits and preemption of a site.
    Site,
}
