//! Parts of a state from several files.

use super::{Amounts, Node, Reserved, State, UNITS, Vjob, Vm, VmState};
use dfrsim_input::Decimal;
use dfrsim_input::Input;
use dfrsim_input::Reader;
use dfrsim_input::{Located, Object};
use dfrsim_model::Yield;
use std::collections::{BTreeMap, BTreeSet};

/// Maximum number of tasks per job; a higher number is taken for a mistake.
const MAX_TASKS: u32 = 100_000;
const AMOUNT: &str = "a number from 0 to 4294967295 with at most six decimals";
pub(super) const LABEL: &str = "label.";
const OVERCOMMIT: &str = "overcommit.";
/// Columns and fields of VMs that are not resources.
pub(super) const VM_COLUMNS: [&str; 7] = ["vm", "vjob", "priority", "state", "node", "least_yield", "pinned"];

dfrsim_model::named! {
    /// States of a node, by their names in files.
    enum NodeState as "state of a node" {
        /// Switched on.
        Online = "online",
        /// Switched off.
        Offline = "offline",
    }
}

/// Descriptions from all files. Names are resolved after the last file has been added.
#[derive(Default)]
pub(super) struct Parts<'a> {
    nodes: Vec<Located<'a>>,
    vjobs: Vec<Located<'a>>,
    vms: Vec<Located<'a>>,
    jobs: Vec<Located<'a>>,
    constraints: Vec<Located<'a>>,
    reservations: Vec<Located<'a>>,
    /// Ratios of all nodes that have no own one.
    overcommit: Vec<Located<'a>>,
    /// Columns that are resources.
    columns: Vec<String>,
}

/// Returns whether a column of a table is no resource.
fn is_other(name: &str, others: &[&str]) -> bool {
    others.contains(&name) || name.starts_with(LABEL) || name.starts_with(OVERCOMMIT)
}

impl<'a> Parts<'a> {
    /// Adds the parts of a file.
    pub(super) fn add(&mut self, reader: &mut Reader, input: &'a Input) -> Option<()> {
        let root = input.root();
        let Some(columns) = input.columns() else {
            let lists = [
                ("nodes", &mut self.nodes),
                ("vjobs", &mut self.vjobs),
                ("vms", &mut self.vms),
                ("jobs", &mut self.jobs),
                ("constraints", &mut self.constraints),
                ("reservations", &mut self.reservations),
            ];
            let names = lists.each_ref().map(|(name, _)| *name);
            let object = reader.object(&root, &[&names[..], &["overcommit"]].concat())?;
            self.overcommit.extend(object.get("overcommit"));
            for (name, list) in lists {
                list.extend(object.get(name).and_then(|at| reader.list(&at)).unwrap_or_default());
            }
            return Some(());
        };
        let records = reader.records(input)?;
        let has = |name: &str| columns.iter().any(|column| column == name);
        let list = match (has("node"), has("vm")) {
            (true, false) if has("from") && has("until") => &mut self.reservations,
            (true, false) => &mut self.nodes,
            (_, true) => &mut self.vms,
            (false, false) => {
                reader.fault(&root, "expected a column `node` (of nodes or reservations) or `vm` (of VMs)");
                return None;
            }
        };
        list.extend(records);
        let others = [&VM_COLUMNS[..], &["from", "until"]].concat();
        let is_resource = |name: &&String| !is_other(name, &others);
        self.columns.extend(columns.iter().filter(is_resource).cloned());
        Some(())
    }

    /// Reads all parts and builds the state.
    pub(super) fn finish(self, reader: &mut Reader) -> Option<State<'a>> {
        let mut names = Names::new("nodes");
        let nodes = reader.each(&self.nodes, |reader, at| node(reader, at, &mut names));
        let ratios = reader.each(&self.overcommit, |reader, at| Some((ratios(reader, at)?, at.clone())));
        let mut vms = VmReader {
            nodes: names,
            vjobs: Names::new("vjobs"),
            names: Names::new("VMs"),
            read: Vec::new(),
            priorities: Vec::new(),
        };
        for at in &self.vjobs {
            vms.vjob(reader, at);
        }
        for at in &self.vms {
            vms.vm(reader, at, None);
        }
        for at in &self.jobs {
            vms.job(reader, at);
        }
        let reservations = reader.each(&self.reservations, |reader, at| reserved(reader, at, &vms.nodes));
        let (mut nodes, reservations) = (nodes?, reservations?);
        for (ratios, at) in ratios? {
            for (resource, ratio) in ratios {
                if !nodes.iter().any(|node| node.capacity.contains_key(&resource)) {
                    reader.fault(&at, format!("no node has the resource `{resource}`"));
                }
                for node in &mut nodes {
                    node.overcommit.entry(resource.clone()).or_insert(ratio);
                }
            }
        }
        for vm in &vms.read {
            if let Some(node) = vm.node.filter(|&node| vm.state != VmState::Sleeping && !nodes[node].is_on) {
                let name = &nodes[node].name;
                reader.fault_below(
                    &vm.at,
                    "node",
                    format!("node `{name}` is offline, so no VM can be {} there", vm.state),
                );
            }
        }
        let vjobs = vms.vjobs.list.into_iter().zip(vms.priorities);
        let vjobs = vjobs.map(|(name, priority)| Vjob { name, priority }).collect();
        let (vms, constraints) = (vms.read, self.constraints);
        let amounts = nodes.iter().map(|node| &node.capacity).chain(vms.iter().map(|vm| &vm.needs));
        let amounts = amounts.chain(reservations.iter().map(|reserved| &reserved.amounts));
        let names: BTreeSet<&String> = amounts.flat_map(BTreeMap::keys).collect();
        let mut resources: Vec<String> = Vec::new();
        for name in self.columns.iter().chain(names) {
            if !resources.contains(name) {
                resources.push(name.clone());
            }
        }
        reader.is_clean().then_some(State {
            nodes,
            vjobs,
            vms,
            constraints,
            further_constraints: Vec::new(),
            reservations,
            resources,
        })
    }
}

