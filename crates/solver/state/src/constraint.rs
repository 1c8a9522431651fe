//! Constraints as files have them: the kinds, and the fields of each. The planner and the checker of plans share this only.

use dfrsim_input::Decimal;
use dfrsim_input::Input;
use dfrsim_input::Reader;
use dfrsim_input::{Located, Object};
use serde::de::Error;
use serde::ser::SerializeMap;
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use serde_json::Value;
use std::collections::BTreeMap;

dfrsim_model::named! {
    /// A kind of constraint. VMs that wait, sleep on a disk or are terminated keep every rule about places.
    pub enum ConstraintKind as "kind of constraint" {
        /// No two of these VMs are on one node.
        Spread = "spread",
        /// No two VMs of different groups are on one node.
        Split = "split",
        /// These VMs share a node with each other at most.
        Lonely = "lonely",
        /// All of these VMs that are hosted are on one node. VMs that are gathered with a common one are gathered.
        Gather = "gather",
        /// These VMs come to these nodes only.
        Fence = "fence",
        /// These VMs come to none of these nodes.
        Ban = "ban",
        /// All of these VMs that are hosted are on the nodes of one of these groups, whichever.
        Among = "among",
        /// At the end the VMs of each set are on the nodes of one of these groups, and those of two sets not of the same one.
        SplitAmong = "split-among",
        /// Those of these VMs that run or doze now come to no other node. They may be suspended and resumed where they are, with
        /// their vjob.
        Root = "root",
        /// VMs that run or doze on these nodes now come to no other node, and no other VM comes to these nodes.
        Quarantine = "quarantine",
        /// At most `limit` VMs run on these nodes together, at any moment. A VM that moves from one of them to another counts once.
        RunningCapacity = "running-capacity",
        /// VMs take at most `limit` of a resource of these nodes together, at any moment. What a VM that moves from one of them
        /// to another takes counts once.
        ResourceCapacity = "resource-capacity",
        /// VMs may take `ratio` times what each of these nodes has of a resource, rounded down. Of several ratios for one
        /// node the smallest counts.
        Overbook = "overbook",
        /// Each of these VMs needs at least `amount` of a resource while it runs, from the beginning on.
        Preserve = "preserve",
        /// These nodes are on at the end; those that are off are switched on at the beginning.
        Online = "online",
        /// These nodes are off at the end: they host no VM then, and no VM comes to them before.
        Offline = "offline",
        /// At most `limit` of these nodes are on at the end; those that host no VM then are switched off.
        MaxOnline = "max-online",
        /// All actions on a VM end before any action on a later one of this list begins. The suspends and the resumes of VMs of
        /// one vjob go together all the same.
        Precedence = "precedence",
        /// No two actions on these VMs overlap, in any order; suspends and resumes as for `precedence`.
        Serialise = "serialise",
        /// Those of these VMs that act do so once, all in one pool.
        Sync = "sync",
        /// All actions on these VMs end within `seconds` from the begin of the plan.
        Deadline = "deadline",
        /// These VMs act in the first pool only.
        NoDelay = "no-delay",
    }
}

/// A part of a constraint, with the name of its field.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Part {
    Vms,
    /// Sets of VMs; no VM is in two.
    VmSets(&'static str),
    Nodes,
    NodeSets,
    Resource,
    /// A whole number.
    Count(&'static str),
    Number(&'static str),
    /// Whether the constraint holds at any moment, and not at the end only, if the field is missing.
    Continuous(bool),
}

impl ConstraintKind {
    const fn parts(self) -> &'static [Part] {
        use ConstraintKind as K;
        use Part::{Continuous, Count, NodeSets, Nodes, Number, Resource, VmSets, Vms};
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
            K::Overbook => &[Nodes, Resource, Number("ratio")],
            K::Preserve => &[Vms, Resource, Number("amount")],
            K::Deadline => &[Vms, Number("seconds")],
        }
    }
}

