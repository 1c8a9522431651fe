//! Domains of libvirt as the VMs of a state.

use dfrsim_input::{Input, Reader};
use dfrsim_state::{State, VmState};

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
        let needs = |vm: usize, name: &str| state.vms[vm].needs[name] / dfrsim_state::UNITS;
        assert_eq!([needs(0, "cpu"), needs(0, "memory"), needs(1, "memory")], [2, 2_049, 4_096]);
    }
}

#[test]
fn faults_of_domains_have_their_lines() {
    let text = DUMP.replace("'GiB'>4", "'GiBi'>4").replace("  <name>web1</name>", "").replace(">6<", ">six<");
    let faults = Input::libvirt("host1.xml", &text).unwrap_err().to_string();
    assert_eq!(
        faults,
        "host1.xml:1: name: `name` is missing: a name\n\
        host1.xml:11: vcpu: `six` is not a number of virtual CPUs\n\
        host1.xml:10: memory: `4` is not an amount of memory in a unit of libvirt, as in `KiB`"
    );
    let of = |text: &str| Input::libvirt("host1.xml", text).unwrap_err().to_string();
    assert!(of("<domain>\n<name>").starts_with("host1.xml:2: invalid XML: "), "{}", of("<domain>\n<name>"));
    assert_eq!(of("\n<network/>"), "host1.xml:2: unexpected element `network`; expected `domain`");
    assert_eq!(of(""), "host1.xml:1: no `domain` element");
    // The host named after the file is one of the nodes.
    let domains = Input::libvirt("host9.xml", DUMP).unwrap();
    let nodes = Input::csv("nodes.csv", "node,cpu,memory\nhost1,8,8192\n");
    let mut reader = Reader::default();
    let state = State::read(&mut reader, [&nodes, &domains]);
    let faults = reader.finish(state).unwrap_err().to_string();
    assert!(faults.starts_with("host9.xml:1: node: unknown node `host9`"), "{faults}");
}