/// Names of one kind, numbered in the order of their addition.
struct Names {
    kind: &'static str,
    list: Vec<String>,
    numbers: BTreeMap<String, usize>,
}

impl Names {
    const fn new(kind: &'static str) -> Names {
        Names { kind, list: Vec::new(), numbers: BTreeMap::new() }
    }

    /// Adds a name, which must be new, and returns its number.
    fn add(&mut self, reader: &mut Reader, at: &Located<'_>, name: &str) -> usize {
        let number = self.list.len();
        self.list.push(name.to_owned());
        if self.numbers.insert(name.to_owned(), number).is_some() {
            reader.fault(at, format!("two {} are named `{name}`", self.kind));
        }
        number
    }

    /// Adds the name of an object: its field `name`, or the given column of a table.
    fn add_own(&mut self, reader: &mut Reader, object: &Object<'_>, column: &str) -> Option<String> {
        let at = reader.field(object, if object.place().is_csv() { column } else { "name" })?;
        let name = reader.text(&at)?.to_owned();
        self.add(reader, &at, &name);
        Some(name)
    }

    /// Returns the number of the node that a value names.
    fn node(&self, reader: &mut Reader, at: &Located<'_>) -> Option<usize> {
        reader.one_of(at, "node", |name| self.numbers.get(name).copied(), self.numbers.keys())
    }
}

fn amount(reader: &mut Reader, at: &Located<'_>) -> Option<u64> {
    reader.number(at, AMOUNT, |number| {
        let units = (number * UNITS as f64).round();
        let is_exact = (units / UNITS as f64 - number).abs() <= number.abs() * f64::EPSILON;
        ((0.0..=f64::from(u32::MAX)).contains(&number) && is_exact).then_some(units as u64)
    })
}

/// Reads the amounts of resources: `cpu`, `memory` and those in `resources`; of a record all columns
/// except `others` and labels.
fn amounts(reader: &mut Reader, object: &Object<'_>, others: &[&str]) -> Option<Amounts> {
    let mut places: Vec<(&str, Located<'_>)> = Vec::new();
    if object.place().is_csv() {
        places.extend(object.iter().filter(|(name, _)| !is_other(name, others)));
    } else {
        places.extend(["cpu", "memory"].iter().filter_map(|name| Some((*name, object.get(name)?))));
        if let Some(resources) = object.get("resources") {
            let resources = reader.any_object(&resources)?;
            for (name, at) in resources.iter() {
                if matches!(name, "cpu" | "memory") {
                    reader.fault(
                        &at,
                        format!(
                            "`{name}` is not allowed in `resources`; it is a field of the node or VM itself"
                        ),
                    );
                }
                places.push((name, at));
            }
        }
    }
    let read: Vec<_> =
        places.iter().map(|(name, at)| Some(((*name).to_owned(), amount(reader, at)?))).collect();
    read.into_iter().collect()
}

fn labels(reader: &mut Reader, object: &Object<'_>) -> Option<BTreeMap<String, String>> {
    let own = object.get("labels").filter(|at| !at.is_csv());
    let own = own.map(|at| reader.any_object(&at));
    let places: Vec<(&str, Located<'_>)> = match &own {
        Some(labels) => labels.as_ref()?.iter().collect(),
        None => object.iter().filter_map(|(name, at)| Some((name.strip_prefix(LABEL)?, at))).collect(),
    };
    let read: Vec<_> =
        places.iter().map(|(name, at)| Some(((*name).to_owned(), reader.text(at)?.to_owned()))).collect();
    read.into_iter().collect()
}

/// Reads ratios by resource.
fn ratios(reader: &mut Reader, at: &Located<'_>) -> Option<BTreeMap<String, Decimal>> {
    let object = reader.any_object(at)?;
    let places: Vec<_> = object.iter().collect();
    let read: Vec<_> =
        places.iter().map(|(name, at)| Some(((*name).to_owned(), reader.decimal(at)?))).collect();
    read.into_iter().collect()
}

/// Reads the ratios of a node, by which the requests of VMs may exceed its capacity.
fn overcommit(
    reader: &mut Reader,
    object: &Object<'_>,
    capacity: Option<&Amounts>,
) -> Option<BTreeMap<String, Decimal>> {
    let ratios = match object.get("overcommit").filter(|at| !at.is_csv()) {
        Some(at) => ratios(reader, &at)?,
        None => {
            let columns = object.iter().filter_map(|(name, at)| Some((name.strip_prefix(OVERCOMMIT)?, at)));
            let columns: Vec<_> = columns.collect();
            let read: Vec<_> =
                columns.iter().map(|(name, at)| Some(((*name).to_owned(), reader.decimal(at)?))).collect();
            read.into_iter().collect::<Option<_>>()?
        }
    };
    for resource in ratios.keys() {
        if capacity.is_some_and(|has| !has.contains_key(resource)) {
            reader.fault(object.place(), format!("`overcommit`: the node has no resource `{resource}`"));
        }
    }
    Some(ratios)
}

/// Reads an object with these fields; a record may have any columns.
fn object<'a>(reader: &mut Reader, at: &Located<'a>, known: &[&str]) -> Option<Object<'a>> {
    if at.is_csv() { reader.any_object(at) } else { reader.object(at, known) }
}

