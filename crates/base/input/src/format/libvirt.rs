//! Parser of libvirt domains, as printed by `virsh dumpxml`, into records of VMs.

use super::{Format, Input, line_at};
use crate::fault::{Fault, Faults};
use crate::tree::Node as Record;
use roxmltree::{Document, Node};
use std::path::Path;

const COLUMNS: [&str; 6] = ["vm", "cpu", "memory", "state", "node", "pinned"];
const MIB: u64 = 1 << 20;

impl Input {
    /// Parses one or several consecutive `domain` elements of libvirt into a list of VMs, with the
    /// columns of [comma-separated values](Input::csv).
    ///
    /// The host of the VMs is named like the file, without its extension; `file` is the name in
    /// messages. A VM needs its virtual CPUs and its maximum memory, in MiB, rounded up. A VM
    /// without an `id` is shut off and therefore waiting. A VM with a host device is pinned.
    ///
    /// # Errors
    ///
    /// The text is not XML, or a domain lacks a name, virtual CPUs or memory: all errors, each with
    /// its line.
    pub fn libvirt(file: &str, text: &str) -> Result<Input, Faults> {
        // Several domains become one document by wrapping them in an element on the same lines. An
        // XML declaration would be invalid there.
        let mut body = text.to_owned();
        if let Some(end) = body.starts_with("<?xml").then(|| body.find("?>")).flatten() {
            body.replace_range(..end + 2, &" ".repeat(end + 2));
        }
        const OPEN: &str = "<domains>";
        let whole = format!("{OPEN}{body}</domains>");
        let fault = |line: usize, path: String, message: String| Fault {
            line: Some(line),
            path,
            ..Fault::of_file(file, message)
        };
        let document = Document::parse(&whole).map_err(|error| {
            fault(error.pos().row as usize, String::new(), format!("invalid XML: {error}"))
        })?;
        let line = |node: Node<'_, '_>| line_at(&whole, node.range().start);
        let host = Path::new(file).file_stem().unwrap_or_default().to_string_lossy().into_owned();
        let (mut faults, mut records) = (Vec::new(), Vec::new());
        for domain in document.root_element().children().filter(Node::is_element) {
            if !domain.has_tag_name("domain") {
                let name = domain.tag_name().name();
                faults.push(fault(
                    line(domain),
                    String::new(),
                    format!("unexpected element `{name}`; expected `domain`"),
                ));
                continue;
            }
            let element = |name: &'static str| domain.children().find(|child| child.has_tag_name(name));
            let mut read = |name: &'static str, meant: &str, of: &dyn Fn(Node<'_, '_>) -> Option<String>| {
                let found = element(name);
                let value = found.and_then(of);
                if value.is_none() {
                    let message = match found.and_then(|found| found.text()) {
                        Some(text) => format!("`{}` is not {meant}", text.trim()),
                        None => format!("`{name}` is missing: {meant}"),
                    };
                    faults.push(fault(line(found.unwrap_or(domain)), name.to_owned(), message));
                }
                value
            };
            let is_on = domain.attribute("id").is_some();
            let passes_device = element("devices")
                .is_some_and(|devices| devices.children().any(|device| device.has_tag_name("hostdev")));
            let values = [
                read("name", "a name", &|it| {
                    Some(it.text()?.trim().to_owned()).filter(|name| !name.is_empty())
                }),
                read("vcpu", "a number of virtual CPUs", &cpus),
                read("memory", "an amount of memory in a unit of libvirt, as in `KiB`", &mebibytes),
                Some(if is_on { "running" } else { "waiting" }.to_owned()),
                is_on.then(|| host.clone()),
                passes_device.then(|| true.to_string()),
            ];
            let fields =
                COLUMNS.iter().zip(&values).filter_map(|(name, value)| Some((*name, value.as_deref()?)));
            records.push(Record::record(domain.range().start, fields));
        }
        if records.is_empty() && faults.is_empty() {
            faults.push(fault(1, String::new(), "no `domain` element".to_owned()));
        }
        if !faults.is_empty() {
            return Err(Faults(faults));
        }
        let columns = COLUMNS.map(str::to_owned).to_vec();
        Input::new(file, &whole, Record::records(0, records), Format::Csv { columns }).checked()
    }
}

/// Returns the number of virtual CPUs that are enabled.
fn cpus(vcpu: Node<'_, '_>) -> Option<String> {
    let count: u32 = vcpu.attribute("current").or(vcpu.text())?.trim().parse().ok()?;
    Some(count.to_string())
}

/// Converts an amount in libvirt units, by default KiB, to MiB.
fn mebibytes(memory: Node<'_, '_>) -> Option<String> {
    let amount: u64 = memory.text()?.trim().parse().ok()?;
    let unit: u64 = match memory.attribute("unit").unwrap_or("KiB") {
        "b" | "bytes" => 1,
        "KB" => 1_000,
        "k" | "KiB" => 1 << 10,
        "MB" => 1_000_000,
        "M" | "MiB" => MIB,
        "GB" => 1_000_000_000,
        "G" | "GiB" => 1 << 30,
        "TB" => 1_000_000_000_000,
        "T" | "TiB" => 1 << 40,
        _ => return None,
    };
    Some(amount.checked_mul(unit)?.div_ceil(MIB).to_string())
}
