//! Rules of the scheduler, and disruption budgets.

use super::pods::Pod;
use super::selector::{below, is_tolerated, labels, list_below, selects, term_selects, text_below};
use super::{Draft, Node};
use crate::import::draft::SOFT_WEIGHT;
use crate::{Constraint, ConstraintKind};
use dfrsim_input::{Located, Object};
use std::collections::{BTreeMap, BTreeSet};

const HOST: &str = "kubernetes.io/hostname";

/// Adds the rules of all pods, and counts those that the planner does not know.
pub(super) fn add(draft: &mut Draft, nodes: &[Node<'_>], pods: &[Pod<'_>], budgets: &[Object<'_>]) {
    let allowed: Vec<_> =
        pods.iter().enumerate().map(|(number, pod)| (number, allowed(pod, nodes))).collect();
    for (pod, (_, allowed)) in pods.iter().zip(&allowed) {
        if pod.node.is_some_and(|node| !allowed.contains(&node)) {
            draft.notes.count("pods on nodes that their rules no longer allow, which may stay", &pod.name);
        }
    }
    draft.add_fences(allowed);
    add_apart(draft, pods);
    add_preferred_nodes(draft, nodes, pods);
    add_preferred_pods(draft, pods);
    add_spreads(draft, nodes, pods);
    for pod in pods {
        count_others(draft, pod);
    }
    for budget in budgets {
        add_budget(draft, budget, pods);
    }
}

/// Returns the nodes on which the scheduler may place a pod, by selectors and taints.
fn allowed(pod: &Pod<'_>, nodes: &[Node<'_>]) -> BTreeSet<usize> {
    let wanted = labels(below(&pod.object, &["spec", "nodeSelector"]).as_ref());
    let path = ["spec", "affinity", "nodeAffinity", "requiredDuringSchedulingIgnoredDuringExecution"];
    let affinity = below(&pod.object, &path).and_then(|at| at.object());
    let terms = affinity.map(|affinity| list_below(&affinity, &["nodeSelectorTerms"]));
    let tolerations = pod.tolerations();
    let is_allowed = |node: &Node<'_>| {
        wanted.iter().all(|(name, value)| node.labels.get(name) == Some(value))
            && terms
                .as_ref()
                .is_none_or(|terms| terms.iter().any(|term| term_selects(term, &node.name, &node.labels)))
            && node.taints.iter().all(|taint| {
                let is_hard = matches!(text_below(taint, &["effect"]), Some("NoSchedule" | "NoExecute"));
                // The taint of a cordoned node is the cordon itself.
                let is_cordon = text_below(taint, &["key"]) == Some("node.kubernetes.io/unschedulable");
                !is_hard || is_cordon || is_tolerated(taint, &tolerations)
            })
    };
    nodes.iter().enumerate().filter(|(_, node)| is_allowed(node)).map(|(number, _)| number).collect()
}

