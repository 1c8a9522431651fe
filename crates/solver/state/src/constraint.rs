//! Constraints in files: their kinds and fields. The planner and the plan checker share only this
//! module.

use crate::selector::{Labelled, Population, selected, sets_by_label};
use dfrsim_input::Decimal;
use dfrsim_input::Input;
use dfrsim_input::Reader;
use dfrsim_input::{Located, Object};
use serde::de::Error;
use serde::ser::SerializeMap;
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};

dfrsim_model::named! {
    /// A kind of constraint. VMs that are waiting, sleeping on a disk or terminated satisfy every
    /// placement rule.
    pub enum ConstraintKind as "kind of constraint" {
        /// No two of these VMs are on one node.
        Spread = "spread",
        /// No two VMs of different groups are on one node.
        Split = "split",
        /// These VMs share nodes only with each other.
        Lonely = "lonely",
        /// All of these VMs that are hosted are on one node. Sets with a common VM are gathered
        /// together.
        Gather = "gather",
        /// These VMs may be only on these nodes.
        Fence = "fence",
        /// These VMs may not be on these nodes.
        Ban = "ban",
        /// All of these VMs that are hosted are on the nodes of a single one of these groups.
        Among = "among",
        /// The VMs of each set are at the end on the nodes of a single group, and different sets use
        /// different groups.
        SplitAmong = "split-among",
        /// These VMs do not leave the nodes on which they are running or dozing now. They may be
        /// suspended and resumed in place, with their vjob.
        Root = "root",
        /// VMs that are running or dozing on these nodes now do not leave them, and no other VM is
        /// placed there.
        Quarantine = "quarantine",
        /// No more than `limit` VMs run on these nodes in total, at any time. A VM that migrates
        /// between two of them counts once.
        RunningCapacity = "running-capacity",
        /// VMs use at most `limit` of a resource on these nodes in total, at any time. A VM that
        /// migrates between two of them counts once.
        ResourceCapacity = "resource-capacity",
        /// The VMs on these nodes leave as much of each resource as the `count` largest of them have
        /// together, or of one resource if it is named. Nodes that are off or drained at the end do
        /// not count.
        Spare = "spare",
        /// VMs may use `ratio` times the capacity of each of these nodes for a resource, rounded
        /// down. If a node has several ratios, the smallest applies.
        Overbook = "overbook",
        /// Each of these VMs needs at least `amount` of a resource while it runs, from the start of
        /// the plan.
        Preserve = "preserve",
        /// These nodes are on at the end; those that are off are switched on at the start.
        Online = "online",
        /// These nodes are off at the end. They host no VM then, and no VM is placed on them
        /// earlier.
        Offline = "offline",
        /// No more than `limit` of these nodes are on at the end; those without VMs are switched off
        /// then.
        MaxOnline = "max-online",
        /// All actions on a VM end before any action on a later VM of this list begins. The suspends
        /// and resumes of the VMs of one vjob are nevertheless simultaneous.
        Precedence = "precedence",
        /// No two actions on these VMs overlap, in any order; suspends and resumes as for
        /// `precedence`.
        Serialise = "serialise",
        /// Each of these VMs takes part in at most one action, and all of these actions are in one
        /// pool.
        Sync = "sync",
        /// All actions on these VMs end within `seconds` from the start of the plan.
        Deadline = "deadline",
        /// All actions on these VMs are in the first pool.
        NoDelay = "no-delay",
    }
}

