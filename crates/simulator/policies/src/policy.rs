//! Policies as data, and their names.

use crate::batch::{BatchPolicy, BatchScheduler, Discipline, QueueOrder};
use crate::custom::CustomPolicy;
use crate::equipartition::Equipartition;
use crate::fractional::{
    Fractional, FractionalOptions, FractionalScheduler, McbOptions, Periodic, PolicySetting,
};
use dfrsim_cluster::{Scheduler, ShareWeights};
use dfrsim_model::SimSpan;
use dfrsim_model::named::UnknownName;
use dfrsim_model::priority::Priorities;
use std::fmt;
use std::str::FromStr;
use std::sync::Arc;

/// A policy, as its name says it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Policy {
    /// Every job is on its nodes at full speed from its start to its end.
    Batch(BatchPolicy),
    /// Every job the same share.
    Equipartition,
    /// Fractional shares, put together from parts.
    Fractional(Fractional),
    /// A policy that a user registered.
    Custom(&'static CustomPolicy),
}

/// The numbers that the names of policies leave open.
pub type PolicyOptions = FractionalOptions;

impl From<Discipline> for Policy {
    fn from(discipline: Discipline) -> Policy {
        Policy::Batch(discipline.into())
    }
}

impl Policy {
    /// A scheduler of this policy in its first state, for a cluster of this many nodes.
    #[must_use]
    pub fn scheduler(self, nodes: u32, options: &PolicyOptions) -> Box<dyn Scheduler> {
        self.scheduler_at(nodes, options, None)
    }

    /// The same at a site with these settings, if there are any; they must have been [checked](Priorities::check).
    #[must_use]
    pub fn scheduler_at(
        self,
        nodes: u32,
        options: &PolicyOptions,
        site: Option<&Arc<Priorities>>,
    ) -> Box<dyn Scheduler> {
        let ranking = site.filter(|settings| !settings.are_plain());
        match self {
            Policy::Batch(batch) => Box::new(BatchScheduler::new(batch, nodes, site)),
            Policy::Equipartition => Box::new(Equipartition::new(nodes, ranking)),
            Policy::Fractional(parts) => Box::new(FractionalScheduler::new(parts, nodes, *options, ranking)),
            Policy::Custom(policy) => policy.scheduler(nodes, options, site),
        }
    }