fn node<'a>(reader: &mut Reader, at: &Located<'a>, names: &mut Names) -> Option<Node<'a>> {
    let known = ["name", "cpu", "memory", "resources", "labels", "state", "overcommit"];
    let object = object(reader, at, &known)?;
    let name = names.add_own(reader, &object, "node");
    let has = amounts(reader, &object, &["node", "state"]);
    let overcommit = overcommit(reader, &object, has.as_ref());
    let labels = labels(reader, &object);
    let state = object.get("state").map_or(Some(NodeState::Online), |at| reader.named(&at));
    Some(Node {
        at: at.clone(),
        name: name?,
        capacity: has?,
        labels: labels?,
        is_on: state? == NodeState::Online,
        overcommit: overcommit?,
    })
}

fn reserved<'a>(reader: &mut Reader, at: &Located<'a>, nodes: &Names) -> Option<Reserved<'a>> {
    let object = object(reader, at, &["node", "from", "until", "cpu", "memory", "resources"])?;
    let node = reader.field(&object, "node").and_then(|at| nodes.node(reader, &at));
    let [from, until] =
        ["from", "until"].map(|name| reader.field(&object, name).and_then(|at| reader.from_text(&at)));
    if from.zip(until).is_some_and(|(from, until)| from >= until) {
        reader.fault_below(at, "until", "the reservation must end after it starts");
    }
    let amounts = amounts(reader, &object, &["node", "from", "until"]);
    Some(Reserved { at: at.clone(), node: node?, from: from?, until: until?, amounts: amounts? })
}

/// VMs and vjobs read so far, with the names known.
struct VmReader<'a> {
    nodes: Names,
    vjobs: Names,
    priorities: Vec<i64>,
    names: Names,
    read: Vec<Vm<'a>>,
}

impl<'a> VmReader<'a> {
    fn vjob(&mut self, reader: &mut Reader, at: &Located<'a>) {
        let Some(object) = reader.object(at, &["name", "priority", "vms"]) else { return };
        let name = reader.field(&object, "name").and_then(|at| Some((reader.text(&at)?, at)));
        let priority = priority(reader, &object);
        let vms = reader.field(&object, "vms").and_then(|at| reader.list(&at));
        let (Some((name, at)), Some(priority), Some(vms)) = (name, priority, vms) else { return };
        let vjob = self.vjobs.add(reader, &at, name);
        self.priorities.push(priority.unwrap_or(0));
        for at in vms {
            self.vm(reader, &at, Some(vjob));
        }
    }