/// Fields that a constraint may have besides its kind.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum ConstraintField {
    Vms,
    /// Disjoint sets of VMs.
    VmSets(&'static str),
    Nodes,
    NodeSets,
    Resource,
    /// A resource that may be left out.
    AnyResource,
    /// A whole number.
    Count(&'static str),
    Number(&'static str),
    /// Option to enforce the constraint at any time and not only at the end, with its default.
    Continuous(bool),
}

impl ConstraintKind {
    const fn parts(self) -> &'static [ConstraintField] {
        use ConstraintField::{
            AnyResource, Continuous, Count, NodeSets, Nodes, Number, Resource, VmSets, Vms,
        };
        use ConstraintKind as K;
        match self {
            K::Spread | K::Lonely => &[Vms, Continuous(true)],
            K::Split => &[VmSets("groups"), Continuous(true)],
            K::Gather => &[Vms, Continuous(false)],
            K::Fence | K::Ban => &[Vms, Nodes],
            K::Among => &[Vms, NodeSets, Continuous(false)],
            K::SplitAmong => &[VmSets("vms"), NodeSets],
            K::Root | K::Precedence | K::Serialise | K::Sync | K::NoDelay => &[Vms],
            K::Quarantine | K::Online | K::Offline => &[Nodes],
            K::RunningCapacity | K::MaxOnline => &[Nodes, Count("limit")],
            K::ResourceCapacity => &[Nodes, Resource, Number("limit")],
            K::Spare => &[Nodes, Count("count"), AnyResource],
            K::Overbook => &[Nodes, Resource, Number("ratio")],
            K::Preserve => &[Vms, Resource, Number("amount")],
            K::Deadline => &[Vms, Number("seconds")],
        }
    }

    /// Returns whether a constraint of this kind may have a weight.
    #[must_use]
    pub const fn may_be_soft(self) -> bool {
        use ConstraintKind as K;
        matches!(
            self,
            K::Spread | K::Split | K::Lonely | K::Gather | K::Fence | K::Ban | K::Among | K::SplitAmong
        )
    }
}

/// Name of the field that makes a constraint soft.
const WEIGHT: &str = "weight";

impl ConstraintField {
    const fn name(self) -> &'static str {
        match self {
            ConstraintField::Vms => "vms",
            ConstraintField::Nodes => "nodes",
            ConstraintField::NodeSets => "groups",
            ConstraintField::Resource | ConstraintField::AnyResource => "resource",
            ConstraintField::Continuous(_) => "continuous",
            ConstraintField::VmSets(name) | ConstraintField::Count(name) | ConstraintField::Number(name) => {
                name
            }
        }
    }
}

/// A constraint on VMs and nodes, which are given by name as in files, or by number. For fields that
/// its kind lacks, lists and texts are empty and numbers are 0.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Constraint<V = String, N = String> {
    /// Kind of constraint.
    pub kind: ConstraintKind,
    /// VMs: one set or several.
    pub vms: Vec<Vec<V>>,
    /// Nodes: one group or several.
    pub nodes: Vec<Vec<N>>,
    /// Name of a resource.
    pub resource: String,
    /// Limit, ratio, amount, or time in seconds.
    pub amount: Decimal,
    /// True if the constraint holds at any time and not only at the end. `gather` and `among` hold
    /// at any time only if they hold at the start.
    pub is_continuous: bool,
    /// Memory in MB that may be moved so that one VM more satisfies the constraint, which is soft then;
    /// `None` for a constraint that must hold.
    pub weight: Option<u32>,
}

impl<V, N> Constraint<V, N> {
    /// Creates a constraint. It is continuous if that is the default of its kind.
    pub fn new(kind: ConstraintKind, vms: Vec<Vec<V>>, nodes: Vec<Vec<N>>) -> Constraint<V, N> {
        let is_continuous = kind.parts().contains(&ConstraintField::Continuous(true));
        let (resource, amount) = (String::new(), Decimal::default());
        Constraint { kind, vms, nodes, resource, amount, is_continuous, weight: None }
    }

    /// Sets the resource (possibly empty) and the amount.
    #[must_use]
    pub fn with(self, resource: &str, amount: Decimal) -> Constraint<V, N> {
        Constraint { resource: resource.to_owned(), amount, ..self }
    }

    /// Sets the form, continuous or at the end only.
    #[must_use]
    pub fn continuous(self, is_continuous: bool) -> Constraint<V, N> {
        Constraint { is_continuous, ..self }
    }

    /// Makes the constraint soft, with this weight. A soft constraint is about the end.
    #[must_use]
    pub fn soft(self, weight: u32) -> Constraint<V, N> {
        Constraint { weight: Some(weight), is_continuous: false, ..self }
    }

    /// Iterates over the VMs of all sets.
    pub fn all_vms(&self) -> impl Iterator<Item = &V> + Clone {
        self.vms.iter().flatten()
    }
    /// Iterates over the nodes of all groups.
    pub fn all_nodes(&self) -> impl Iterator<Item = &N> + Clone {
        self.nodes.iter().flatten()
    }

    /// Maps VMs and nodes to other names or numbers. The functions get the set, the position in it,
    /// and the old name.
    pub fn map<W, M>(
        &self,
        vm: impl Fn(usize, usize, &V) -> W,
        node: impl Fn(usize, usize, &N) -> M,
    ) -> Constraint<W, M> {
        Constraint {
            kind: self.kind,
            vms: mapped(&self.vms, vm),
            nodes: mapped(&self.nodes, node),
            resource: self.resource.clone(),
            amount: self.amount,
            is_continuous: self.is_continuous,
            weight: self.weight,
        }
    }

