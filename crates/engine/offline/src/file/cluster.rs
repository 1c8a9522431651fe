//! A user's cluster and the jobs that run on it.

use super::decimal::{of_yield, yield_of};
use super::instance::MOST_TASKS;
use super::reader::{Object, Place, Reader, parse};
use super::{FileError, lines_of};
use dfrsim_model::named::UnknownName;
use dfrsim_model::offline::{Adaptation, Instance, Mapping, OfflineJob};
use dfrsim_model::{NodeId, NodeTasks, Yield};
use serde_json::json;
use std::collections::{BTreeMap, BTreeSet};

/// Nodes and jobs by name, and which tasks are where. Memory is the fixed resource, CPU the fluid one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NamedCluster {
    /// The names of the nodes.
    pub nodes: Vec<String>,
    /// The names of the jobs.
    pub jobs: Vec<String>,
    /// The problem of adapting it. Moving a task costs its memory, or is not possible.
    pub problem: Adaptation,
}

/// The cluster that a text describes; `file` is its name in messages.
///
/// It has `nodes` (name, `cpu`, `memory`) and `jobs` (name, the `cpu` that a task needs, its `memory`, how many `tasks`, on which
/// nodes they are, `on`, the `least_yield` that they must have and whether they are `pinned` to their nodes). Amounts are whole
/// numbers of any unit, such as hundredths of a core and MB. Without `tasks` there are as many as `on` has nodes, or one; those
/// beyond these are new.
///
/// ```
/// use dfrsim_offline::file::cluster_from_json;
///
/// let text = r#"{
///     "nodes": [{"name": "N1", "cpu": 8, "memory": 4096}, {"name": "N2", "cpu": 4, "memory": 4096}],
///     "jobs": [
///         {"name": "web", "cpu": 4, "memory": 512, "on": ["N1", "N2"], "least_yield": 0.5},
///         {"name": "batch", "cpu": 8, "memory": 1024, "tasks": 2, "on": ["N1"]}
///     ]
/// }"#;
/// let cluster = cluster_from_json("cluster.json", text)?;
/// assert_eq!(cluster.problem.cost, [512, 1024]);
///
/// let wrong = text.replace("\"N1\", \"N2\"", "\"N1\", \"N3\"");
/// let error = cluster_from_json("cluster.json", &wrong).unwrap_err().to_string();
/// assert_eq!(error, "cluster.json:4: jobs[0].on[1]: unknown node `N3`; expected N1 or N2");
/// # Ok::<(), dfrsim_offline::file::FileError>(())
/// ```
///
/// # Errors
/// The text is not JSON, or does not describe a cluster: all faults at once.
pub fn cluster_from_json(file: &str, text: &str) -> Result<NamedCluster, FileError> {
    let value = parse(file, text)?;
    let mut reader = Reader::default();
    let cluster = cluster(&mut reader, &Place::root(&value));
    reader.finish(file, text, cluster)
}

/// A job with its name, and the nodes of the tasks that are on some.
struct NamedJob {
    name: String,
    job: OfflineJob,
    on: Vec<NodeTasks>,
    is_pinned: bool,
}

fn cluster(reader: &mut Reader, root: &Place<'_>) -> Option<NamedCluster> {
    let object = reader.object(root, &["nodes", "jobs"])?;
    let (nodes, jobs) = (reader.field(&object, "nodes"), reader.field(&object, "jobs"));
    let nodes = nodes.and_then(|at| {
        let items = reader.list(&at)?;
        if items.is_empty() {
            reader.fault(&at.path, "there should be a node");
        }
        let mut names = BTreeSet::new();
        reader.each(&items, |reader, at| node(reader, at, &mut names))
    })?;
    let (names, nodes): (Vec<String>, Vec<Box<[u32]>>) = nodes.into_iter().unzip();
    let numbers: BTreeMap<&str, u32> = names.iter().map(String::as_str).zip(0..).collect();
    let items = reader.list(&jobs?)?;
    let mut known = BTreeSet::new();
    let jobs = reader.each(&items, |reader, at| job(reader, at, &numbers, &mut known))?;
    let tasks: u64 = jobs.iter().map(|job| u64::from(job.job.tasks)).sum();
    if tasks > u64::from(MOST_TASKS) {
        reader.fault("jobs", format!("{tasks} tasks are more than {MOST_TASKS}"));
    }
    let cost = |job: &NamedJob| {
        if job.is_pinned { Adaptation::PINNED } else { u64::from(job.job.demand[0]) }
    };
    let cost = jobs.iter().map(cost).collect();
    let current = jobs.iter().map(|job| job.on.clone()).collect();
    let (job_names, jobs) = jobs.into_iter().map(|job| (job.name, job.job)).unzip();
    let instance = Instance { fixed: 1, fluid: 1, nodes, jobs };
    let problem = Adaptation { instance, current, cost };
    Some(NamedCluster { nodes: names, jobs: job_names, problem })
}

