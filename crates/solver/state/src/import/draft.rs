//! The state under construction.

use super::Notes;
use crate::{Constraint, ConstraintKind};
use dfrsim_input::{Located, Reader};
use serde_json::{Map, Value, json};
use std::collections::{BTreeMap, BTreeSet};

/// Bytes in a MiB.
pub(super) const MIB: u64 = 1 << 20;

/// Amounts of resources that are neither CPU nor memory, by name.
pub(super) type Others = BTreeMap<String, u64>;

/// A host.
#[derive(Debug, Default)]
pub(super) struct Host {
    pub(super) name: String,
    pub(super) cpu: Value,
    /// Memory in MiB.
    pub(super) memory: u64,
    pub(super) others: Others,
    pub(super) labels: BTreeMap<String, String>,
    pub(super) access: Access,
}

/// Moves that a host allows.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum Access {
    /// VMs may come and go.
    #[default]
    Open,
    /// VMs may leave, and none may come.
    Closed,
    /// VMs may neither come nor go.
    Unreachable,
}

/// A VM, pod or container.
#[derive(Debug, Default)]
pub(super) struct Guest {
    pub(super) name: String,
    pub(super) cpu: Value,
    /// Memory in MiB.
    pub(super) memory: u64,
    pub(super) others: Others,
    /// Index of the host; `None` if it waits for one.
    pub(super) host: Option<usize>,
    /// Priority; guests of a higher one are served first.
    pub(super) priority: i64,
    pub(super) is_pinned: bool,
    pub(super) labels: BTreeMap<String, String>,
}

/// Weight of a soft rule of a system that has no weights, in MB.
pub(super) const SOFT_WEIGHT: u32 = 100;

/// Hosts, guests and rules read so far.
#[derive(Debug, Default)]
pub(super) struct Draft {
    pub(super) hosts: Vec<Host>,
    pub(super) guests: Vec<Guest>,
    pub(super) rules: Vec<Constraint>,
    pub(super) notes: Notes,
}

impl Draft {
    /// Returns the index of the host that a value names.
    pub(super) fn host(&self, reader: &mut Reader, at: &Located<'_>) -> Option<usize> {
        let find = |name: &str| {
            self.hosts.iter().position(|host| host.name == name).or_else(|| self.by_short_name(name))
        };
        reader.one_of(at, "host", find, self.hosts.iter().map(|host| &host.name))
    }

    /// Finds the only host whose name equals another one up to the first dot, as lists of VMs and of
    /// hosts often differ in their domains.
    fn by_short_name(&self, name: &str) -> Option<usize> {
        let short = |name: &str| name.split('.').next().unwrap_or_default().to_owned();
        let wanted = short(name);
        let mut found = (0..self.hosts.len()).filter(|&host| short(&self.hosts[host].name) == wanted);
        found.next().filter(|_| found.next().is_none())
    }

    /// Adds a rule on VMs alone, if it concerns at least two of them.
    pub(super) fn add_group(&mut self, kind: ConstraintKind, guests: Vec<String>) {
        if guests.len() > 1 {
            self.rules.push(Constraint::new(kind, vec![guests], Vec::new()));
        }
    }

    /// Adds a soft rule on VMs alone, if it concerns at least two of them.
    pub(super) fn add_soft_group(&mut self, kind: ConstraintKind, guests: Vec<String>, weight: u32) {
        if guests.len() > 1 {
            self.rules.push(Constraint::new(kind, vec![guests], Vec::new()).soft(weight));
        }
    }

    /// Adds soft rules that keep guests on the given hosts, each with its weight; guests with equal sets
    /// of hosts and weights share a rule.
    pub(super) fn add_soft_fences(
        &mut self,
        wanted: impl IntoIterator<Item = (usize, BTreeSet<usize>, u32)>,
    ) {
        let mut fences: BTreeMap<(BTreeSet<usize>, u32), Vec<String>> = BTreeMap::new();
        for (guest, hosts, weight) in wanted {
            if !hosts.is_empty() && hosts.len() < self.hosts.len() {
                fences.entry((hosts, weight)).or_default().push(self.guests[guest].name.clone());
            }
        }
        for ((hosts, weight), guests) in fences {
            let hosts = hosts.into_iter().map(|host| self.hosts[host].name.clone()).collect();
            self.rules.push(Constraint::new(ConstraintKind::Fence, vec![guests], vec![hosts]).soft(weight));
        }
    }

