//! Objects of Kubernetes, as `kubectl get nodes,pods,poddisruptionbudgets --all-namespaces -o json`
//! lists them.
//!
//! The rules are those of its scheduler: requests of containers, taints and tolerations, required
//! node affinity, and required anti-affinity of pods on one node. Disruption budgets limit moves.

mod pods;
mod quantity;
mod rules;
mod selector;

use super::draft::{Access, Draft, Host, Others};
use super::{Export, Exports};
use dfrsim_input::{Located, Object, Reader};
use pods::Pod;
use quantity::Quantity;
use selector::{Labels, below, labels, list_below, text_below};
use serde_json::Value;
use std::collections::BTreeMap;

/// Requests or capacities by resource.
type Amounts = BTreeMap<String, Quantity>;

/// A node of the cluster, without the data of its host.
struct Node<'a> {
    name: String,
    labels: Labels,
    taints: Vec<Object<'a>>,
    free: Amounts,
}

/// Objects by their kind.
#[derive(Default)]
struct Objects<'a> {
    nodes: Vec<Object<'a>>,
    pods: Vec<Object<'a>>,
    budgets: Vec<Object<'a>>,
}

/// Converts nodes, pods and disruption budgets.
pub(super) fn convert(reader: &mut Reader, exports: &Exports<'_>, draft: &mut Draft) -> Option<()> {
    let mut objects = Objects::default();
    for (_, input) in exports.files.iter().filter(|(kind, _)| *kind == Export::KubernetesList) {
        objects.add(&input.root(), draft);
    }
    for (list, what) in [(&objects.nodes, "nodes"), (&objects.pods, "pods")] {
        if list.is_empty() {
            let file = exports.files[0].1.file();
            reader.fault_of_file(
                file,
                format!(
                    "there are no {what}: write them with `kubectl get nodes,pods --all-namespaces -o json`"
                ),
            );
        }
    }
    // Without nodes, each pod would be on an unknown one.
    if !reader.is_clean() {
        return None;
    }
    let mut nodes = Vec::new();
    for object in &objects.nodes {
        if let Some((host, node)) = node(reader, object, draft) {
            draft.hosts.push(host);
            nodes.push(node);
        }
    }
    let pods: Vec<Pod<'_>> =
        objects.pods.iter().filter_map(|object| Pod::read(reader, object, draft).flatten()).collect();
    if !reader.is_clean() {
        return None;
    }
    let pods: Vec<Pod<'_>> = pods.into_iter().filter(|pod| !pod.is_bound(&mut nodes, draft)).collect();
    set_amounts(draft, &nodes, &pods);
    rules::add(draft, &nodes, &pods, &objects.budgets);
    Some(())
}

impl<'a> Objects<'a> {
    fn add(&mut self, root: &Located<'a>, draft: &mut Draft) {
        let Some(object) = root.object() else { return };
        let kind = text_below(&object, &["kind"]).unwrap_or_default();
        let Some(items) = below(&object, &["items"]).and_then(|at| at.items()) else {
            self.add_object(kind, object, draft);
            return;
        };
        for item in items.iter().filter_map(Located::object) {
            // Items of typed lists, such as `PodList`, have no kind of their own.
            let own = text_below(&item, &["kind"]).unwrap_or(kind.trim_end_matches("List"));
            self.add_object(own, item, draft);
        }
    }

    fn add_object(&mut self, kind: &str, object: Object<'a>, draft: &mut Draft) {
        match kind {
            "Node" => self.nodes.push(object),
            "Pod" => self.pods.push(object),
            "PodDisruptionBudget" => self.budgets.push(object),
            _ => {
                let name = text_below(&object, &["metadata", "name"]).unwrap_or_default();
                draft.notes.count(&format!("objects of the kind {kind}, not used"), name);
            }
        }
    }
}

/// Reads a node with its allocatable resources.
fn node<'a>(reader: &mut Reader, object: &Object<'a>, draft: &mut Draft) -> Option<(Host, Node<'a>)> {
    let Some(name) = text_below(object, &["metadata", "name"]) else {
        reader.fault(object.place(), "missing field `metadata.name`");
        return None;
    };
    let has =
        ["allocatable", "capacity"].iter().find_map(|field| below(object, &["status", field])?.object());
    let Some(has) = has else {
        reader.fault(object.place(), format!("node `{name}` has no `status.allocatable`"));
        return None;
    };
    let free: Vec<_> =
        has.iter().map(|(name, at)| Some((name.to_owned(), Quantity::read(reader, &at)?))).collect();
    let is_ready = |condition: &Object<'_>| {
        text_below(condition, &["type"]) == Some("Ready")
            && text_below(condition, &["status"]) == Some("True")
    };
    let conditions = list_below(object, &["status", "conditions"]);
    let access = if !conditions.is_empty() && !conditions.iter().any(is_ready) {
        draft.notes.count("nodes that are not ready: no pod comes or goes", name);
        Access::Unreachable
    } else if below(object, &["spec", "unschedulable"]).is_some_and(|at| at.boolean() == Some(true)) {
        draft.notes.count("nodes that are cordoned: pods may leave, and none may come", name);
        Access::Closed
    } else {
        Access::Open
    };
    let labels = labels(below(object, &["metadata", "labels"]).as_ref());
    let host = Host { name: name.to_owned(), labels: labels.clone(), access, ..Host::default() };
    let taints = list_below(object, &["spec", "taints"]);
    Some((
        host,
        Node { name: name.to_owned(), labels, taints, free: free.into_iter().collect::<Option<_>>()? },
    ))
}

/// Sets the amounts of hosts and guests: CPU, memory, and all resources that some pod requests.
fn set_amounts(draft: &mut Draft, nodes: &[Node<'_>], pods: &[Pod<'_>]) {
    let requested = pods.iter().flat_map(|pod| pod.requests.keys());
    let mut names: Vec<&String> =
        requested.filter(|name| !matches!(name.as_str(), "cpu" | "memory")).collect();
    names.sort();
    names.dedup();
    let others = |amounts: &Amounts, is_rounded_up: bool| -> Others {
        let one = |name: &&String| {
            let amount = amounts.get(*name).copied().unwrap_or_default();
            let is_of_bytes = name.contains("storage") || name.starts_with("hugepages");
            let count =
                if is_of_bytes { amount.mebibytes(is_rounded_up) } else { amount.whole(is_rounded_up) };
            ((*name).clone(), count)
        };
        names.iter().map(one).collect()
    };
    let of = |amounts: &Amounts, name: &str| amounts.get(name).copied().unwrap_or_default();
    for (host, node) in draft.hosts.iter_mut().zip(nodes) {
        host.cpu = cpus(of(&node.free, "cpu").thousandths(false));
        host.memory = of(&node.free, "memory").mebibytes(false);
        host.others = others(&node.free, false);
    }
    for pod in pods {
        let mut guest = pod.guest();
        guest.cpu = cpus(of(&pod.requests, "cpu").thousandths(true));
        guest.memory = of(&pod.requests, "memory").mebibytes(true);
        guest.others = others(&pod.requests, true);
        draft.guests.push(guest);
    }
}

/// Returns thousandths of a CPU as a number of CPUs.
fn cpus(thousandths: u64) -> Value {
    if thousandths.is_multiple_of(1_000) {
        (thousandths / 1_000).into()
    } else {
        (thousandths as f64 / 1e3).into()
    }
}
