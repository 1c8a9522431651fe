//! Names of nodes, VMs and resources.

use std::collections::BTreeMap;

/// Names of nodes and VMs, by number.
#[derive(Default)]
pub(crate) struct Names {
    pub(crate) nodes: BTreeMap<u32, String>,
    pub(crate) vms: BTreeMap<u32, String>,
}

impl Names {
    pub(crate) fn node(&self, node: u32) -> String {
        self.nodes.get(&node).cloned().unwrap_or_else(|| format!("N{node}"))
    }

    pub(crate) fn vm(&self, vm: u32) -> String {
        self.vms.get(&vm).cloned().unwrap_or_else(|| format!("VM{vm}"))
    }
}

/// Maps the name of a BtrPlace resource to the name used in state files.
pub(crate) fn resource(name: &str) -> String {
    match name {
        "uCpu" => "cpu",
        "mem" => "memory",
        name => name,
    }
    .to_owned()
}
