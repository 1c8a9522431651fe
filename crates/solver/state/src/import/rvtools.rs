//! Tables of RVTools for vSphere: vHost and vInfo.

use super::draft::{Access, Draft, Guest, Host, unique_names};
use super::{Export, Exports};
use crate::ConstraintKind;
use dfrsim_input::{Located, Object, Reader};
use std::collections::{BTreeMap, BTreeSet};

/// Converts hosts, VMs that are powered on, and the rules of their clusters.
pub(super) fn convert(reader: &mut Reader, exports: &Exports<'_>, draft: &mut Draft) -> Option<()> {
    exports.require(reader, Export::VHost, "hosts", "RVTools: the table vHost as CSV")?;
    exports.require(reader, Export::VInfo, "VMs", "RVTools: the table vInfo as CSV")?;
    for (_, input) in &exports.files {
        // Reports records with a wrong number of cells.
        reader.records(input);
    }
    for at in exports.of_kind(Export::VHost) {
        let Some(object) = reader.any_object(&at) else { continue };
        let host = host(reader, &object, draft);
        draft.hosts.extend(host);
    }
    let records: Vec<Object<'_>> =
        exports.of_kind(Export::VInfo).filter_map(|at| reader.any_object(&at)).collect();
    let mut running = Vec::new();
    for object in &records {
        let name = cell(object, "VM").and_then(|at| at.text());
        let Some(name) = name else {
            reader.fault(object.place(), "missing field `VM`");
            continue;
        };
        let is = |column: &str, value: &str| {
            cell(object, column).and_then(|at| at.text()).is_some_and(|text| text.eq_ignore_ascii_case(value))
        };
        if is("Template", "true") {
            draft.notes.count("templates, left out", name);
        } else if is("SRM Placeholder", "true") {
            draft.notes.count("placeholders of Site Recovery Manager, left out", name);
        } else if is("Powerstate", "poweredOn") {
            running.push((name, object));
        } else {
            draft.notes.count("VMs that are not powered on, which hold nothing, left out", name);
        }
    }
    let ids = running.iter().map(|(name, object)| (*name, id(object))).collect::<Vec<_>>();
    for (name, (_, object)) in unique_names(&ids).into_iter().zip(&running) {
        let guest = guest(reader, object, name, draft);
        draft.guests.extend(guest);
    }
    if reader.is_clean() {
        let objects: Vec<&Object<'_>> = running.into_iter().map(|(_, object)| object).collect();
        add_cluster_rules(draft, &objects);
        keep_in_clusters(draft);
    }
    Some(())
}

/// Returns a cell by the name of its column in any case.
fn cell<'a>(object: &Object<'a>, column: &str) -> Option<Located<'a>> {
    object.iter().find(|(name, _)| name.eq_ignore_ascii_case(column)).map(|(_, at)| at)
}

fn id<'a>(object: &Object<'a>) -> &'a str {
    let id = ["VM ID", "VM UUID", "Host"].iter().find_map(|column| cell(object, column));
    id.and_then(|at| at.text()).unwrap_or_default()
}

/// Reads a whole number, which some systems write with separators of thousands.
fn number(reader: &mut Reader, object: &Object<'_>, column: &str) -> Option<u64> {
    let Some(at) = cell(object, column) else {
        reader.fault(object.place(), format!("missing field `{column}`"));
        return None;
    };
    let digits: String =
        at.text().unwrap_or_default().chars().filter(|it| !matches!(it, ',' | ' ')).collect();
    reader.expected(&at, digits.parse().ok(), || "a whole number")
}

fn host(reader: &mut Reader, object: &Object<'_>, draft: &mut Draft) -> Option<Host> {
    let Some(name) = cell(object, "Host").and_then(|at| at.text()) else {
        reader.fault(object.place(), "missing field `Host`");
        return None;
    };
    let (cores, memory) = (number(reader, object, "# Cores"), number(reader, object, "# Memory"));
    let in_maintenance = cell(object, "in Maintenance Mode").and_then(|at| at.text());
    let is_closed = in_maintenance.is_some_and(|text| text.eq_ignore_ascii_case("true"));
    if is_closed {
        draft.notes.count("hosts in maintenance mode: VMs may leave, and none may come", name);
    }
    let labels = cell(object, "Cluster").and_then(|at| at.text());
    let labels = labels.map(|cluster| ("cluster".to_owned(), cluster.to_owned())).into_iter().collect();
    let access = if is_closed { Access::Closed } else { Access::Open };
    Some(Host {
        name: name.to_owned(),
        cpu: cores?.into(),
        memory: memory?,
        labels,
        access,
        ..Host::default()
    })
}

fn guest(reader: &mut Reader, object: &Object<'_>, name: String, draft: &Draft) -> Option<Guest> {
    let host = match cell(object, "Host") {
        Some(at) => draft.host(reader, &at),
        None => {
            reader.fault(object.place(), "missing field `Host` of a VM that is powered on");
            None
        }
    };
    let (cpu, memory) = (number(reader, object, "CPUs"), number(reader, object, "Memory"));
    Some(Guest { name, cpu: cpu?.into(), memory: memory?, host: Some(host?), ..Guest::default() })
}

/// Adds the rules that keep VMs together or apart, which have the same name in the rows of all their
/// VMs.
fn add_cluster_rules(draft: &mut Draft, objects: &[&Object<'_>]) {
    let mut rules: BTreeMap<(String, String, String), Vec<String>> = BTreeMap::new();
    for (guest, object) in draft.guests.iter().zip(objects) {
        let list = |column| cell(object, column).and_then(|at| at.text()).unwrap_or_default();
        let cluster = list("Cluster").to_owned();
        let split = |text: &str| text.split(',').map(|it| it.trim().to_owned()).collect::<Vec<_>>();
        for (kind, name) in
            split(list("Cluster rule(s)")).into_iter().zip(split(list("Cluster rule name(s)")))
        {
            if !kind.is_empty() {
                rules.entry((cluster.clone(), name, kind)).or_default().push(guest.name.clone());
            }
        }
    }
    for ((_, name, kind), guests) in rules {
        let lower = kind.to_ascii_lowercase().replace(['-', ' ', '_'], "");
        let of = match lower.as_str() {
            _ if lower.contains("host") => None,
            _ if lower.contains("antiaffinity") => Some(ConstraintKind::Spread),
            _ if lower.contains("affinity") => Some(ConstraintKind::Gather),
            _ => None,
        };
        match of {
            Some(of) => draft.add_group(of, guests),
            None => draft
                .notes
                .count(&format!("rules of the kind `{kind}`, not used: its hosts are not exported"), &name),
        }
    }
}

/// Keeps the VMs of each cluster on its hosts.
fn keep_in_clusters(draft: &mut Draft) {
    let mut clusters: BTreeMap<&str, BTreeSet<usize>> = BTreeMap::new();
    for (number, host) in draft.hosts.iter().enumerate() {
        clusters.entry(host.labels.get("cluster").map_or("", String::as_str)).or_default().insert(number);
    }
    let of_guest = |guest: usize| {
        let host = draft.guests[guest].host?;
        let cluster = draft.hosts[host].labels.get("cluster").map_or("", String::as_str);
        Some((guest, clusters[cluster].clone()))
    };
    let fences: Vec<_> = (0..draft.guests.len()).filter_map(of_guest).collect();
    draft.add_fences(fences);
}
