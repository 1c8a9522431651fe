//! How what the dissertation leaves open is read.

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
    /// How what the dissertation leaves open is read, beside `packing`, `drop`, `priority` and the precisions. The defaults are
    /// what the text says or, where it is silent, ours. `scenarios/appendix_b_author.toml` has what the author's own simulator does
    /// (vcsim, 2010).
    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    pub struct Readings {
        /// What `*` reacts to: `completions` (the text, section 5.2.4), or `every-event`, after all else that it causes.
        pub star: Opportunism = named("a reaction of `*`"), default Opportunism::default();
        /// When GreedyP and GreedyPM take marked jobs back: `before-placing` or `after-placing` the new job. The text tests
        /// whether it "could be started" and does not say where it is placed.
        pub unmarking: Unmarking = named("an order of un-marking"), default Unmarking::default();
        /// Yields of `/stretch-per` between ticks: `held`, or `recomputed` at each event for the time that is left. The text
        /// (section 5.2.6) speaks of ticks only.
        pub stretch_yields: StretchYields = named("yields of `/stretch-per`"), default StretchYields::default();
        /// Where the grid of ticks begins: `first-submission` or `zero`, the beginning of the log. The text is silent.
        pub ticks_from: TickOrigin = named("an origin of ticks"), default TickOrigin::default();
        /// Jobs that arrive at the moment of a tick are `admitted` before it, or `left-to-tick`. The text is silent.
        pub arrivals_at_ticks: ArrivalsAtTicks = named("a treatment of arrivals at ticks"), default ArrivalsAtTicks::default();
        /// Which of equal tasks is first in MCB's lists: `earlier-first` or `later-first`, by submission. The text is silent.
        pub ties: Ties = named("an order of equal tasks"), default Ties::default();
        /// From which list of `packing = "mcb8"` a balanced node takes, an empty one for example: `memory` or `cpu`. No text says.
        pub balanced: Balanced = named("a list of a balanced node"), default Balanced::default();
        /// Which values MCB's search tries: `ends-first`, then a bisection between them, or a `bisection` of [0, 1] that tries
        /// neither end. The text asks for a binary search and names no ends.
        pub probes as "search": Probes = named("a search"), default Probes::default();
        /// CPU is packed and given out in whole steps of this part of a node, rounded down; exactly where it is missing. The
        /// text is silent.
        pub cpu_step: Option<Share> = optional(share());
        /// The clock of fractional policies, in seconds: jobs complete at whole multiples of this, and work counts in whole
        /// milliseconds, by the exact quotient of steps of CPU (`cpu_step`, which must be there too); exact to the microsecond
        /// where it is missing. The text is silent.
        pub clock as "clock_s": Option<SimSpan> = optional(positive_seconds());
    }
    check |readings, at| {
        if readings.clock.is_some() && readings.cpu_step.is_none() {
            at.fault("clock_s", "a clock needs cpu_step, the steps of CPU by which work is counted");
        }
    }
}

fields! {
    /// Readings with which everything is simulated too: an ablation has a table for each one that it switches. Their rows have
    /// the name in brackets after that of the policy; policies that they cannot affect are left out.
    #[derive(Clone, Debug, PartialEq)]
    pub struct Alternative {
        /// Its name in rows and tables.
        pub name: String = name("a reading");
        /// The packing rule of MCB; those of `[simulation]` where it is missing.
        pub packing: Option<Packing> = optional(named("a packing rule"));
        /// How priorities are computed; as in `[simulation]` where it is missing.
        pub priority: Option<PriorityRule> = optional(named("a rule of priorities"));
        /// The precision of MCB's search for a yield; that of `[simulation]` where it is missing.
        pub yield_precision: Option<Yield> = optional(positive_fraction("a yield"));
        /// The precision of the search for a stretch; that of `[simulation]` where it is missing.
        pub stretch_precision: Option<Yield> = optional(positive_fraction("an inverse stretch"));
        /// The readings.
        pub readings: Readings = flattened();
    }
}

/// A part of a node above 0.
pub(crate) fn share() -> Codec<Share> {
    let whole = |part: f64| {
        Share::try_from_f64(part).filter(|share| share.units() > 0).ok_or("expected a part above 0 of a node")
    };
    via(number("a part of a node", 0.0..=1.0), whole, |share: &Share| share.as_f64())
}

impl Alternative {
    /// The options with these readings instead of those of the scenario.
    pub(crate) fn apply(&self, mut options: PolicyOptions) -> PolicyOptions {
        options.priority = self.priority.unwrap_or(options.priority);
        let mcb = &mut options.mcb;
        mcb.packing = self.packing.unwrap_or(mcb.packing);
        mcb.precision = self.yield_precision.unwrap_or(mcb.precision);
        mcb.stretch_precision = self.stretch_precision.unwrap_or(mcb.stretch_precision);
        self.readings.apply(options)
    }
}

impl Readings {
    /// Puts them into the options of policies.
    pub(crate) fn apply(self, mut options: PolicyOptions) -> PolicyOptions {
        let Readings { star, unmarking, stretch_yields, ticks_from, arrivals_at_ticks, .. } = self;
        let Readings { ties, balanced, probes, cpu_step, clock, .. } = self;
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

/// The clock of simulations of a policy: batch policies give out whole nodes for whole seconds anyway.
pub(crate) fn clock(policy: Policy, options: &PolicyOptions) -> Option<Clock> {
    let cpu_step = options.mcb.cpu_step?;
    let step = options.readings.clock.filter(|_| policy.fractional().is_some())?;
    Some(Clock { step, cpu_step })
}

/// The options with everything that cannot matter to the policy as it is by default. Custom policies may read all of them.
pub(crate) fn relevant(policy: Policy, options: PolicyOptions) -> PolicyOptions {
    let default = PolicyOptions::default();
    let mut relevant = options;
    let of_mcb = match policy {
        Policy::Custom(_) => return options,
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

/// Adds to a key those readings that are not the default ones, so that rows of the default reading keep their keys.
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