/// Adds the required anti-affinity of pods on one node: no pod with a term is with a pod that the
/// term selects.
fn add_apart(draft: &mut Draft, pods: &[Pod<'_>]) {
    let path = ["spec", "affinity", "podAntiAffinity", "requiredDuringSchedulingIgnoredDuringExecution"];
    let mut terms: BTreeMap<(String, String), (Object<'_>, BTreeSet<usize>)> = BTreeMap::new();
    for (number, pod) in pods.iter().enumerate() {
        for term in list_below(&pod.object, &path) {
            if text_below(&term, &["topologyKey"]) != Some(HOST) {
                draft.notes.count(
                    "rules of pods that are apart in zones or other groups of nodes, not used",
                    &pod.name,
                );
                continue;
            }
            let key = (pod.namespace.to_owned(), term.place().to_value().to_string());
            terms.entry(key).or_insert_with(|| (term, BTreeSet::new())).1.insert(number);
        }
    }
    for ((namespace, _), (term, owners)) in terms {
        let selector = below(&term, &["labelSelector"]).and_then(|at| at.object());
        let named = below(&term, &["namespaces"]).and_then(|at| at.items()).unwrap_or_default();
        let is_any = below(&term, &["namespaceSelector"]).is_some();
        let is_in = |pod: &Pod<'_>| {
            is_any
                || named.iter().any(|it| it.text() == Some(pod.namespace))
                || named.is_empty() && pod.namespace == namespace
        };
        let selected: BTreeSet<usize> = (0..pods.len())
            .filter(|&pod| is_in(&pods[pod]) && selects(selector.as_ref(), &pods[pod].labels))
            .collect();
        let names = |set: Vec<usize>| set.into_iter().map(|pod| pods[pod].name.clone()).collect::<Vec<_>>();
        let both = names(owners.intersection(&selected).copied().collect());
        let (only_owners, only_selected) = (
            names(owners.difference(&selected).copied().collect()),
            names(selected.difference(&owners).copied().collect()),
        );
        for (one, other) in
            [(&names(owners.iter().copied().collect()), &only_selected), (&only_owners, &both)]
        {
            if !one.is_empty() && !other.is_empty() {
                draft.rules.push(Constraint::new(
                    ConstraintKind::Split,
                    vec![one.clone(), other.clone()],
                    Vec::new(),
                ));
            }
        }
        draft.add_group(ConstraintKind::Spread, both);
    }
}

const PREFERRED: &str = "preferredDuringSchedulingIgnoredDuringExecution";

/// Returns the weight of a preference, from 1 to 100.
fn weight_of(preference: &Object<'_>) -> u32 {
    let weight = below(preference, &["weight"]).and_then(|at| at.integer()).unwrap_or(1);
    u32::try_from(weight.clamp(1, 100)).unwrap_or(1)
}

/// Adds the preferred node affinity of pods, as soft fences.
fn add_preferred_nodes(draft: &mut Draft, nodes: &[Node<'_>], pods: &[Pod<'_>]) {
    let mut wanted = Vec::new();
    for (number, pod) in pods.iter().enumerate() {
        for preference in list_below(&pod.object, &["spec", "affinity", "nodeAffinity", PREFERRED]) {
            let Some(term) = below(&preference, &["preference"]).and_then(|at| at.object()) else { continue };
            let is_preferred = |node: &Node<'_>| term_selects(&term, &node.name, &node.labels);
            let hosts: BTreeSet<usize> =
                (0..nodes.len()).filter(|&node| is_preferred(&nodes[node])).collect();
            if hosts.is_empty() {
                draft.notes.count("preferences of nodes that no node meets, not used", &pod.name);
            }
            wanted.push((number, hosts, weight_of(&preference)));
        }
    }
    draft.add_soft_fences(wanted);
}

/// Pods of a namespace that a selector selects.
fn selected(pods: &[Pod<'_>], namespace: &str, selector: Option<&Object<'_>>) -> BTreeSet<usize> {
    let is_selected = |pod: &Pod<'_>| pod.namespace == namespace && selects(selector, &pod.labels);
    (0..pods.len()).filter(|&pod| is_selected(&pods[pod])).collect()
}

/// Adds the preferred affinity and anti-affinity of pods on one node: of those that have a term, with
/// all pods of their namespace that it selects.
fn add_preferred_pods(draft: &mut Draft, pods: &[Pod<'_>]) {
    let kinds = [("podAntiAffinity", ConstraintKind::Spread), ("podAffinity", ConstraintKind::Gather)];
    for (field, kind) in kinds {
        let mut terms: BTreeMap<(&str, String, u32), (Object<'_>, BTreeSet<usize>)> = BTreeMap::new();
        for (number, pod) in pods.iter().enumerate() {
            for preference in list_below(&pod.object, &["spec", "affinity", field, PREFERRED]) {
                let Some(term) = below(&preference, &["podAffinityTerm"]).and_then(|at| at.object()) else {
                    continue;
                };
                let has = |name: &str| below(&term, &[name]).is_some();
                if text_below(&term, &["topologyKey"]) != Some(HOST)
                    || has("namespaces")
                    || has("namespaceSelector")
                {
                    let reason = "preferences of other pods in zones or in other namespaces, not used";
                    draft.notes.count(reason, &pod.name);
                    continue;
                }
                let key = (pod.namespace, term.place().to_value().to_string(), weight_of(&preference));
                terms.entry(key).or_insert_with(|| (term, BTreeSet::new())).1.insert(number);
            }
        }
        for ((namespace, _, weight), (term, owners)) in terms {
            let selector = below(&term, &["labelSelector"]).and_then(|at| at.object());
            let others = selected(pods, namespace, selector.as_ref());
            let all: BTreeSet<usize> = owners.union(&others).copied().collect();
            if !owners.is_subset(&others) && owners.len() > 1 && kind == ConstraintKind::Spread {
                // Owners that the term does not select may be together.
                let names = |set: &BTreeSet<usize>| set.iter().map(|&pod| pods[pod].name.clone()).collect();
                let rest: BTreeSet<usize> = others.difference(&owners).copied().collect();
                if !rest.is_empty() {
                    let groups = vec![names(&owners), names(&rest)];
                    let split = Constraint::new(ConstraintKind::Split, groups, Vec::new());
                    draft.rules.push(split.soft(weight));
                }
                continue;
            }
            let names = all.iter().map(|&pod| pods[pod].name.clone()).collect();
            draft.add_soft_group(kind, names, weight);
        }
    }
}

/// Adds topology spread constraints that need not hold: over nodes, as soft spreads, and over zones and
/// other groups of nodes with at least as many groups as pods.
fn add_spreads(draft: &mut Draft, nodes: &[Node<'_>], pods: &[Pod<'_>]) {
    let mut known: BTreeSet<(&str, String)> = BTreeSet::new();
    for pod in pods {
        for spread in list_below(&pod.object, &["spec", "topologySpreadConstraints"]) {
            let is_soft = text_below(&spread, &["whenUnsatisfiable"]) == Some("ScheduleAnyway");
            if !is_soft || !known.insert((pod.namespace, spread.place().to_value().to_string())) {
                continue;
            }
            let selector = below(&spread, &["labelSelector"]).and_then(|at| at.object());
            let members: Vec<String> = selected(pods, pod.namespace, selector.as_ref())
                .into_iter()
                .map(|pod| pods[pod].name.clone())
                .collect();
            let key = text_below(&spread, &["topologyKey"]).unwrap_or(HOST);
            if key == HOST {
                draft.add_soft_group(ConstraintKind::Spread, members, SOFT_WEIGHT);
                continue;
            }
            let mut groups: BTreeMap<&String, Vec<String>> = BTreeMap::new();
            for node in nodes {
                if let Some(value) = node.labels.get(key) {
                    groups.entry(value).or_default().push(node.name.clone());
                }
            }
            if members.len() > groups.len() {
                let reason = "soft topology spreads of more pods than groups of nodes, not used";
                draft.notes.count(reason, &pod.name);
            } else if members.len() > 1 {
                let sets = members.into_iter().map(|name| vec![name]).collect();
                let split = Constraint::new(ConstraintKind::SplitAmong, sets, groups.into_values().collect());
                draft.rules.push(split.soft(SOFT_WEIGHT));
            }
        }
    }
}

/// Counts the rules that have no counterpart.
fn count_others(draft: &mut Draft, pod: &Pod<'_>) {
    let has = |path: &[&str]| !list_below(&pod.object, path).is_empty();
    let required = "requiredDuringSchedulingIgnoredDuringExecution";
    if has(&["spec", "affinity", "podAffinity", required]) {
        draft.notes.count("pods with a required affinity to other pods, not used", &pod.name);
    }
    let spreads = list_below(&pod.object, &["spec", "topologySpreadConstraints"]);
    let is_hard = |it: &Object<'_>| text_below(it, &["whenUnsatisfiable"]) != Some("ScheduleAnyway");
    if spreads.iter().any(is_hard) {
        draft.notes.count("pods with hard topology spread constraints, not used", &pod.name);
    }
}

/// Adds a disruption budget. The pods stay if none may be evicted, and move one after the other if
/// one may.
fn add_budget(draft: &mut Draft, budget: &Object<'_>, pods: &[Pod<'_>]) {
    let namespace = text_below(budget, &["metadata", "namespace"]).unwrap_or("default");
    let name = format!("{namespace}/{}", text_below(budget, &["metadata", "name"]).unwrap_or_default());
    let selector = below(budget, &["spec", "selector"]).and_then(|at| at.object());
    let is_of = |pod: &&Pod<'_>| pod.namespace == namespace && selects(selector.as_ref(), &pod.labels);
    let guests: Vec<String> = pods.iter().filter(is_of).map(|pod| pod.name.clone()).collect();
    let allowed = below(budget, &["status", "disruptionsAllowed"]).as_ref().and_then(Located::integer);
    match allowed {
        _ if guests.is_empty() => draft.notes.count("disruption budgets without pods, not used", &name),
        Some(0) => {
            draft.notes.count("disruption budgets that allow no eviction now: their pods stay", &name);
            draft.rules.push(Constraint::new(ConstraintKind::Root, vec![guests], Vec::new()));
        }
        Some(1) => draft.add_group(ConstraintKind::Serialise, guests),
        Some(_) => {
            draft.notes.count("disruption budgets that allow several evictions at once, not used", &name);
        }
        None => draft.notes.count("disruption budgets without `status.disruptionsAllowed`, not used", &name),
    }
}
