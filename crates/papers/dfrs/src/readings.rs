//! Interpretations of points that the dissertation leaves open.

use dfrsim_lab::KeyBuilder;
use dfrsim_lab::fields;
use dfrsim_lab::fields::{
    Codec, flattened, name, named, number, optional, positive_fraction, positive_seconds, via,
};
use dfrsim_model::{Clock, Share, SimSpan, Yield};
use dfrsim_policies::fractional::{
    ArrivalsAtTicks, Balanced, McbOptions, OnSubmission, Opportunism, Packing, Periodic, PriorityRule,
    Probes, StretchYields, TickOrigin, Ties, Unmarking,
};
use dfrsim_policies::{Policy, PolicyOptions, PolicySetting, fractional};

fields! {
    /// Interpretations of points that the dissertation leaves open, in addition to `packing`,
    /// `drop`, `priority` and the precisions. The defaults follow the text or, where it is silent,
    /// are ours. `scenarios/appendix_b_author.toml` follows the author's own simulator (vcsim,
    /// 2010).
    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    pub struct Interpretations {
        /// Events that `*` reacts to: `completions` (the text, section 5.2.4), or `every-event`,
        /// after all other reactions to it.
        pub star: Opportunism = named("a reaction of `*`"), default Opportunism::default();
        /// Time at which GreedyP and GreedyPM restore unmarked jobs: `before-placing` or
        /// `after-placing` the new job. The text tests if a job "could be started" and does not
        /// specify where it is placed.
        pub unmarking: Unmarking = named("an order of un-marking"), default Unmarking::default();
        /// Yields of `/stretch-per` between ticks: `held`, or `recomputed` at each event for the
        /// remaining time. The text (section 5.2.6) mentions ticks only.
        pub stretch_yields: StretchYields = named("a rule for yields of `/stretch-per`"), default StretchYields::default();
        /// Origin of the grid of ticks: `first-submission` or `zero`, the beginning of the log. The
        /// text is silent.
        pub ticks_from: TickOrigin = named("a tick origin"), default TickOrigin::default();
        /// Treatment of jobs that arrive at the time of a tick: `admitted` before it, or
        /// `left-to-tick`. The text is silent.
        pub arrivals_at_ticks: ArrivalsAtTicks = named("a treatment of arrivals at ticks"), default ArrivalsAtTicks::default();
        /// Order of equal tasks in MCB's lists, by submission: `earlier-first` or `later-first`. The
        /// text is silent.
        pub ties: Ties = named("a tie-breaking order"), default Ties::default();
        /// List from which `packing = "mcb8"` takes a task for a balanced node, such as an empty
        /// one: `memory` or `cpu`. No text specifies it.
        pub balanced: Balanced = named("a list for balanced nodes"), default Balanced::default();
        /// Values that MCB's search tries: `ends-first`, then a bisection between them, or a
        /// `bisection` of [0, 1] that tries neither end. The text asks for a binary search and names
        /// no ends.
        pub probes as "search": Probes = named("a search"), default Probes::default();
        /// Step in which CPU is packed and allocated, as a fraction of a node; amounts are rounded
        /// down. If absent, CPU is exact. The text is silent.
        pub cpu_step: Option<Share> = optional(share());
        /// Clock step of fractional policies, in seconds. Jobs complete at whole multiples of it,
        /// and work is counted in whole milliseconds, by the exact quotient of steps of CPU
        /// (requires `cpu_step`). If absent, time is exact to the microsecond. The text is silent.
        pub clock as "clock_s": Option<SimSpan> = optional(positive_seconds());
    }
    check |readings, at| {
        if readings.clock.is_some() && readings.cpu_step.is_none() {
            at.fault("clock_s", "clock_s requires cpu_step, the step of CPU by which work is counted");
        }
    }
}

fields! {
    /// A set of interpretations with which everything is simulated as well. An ablation has a table
    /// for each one that it changes. Rows have its name in brackets after that of the policy;
    /// policies that it cannot affect are left out.
    #[derive(Clone, Debug, PartialEq)]
    pub struct Alternative {
        /// Name in rows and tables.
        pub name: String = name("a reading");
        /// Packing rule of MCB; those of `[simulation]` if absent.
        pub packing: Option<Packing> = optional(named("a packing rule"));
        /// Priority rule; that of `[simulation]` if absent.
        pub priority: Option<PriorityRule> = optional(named("a priority rule"));
        /// Precision of MCB's search for a yield; that of `[simulation]` if absent.
        pub yield_precision: Option<Yield> = optional(positive_fraction("a yield"));
        /// Precision of the search for a stretch; that of `[simulation]` if absent.
        pub stretch_precision: Option<Yield> = optional(positive_fraction("an inverse stretch"));
        /// The interpretations.
        pub readings: Interpretations = flattened();
    }
}

/// Creates the codec of a fraction of a node above 0.
pub(crate) fn share() -> Codec<Share> {
    let whole = |part: f64| {
        Share::try_from_f64(part)
            .filter(|share| share.units() > 0)
            .ok_or("expected a fraction of a node above 0")
    };
    via(number("a fraction of a node", 0.0..=1.0), whole, |share: &Share| share.as_f64())
}

