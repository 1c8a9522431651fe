//! Constraints of BtrPlace, and their fields.

use crate::names::{Names, resource};
use dfrsim_input::{Decimal, Located, Object, Reader};
use dfrsim_model::named::UnknownName;
use dfrsim_state::{Constraint, ConstraintKind as K, VmState};

/// Field of a constraint. A variant carries the name of the field if constraints use different names
/// for it.
#[derive(Clone, Copy)]
enum Field {
    Vm(&'static str),
    Vms,
    VmSets(&'static str),
    Node,
    Nodes,
    NodeSets(&'static str),
    Continuous,
    Resource,
    Amount,
    Ratio,
    /// A time relative to the start, as in `+00:05:00`. Times of day are not supported, as they
    /// depend on the clock.
    Timestamp,
}

/// Names of the constraints that set the state of a VM.
const STATES: [(&str, VmState); 4] = [
    ("running", VmState::Running),
    ("ready", VmState::Waiting),
    ("sleeping", VmState::Sleeping),
    ("killed", VmState::Terminated),
];

use Field::{Amount, Continuous, Node, NodeSets, Nodes, Ratio, Resource, Timestamp, Vm, VmSets, Vms};

/// Placement constraints by name. Some constraints apply to one VM or node in BtrPlace, but to a set
/// here.
///
/// Constraints on hosts that BtrPlace checks only in the final configuration hold at all times here,
/// except constraints that have both forms.
const RULES: [(&str, K, &[Field]); 23] = [
    ("online", K::Online, &[Node]),
    ("offline", K::Offline, &[Node]),
    ("quarantine", K::Quarantine, &[Node]),
    ("root", K::Root, &[Vm("vm")]),
    ("fence", K::Fence, &[Vm("vm"), Nodes]),
    ("ban", K::Ban, &[Vm("vm"), Nodes]),
    ("spread", K::Spread, &[Vms, Continuous]),
    ("lonely", K::Lonely, &[Vms, Continuous]),
    ("gather", K::Gather, &[Vms, Continuous]),
    ("split", K::Split, &[VmSets("parts"), Continuous]),
    ("among", K::Among, &[Vms, NodeSets("parts"), Continuous]),
    ("splitAmong", K::SplitAmong, &[VmSets("vParts"), NodeSets("pParts")]),
    ("seq", K::Precedence, &[Vms]),
    ("precedence", K::Precedence, &[Vm("vm1"), Vm("vm2")]),
    ("serialize", K::Serialise, &[Vms]),
    ("sync", K::Sync, &[Vms]),
    ("noDelay", K::NoDelay, &[Vm("vm")]),
    ("deadline", K::Deadline, &[Vm("vm"), Timestamp]),
    ("maxOnline", K::MaxOnline, &[Nodes, Amount]),
    ("preserve", K::Preserve, &[Vm("vm"), Resource, Amount]),
    ("overbook", K::Overbook, &[Node, Resource, Ratio]),
    ("runningCapacity", K::RunningCapacity, &[Nodes, Amount]),
    ("resourceCapacity", K::ResourceCapacity, &[Nodes, Resource, Amount]),
];

/// Returns the state that a constraint of this name sets; `None` for any other constraint.
pub(crate) fn state_named(name: &str) -> Option<VmState> {
    STATES.iter().find(|(known, _)| *known == name).map(|(_, state)| *state)
}

/// Reads a constraint whose name is at `id`. The case of the name is ignored, because some instances
/// capitalise it.
pub(crate) fn read_constraint(
    reader: &mut Reader,
    rule: &Object<'_>,
    id: &Located<'_>,
    name: &str,
    names: &Names,
) -> Option<Constraint> {
    let Some((_, kind, parts)) = RULES.iter().find(|(known, ..)| known.eq_ignore_ascii_case(name)) else {
        let known = RULES.iter().map(|(known, ..)| known).chain(STATES.iter().map(|(known, _)| known));
        reader.fault(id, UnknownName::new("constraint", name, known));
        return None;
    };
    let mut constraint = Constraint::new(*kind, Vec::new(), Vec::new());
    let read = parts.iter().map(|part| part.read(reader, rule, names, &mut constraint));
    read.collect::<Vec<_>>().into_iter().collect::<Option<Vec<()>>>()?;
    Some(constraint)
}

impl Field {
    const fn name(self) -> &'static str {
        match self {
            Vm(name) | VmSets(name) | NodeSets(name) => name,
            Vms => "vms",
            Node => "node",
            Nodes => "nodes",
            Continuous => "continuous",
            Resource => "rc",
            Amount => "amount",
            Ratio => "ratio",
            Timestamp => "timestamp",
        }
    }

    fn read(self, reader: &mut Reader, rule: &Object<'_>, names: &Names, to: &mut Constraint) -> Option<()> {
        let at = reader.field(rule, self.name())?;
        match self {
            Vm(_) => one_set(&mut to.vms).push(names.vm(number(reader, &at)?)),
            Vms => one_set(&mut to.vms).extend(numbers(reader, &at)?.into_iter().map(|vm| names.vm(vm))),
            VmSets(_) => to.vms = sets(reader, &at, |vm| names.vm(vm))?,
            Node => one_set(&mut to.nodes).push(names.node(number(reader, &at)?)),
            Nodes => {
                one_set(&mut to.nodes).extend(numbers(reader, &at)?.into_iter().map(|node| names.node(node)));
            }
            NodeSets(_) => to.nodes = sets(reader, &at, |node| names.node(node))?,
            Continuous => to.is_continuous = reader.boolean(&at)?,
            Resource => to.resource = resource(reader.text(&at)?),
            Amount => to.amount = Decimal::of_parts(number(reader, &at)?.into(), 1),
            Ratio => to.amount = reader.decimal(&at)?,
            Timestamp => {
                let time = at.text().and_then(parse_offset);
                to.amount = reader.expected(&at, time, || "a time from now on as in `+00:05:00`")?;
            }
        }
        Some(())
    }
}

fn one_set(sets: &mut Vec<Vec<String>>) -> &mut Vec<String> {
    if sets.is_empty() {
        sets.push(Vec::new());
    }
    &mut sets[0]
}

pub(crate) fn number(reader: &mut Reader, at: &Located<'_>) -> Option<u32> {
    reader.integer(at, 0..=u32::MAX)
}

fn numbers(reader: &mut Reader, at: &Located<'_>) -> Option<Vec<u32>> {
    let items = reader.list(at)?;
    reader.each(&items, number)
}

fn sets(reader: &mut Reader, at: &Located<'_>, name: impl Fn(u32) -> String) -> Option<Vec<Vec<String>>> {
    let items = reader.list(at)?;
    reader.each(&items, |reader, at| Some(numbers(reader, at)?.into_iter().map(&name).collect()))
}

fn parse_offset(text: &str) -> Option<Decimal> {
    let parts: Vec<Result<u32, _>> = text.strip_prefix('+')?.split(':').map(str::parse).collect();
    match parts[..] {
        [Ok(hours @ 0..=99), Ok(minutes @ 0..=59), Ok(seconds @ 0..=59)] => {
            Some(Decimal::of_parts(i64::from((hours * 60 + minutes) * 60 + seconds), 1))
        }
        _ => None,
    }
}
