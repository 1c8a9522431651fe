//! Lists of OpenStack's command-line client: hypervisors, servers, flavors and server groups.

use super::draft::{Access, Draft, Guest, Host, SOFT_WEIGHT, unique_names};
use super::{Export, Exports};
use crate::ConstraintKind;
use dfrsim_input::{Located, Object, Reader};
use std::collections::BTreeMap;

const FLAVORS: &str = "openstack flavor list --all -f json";
const HYPERVISORS: &str = "openstack --os-compute-api-version 2.87 hypervisor list --long -f json";
const SERVERS: &str = "openstack server list --all-projects --long -f json";

/// Virtual CPUs and memory in MiB of each flavor, by name and by identifier.
type Flavors<'a> = BTreeMap<&'a str, (u64, u64)>;

/// Converts hypervisors, servers and the policies of server groups.
pub(super) fn convert(reader: &mut Reader, exports: &Exports<'_>, draft: &mut Draft) -> Option<()> {
    let required = [
        (Export::Hypervisors, "hypervisors", HYPERVISORS),
        (Export::Servers, "servers", SERVERS),
        (Export::Flavors, "flavors", FLAVORS),
    ];
    let found = required.map(|(kind, what, command)| exports.require(reader, kind, what, command));
    found.into_iter().collect::<Option<Vec<()>>>()?;
    let mut flavors = Flavors::new();
    for at in exports.of_kind(Export::Flavors) {
        let Some(object) = reader.any_object(&at) else { continue };
        let size = (number(reader, &object, "VCPUs", FLAVORS), number(reader, &object, "RAM", FLAVORS));
        if let (Some(cpus), Some(memory)) = size {
            let keys = ["Name", "ID"].iter().filter_map(|name| field(&object, name)?.text());
            flavors.extend(keys.map(|key| (key, (cpus, memory))));
        }
    }
    for at in exports.of_kind(Export::Hypervisors) {
        let Some(object) = reader.any_object(&at) else { continue };
        let host = hypervisor(reader, &object, draft);
        draft.hosts.extend(host);
    }
    let servers: Vec<Object<'_>> =
        exports.of_kind(Export::Servers).filter_map(|at| reader.any_object(&at)).collect();
    let texts = servers.iter().map(|object| (text(reader, object, "Name"), text(reader, object, "ID")));
    let texts: Vec<_> = texts.collect::<Vec<_>>().into_iter().map(|(name, id)| Some((name?, id?))).collect();
    let ids: Vec<(&str, &str)> = texts.into_iter().collect::<Option<_>>()?;
    let mut names = BTreeMap::new();
    for ((object, name), (_, id)) in servers.iter().zip(unique_names(&ids)).zip(&ids) {
        if let Some(guest) = server(reader, object, &name, &flavors, draft).flatten() {
            names.insert(*id, name);
            draft.guests.push(guest);
        }
    }
    for at in exports.of_kind(Export::ServerGroups) {
        let Some(object) = reader.any_object(&at) else { continue };
        server_group(reader, &object, &names, draft);
    }
    Some(())
}

/// Returns a field by its name in any case: versions differ in `VCPUs` and `vCPUs`.
fn field<'a>(object: &Object<'a>, name: &str) -> Option<Located<'a>> {
    object.iter().find(|(other, at)| other.eq_ignore_ascii_case(name) && !at.is_null()).map(|(_, at)| at)
}

fn text<'a>(reader: &mut Reader, object: &Object<'a>, name: &str) -> Option<&'a str> {
    match field(object, name) {
        Some(at) => reader.text(&at),
        None => {
            reader.fault(object.place(), format!("missing field `{name}`"));
            None
        }
    }
}

/// Reads a whole number; `command` writes the field.
fn number(reader: &mut Reader, object: &Object<'_>, name: &str, command: &str) -> Option<u64> {
    let Some(at) = field(object, name) else {
        reader.fault(object.place(), format!("missing field `{name}`: write the list with `{command}`"));
        return None;
    };
    let number = at.number().or_else(|| at.text()?.trim().parse().ok());
    let whole = number.filter(|number| *number >= 0.0 && number.fract() == 0.0);
    reader.expected(&at, whole.map(|number| number as u64), || "a whole number")
}