    /// Reads a VM. It belongs to the given vjob, or to the one that it names; by default to a vjob
    /// of its own name.
    fn vm(&mut self, reader: &mut Reader, at: &Located<'a>, vjob: Option<usize>) {
        let inner =
            ["name", "cpu", "memory", "resources", "state", "node", "least_yield", "pinned", "labels"];
        let outer = [&inner[..], &["vjob", "priority"]].concat();
        let Some(object) = object(reader, at, if vjob.is_some() { &inner } else { &outer }) else { return };
        let name = self.names.add_own(reader, &object, "vm");
        let needs = amounts(reader, &object, &VM_COLUMNS);
        let node = object.get("node").map(|at| self.nodes.node(reader, &at));
        let by_node = if node.is_some() { VmState::Running } else { VmState::Waiting };
        let state = object.get("state").map_or(Some(by_node), |at| reader.named(&at));
        if let Some(state) = state {
            match &node {
                None if state.has_node() => reader.fault(at, format!("a VM that is {state} needs a `node`")),
                Some(_) if !state.has_node() => {
                    reader.fault_below(at, "node", format!("a VM that is {state} cannot have a `node`"));
                }
                _ => {}
            }
        }
        let (least_yield, is_pinned) = (least_yield(reader, &object), pinned(reader, &object));
        let labels = labels(reader, &object);
        let priority = if vjob.is_none() { priority(reader, &object) } else { Some(None) };
        let own = object.get("vjob").and_then(|at| reader.text(&at)).or(name.as_deref());
        let vjob = vjob.or_else(|| {
            let (own, priority) = (own?, priority?);
            let known = self.vjobs.numbers.get(own).copied();
            let vjob = known.unwrap_or_else(|| {
                self.priorities.push(0);
                self.vjobs.add(reader, at, own)
            });
            self.priorities[vjob] = priority.unwrap_or(self.priorities[vjob]);
            Some(vjob)
        });
        let node = node.map_or(Some(None), |node| node.map(Some));
        let read = (|| {
            let (name, at) = (name?, at.clone());
            let (vjob, needs, state, node) = (vjob?, needs?, state?, node?);
            let (least_yield, is_pinned, labels) = (least_yield?, is_pinned?, labels?);
            Some(Vm { at, name, vjob, needs, state, node, least_yield, is_pinned, labels })
        })();
        self.read.extend(read);
    }

    /// Reads a job, which becomes a vjob of equal VMs: one running on each node of `on`, the others
    /// waiting.
    fn job(&mut self, reader: &mut Reader, at: &Located<'a>) {
        let known = [
            "name",
            "priority",
            "cpu",
            "memory",
            "resources",
            "tasks",
            "on",
            "least_yield",
            "pinned",
            "labels",
        ];
        let Some(object) = reader.object(at, &known) else { return };
        let name = reader.field(&object, "name").and_then(|at| Some((reader.text(&at)?, at)));
        let priority = priority(reader, &object);
        let needs = amounts(reader, &object, &[]);
        let on = reader.each_of(&object, "on", |reader, at| self.nodes.node(reader, at));
        let tasks = object.get("tasks").map(|at| (reader.integer(&at, 1..=MAX_TASKS), at));
        let (least_yield, is_pinned) = (least_yield(reader, &object), pinned(reader, &object));
        let labels = labels(reader, &object);
        let Some((name, place)) = name else { return };
        let vjob = self.vjobs.add(reader, &place, name);
        self.priorities.push(priority.flatten().unwrap_or(0));
        let Some(on) = on else { return };
        let tasks = match tasks {
            None => Some(on.len().max(1)),
            Some((Some(tasks), at)) if (tasks as usize) < on.len() => {
                reader.fault(&at, format!("{tasks} tasks cannot run on {} nodes", on.len()));
                None
            }
            Some((tasks, _)) => tasks.map(|tasks| tasks as usize),
        };
        let (Some(needs), Some(least_yield), Some(is_pinned), Some(labels)) =
            (needs, least_yield, is_pinned, labels)
        else {
            return;
        };
        for task in 0..tasks.unwrap_or(0) {
            let name = if tasks == Some(1) { name.to_owned() } else { format!("{name}.{}", task + 1) };
            self.names.add(reader, &place, &name);
            let node = on.get(task).copied();
            let state = if node.is_some() { VmState::Running } else { VmState::Waiting };
            let (at, needs, labels) = (at.clone(), needs.clone(), labels.clone());
            self.read.push(Vm { at, name, vjob, needs, state, node, least_yield, is_pinned, labels });
        }
    }
}

fn priority(reader: &mut Reader, object: &Object<'_>) -> Option<Option<i64>> {
    let Some(at) = object.get("priority") else { return Some(None) };
    reader.expected(&at, at.integer(), || "a whole number").map(Some)
}

fn least_yield(reader: &mut Reader, object: &Object<'_>) -> Option<Yield> {
    let Some(at) = object.get("least_yield") else { return Some(Yield::ZERO) };
    let part = |part: f64| (0.0..=1.0).contains(&part).then(|| Yield::nearest(part));
    reader.number(&at, "a yield from 0 to 1", part)
}

fn pinned(reader: &mut Reader, object: &Object<'_>) -> Option<bool> {
    object.get("pinned").map_or(Some(false), |at| reader.boolean(&at))
}