    /// Returns the path of a VM within the constraint, for messages.
    pub fn path_of_vm(&self, set: usize, at: usize) -> String {
        self.path(&[ConstraintField::VmSets("groups"), ConstraintField::VmSets("vms")], "vms", set, at)
    }
    /// Returns the path of a node within the constraint, for messages.
    pub fn path_of_node(&self, set: usize, at: usize) -> String {
        self.path(&[ConstraintField::NodeSets], "nodes", set, at)
    }
    fn path(&self, sets: &[ConstraintField], one: &str, set: usize, at: usize) -> String {
        let several = self.kind.parts().iter().find(|part| sets.contains(part));
        several.map_or_else(|| format!("{one}[{at}]"), |part| format!("{}[{set}][{at}]", part.name()))
    }
}

fn mapped<T, U>(sets: &[Vec<T>], to: impl Fn(usize, usize, &T) -> U) -> Vec<Vec<U>> {
    let each =
        |(set, list): (usize, &Vec<T>)| list.iter().enumerate().map(|(at, it)| to(set, at, it)).collect();
    sets.iter().enumerate().map(each).collect()
}

impl Constraint {
    /// Reads a constraint without selectors of labels, and without checking that its VMs, nodes and
    /// resources exist.
    pub fn read(reader: &mut Reader, at: &Located<'_>) -> Option<Constraint> {
        Constraint::read_with(reader, at, None)
    }

    /// Reads a constraint whose selectors select from a population, if there is one.
    pub(crate) fn read_with(
        reader: &mut Reader,
        at: &Located<'_>,
        of: Option<&Population<'_>>,
    ) -> Option<Constraint> {
        let object = reader.any_object(at)?;
        let kind: ConstraintKind = reader.field(&object, "kind").and_then(|at| reader.named(&at))?;
        let known: Vec<&str> = ["kind"]
            .into_iter()
            .chain(kind.parts().iter().map(|part| part.name()))
            .chain(kind.may_be_soft().then_some(WEIGHT))
            .collect();
        reader.object(at, &known)?;
        let mut constraint = Constraint::new(kind, Vec::new(), Vec::new());
        let read = kind.parts().iter().map(|part| part.read(reader, &object, &mut constraint, of));
        read.collect::<Vec<_>>().into_iter().collect::<Option<Vec<()>>>()?;
        if let Some(weight) = object.get(WEIGHT) {
            constraint.weight = Some(reader.integer(&weight, 1..=u32::MAX)?);
            if let Some(at) = object.get("continuous").filter(|_| constraint.is_continuous) {
                reader.fault(&at, "a rule with a weight is about the end; expected false");
            }
            constraint.is_continuous = false;
        }
        constraint.check(reader, at);
        Some(constraint)
    }

    /// Reports contradictions: repeated VMs or nodes in fields that must not repeat them, and
    /// fractions of indivisible resources.
    fn check(&self, reader: &mut Reader, at: &Located<'_>) {
        let kind = self.kind;
        if kind.parts().iter().any(|part| matches!(part, ConstraintField::VmSets(_))) {
            for (set, position) in repeated_positions(&self.vms) {
                reader.fault_below(
                    at,
                    &self.path_of_vm(set, position),
                    "the VM is already in an earlier set",
                );
            }
        }
        if kind == ConstraintKind::SplitAmong || kind == ConstraintKind::Among && self.is_continuous {
            for (set, position) in repeated_positions(&self.nodes) {
                reader.fault_below(
                    at,
                    &self.path_of_node(set, position),
                    "the node is already in an earlier group",
                );
            }
        }
        if kind == ConstraintKind::Precedence {
            let one_each: Vec<Vec<&String>> = self.all_vms().map(|vm| vec![vm]).collect();
            for (position, _) in repeated_positions(&one_each) {
                reader.fault_below(
                    at,
                    &format!("vms[{position}]"),
                    "the VM is listed twice, but cannot precede itself",
                );
            }
        }
        let is_whole = self.amount.parts() == 1;
        if kind == ConstraintKind::Preserve && self.resource != "cpu" && !is_whole {
            reader.fault_below(at, "amount", format!("{} is not a whole number", self.amount));
        }
    }
}

/// Returns the positions of items that also occur in an earlier list.
fn repeated_positions<T: Ord>(lists: &[Vec<T>]) -> Vec<(usize, usize)> {
    let mut first = BTreeMap::new();
    let all = lists.iter().enumerate();
    let all = all.flat_map(|(set, list)| list.iter().enumerate().map(move |(at, item)| (set, at, item)));
    all.filter(|(set, _, item)| *first.entry(*item).or_insert(*set) != *set)
        .map(|(set, at, _)| (set, at))
        .collect()
}