fn hypervisor(reader: &mut Reader, object: &Object<'_>, draft: &mut Draft) -> Option<Host> {
    let name = text(reader, object, "Hypervisor Hostname");
    let cpus = number(reader, object, "vCPUs", HYPERVISORS);
    let memory = number(reader, object, "Memory MB", HYPERVISORS);
    let name = name?.to_owned();
    let is = |column: &str, value: &str| {
        field(object, column).and_then(|at| at.text()).is_some_and(|text| text.eq_ignore_ascii_case(value))
    };
    let access = if is("State", "down") {
        draft.notes.count("hypervisors that are down: no server comes or goes", &name);
        Access::Unreachable
    } else if is("Status", "disabled") {
        draft.notes.count("hypervisors that are disabled: servers may leave, and none may come", &name);
        Access::Closed
    } else {
        Access::Open
    };
    Some(Host { name, cpu: cpus?.into(), memory: memory?, access, ..Host::default() })
}

fn server(
    reader: &mut Reader,
    object: &Object<'_>,
    name: &str,
    flavors: &Flavors<'_>,
    draft: &mut Draft,
) -> Option<Option<Guest>> {
    let status = text(reader, object, "Status")?;
    let host = ["Host", "Hypervisor Hostname"].iter().find_map(|name| field(object, name));
    let host = host.filter(|at| at.text().is_none_or(|text| !matches!(text, "" | "None")));
    let is_building = status.eq_ignore_ascii_case("BUILD");
    if host.is_none() && !is_building {
        let has_column = object.iter().any(|(name, _)| matches!(name, "Host" | "Hypervisor Hostname"));
        if !has_column {
            reader.fault(
                object.place(),
                format!("missing field `Host`: write the list with `{SERVERS}` as an administrator"),
            );
            return None;
        }
        draft.notes.count(&format!("servers with the status {status} and without a host, left out"), name);
        return Some(None);
    }
    let flavor = ["Flavor Name", "Flavor", "Flavor ID"].iter().find_map(|name| field(object, name));
    let Some(flavor) = flavor else {
        reader.fault(object.place(), format!("missing field `Flavor Name`: write the list with `{SERVERS}`"));
        return None;
    };
    let size = reader.one_of(&flavor, "flavor", |name| flavors.get(name).copied(), flavors.keys());
    let host = match host {
        Some(at) => Some(draft.host(reader, &at)?),
        None => None,
    };
    let (cpus, memory) = size?;
    let is_pinned = match status {
        "ACTIVE" | "PAUSED" | "BUILD" => false,
        "SHUTOFF" => {
            draft.notes.count("servers with the status SHUTOFF, which keep their allocation and are placed like running ones", name);
            false
        }
        _ => {
            draft.notes.count(&format!("servers with the status {status}, which stay on their hosts"), name);
            true
        }
    };
    Some(Some(Guest { name: name.to_owned(), cpu: cpus.into(), memory, host, is_pinned, ..Guest::default() }))
}

fn server_group(reader: &mut Reader, object: &Object<'_>, names: &BTreeMap<&str, String>, draft: &mut Draft) {
    let Some(group) = text(reader, object, "Name") else { return };
    let policies = ["Policy", "Policies"].iter().find_map(|name| field(object, name));
    let (Some(policies), Some(members)) = (policies.map(|at| texts(&at)), field(object, "Members")) else {
        reader.fault(
            object.place(),
            "a server group needs the fields `Policy` and `Members`: write the list with \
            `openstack server group list --all-projects --long -f json`",
        );
        return;
    };
    let mut guests = Vec::new();
    for member in texts(&members) {
        match names.get(member) {
            Some(name) => guests.push(name.clone()),
            None => {
                draft
                    .notes
                    .count("members of server groups that are not servers with a host, ignored", member);
            }
        }
    }
    for policy in policies {
        match policy {
            "anti-affinity" => draft.add_group(ConstraintKind::Spread, guests.clone()),
            "affinity" => draft.add_group(ConstraintKind::Gather, guests.clone()),
            "soft-anti-affinity" => {
                draft.add_soft_group(ConstraintKind::Spread, guests.clone(), SOFT_WEIGHT);
            }
            "soft-affinity" => draft.add_soft_group(ConstraintKind::Gather, guests.clone(), SOFT_WEIGHT),
            _ => draft.notes.count(
                &format!("server groups with the policy `{policy}`, which is no rule, not used"),
                group,
            ),
        }
    }
}

/// Returns the texts of a list, or those that a text has between commas.
fn texts<'a>(at: &Located<'a>) -> Vec<&'a str> {
    match at.items() {
        Some(items) => items.iter().filter_map(Located::text).collect(),
        None => at.text().unwrap_or_default().split(',').map(str::trim).filter(|it| !it.is_empty()).collect(),
    }
}
