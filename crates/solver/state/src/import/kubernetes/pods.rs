//! Pods with their requests.

use super::selector::{Labels, below, labels, list_below, text_below};
use super::{Amounts, Draft, Node, Quantity};
use crate::import::draft::Guest;
use dfrsim_input::{Object, Reader};

/// Controller that restarts an evicted pod on another node.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Owner {
    /// A controller that does not care for the node.
    Controller,
    /// A daemon set or the node itself: the pod belongs to its node.
    Node,
    /// Nobody.
    Nobody,
}

/// A pod that holds or wants resources.
pub(super) struct Pod<'a> {
    pub(super) object: Object<'a>,
    /// Namespace and name, with a slash between them.
    pub(super) name: String,
    pub(super) namespace: &'a str,
    pub(super) labels: Labels,
    pub(super) requests: Amounts,
    pub(super) node: Option<usize>,
    priority: i64,
    owner: Owner,
}

impl<'a> Pod<'a> {
    /// Reads a pod; the inner option is `None` for a pod that has ended.
    pub(super) fn read(
        reader: &mut Reader,
        object: &Object<'a>,
        draft: &mut Draft,
    ) -> Option<Option<Pod<'a>>> {
        let Some(own) = text_below(object, &["metadata", "name"]) else {
            reader.fault(object.place(), "missing field `metadata.name`");
            return None;
        };
        let namespace = text_below(object, &["metadata", "namespace"]).unwrap_or("default");
        let name = format!("{namespace}/{own}");
        let phase = text_below(object, &["status", "phase"]).unwrap_or_default();
        if matches!(phase, "Succeeded" | "Failed") {
            draft.notes.count("pods that have ended, left out", &name);
            return Some(None);
        }
        let node = match below(object, &["spec", "nodeName"]) {
            Some(at) => Some(draft.host(reader, &at)?),
            None if !list_below(object, &["spec", "schedulingGates"]).is_empty() => {
                draft.notes.count("pods that wait for a scheduling gate, left out", &name);
                return Some(None);
            }
            None => None,
        };
        let requests = requests(reader, object)?;
        if !requests.contains_key("cpu") && !requests.contains_key("memory") {
            draft.notes.count("pods without requests of CPU and memory, which count as 0", &name);
        }
        let owners = list_below(object, &["metadata", "ownerReferences"]);
        let of_kind = |kind: &str| owners.iter().any(|owner| text_below(owner, &["kind"]) == Some(kind));
        let owner = match owners.is_empty() {
            _ if of_kind("DaemonSet") || of_kind("Node") => Owner::Node,
            true => Owner::Nobody,
            false => Owner::Controller,
        };
        let keeps_data =
            list_below(object, &["spec", "volumes"]).iter().any(|volume| volume.get("emptyDir").is_some());
        if keeps_data && owner == Owner::Controller {
            draft.notes.count("pods with an `emptyDir`, whose content is lost when they move", &name);
        }
        let labels = labels(below(object, &["metadata", "labels"]).as_ref());
        let priority = below(object, &["spec", "priority"]).and_then(|at| at.integer()).unwrap_or(0);
        let object = object.clone();
        Some(Some(Pod { object, name, namespace, labels, requests, node, priority, owner }))
    }

    /// Takes the requests of a pod that belongs to its node from that node; returns whether it does.
    pub(super) fn is_bound(&self, nodes: &mut [Node<'_>], draft: &mut Draft) -> bool {
        let (Owner::Node, Some(node)) = (self.owner, self.node) else {
            if self.owner == Owner::Nobody && self.node.is_some() {
                draft.notes.count("pods without a controller, which stay on their nodes", &self.name);
            }
            return false;
        };
        draft
            .notes
            .count("pods of daemon sets and of nodes, whose requests are taken from their nodes", &self.name);
        for (name, amount) in &self.requests {
            if let Some(free) = nodes[node].free.get_mut(name) {
                *free = free.minus(*amount);
            }
        }
        true
    }

    /// Returns the pod as a guest without its amounts.
    pub(super) fn guest(&self) -> Guest {
        let is_pinned = self.owner == Owner::Nobody && self.node.is_some();
        Guest {
            name: self.name.clone(),
            host: self.node,
            priority: self.priority,
            is_pinned,
            labels: self.labels.clone(),
            ..Guest::default()
        }
    }

    /// Returns the tolerations.
    pub(super) fn tolerations(&self) -> Vec<Object<'a>> {
        list_below(&self.object, &["spec", "tolerations"])
    }
}

/// Returns what the scheduler reserves for a pod: the containers that run together, or an init
/// container with the sidecars before it if that is more, and the overhead of the pod.
fn requests(reader: &mut Reader, object: &Object<'_>) -> Option<Amounts> {
    let mut running = Amounts::new();
    let mut peak = Amounts::new();
    let add = |sum: &mut Amounts, more: &Amounts| {
        for (name, amount) in more {
            let sum = sum.entry(name.clone()).or_default();
            *sum = sum.plus(*amount);
        }
    };
    for container in list_below(object, &["spec", "initContainers"]) {
        let own = amounts(reader, &container, &["resources", "requests"])?;
        if text_below(&container, &["restartPolicy"]) == Some("Always") {
            add(&mut running, &own);
        } else {
            let mut now = running.clone();
            add(&mut now, &own);
            raise(&mut peak, &now);
        }
    }
    for container in list_below(object, &["spec", "containers"]) {
        let own = amounts(reader, &container, &["resources", "requests"])?;
        add(&mut running, &own);
    }
    raise(&mut peak, &running);
    add(&mut peak, &amounts(reader, object, &["spec", "overhead"])?);
    peak.insert("pods".to_owned(), Quantity::ONE);
    Some(peak)
}

/// Raises each amount to that of another one.
fn raise(peak: &mut Amounts, to: &Amounts) {
    for (name, amount) in to {
        let own = peak.entry(name.clone()).or_default();
        *own = (*own).max(*amount);
    }
}

fn amounts(reader: &mut Reader, object: &Object<'_>, path: &[&str]) -> Option<Amounts> {
    let Some(amounts) = below(object, path).and_then(|at| at.object()) else { return Some(Amounts::new()) };
    let read: Vec<_> =
        amounts.iter().map(|(name, at)| Some((name.to_owned(), Quantity::read(reader, &at)?))).collect();
    read.into_iter().collect()
}
