//! Policies as data, and their names.

use crate::batch::{Backfilling, BatchPolicy, BatchScheduler, QueueOrder};
use crate::custom::CustomPolicy;
use crate::equipartition::Equipartition;
use crate::fractional::{
    Fractional, FractionalOptions, FractionalScheduler, McbOptions, Periodic, PolicySetting,
};
use crate::gang::{self, GangScheduler};
use crate::ranked::{EarliestDue, EarliestDueScheduler, Rank, RankedScheduler};
use dfrsim_cluster::{Scheduler, ShareWeights};
use dfrsim_model::SimSpan;
use dfrsim_model::batch::PolicyError;
use dfrsim_model::named::UnknownName;
use dfrsim_model::site::SiteSettings;
use std::fmt;
use std::str::FromStr;
use std::sync::Arc;

/// A policy, as identified by its name.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Policy {
    /// Batch policy: every job runs on its nodes at full speed from its start to its end.
    Batch(BatchPolicy),
    /// The same share for every job.
    Equipartition,
    /// Fractional policy, composed of parts.
    Fractional(Fractional),
    /// Preemption at full speed.
    Ranked(Rank),
    /// Full speed for the earliest deadlines, with resident jobs.
    EarliestDue(EarliestDue),
    /// Gang scheduling.
    Gang,
    /// A policy that a user registered.
    Custom(&'static CustomPolicy),
}

/// Numeric parameters that the names of policies do not determine.
pub type PolicyOptions = FractionalOptions;

impl From<Backfilling> for Policy {
    fn from(discipline: Backfilling) -> Policy {
        Policy::Batch(discipline.into())
    }
}

impl Policy {
    /// Returns whether jobs on drained nodes run to their end. Other policies move jobs, and the nodes
    /// are down for them.
    #[must_use]
    pub fn lets_jobs_end(self) -> bool {
        matches!(self, Policy::Batch(_))
    }

    /// Creates a scheduler of this policy in its initial state, for a cluster of `nodes` nodes.
    #[must_use]
    pub fn scheduler(self, nodes: u32, options: &PolicyOptions) -> Box<dyn Scheduler> {
        self.scheduler_at(nodes, options, None)
    }

    /// Creates a scheduler for a site with these settings, if there are any. The settings must have
    /// been [checked](SiteSettings::check).
    #[must_use]
    pub fn scheduler_at(
        self,
        nodes: u32,
        options: &PolicyOptions,
        site: Option<&Arc<SiteSettings>>,
    ) -> Box<dyn Scheduler> {
        let ranking = site.filter(|settings| !settings.is_plain());
        match self {
            Policy::Batch(batch) => Box::new(BatchScheduler::new(batch, nodes, site)),
            Policy::Equipartition => Box::new(Equipartition::new(nodes, ranking)),
            Policy::Fractional(parts) => Box::new(FractionalScheduler::new(parts, nodes, *options, ranking)),
            Policy::Ranked(rank) => Box::new(RankedScheduler::new(rank)),
            Policy::EarliestDue(order) => Box::new(EarliestDueScheduler::new(order)),
            Policy::Gang => Box::new(GangScheduler::default()),
            Policy::Custom(policy) => policy.scheduler(nodes, options, site),
        }
    }

    /// Returns whether the policy reads a setting, so that the setting can affect its results.
    #[must_use]
    pub fn reads(self, setting: PolicySetting) -> bool {
        match self {
            Policy::Batch(_) | Policy::Equipartition => setting == PolicySetting::Site,
            Policy::Fractional(parts) => match setting {
                PolicySetting::Period => parts.periodic != Periodic::Nothing,
                PolicySetting::Mcb => parts.uses_mcb(),
                PolicySetting::NodeMemory => parts.budget_gb.is_some(),
                PolicySetting::Priority | PolicySetting::Readings | PolicySetting::Site => true,
            },
            Policy::Ranked(_) | Policy::EarliestDue(_) | Policy::Gang => false,
            Policy::Custom(policy) => policy.reads(setting),
        }
    }

    /// Returns whether the settings of a site can change the decisions of the policy.
    #[must_use]
    pub fn depends_on(self, settings: &SiteSettings) -> bool {
        self.reads(PolicySetting::Site) && !settings.is_plain() || self.share_weights(settings).is_some()
    }

    /// Returns the share weights of the site, or `None` if the policy does not share by weight or
    /// all weights are equal.
    #[must_use]
    pub fn share_weights(self, settings: &SiteSettings) -> Option<Arc<ShareWeights>> {
        let shares = match self {
            Policy::Fractional(_) | Policy::Equipartition => true,
            Policy::Custom(policy) => policy.reads(PolicySetting::Site),
            Policy::Batch(_) | Policy::Ranked(_) | Policy::EarliestDue(_) | Policy::Gang => false,
        };
        shares.then(|| ShareWeights::new(settings)).flatten().map(Arc::new)
    }

