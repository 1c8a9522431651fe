//! Exports of other systems, converted into a state.
//!
//! * OpenStack: `openstack hypervisor list --long -f json`, `openstack server list --all-projects
//!   --long -f json`, `openstack flavor list --all -f json`, and, if there are any, `openstack server
//!   group list --long -f json`.
//! * Proxmox VE: `pvesh get /cluster/resources --output-format json`.
//! * vSphere: the tables vHost and vInfo of RVTools, as CSV.
//! * Kubernetes: `kubectl get nodes,pods,poddisruptionbudgets --all-namespaces -o json`.
//!
//! ```
//! use dfrsim_input::{Input, Reader};
//! use dfrsim_state::import::Exports;
//!
//! let resources = r#"[
//!     {"type": "node", "node": "pve1", "status": "online", "maxcpu": 8, "maxmem": 17179869184},
//!     {"type": "qemu", "vmid": 100, "name": "web", "node": "pve1", "status": "running", "maxcpu": 2,
//!      "maxmem": 2147483648}
//! ]"#;
//! let file = Input::json("resources.json", resources)?;
//! let mut exports = Exports::default();
//! assert!(exports.add(&file));
//! let mut reader = Reader::default();
//! let imported = exports.convert(&mut reader);
//! let imported = reader.finish(imported)?;
//! assert_eq!(imported.state["vms"][0]["name"], "qemu/100 (web)");
//! # Ok::<(), dfrsim_input::Faults>(())
//! ```

mod draft;
mod kubernetes;
mod notes;
mod openstack;
mod proxmox;
mod rvtools;

pub use notes::Notes;

use dfrsim_input::{Input, Located, Object, Reader};
use draft::Draft;
use serde_json::Value;

dfrsim_model::named! {
    /// Systems whose exports are read, by their names in messages.
    pub enum System as "system" {
        /// OpenStack, by its command-line client.
        OpenStack = "OpenStack",
        /// Proxmox VE, by its API.
        Proxmox = "Proxmox VE",
        /// vSphere, by RVTools.
        VSphere = "vSphere",
        /// Kubernetes, by kubectl.
        Kubernetes = "Kubernetes",
    }
}

/// Kinds of exported files.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Export {
    Hypervisors,
    Servers,
    Flavors,
    ServerGroups,
    ProxmoxResources,
    VHost,
    VInfo,
    KubernetesList,
}

impl Export {
    const fn system(self) -> System {
        match self {
            Export::Hypervisors | Export::Servers | Export::Flavors | Export::ServerGroups => {
                System::OpenStack
            }
            Export::ProxmoxResources => System::Proxmox,
            Export::VHost | Export::VInfo => System::VSphere,
            Export::KubernetesList => System::Kubernetes,
        }
    }

    /// Recognises a file by its fields; `None` if it is no known export.
    fn of(input: &Input) -> Option<Export> {
        if let Some(columns) = input.columns() {
            let has = |name: &str| columns.iter().any(|column| column.eq_ignore_ascii_case(name));
            return match (has("VM") && has("Powerstate"), has("Host") && has("# Cores")) {
                (true, _) => Some(Export::VInfo),
                (_, true) => Some(Export::VHost),
                _ => None,
            };
        }
        let root = input.root();
        if let Some(object) = root.object()
            && object.get("apiVersion").is_some()
            && object.get("kind").is_some()
        {
            return Some(Export::KubernetesList);
        }
        let items = items(&root)?;
        // A pool of Proxmox VE, which may come first, has no node.
        let objects = || items.iter().filter_map(Located::object);
        let is_resource = |object: &Object<'_>| {
            object.get("type").is_some()
                && ["node", "storage", "vmid"].iter().any(|name| object.get(name).is_some())
        };
        if objects().any(|object| is_resource(&object)) {
            return Some(Export::ProxmoxResources);
        }
        let first = objects().next()?;
        let has = |name: &str| first.iter().any(|(field, _)| field.eq_ignore_ascii_case(name));
        if has("Hypervisor Hostname") && !has("Status") || has("Hypervisor Type") {
            Some(Export::Hypervisors)
        } else if has("Members") && (has("Policies") || has("Policy")) {
            Some(Export::ServerGroups)
        } else if has("VCPUs") && has("RAM") {
            Some(Export::Flavors)
        } else if has("ID") && has("Status") && (has("Flavor") || has("Flavor Name") || has("Networks")) {
            Some(Export::Servers)
        } else {
            None
        }
    }
}

/// Returns the items of a list, or of the list `data` that an API wraps around it.
fn items<'a>(root: &Located<'a>) -> Option<Vec<Located<'a>>> {
    root.items().or_else(|| root.object()?.get("data")?.items())
}

/// Exported files of one cluster.
#[derive(Default)]
pub struct Exports<'a> {
    files: Vec<(Export, &'a Input)>,
}

/// Result of the conversion of exports.
#[derive(Debug)]
pub struct Imported {
    /// The system that exported the files.
    pub system: System,
    /// State in the form of its JSON file.
    pub state: Value,
    /// Counts of what was left out, assumed or changed.
    pub notes: Notes,
}

impl<'a> Exports<'a> {
    /// Adds a file; returns false if it is no known export.
    pub fn add(&mut self, input: &'a Input) -> bool {
        let export = Export::of(input);
        self.files.extend(export.map(|export| (export, input)));
        export.is_some()
    }

    /// Returns whether a file is a known export.
    #[must_use]
    pub fn is_export(input: &Input) -> bool {
        Export::of(input).is_some()
    }

    /// Converts all files into one state; `None` if one of them is invalid or missing.
    pub fn convert(&self, reader: &mut Reader) -> Option<Imported> {
        let (first, rest) = self.files.split_first()?;
        let system = first.0.system();
        for (other, input) in rest {
            if other.system() != system {
                let message = format!(
                    "this is an export of {}, but `{}` is one of {system}; import one cluster at a time",
                    other.system(),
                    first.1.file()
                );
                reader.fault(&input.root(), message);
            }
        }
        if !reader.is_clean() {
            return None;
        }
        let mut draft = Draft::default();
        match system {
            System::OpenStack => openstack::convert(reader, self, &mut draft),
            System::Proxmox => proxmox::convert(reader, self, &mut draft),
            System::VSphere => rvtools::convert(reader, self, &mut draft),
            System::Kubernetes => kubernetes::convert(reader, self, &mut draft),
        }?;
        let (state, notes) = draft.finish();
        reader.is_clean().then_some(Imported { system, state, notes })
    }

    /// Iterates over the items of all files of a kind.
    fn of_kind(&self, kind: Export) -> impl Iterator<Item = Located<'a>> {
        let files = self.files.iter().filter(move |(export, _)| *export == kind);
        files.flat_map(|(_, input)| items(&input.root()).unwrap_or_default())
    }

    /// Reports a file that the others need; `command` writes it.
    fn require(&self, reader: &mut Reader, kind: Export, what: &str, command: &str) -> Option<()> {
        if self.files.iter().any(|(export, _)| *export == kind) {
            return Some(());
        }
        reader.fault_of_file(
            self.files[0].1.file(),
            format!("{what} are missing: add the output of `{command}`"),
        );
        None
    }
}