    /// Whether the policy reads a setting, so that it matters.
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
            Policy::Custom(policy) => policy.reads(setting),
        }
    }

    /// Whether settings of a site can change what the policy decides.
    #[must_use]
    pub fn depends_on(self, settings: &Priorities) -> bool {
        self.reads(PolicySetting::Site) && !settings.are_plain() || self.share_weights(settings).is_some()
    }

    /// The weights of settings, if the policy shares by them and not all jobs count the same.
    #[must_use]
    pub fn share_weights(self, settings: &Priorities) -> Option<Arc<ShareWeights>> {
        let shares = match self {
            Policy::Fractional(_) | Policy::Equipartition => true,
            Policy::Custom(policy) => policy.reads(PolicySetting::Site),
            Policy::Batch(_) => false,
        };
        shares.then(|| ShareWeights::new(settings)).flatten().map(Arc::new)
    }

    /// The parts of a fractional policy; `None` of any other.
    #[must_use]
    pub fn fractional(self) -> Option<Fractional> {
        if let Policy::Fractional(parts) = self { Some(parts) } else { None }
    }

    /// The time between its ticks, where the name of the policy says it and not its options.
    #[must_use]
    pub fn own_period(self) -> Option<SimSpan> {
        self.fractional()?.extensions.period
    }

    /// Returns the options that the policy reads and that are not the default ones, in words: the rules of the audit are those of the
    /// default ones. The period is no such option, as the audit is given it.
    #[must_use]
    pub fn unusual_options(self, options: &PolicyOptions) -> Option<String> {
        let usual = PolicyOptions::default();
        let PolicyOptions { period: _, mcb, priority, readings, node_memory_gb } = *options;
        let is_mcb_usual = mcb == McbOptions { packing: mcb.packing, drop: mcb.drop, ..usual.mcb };
        let words = [
            (PolicySetting::Mcb, mcb.packing != usual.mcb.packing, format!("packing {}", mcb.packing)),
            (PolicySetting::Mcb, mcb.drop != usual.mcb.drop, format!("drop {}", mcb.drop)),
            (PolicySetting::Mcb, !is_mcb_usual, "other numbers of MCB".to_owned()),
            (PolicySetting::Priority, priority != usual.priority, format!("priority {priority}")),
            (PolicySetting::Readings, readings != usual.readings, "other readings".to_owned()),
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

    /// The policy of this name, if any has it: without the search for a similar one that [`FromStr`] makes.
    #[must_use]
    pub fn named(name: &str) -> Option<Policy> {
        // Limits of other lengths than the listed ones are names too.
        let batch = || BatchPolicy::parse(name).map(Policy::Batch);
        let equal = || (name == EQUIPARTITION).then_some(Policy::Equipartition);
        Fractional::parse(name).map(Policy::Fractional).or_else(batch).or_else(equal)
    }

    /// A description of the policy, in one line.
    #[must_use]
    pub fn description(self) -> String {
        match self {
            Policy::Batch(batch) => batch.description(),
            Policy::Equipartition => "every job the same yield, tasks on the least loaded nodes".into(),
            Policy::Fractional(parts) => parts.description(),
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
            Policy::Custom(policy) => f.write_str(policy.name()),
        }
    }
}

impl FromStr for Policy {
    type Err = UnknownName;
    fn from_str(name: &str) -> Result<Self, Self::Err> {
        Policy::named(name).ok_or_else(|| unknown(name, known_names()))
    }
}

/// A name that no policy has; that of an order alone is answered with the policies that are best known in this order.
pub(crate) fn unknown(name: &str, known: impl Iterator<Item = String>) -> UnknownName {
    let order =
        name.to_ascii_uppercase().parse::<QueueOrder>().ok().filter(|order| *order != QueueOrder::default());
    let Some(order) = order else { return UnknownName::new("policy", name, known) };
    let ordered = |base| format!("{base}/ORDER={order}");
    let choices = ["FCFS", "EASY"].map(ordered).into();
    UnknownName { what: "policy", found: name.to_owned(), nearest: None, choices }
}

/// The names that an unknown one may be a misspelling of.
pub(crate) fn known_names() -> impl Iterator<Item = String> {
    let moving_less = Fractional::of_the_paper().flat_map(Fractional::moving_less);
    let with_more = moving_less.chain([Fractional::recommended()]).map(Policy::Fractional);
    let filled = BatchPolicy::from(Discipline::Easy).filled();
    all()
        .chain(BatchPolicy::all().map(Policy::Batch))
        .chain(filled.map(Policy::Batch))
        .chain(with_more)
        .map(|policy| policy.to_string())
}

/// A policy in the catalogue.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PolicyInfo {
    /// The policy.
    pub policy: Policy,
    /// Its name.
    pub name: String,
    /// A description, in one line.
    pub description: String,
}

impl PolicyInfo {
    pub(crate) fn new(policy: Policy) -> PolicyInfo {
        PolicyInfo { policy, name: policy.to_string(), description: policy.description() }
    }
}

/// The policies that have a line in a list, in the order in which people know them. Orders by a formula, places and limits are parts that
/// any name may have besides.
pub fn catalogue() -> Vec<PolicyInfo> {
    all().map(PolicyInfo::new).collect()
}

fn all() -> impl Iterator<Item = Policy> {
    let batch = Discipline::ALL.into_iter().flat_map(|it| {
        let is_ordered = matches!(it, Discipline::Fcfs | Discipline::Easy);
        let orders = QueueOrder::plain().take(if is_ordered { usize::MAX } else { 1 });
        orders.map(move |order| Policy::Batch(BatchPolicy { order, ..it.into() }))
    });
    let fractional = Fractional::of_the_paper().map(Policy::Fractional);
    batch.chain([Policy::Equipartition]).chain(fractional)
}