impl Part {
    const fn name(self) -> &'static str {
        match self {
            Part::Vms => "vms",
            Part::Nodes => "nodes",
            Part::NodeSets => "groups",
            Part::Resource => "resource",
            Part::Continuous(_) => "continuous",
            Part::VmSets(name) | Part::Count(name) | Part::Number(name) => name,
        }
    }
}

/// A constraint, by names as in files or by numbers. Of the parts that its kind has not, lists and texts are empty and numbers 0.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Constraint<V = String, N = String> {
    /// The kind.
    pub kind: ConstraintKind,
    /// The VMs: one set, or several.
    pub vms: Vec<Vec<V>>,
    /// The nodes: one group, or several.
    pub nodes: Vec<Vec<N>>,
    /// The name of a resource.
    pub resource: String,
    /// A limit, a ratio, an amount or seconds.
    pub amount: Decimal,
    /// Whether the constraint holds at any moment, and not at the end only. `gather` and `among` do if they hold at the beginning.
    pub is_continuous: bool,
}

impl<V, N> Constraint<V, N> {
    /// Returns a constraint of these VMs and nodes that is continuous if its kind is so by default.
    pub fn new(kind: ConstraintKind, vms: Vec<Vec<V>>, nodes: Vec<Vec<N>>) -> Constraint<V, N> {
        let is_continuous = kind.parts().contains(&Part::Continuous(true));
        Constraint { kind, vms, nodes, resource: String::new(), amount: Decimal::default(), is_continuous }
    }

    /// Returns the constraint with an amount of a resource, or of none.
    #[must_use]
    pub fn with(self, resource: &str, amount: Decimal) -> Constraint<V, N> {
        Constraint { resource: resource.to_owned(), amount, ..self }
    }

    /// Returns the constraint in one of its two forms.
    #[must_use]
    pub fn continuous(self, is_continuous: bool) -> Constraint<V, N> {
        Constraint { is_continuous, ..self }
    }

    /// The VMs of all sets.
    pub fn all_vms(&self) -> impl Iterator<Item = &V> + Clone {
        self.vms.iter().flatten()
    }
    /// The nodes of all groups.
    pub fn all_nodes(&self) -> impl Iterator<Item = &N> + Clone {
        self.nodes.iter().flatten()
    }

    /// Returns the constraint with other names or numbers for VMs and nodes, each of which is given with its set and its place there.
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
        }
    }

    /// The path in files of a VM.
    pub fn path_of_vm(&self, set: usize, at: usize) -> String {
        self.path(&[Part::VmSets("groups"), Part::VmSets("vms")], "vms", set, at)
    }
    /// The path in files of a node.
    pub fn path_of_node(&self, set: usize, at: usize) -> String {
        self.path(&[Part::NodeSets], "nodes", set, at)
    }
    fn path(&self, sets: &[Part], one: &str, set: usize, at: usize) -> String {
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
    /// Reads a constraint, without a check that its VMs, nodes and resources exist.
    pub fn read(reader: &mut Reader, at: &Located<'_>) -> Option<Constraint> {
        let object = reader.any_object(at)?;
        let kind: ConstraintKind = reader.field(&object, "kind").and_then(|at| reader.named(&at))?;
        let known: Vec<&str> =
            ["kind"].into_iter().chain(kind.parts().iter().map(|part| part.name())).collect();
        reader.object(at, &known)?;
        let mut constraint = Constraint::new(kind, Vec::new(), Vec::new());
        let read = kind.parts().iter().map(|part| part.read(reader, &object, &mut constraint));
        read.collect::<Vec<_>>().into_iter().collect::<Option<Vec<()>>>()?;
        constraint.check(reader, at);
        Some(constraint)
    }

    /// Adds what contradicts itself: something twice where it may be once, and parts of what is whole.
    fn check(&self, reader: &mut Reader, at: &Located<'_>) {
        let kind = self.kind;
        if kind.parts().iter().any(|part| matches!(part, Part::VmSets(_))) {
            for (set, position) in in_earlier(&self.vms) {
                reader.fault_below(at, &self.path_of_vm(set, position), "the VM is in a set before this one");
            }
        }
        if kind == ConstraintKind::SplitAmong || kind == ConstraintKind::Among && self.is_continuous {
            for (set, position) in in_earlier(&self.nodes) {
                reader.fault_below(
                    at,
                    &self.path_of_node(set, position),
                    "the node is in a group before this one",
                );
            }
        }
        if kind == ConstraintKind::Precedence {
            let one_each: Vec<Vec<&String>> = self.all_vms().map(|vm| vec![vm]).collect();
            for (position, _) in in_earlier(&one_each) {
                reader.fault_below(
                    at,
                    &format!("vms[{position}]"),
                    "the VM is here twice, and cannot precede itself",
                );
            }
        }
        let is_whole = self.amount.parts() == 1;
        if kind == ConstraintKind::Preserve && self.resource != "cpu" && !is_whole {
            reader.fault_below(at, "amount", format!("{} is not a whole number", self.amount));
        }
    }
}