impl Alternative {
    /// Returns the options with these interpretations instead of those of the scenario.
    pub(crate) fn apply(&self, mut options: PolicyOptions) -> PolicyOptions {
        options.priority = self.priority.unwrap_or(options.priority);
        let mcb = &mut options.mcb;
        mcb.packing = self.packing.unwrap_or(mcb.packing);
        mcb.precision = self.yield_precision.unwrap_or(mcb.precision);
        mcb.stretch_precision = self.stretch_precision.unwrap_or(mcb.stretch_precision);
        self.readings.apply(options)
    }
}

impl Interpretations {
    /// Applies the interpretations to the options of policies.
    pub(crate) fn apply(self, mut options: PolicyOptions) -> PolicyOptions {
        let Interpretations { star, unmarking, stretch_yields, ticks_from, arrivals_at_ticks, .. } = self;
        let Interpretations { ties, balanced, probes, cpu_step, clock, .. } = self;
        options.mcb = McbOptions { ties, balanced, probes, cpu_step, ..options.mcb };
        options.readings = fractional::Readings {
            opportunism: star,
            unmarking,
            stretch_yields,
            tick_origin: ticks_from,
            arrivals_at_ticks,
            clock,
        };
        options
    }
}

/// Returns the clock for simulations of a policy. Batch policies have none: they allocate whole
/// nodes for whole seconds anyway.
pub(crate) fn clock(policy: Policy, options: &PolicyOptions) -> Option<Clock> {
    let cpu_step = options.mcb.cpu_step?;
    let step = options.readings.clock.filter(|_| policy.fractional().is_some())?;
    Some(Clock { step, cpu_step })
}

/// Settings that are part of [`PolicyOptions`].
const OPTIONS: [PolicySetting; 5] = [
    PolicySetting::Period,
    PolicySetting::Mcb,
    PolicySetting::Priority,
    PolicySetting::Readings,
    PolicySetting::NodeMemory,
];

/// Resets all options that cannot affect the policy to their defaults. A custom policy that reads
/// any of them may read all.
pub(crate) fn relevant(policy: Policy, options: PolicyOptions) -> PolicyOptions {
    let default = PolicyOptions::default();
    let mut relevant = options;
    let of_mcb = match policy {
        Policy::Custom(_) if OPTIONS.iter().any(|&option| policy.reads(option)) => return options,
        _ => policy.reads(PolicySetting::Mcb),
    };
    let Some(parts) = policy.fractional() else { return default };
    let greedy = !matches!(parts.on_submission, OnSubmission::Nothing | OnSubmission::Mcb);
    let by_stretch = parts.periodic == Periodic::McbStretch;
    let (readings, plain) = (&mut relevant.readings, default.readings);
    if !(parts.opportunistic && greedy) {
        readings.opportunism = plain.opportunism;
    }
    if !matches!(parts.on_submission, OnSubmission::GreedyP | OnSubmission::GreedyPM) {
        readings.unmarking = plain.unmarking;
    }
    if by_stretch {
        relevant.mcb.precision = default.mcb.precision;
    } else {
        readings.stretch_yields = plain.stretch_yields;
        relevant.mcb.stretch_precision = default.mcb.stretch_precision;
    }
    if !policy.reads(PolicySetting::Period) {
        readings.tick_origin = plain.tick_origin;
        relevant.period = default.period;
    }
    if !(policy.reads(PolicySetting::Period) && greedy) {
        readings.arrivals_at_ticks = plain.arrivals_at_ticks;
    }
    if !of_mcb {
        relevant.mcb = McbOptions { cpu_step: options.mcb.cpu_step, ..default.mcb };
    } else if options.mcb.packing != Packing::TwoLists {
        relevant.mcb.balanced = default.mcb.balanced;
    }
    relevant
}

/// Adds the interpretations that differ from the defaults to a key, so that rows with default
/// interpretations keep their keys.
pub(crate) fn key(policy: Policy, options: PolicyOptions, key: &mut KeyBuilder) {
    let texts = |PolicyOptions { readings, mcb, .. }: PolicyOptions| {
        [
            ("star", readings.opportunism.to_string()),
            ("unmarking", readings.unmarking.to_string()),
            ("stretch_yields", readings.stretch_yields.to_string()),
            ("ticks_from", readings.tick_origin.to_string()),
            ("arrivals_at_ticks", readings.arrivals_at_ticks.to_string()),
            ("ties", mcb.ties.to_string()),
            ("balanced", mcb.balanced.to_string()),
            ("search", mcb.probes.to_string()),
            ("cpu_step", mcb.cpu_step.map_or(String::new(), |step| step.units().to_string())),
            ("clock_s", readings.clock.map_or(String::new(), |step| step.to_string())),
        ]
    };
    let pairs = texts(relevant(policy, options)).into_iter().zip(texts(PolicyOptions::default()));
    pairs.filter(|(own, usual)| own != usual).for_each(|((name, value), _)| _ = key.field(name, value));
}