impl ConstraintField {
    fn read(
        self,
        reader: &mut Reader,
        object: &Object<'_>,
        constraint: &mut Constraint,
        of: Option<&Population<'_>>,
    ) -> Option<()> {
        let is_optional = matches!(self, ConstraintField::Continuous(_) | ConstraintField::AnyResource);
        if is_optional && object.get(self.name()).is_none() {
            return Some(());
        }
        let (vms, nodes) = (of.map(|of| &of.vms), of.map(|of| &of.nodes));
        let at = reader.field(object, self.name())?;
        match self {
            ConstraintField::Vms => constraint.vms.push(names(reader, &at, vms)?),
            ConstraintField::Nodes => constraint.nodes.push(names(reader, &at, nodes)?),
            ConstraintField::VmSets(_) => constraint.vms = sets(reader, &at, vms)?,
            ConstraintField::NodeSets => constraint.nodes = sets(reader, &at, nodes)?,
            ConstraintField::Resource | ConstraintField::AnyResource => {
                constraint.resource = reader.text(&at)?.to_owned();
            }
            ConstraintField::Count(_) => {
                constraint.amount = Decimal::of_parts(reader.integer(&at, 0..=u32::MAX)?.into(), 1);
            }
            ConstraintField::Number(_) => constraint.amount = reader.decimal(&at)?,
            ConstraintField::Continuous(_) => constraint.is_continuous = reader.boolean(&at)?,
        }
        Some(())
    }

    /// Returns the field as a value; `None` if it has its default.
    fn value(self, constraint: &Constraint) -> Option<Value> {
        Some(match self {
            ConstraintField::Vms => constraint.vms.first().cloned().into(),
            ConstraintField::Nodes => constraint.nodes.first().cloned().into(),
            ConstraintField::VmSets(_) => constraint.vms.clone().into(),
            ConstraintField::NodeSets => constraint.nodes.clone().into(),
            ConstraintField::AnyResource if constraint.resource.is_empty() => return None,
            ConstraintField::Resource | ConstraintField::AnyResource => constraint.resource.clone().into(),
            ConstraintField::Count(_) | ConstraintField::Number(_) => {
                serde_json::to_value(constraint.amount).ok()?
            }
            ConstraintField::Continuous(_) if constraint.weight.is_some() => return None,
            ConstraintField::Continuous(default) if default == constraint.is_continuous => return None,
            ConstraintField::Continuous(_) => constraint.is_continuous.into(),
        })
    }
}

/// Reads names, or selectors of labels among them or instead of the list.
fn names(reader: &mut Reader, at: &Located<'_>, of: Option<&Labelled<'_>>) -> Option<Vec<String>> {
    if at.object().is_some() {
        return selected(reader, at, of);
    }
    let items = reader.list(at)?;
    let each = reader.each(&items, |reader, at| match at.object() {
        Some(_) => selected(reader, at, of),
        None => reader.text(at).map(|name| vec![name.to_owned()]),
    })?;
    let mut all: Vec<String> = Vec::new();
    let mut known: BTreeSet<String> = BTreeSet::new();
    for (list, at) in each.into_iter().zip(&items) {
        // A selector adds the names that are not there yet; repeated names are for the checks.
        let is_selector = at.object().is_some();
        for name in list {
            let is_new = known.insert(name.clone());
            if is_new || !is_selector {
                all.push(name);
            }
        }
    }
    Some(all)
}

/// Reads lists of names, or a label with one set for each of its values.
fn sets(reader: &mut Reader, at: &Located<'_>, of: Option<&Labelled<'_>>) -> Option<Vec<Vec<String>>> {
    if at.object().is_some() {
        return sets_by_label(reader, at, of);
    }
    let items = reader.list(at)?;
    reader.each(&items, |reader, at| names(reader, at, of))
}

impl Serialize for Constraint {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(None)?;
        map.serialize_entry("kind", &self.kind)?;
        if let Some(weight) = self.weight {
            map.serialize_entry(WEIGHT, &weight)?;
        }
        for part in self.kind.parts() {
            part.value(self).map_or(Ok(()), |value| map.serialize_entry(part.name(), &value))?;
        }
        map.end()
    }
}

impl<'de> Deserialize<'de> for Constraint {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Constraint, D::Error> {
        let text = Value::deserialize(deserializer)?.to_string();
        let input = Input::json("constraint", &text).map_err(D::Error::custom)?;
        let mut reader = Reader::default();
        let read = Constraint::read(&mut reader, &input.root());
        reader.finish(read).map_err(D::Error::custom)
    }
}
