//! What the names of fractional policies leave open: numbers, and readings of points that the dissertation leaves open.
//!
//! The author's own simulator (vcsim, M. Stillwell, 2010, `results/scripts/sim.py`) settles each of these points in one way, which
//! is not always that of the text; where the text speaks, it is the default.

use super::McbOptions;
use dfrsim_model::{SimSpan, named};

named! {
    /// How the priority of a job is computed; it is infinite at virtual time 0, and ties go to the earlier submission.
    ///
    /// Where jobs have weights, virtual time counts as (virtual time) / weight, as in weighted fair queueing: jobs of the same age that
    /// had yields in proportion to their weights have the same priority, and flow time / virtual time becomes the weighted stretch.
    #[derive(Default)]
    pub enum PriorityRule as "priority" {
        /// Flow time / (virtual time)^2, so that paused jobs rise again.
        #[default]
        FlowOverVirtualSquared = "flow-over-virtual-squared",
        /// Flow time / virtual time, that is the stretch so far; the text says that it leads to significantly poorer results.
        FlowOverVirtual = "flow-over-virtual",
        /// 1 / virtual time.
        InverseVirtual = "inverse-virtual",
    }
}

named! {
    /// What `*` reacts to.
    #[derive(Default)]
    pub enum Opportunism as "reaction of `*`" {
        /// Completions, as the text says (section 5.2.4): waiting and paused jobs are tried by Greedy when a job completes, before
        /// jobs that arrive at that moment.
        #[default]
        Completions = "completions",
        /// Every event, after all else that it causes, so also jobs that a tick has just dropped; only jobs that were paused
        /// for another at this moment are not tried. The author's program.
        EveryEvent = "every-event",
    }
}

named! {
    /// When GreedyP and GreedyPM take marked jobs back. The text has them un-marked before the new job is placed, which
    /// it says of the test whether it could be started; where it is placed is left open.
    #[derive(Default)]
    pub enum Unmarking as "order of un-marking" {
        /// Before the new job has its nodes: a marked job goes back if the new one can still be started then.
        #[default]
        BeforePlacing = "before-placing",
        /// After it: the new job is placed with all marked jobs away, and one of them goes back if its memory is free on its old
        /// nodes. Jobs that arrive at one moment are placed in turn, each followed by this, and jobs that GreedyPM
        /// moves are placed after all of them. The author's program.
        AfterPlacing = "after-placing",
    }
}

named! {
    /// What `/stretch-per` does between ticks. The text (section 5.2.6) speaks of ticks only.
    #[derive(Default)]
    pub enum StretchYields as "yields of `/stretch-per`" {
        /// Yields hold until the next tick.
        #[default]
        Held = "held",
        /// They are computed at each event for the time that is left until the next tick. The author's program.
        Recomputed = "recomputed",
    }
}

named! {
    /// Where the grid of ticks begins. The text does not say.
    #[derive(Default)]
    pub enum TickOrigin as "origin of ticks" {
        /// A period after the first submission is the first tick.
        #[default]
        FirstSubmission = "first-submission",
        /// Time 0 of the log or trace is a tick. The author's program.
        Zero = "zero",
    }
}

named! {
    /// What happens to jobs that arrive at the very moment of a tick. The text does not say.
    #[derive(Default)]
    pub enum ArrivalsAtTicks as "treatment of arrivals at ticks" {
        /// They are admitted, then the tick maps all jobs.
        #[default]
        Admitted = "admitted",
        /// The tick alone maps them. The author's program.
        LeftToTick = "left-to-tick",
    }
}

/// A choice of everything that the dissertation leaves open of the parts of a policy; that of MCB is in
/// [`McbOptions`](super::McbOptions).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Readings {
    /// What `*` reacts to.
    pub opportunism: Opportunism,
    /// When GreedyP and GreedyPM take marked jobs back.
    pub unmarking: Unmarking,
    /// What `/stretch-per` does between ticks.
    pub stretch_yields: StretchYields,
    /// Where the grid of ticks begins.
    pub tick_origin: TickOrigin,
    /// What happens to jobs that arrive at a tick.
    pub arrivals_at_ticks: ArrivalsAtTicks,
    /// The step of a coarse clock, by which jobs complete and priorities count in whole milliseconds. It matters to priorities only; completions
    /// are the cluster's ([`dfrsim_cluster::Options::clock`]).
    pub clock: Option<SimSpan>,
}

/// The numbers that a fractional policy's name leaves open.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct FractionalOptions {
    /// The time between ticks.
    pub period: SimSpan,
    /// How MCB packs and searches.
    pub mcb: McbOptions,
    /// How priorities are computed.
    pub priority: PriorityRule,
    /// Readings of other points that the text leaves open.
    pub readings: Readings,
    /// The memory of a node in GB, above 0, by which the budget of `/BUDGET=` is measured.
    pub node_memory_gb: f64,
}

impl Default for FractionalOptions {
    /// The dissertation's: a period of 600 s (section 5.3.1), nodes of 8 GB (section 6.1).
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

/// A setting that a policy may read: what its name leaves open, each of [`FractionalOptions`] by its name, and what is around it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PolicySetting {
    /// [`FractionalOptions::period`].
    Period,
    /// [`FractionalOptions::mcb`].
    Mcb,
    /// [`FractionalOptions::priority`].
    Priority,
    /// [`FractionalOptions::readings`].
    Readings,
    /// [`FractionalOptions::node_memory_gb`].
    NodeMemory,
    /// The priorities, limits and preemption of a site.
    Site,
}