    /// Adds rules that keep guests on the given hosts; guests with equal sets of hosts share a rule.
    /// A guest stays allowed on the host on which it runs.
    pub(super) fn add_fences(&mut self, allowed: impl IntoIterator<Item = (usize, BTreeSet<usize>)>) {
        let mut fences: BTreeMap<BTreeSet<usize>, Vec<String>> = BTreeMap::new();
        for (guest, mut hosts) in allowed {
            hosts.extend(self.guests[guest].host);
            if hosts.len() < self.hosts.len() {
                fences.entry(hosts).or_default().push(self.guests[guest].name.clone());
            }
        }
        for (hosts, guests) in fences {
            let hosts = hosts.into_iter().map(|host| self.hosts[host].name.clone()).collect();
            self.rules.push(Constraint::new(ConstraintKind::Fence, vec![guests], vec![hosts]));
        }
    }

    /// Adds the rules of hosts that are not open.
    fn add_access(&mut self) {
        let hosts = &self.hosts;
        let with = |access: Access| (0..hosts.len()).filter(move |&host| hosts[host].access == access);
        let name = |host: usize| self.hosts[host].name.clone();
        let closed: Vec<usize> = with(Access::Closed).collect();
        let unreachable: Vec<String> = with(Access::Unreachable).map(name).collect();
        let mut bans: BTreeMap<Option<usize>, Vec<String>> = BTreeMap::new();
        for guest in &self.guests {
            let own = guest.host.filter(|host| closed.contains(host));
            bans.entry(own).or_default().push(guest.name.clone());
        }
        let mut rules = Vec::new();
        for (own, guests) in bans {
            let hosts: Vec<String> =
                closed.iter().filter(|&&host| Some(host) != own).map(|&host| name(host)).collect();
            if !hosts.is_empty() {
                rules.push(Constraint::new(ConstraintKind::Ban, vec![guests], vec![hosts]));
            }
        }
        if !unreachable.is_empty() {
            rules.push(Constraint::new(ConstraintKind::Quarantine, Vec::new(), vec![unreachable]));
        }
        self.rules.extend(rules);
    }

    /// Returns the state in the form of its JSON file, with the counts.
    pub(super) fn finish(mut self) -> (Value, Notes) {
        self.add_access();
        // Their presence is all that they say, and rules that need it are read before.
        for host in &mut self.hosts {
            for (label, _) in host.labels.extract_if(.., |_, value| value.is_empty()) {
                self.notes.count("labels of hosts without a value, left out", &label);
            }
        }
        for guest in &mut self.guests {
            for (label, _) in guest.labels.extract_if(.., |_, value| value.is_empty()) {
                self.notes.count("labels of pods without a value, left out", &label);
            }
        }
        let amounts = |name: &str, cpu: &Value, memory: u64, others: &Others| {
            let mut object = Map::new();
            object.insert("name".to_owned(), name.into());
            object.insert("cpu".to_owned(), cpu.clone());
            object.insert("memory".to_owned(), memory.into());
            if !others.is_empty() {
                object.insert("resources".to_owned(), json!(others));
            }
            object
        };
        let nodes = self.hosts.iter().map(|host| {
            let mut node = amounts(&host.name, &host.cpu, host.memory, &host.others);
            if !host.labels.is_empty() {
                node.insert("labels".to_owned(), json!(host.labels));
            }
            Value::from(node)
        });
        let vms = self.guests.iter().map(|guest| {
            let mut vm = amounts(&guest.name, &guest.cpu, guest.memory, &guest.others);
            if let Some(host) = guest.host {
                vm.insert("node".to_owned(), self.hosts[host].name.as_str().into());
            }
            if guest.priority != 0 {
                vm.insert("priority".to_owned(), guest.priority.into());
            }
            if guest.is_pinned {
                vm.insert("pinned".to_owned(), true.into());
            }
            if !guest.labels.is_empty() {
                vm.insert("labels".to_owned(), json!(guest.labels));
            }
            Value::from(vm)
        });
        let (nodes, vms): (Vec<_>, Vec<_>) = (nodes.collect(), vms.collect());
        let state = json!({ "nodes": nodes, "vms": vms, "constraints": self.rules });
        (state, self.notes)
    }
}

/// Returns unique names: the given ones, with the second text in parentheses where several are equal.
pub(super) fn unique_names<'n>(names: &[(&'n str, &'n str)]) -> Vec<String> {
    let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
    for (name, _) in names {
        *counts.entry(name).or_default() += 1;
    }
    let one = |(name, id): &(&str, &str)| {
        if counts[name] > 1 { format!("{name} ({id})") } else { (*name).to_owned() }
    };
    names.iter().map(one).collect()
}