    /// Returns the parts of a fractional policy; `None` for all other policies.
    #[must_use]
    pub fn fractional(self) -> Option<Fractional> {
        if let Policy::Fractional(parts) = self { Some(parts) } else { None }
    }

    /// Returns the scheduling period, if it is part of the policy's name instead of its options.
    #[must_use]
    pub fn own_period(self) -> Option<SimSpan> {
        self.fractional()?.extensions.period
    }

    /// Returns a description of the options that the policy reads and that differ from the defaults,
    /// as the audit only implements the rules of the defaults. The period is not included, because
    /// the audit takes it as a parameter.
    #[must_use]
    pub fn unusual_options(self, options: &PolicyOptions) -> Option<String> {
        let usual = PolicyOptions::default();
        let PolicyOptions { period: _, mcb, priority, readings, node_memory_gb } = *options;
        let is_mcb_usual = mcb == McbOptions { packing: mcb.packing, drop: mcb.drop, ..usual.mcb };
        let words = [
            (PolicySetting::Mcb, mcb.packing != usual.mcb.packing, format!("packing {}", mcb.packing)),
            (PolicySetting::Mcb, mcb.drop != usual.mcb.drop, format!("drop {}", mcb.drop)),
            (PolicySetting::Mcb, !is_mcb_usual, "other MCB parameters".to_owned()),
            (PolicySetting::Priority, priority != usual.priority, format!("priority {priority}")),
            (
                PolicySetting::Readings,
                readings != usual.readings,
                "other interpretations of the paper".to_owned(),
            ),
            (
                PolicySetting::NodeMemory,
                node_memory_gb != usual.node_memory_gb,
                format!("nodes of {node_memory_gb} GB"),
            ),
        ];
        let words = words.into_iter().filter(|(setting, is_unusual, _)| *is_unusual && self.reads(*setting));
        let words: Vec<String> = words.map(|(.., words)| words).collect();
        (!words.is_empty()).then(|| words.join(", "))
    }

    /// Returns the policy with this name, if there is one. Unlike [`FromStr`] it does not search for
    /// a similar name.
    #[must_use]
    pub fn named(name: &str) -> Option<Policy> {
        Policy::read(name).ok().flatten()
    }

    /// Reads the name of a policy; `None` if no policy of this crate has it.
    ///
    /// # Errors
    ///
    /// Returns an error for the first invalid formula of a batch policy.
    pub(crate) fn read(name: &str) -> Result<Option<Policy>, PolicyError> {
        if name == EQUIPARTITION {
            return Ok(Some(Policy::Equipartition));
        }
        if name == gang::NAME {
            return Ok(Some(Policy::Gang));
        }
        if let Ok(rank) = name.parse() {
            return Ok(Some(Policy::Ranked(rank)));
        }
        if let Some(order) = EarliestDue::parse(name) {
            return Ok(Some(Policy::EarliestDue(order)));
        }
        // Names with time limits other than the listed ones are valid, too.
        match Fractional::parse(name) {
            Some(parts) => Ok(Some(Policy::Fractional(parts))),
            None => Ok(BatchPolicy::read(name)?.map(Policy::Batch)),
        }
    }

    /// Returns a one-line description of the policy.
    #[must_use]
    pub fn description(self) -> String {
        match self {
            Policy::Batch(batch) => batch.description(),
            Policy::Equipartition => "every job the same yield, tasks on the least loaded nodes".into(),
            Policy::Fractional(parts) => parts.description(),
            Policy::Ranked(rank) => rank.description().to_owned(),
            Policy::EarliestDue(order) => order.description(),
            Policy::Gang => "jobs take turns of 60 s on the nodes, and keep their memory".into(),
            Policy::Custom(policy) => policy.description().to_owned(),
        }
    }
}

const EQUIPARTITION: &str = "EQUIPARTITION";

impl fmt::Display for Policy {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Policy::Batch(batch) => batch.fmt(f),
            Policy::Equipartition => f.write_str(EQUIPARTITION),
            Policy::Fractional(parts) => parts.fmt(f),
            Policy::Ranked(rank) => rank.fmt(f),
            Policy::EarliestDue(order) => order.fmt(f),
            Policy::Gang => f.write_str(gang::NAME),
            Policy::Custom(policy) => f.write_str(policy.name()),
        }
    }
}

impl FromStr for Policy {
    type Err = UnknownName;
    fn from_str(name: &str) -> Result<Self, Self::Err> {
        Policy::named(name).ok_or_else(|| unknown_name(name, known_names()))
    }
}

/// Other words for policies, in lower case, with the policies that may be meant.
const OTHER_WORDS: [(&str, &[&str]); 9] = [
    ("fifo", &["FCFS"]),
    ("backfill", &["EASY", "CONS"]),
    ("backfilling", &["EASY", "CONS"]),
    ("aggressive", &["EASY"]),
    ("conservative", &["CONS"]),
    ("bestfit", &["EASY/PLACE=FIT"]),
    ("sched/backfill", &["SLURM"]),
    ("sched/builtin", &["FCFS"]),
    ("dfrs", &["GreedyPM*/per/OPT=MIN/MVT=600"]),
];

