//! Domains of libvirt, as `virsh dumpxml` prints them, as records of VMs.

use super::{Format, Input, line_at};
use crate::fault::{Fault, Faults};
use crate::tree::Node as Record;
use roxmltree::{Document, Node};
use std::path::Path;

const COLUMNS: [&str; 6] = ["vm", "cpu", "memory", "state", "node", "pinned"];
const MIB: u64 = 1 << 20;

impl Input {
    /// Takes one or several `domain` elements of libvirt apart, one after the other: a list of VMs as
    /// [comma-separated values](Input::csv) have them. The host that they run on is named as the file is, without its ending;
    /// `file` is what messages call it. A VM needs its virtual CPUs and all its memory, in MiB, rounded up. One without an `id` is
    /// shut off and waits; one with a device of the host is pinned.
    ///
    /// # Errors
    /// The text is not XML, or a domain lacks a name, virtual CPUs or memory: everything that is wrong, each with its line.
    pub fn libvirt(file: &str, text: &str) -> Result<Input, Faults> {
        // Several domains are one document within an element, on the same lines; a declaration could then not be there.
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
                faults.push(fault(line(domain), String::new(), format!("`{name}` is not a `domain`")));
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
            faults.push(fault(1, String::new(), "there is no `domain`".to_owned()));
        }
        if !faults.is_empty() {
            return Err(Faults(faults));
        }
        let columns = COLUMNS.map(str::to_owned).to_vec();
        Ok(Input::new(file, &whole, Record::records(0, records), Format::Csv { columns }))
    }
}

/// The virtual CPUs that are on.
fn cpus(vcpu: Node<'_, '_>) -> Option<String> {
    let count: u32 = vcpu.attribute("current").or(vcpu.text())?.trim().parse().ok()?;
    Some(count.to_string())
}

/// An amount in the units of libvirt, of which KiB is the default.
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

#[cfg(test)]
mod tests {
    use crate::state::{State, VmState};
    use crate::{Input, Reader};

    const DUMP: &str = "<domain type='kvm' id='3'>\n  <name>web1</name>\n  <memory unit='KiB'>2097153</memory>\n  \
        <currentMemory unit='KiB'>1048576</currentMemory>\n  <vcpu placement='static' current='2'>4</vcpu>\n</domain>\n\n\
        <domain type='kvm'>\n  <name>build</name>\n  <memory unit='GiB'>4</memory>\n  <vcpu>6</vcpu>\n  <devices>\n    \
        <hostdev mode='subsystem'/>\n  </devices>\n</domain>\n";

    #[test]
    fn domains_are_vms_of_the_host_of_their_file() {
        let nodes = Input::csv("nodes.csv", "node,cpu,memory\nhost1,8,8192\n");
        for text in [DUMP.to_owned(), format!("<?xml version='1.0'?>{DUMP}")] {
            let domains = Input::libvirt("dumps/host1.xml", &text).unwrap();
            let mut reader = Reader::default();
            let state = State::read(&mut reader, [&nodes, &domains]);
            let state = reader.finish(state).unwrap();
            let found: Vec<_> =
                state.vms.iter().map(|vm| (vm.name.as_str(), vm.state, vm.node, vm.is_pinned)).collect();
            assert_eq!(
                found,
                [("web1", VmState::Running, Some(0), false), ("build", VmState::Waiting, None, true)]
            );
            let needs = |vm: usize, name: &str| state.vms[vm].needs[name] / crate::state::UNITS;
            assert_eq!([needs(0, "cpu"), needs(0, "memory"), needs(1, "memory")], [2, 2_049, 4_096]);
        }
    }

    #[test]
    fn faults_of_domains_have_their_lines() {
        let text =
            DUMP.replace("'GiB'>4", "'GiBi'>4").replace("  <name>web1</name>", "").replace(">6<", ">six<");
        let faults = Input::libvirt("host1.xml", &text).unwrap_err().to_string();
        assert_eq!(
            faults,
            "host1.xml:1: name: `name` is missing: a name\n\
            host1.xml:11: vcpu: `six` is not a number of virtual CPUs\n\
            host1.xml:10: memory: `4` is not an amount of memory in a unit of libvirt, as in `KiB`"
        );
        let of = |text: &str| Input::libvirt("host1.xml", text).unwrap_err().to_string();
        assert!(
            of("<domain>\n<name>").starts_with("host1.xml:2: invalid XML: "),
            "{}",
            of("<domain>\n<name>")
        );
        assert_eq!(of("\n<network/>"), "host1.xml:2: `network` is not a `domain`");
        assert_eq!(of(""), "host1.xml:1: there is no `domain`");
        // The host of the file is one of the nodes.
        let domains = Input::libvirt("host9.xml", DUMP).unwrap();
        let nodes = Input::csv("nodes.csv", "node,cpu,memory\nhost1,8,8192\n");
        let mut reader = Reader::default();
        let state = State::read(&mut reader, [&nodes, &domains]);
        let faults = reader.finish(state).unwrap_err().to_string();
        assert!(faults.starts_with("host9.xml:1: node: unknown node `host9`"), "{faults}");
    }
}
