//! Resources of a cluster of Proxmox VE, as `pvesh get /cluster/resources` lists them.

use super::draft::{Access, Draft, Guest, Host, MIB};
use super::{Export, Exports, Notes};
use dfrsim_input::{Located, Object, Reader};

/// Converts nodes, virtual machines and containers. All other resources, such as storage, are
/// ignored, since they are not placed.
pub(super) fn convert(reader: &mut Reader, exports: &Exports<'_>, draft: &mut Draft) -> Option<()> {
    let resources: Vec<Located<'_>> = exports.of_kind(Export::ProxmoxResources).collect();
    let mut guests = Vec::new();
    for at in &resources {
        let Some(object) = reader.any_object(at) else { continue };
        let Some(kind) = text(reader, &object, "type") else { continue };
        match kind {
            "node" => {
                let host = host(reader, &object, &mut draft.notes);
                draft.hosts.extend(host);
            }
            "qemu" | "lxc" => guests.push(object),
            _ => {}
        }
    }
    if draft.hosts.is_empty() && reader.is_clean() {
        reader.fault(
            resources.first()?,
            "no resource has the type `node`: give the whole list, without `--type vm`",
        );
        return None;
    }
    for object in guests {
        let guest = guest(reader, &object, draft);
        draft.guests.extend(guest.flatten());
    }
    Some(())
}

fn text<'a>(reader: &mut Reader, object: &Object<'a>, name: &str) -> Option<&'a str> {
    let at = reader.field(object, name)?;
    reader.text(&at)
}

fn integer(reader: &mut Reader, object: &Object<'_>, name: &str) -> Option<u64> {
    let at = reader.field(object, name)?;
    reader.number(&at, "a whole number", |number| {
        (number >= 0.0 && number.fract() == 0.0).then_some(number as u64)
    })
}

fn host(reader: &mut Reader, object: &Object<'_>, notes: &mut Notes) -> Option<Host> {
    let name = text(reader, object, "node")?.to_owned();
    let is_online = object.get("status").is_none_or(|status| status.text() == Some("online"));
    if !is_online && object.get("maxcpu").is_none() {
        // The cluster knows no capacities of a node that it cannot reach.
        notes.count("nodes that are offline and have no capacity, left out", &name);
        return None;
    }
    let (cpu, memory) = (integer(reader, object, "maxcpu"), integer(reader, object, "maxmem"));
    if !is_online {
        notes.count("nodes that are offline: no VM comes or goes", &name);
    }
    let access = if is_online { Access::Open } else { Access::Unreachable };
    Some(Host { name, cpu: cpu?.into(), memory: memory? / MIB, access, ..Host::default() })
}

fn guest(reader: &mut Reader, object: &Object<'_>, draft: &mut Draft) -> Option<Option<Guest>> {
    let id = integer(reader, object, "vmid")?;
    let own = object.get("name").and_then(|at| at.text());
    let kind = text(reader, object, "type")?;
    let name = own.map_or_else(|| format!("{kind}/{id}"), |own| format!("{kind}/{id} ({own})"));
    let is_template =
        object.get("template").and_then(|at| at.number()).is_some_and(|template| template != 0.0);
    let status = text(reader, object, "status")?;
    let left_out = match status {
        _ if is_template => Some("templates, left out".to_owned()),
        "running" | "paused" => None,
        _ => Some(format!("VMs and containers with the status `{status}`, which hold nothing, left out")),
    };
    if let Some(reason) = left_out {
        draft.notes.count(&reason, &name);
        return Some(None);
    }
    let host = reader.field(object, "node").and_then(|at| draft.host(reader, &at));
    let (cpu, memory) = (integer(reader, object, "maxcpu"), integer(reader, object, "maxmem"));
    if kind == "lxc" {
        draft.notes.count("containers, which are restarted when they move", &name);
    }
    Some(Some(Guest {
        name,
        cpu: cpu?.into(),
        memory: memory?.div_ceil(MIB),
        host: Some(host?),
        ..Guest::default()
    }))
}