/// Well-known policies, which stand for all where no name is similar.
const WELL_KNOWN: [&str; 6] =
    ["FCFS", "EASY", "CONS", "SLURM", "EQUIPARTITION", "GreedyPM*/per/OPT=MIN/MVT=600"];

/// Builds the error for an unknown name. If the name is that of a queue order alone, the error
/// suggests the best-known policies with this order; if it is another word for a policy, that one.
pub(crate) fn unknown_name(name: &str, known: impl Iterator<Item = String>) -> UnknownName {
    let with =
        |choices: Vec<String>| UnknownName { what: "policy", found: name.to_owned(), nearest: None, choices };
    let order =
        name.to_ascii_uppercase().parse::<QueueOrder>().ok().filter(|order| *order != QueueOrder::default());
    if let Some(order) = order {
        return with(["FCFS", "EASY"].map(|base| format!("{base}/ORDER={order}")).into());
    }
    let word = name.to_ascii_lowercase();
    if let Some((_, meant)) = OTHER_WORDS.iter().find(|(other, _)| *other == word) {
        return with(meant.iter().map(|&policy| policy.to_owned()).collect());
    }
    if word.ends_with(".py") {
        return with(vec![format!("pipe:python3 {name}")]);
    }
    if name.contains(',') && name.split(',').all(|one| one.trim().parse::<Policy>().is_ok()) {
        return with(vec!["one policy; a scenario of `dfrsim run` compares several".to_owned()]);
    }
    let known: Vec<String> = known.collect();
    if let Some(meant) = with_order(name).or_else(|| beginning_with(name, &known)) {
        return UnknownName { nearest: Some(meant), ..with(Vec::new()) };
    }
    let unknown = UnknownName::new("policy", name, known);
    if unknown.nearest.is_some() {
        return unknown;
    }
    let all = "another of those that `dfrsim policies` lists".to_owned();
    with(WELL_KNOWN.into_iter().map(str::to_owned).chain([all]).collect())
}

/// Returns the policy of a name that joins a policy and its queue order in another way: `EASY-SJF`.
fn with_order(name: &str) -> Option<String> {
    let (base, order) = name.split_once(['-', '_', '+', ' '])?;
    let order: QueueOrder = order.to_ascii_uppercase().parse().ok()?;
    let policy: Policy = format!("{}/ORDER={order}", base.to_ascii_uppercase()).parse().ok()?;
    Some(policy.to_string())
}

/// Returns the shortest of the names that begin with a part of a name, and not with more than it.
fn beginning_with(name: &str, known: &[String]) -> Option<String> {
    let goes_on = |known: &&String| {
        known.strip_prefix(name).is_some_and(|rest| !rest.starts_with(char::is_alphanumeric))
    };
    known.iter().filter(goes_on).min_by_key(|known| known.len()).cloned()
}

/// Returns the candidate names for the correction of a misspelt one.
pub(crate) fn known_names() -> impl Iterator<Item = String> {
    let moving_less = Fractional::paper_policies().flat_map(Fractional::low_migration_variants);
    let with_more = moving_less.chain([Fractional::recommended()]).map(Policy::Fractional);
    let filled = BatchPolicy::from(Backfilling::Easy).filled();
    all()
        .chain(BatchPolicy::all().map(Policy::Batch))
        .chain(filled.map(Policy::Batch))
        .chain(with_more)
        .map(|policy| policy.to_string())
}

/// An entry of the policy catalogue.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PolicyInfo {
    /// The policy as data.
    pub policy: Policy,
    /// The full name, from which the policy parses.
    pub name: String,
    /// The one-line description.
    pub description: String,
}

impl PolicyInfo {
    pub(crate) fn new(policy: Policy) -> PolicyInfo {
        PolicyInfo { policy, name: policy.to_string(), description: policy.description() }
    }
}

/// Returns the listed policies, the best-known ones first. Formula orders, node placement and limits
/// are not listed: they can be added to any name.
pub fn catalogue() -> Vec<PolicyInfo> {
    all().map(PolicyInfo::new).collect()
}

fn all() -> impl Iterator<Item = Policy> {
    let batch = Backfilling::ALL.into_iter().flat_map(|it| {
        let is_ordered = matches!(it, Backfilling::Fcfs | Backfilling::Easy);
        let orders = QueueOrder::plain().take(if is_ordered { usize::MAX } else { 1 });
        orders.map(move |order| Policy::Batch(BatchPolicy { order, ..it.into() }))
    });
    let fractional = Fractional::paper_policies().map(Policy::Fractional);
    let ranked = Rank::ALL.iter().copied().map(Policy::Ranked);
    let by_due = [Policy::EarliestDue(EarliestDue::LISTED), Policy::Gang];
    batch.chain([Policy::Equipartition]).chain(ranked).chain(by_due).chain(fractional)
}