fn node(reader: &mut Reader, at: &Place<'_>, names: &mut BTreeSet<String>) -> Option<(String, Box<[u32]>)> {
    let object = reader.object(at, &["name", "cpu", "memory"])?;
    let name = name(reader, &object, "nodes", names);
    let amounts = amounts(reader, &object);
    Some((name?, amounts?))
}

fn job(
    reader: &mut Reader,
    at: &Place<'_>,
    nodes: &BTreeMap<&str, u32>,
    names: &mut BTreeSet<String>,
) -> Option<NamedJob> {
    let known = ["name", "cpu", "memory", "tasks", "on", "least_yield", "pinned"];
    let object = reader.object(at, &known)?;
    let name = name(reader, &object, "jobs", names);
    let demand = amounts(reader, &object);
    let on = match object.get("on") {
        None => Some(Vec::new()),
        Some(at) => reader.list(&at).and_then(|items| {
            reader.each(&items, |reader, at| {
                let name = reader.text(at)?;
                let number = nodes.get(name).copied();
                if number.is_none() {
                    let nodes = nodes.keys().copied();
                    reader.fault(&at.path, UnknownName::new("node", name, nodes).to_string());
                }
                number
            })
        }),
    };
    let tasks = object.get("tasks").map(|at| (reader.integer(&at, 1..=MOST_TASKS), at));
    let least_yield = object
        .get("least_yield")
        .map_or(Some(Yield::ZERO), |at| reader.fraction(&at, "a least yield from 0 to 1", yield_of));
    let is_pinned = object.get("pinned").map_or(Some(false), |at| reader.boolean(&at));
    let on = on?;
    let tasks = match tasks {
        None => Some(on.len().max(1) as u32),
        Some((Some(tasks), at)) if (tasks as usize) < on.len() => {
            reader.fault(&at.path, format!("{tasks} tasks are on {} nodes", on.len()));
            None
        }
        Some((tasks, _)) => tasks,
    };
    let mut counts: BTreeMap<u32, u32> = BTreeMap::new();
    for node in on {
        *counts.entry(node).or_default() += 1;
    }
    let on = counts.into_iter().map(|(node, tasks)| NodeTasks { node: NodeId(node), tasks }).collect();
    let job = OfflineJob { tasks: tasks?, demand: demand?, least_yield: least_yield? };
    Some(NamedJob { name: name?, job, on, is_pinned: is_pinned? })
}

/// A name that no other has.
fn name(
    reader: &mut Reader,
    object: &Object<'_>,
    kind: &str,
    names: &mut BTreeSet<String>,
) -> Option<String> {
    let at = reader.field(object, "name")?;
    let name = reader.text(&at)?;
    if !names.insert(name.to_owned()) {
        reader.fault(&at.path, format!("two {kind} have the name `{name}`"));
    }
    Some(name.to_owned())
}

/// Memory, then CPU.
fn amounts(reader: &mut Reader, object: &Object<'_>) -> Option<Box<[u32]>> {
    let [memory, cpu] = ["memory", "cpu"]
        .map(|name| reader.field(object, name).and_then(|at| reader.integer(&at, 0..=u32::MAX)));
    Some([memory?, cpu?].into())
}

/// A cluster with its tasks on these nodes, as a text that [`cluster_from_json`] reads back, a line for each node and job.
#[must_use]
pub fn cluster_to_json(cluster: &NamedCluster, mapping: &Mapping) -> String {
    let NamedCluster { nodes, jobs, problem } = cluster;
    let instance = &problem.instance;
    let named = nodes.iter().zip(&instance.nodes);
    let node_lines =
        lines_of(named.map(|(name, has)| json!({ "name": name, "cpu": has[1], "memory": has[0] })));
    let named = jobs.iter().zip(&instance.jobs).zip(mapping).zip(&problem.cost);
    let job_lines = lines_of(named.map(|(((name, job), on), &cost)| {
        let on: Vec<&String> = on
            .iter()
            .flat_map(|part| std::iter::repeat_n(&nodes[part.node.index()], part.tasks as usize))
            .collect();
        let mut line = json!({
            "name": name, "cpu": job.demand[1], "memory": job.demand[0], "tasks": job.tasks, "on": on,
        });
        if job.least_yield > Yield::ZERO {
            line["least_yield"] = json!(of_yield(job.least_yield));
        }
        if cost == Adaptation::PINNED {
            line["pinned"] = json!(true);
        }
        line
    }));
    format!("{{\n\"nodes\": {node_lines},\n\"jobs\": {job_lines}\n}}\n")
}