/// Where lists have what an earlier list has.
fn in_earlier<T: Ord>(lists: &[Vec<T>]) -> Vec<(usize, usize)> {
    let mut first = BTreeMap::new();
    let all = lists.iter().enumerate();
    let all = all.flat_map(|(set, list)| list.iter().enumerate().map(move |(at, item)| (set, at, item)));
    all.filter(|(set, _, item)| *first.entry(*item).or_insert(*set) != *set)
        .map(|(set, at, _)| (set, at))
        .collect()
}

impl Part {
    fn read(self, reader: &mut Reader, object: &Object<'_>, constraint: &mut Constraint) -> Option<()> {
        if let (Part::Continuous(_), None) = (self, object.get(self.name())) {
            return Some(());
        }
        let at = reader.field(object, self.name())?;
        match self {
            Part::Vms => constraint.vms.push(names(reader, &at)?),
            Part::Nodes => constraint.nodes.push(names(reader, &at)?),
            Part::VmSets(_) => constraint.vms = sets(reader, &at)?,
            Part::NodeSets => constraint.nodes = sets(reader, &at)?,
            Part::Resource => constraint.resource = reader.text(&at)?.to_owned(),
            Part::Count(_) => {
                constraint.amount = Decimal::of_parts(reader.integer(&at, 0..=u32::MAX)?.into(), 1);
            }
            Part::Number(_) => constraint.amount = reader.decimal(&at)?,
            Part::Continuous(_) => constraint.is_continuous = reader.boolean(&at)?,
        }
        Some(())
    }

    /// The part as a value; `None` for what a file may leave out.
    fn value(self, constraint: &Constraint) -> Option<Value> {
        Some(match self {
            Part::Vms => constraint.vms.first().cloned().into(),
            Part::Nodes => constraint.nodes.first().cloned().into(),
            Part::VmSets(_) => constraint.vms.clone().into(),
            Part::NodeSets => constraint.nodes.clone().into(),
            Part::Resource => constraint.resource.clone().into(),
            Part::Count(_) | Part::Number(_) => serde_json::to_value(constraint.amount).ok()?,
            Part::Continuous(default) if default == constraint.is_continuous => return None,
            Part::Continuous(_) => constraint.is_continuous.into(),
        })
    }
}

fn names(reader: &mut Reader, at: &Located<'_>) -> Option<Vec<String>> {
    let items = reader.list(at)?;
    reader.each(&items, |reader, at| reader.text(at).map(str::to_owned))
}

fn sets(reader: &mut Reader, at: &Located<'_>) -> Option<Vec<Vec<String>>> {
    let items = reader.list(at)?;
    reader.each(&items, names)
}

impl Serialize for Constraint {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(None)?;
        map.serialize_entry("kind", &self.kind)?;
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
