//! `dfrsim solve import`

use crate::context::Context;
use crate::failure::Failure;
use crate::output::{Answer, OutputFiles, counted};
use clap::Args;
use dfrsim_input::{Decimal, Input, Reader};
use dfrsim_state::import::{Exports, Imported};
use dfrsim_state::{State, VmState};
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::fmt::Write;
use std::path::PathBuf;

/// Convert exports of OpenStack, Proxmox VE, vSphere or Kubernetes into a state
///
/// Recognises each file by its content, and says what it left out, assumed or changed, with counts.
/// The state is the input of `dfrsim solve plan`, `adapt` and `pack`.
#[derive(Args, Debug)]
#[command(after_help = "\
Exports:
  OpenStack   openstack --os-compute-api-version 2.87 hypervisor list --long -f json >hypervisors.json
              openstack server list --all-projects --long -f json >servers.json
              openstack flavor list --all -f json >flavors.json
              openstack server group list --all-projects --long -f json >groups.json
  Proxmox VE  pvesh get /cluster/resources --output-format json >resources.json
  vSphere     RVTools: the tables vHost and vInfo as CSV
  Kubernetes  kubectl get nodes,pods,poddisruptionbudgets --all-namespaces -o json >cluster.json

Rules that become constraints:
  OpenStack   server groups: affinity, anti-affinity; soft with a weight of 100 MB: soft-affinity, soft-anti-affinity
  vSphere     rules that keep VMs together or apart; VMs stay in their cluster
  Kubernetes  node selectors, required node affinity, taints; required anti-affinity on one node; disruption budgets that
              allow no eviction, or one at a time. Soft, with their weights in MB: preferred affinity to nodes, preferred
              (anti-)affinity of pods on one node; topology spread with ScheduleAnyway (100 MB), over nodes or zones

Examples:
  dfrsim solve import cluster.json --state-out state.json
  dfrsim solve import hypervisors.json servers.json flavors.json groups.json --overcommit cpu=4 --state-out state.json
  dfrsim solve plan state.json --drain node7 --commands-out drain.sh --system openstack")]
pub(crate) struct Import {
    /// Exported files of one cluster
    #[arg(value_hint = clap::ValueHint::FilePath, value_name = "EXPORT", required = true)]
    exports: Vec<PathBuf>,
    /// Ratios by which the requests on each node may exceed its capacity
    #[arg(long, value_name = "RESOURCE=RATIO,...", value_delimiter = ',', value_parser = parse_ratio)]
    overcommit: Vec<(String, Decimal)>,
    /// Write the state
    #[arg(long, value_name = "STATE.json", value_hint = clap::ValueHint::AnyPath, required = true)]
    state_out: PathBuf,
}

/// Parses a ratio such as `cpu=4`.
fn parse_ratio(text: &str) -> Result<(String, Decimal), String> {
    let (resource, ratio) = text.split_once('=').ok_or("expected RESOURCE=RATIO, as in cpu=4")?;
    let number: f64 = ratio.parse().map_err(|_| format!("`{ratio}` is not a ratio, as in cpu=1.5"))?;
    Ok((resource.to_owned(), Decimal::try_from(number)?))
}

/// The state that exports describe.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct ImportAnswer {
    /// The system that wrote the exports.
    system: String,
    nodes: usize,
    vms: usize,
    /// The number of VMs that have a node.
    placed: usize,
    /// The number of VMs that stay on their nodes.
    pinned: usize,
    /// The number of constraints by kind.
    constraints: Vec<Counted>,
    /// Ratios by which the requests on each node may exceed its capacity.
    overcommit: Vec<String>,
    /// Counts of items that were left out, assumed or changed.
    notes: Vec<Counted>,
    /// The largest fraction of a resource that is requested on any node, by resource.
    peaks: Vec<Peak>,
}

/// A count, with the first item that was counted.
#[derive(Debug, Serialize, JsonSchema)]
struct Counted {
    what: String,
    count: usize,
    #[serde(skip_serializing_if = "Option::is_none")]
    first: Option<String>,
}

/// The largest fraction of a resource that is requested on any node.
#[derive(Debug, Serialize, JsonSchema)]
struct Peak {
    resource: String,
    node: String,
    fraction: f64,
    /// True if it is more than the node has, or more than `--overcommit` allows.
    is_exceeded: bool,
}

impl Import {
    pub(crate) fn run(self, context: &Context<'_>) -> Result<(), Failure> {
        let inputs = self.inputs()?;
        let mut exports = Exports::default();
        for input in &inputs {
            if !exports.add(input) {
                return Err(Failure::input(format!(
                    "{}: unknown format; expected an export of OpenStack, Proxmox VE, vSphere or Kubernetes; \
                     `dfrsim solve import --help` lists the commands that write one",
                    input.file()
                )));
            }
        }
        let mut reader = Reader::default();
        let imported = exports.convert(&mut reader);
        let mut imported = reader.finish(imported).map_err(Failure::input)?;
        self.add_overcommit(&mut imported)?;
        let written =
            Input::json("the imported state", &imported.state.to_string()).map_err(Failure::input)?;
        let mut reader = Reader::default();
        let state = State::read(&mut reader, [&written]);
        let state = reader.finish(state).map_err(Failure::input)?;
        let mut files = OutputFiles::default();
        files.add_bytes(&self.state_out, state.to_json())?;
        context.print(&self.answer(&imported, &state))?;
        files.finish()
    }

    /// Opens all files, and reports all that cannot be read.
    fn inputs(&self) -> Result<Vec<Input>, Failure> {
        let (inputs, faults): (Vec<_>, Vec<_>) =
            self.exports.iter().map(|file| Input::open_foreign(file)).partition(Result::is_ok);
        let faults: Vec<String> = faults.into_iter().filter_map(|it| Some(it.err()?.to_string())).collect();
        if faults.is_empty() {
            Ok(inputs.into_iter().flatten().collect())
        } else {
            Err(Failure::input(faults.join("\n")))
        }
    }

    /// Summarises a state.
    fn answer(&self, imported: &Imported, state: &State<'_>) -> ImportAnswer {
        let mut kinds: Vec<Counted> = Vec::new();
        for constraint in imported.state["constraints"].as_array().into_iter().flatten() {
            let soft = if constraint["weight"].is_null() { "" } else { "soft " };
            let kind = format!("{soft}{}", constraint["kind"].as_str().unwrap_or_default());
            match kinds.iter_mut().find(|counted| counted.what == kind) {
                Some(counted) => counted.count += 1,
                None => kinds.push(Counted { what: kind, count: 1, first: None }),
            }
        }
        let notes = imported.notes.iter().map(|(what, count, first)| Counted {
            what: what.to_owned(),
            count,
            first: Some(first.to_owned()),
        });
        ImportAnswer {
            system: imported.system.to_string(),
            nodes: state.nodes.len(),
            vms: state.vms.len(),
            placed: state.vms.iter().filter(|vm| vm.state == VmState::Running).count(),
            pinned: state.vms.iter().filter(|vm| vm.is_pinned).count(),
            constraints: kinds,
            overcommit: self
                .overcommit
                .iter()
                .map(|(resource, ratio)| format!("{resource} {ratio}"))
                .collect(),
            notes: notes.collect(),
            peaks: state
                .resources
                .iter()
                .filter_map(|resource| peak(state, resource, self.ratio(resource)))
                .collect(),
        }
    }

    /// Returns the ratio by which requests of a resource may exceed the capacity of a node.
    fn ratio(&self, resource: &str) -> f64 {
        let given = self.overcommit.iter().filter(|(name, _)| name == resource);
        given.map(|(_, ratio)| ratio.in_parts(1_000) as f64 / 1e3).reduce(f64::min).unwrap_or(1.0)
    }

    /// Adds the ratios to the state, for all nodes.
    fn add_overcommit(&self, imported: &mut Imported) -> Result<(), Failure> {
        let nodes = imported.state["nodes"].as_array().into_iter().flatten();
        let nodes: Vec<Value> = nodes.clone().cloned().collect();
        let mut ratios: BTreeMap<&String, Decimal> = BTreeMap::new();
        for (resource, ratio) in &self.overcommit {
            let is_known = matches!(resource.as_str(), "cpu" | "memory")
                || nodes.iter().any(|node| node["resources"].get(resource).is_some());
            if !is_known {
                return Err(Failure::input(format!("--overcommit: no node has the resource `{resource}`")));
            }
            let least = ratios.entry(resource).or_insert(*ratio);
            *least = (*ratio).min(*least);
        }
        if !ratios.is_empty() {
            imported.state["overcommit"] = json!(ratios);
        }
        Ok(())
    }
}

/// Returns the node of which the VMs request the largest fraction of a resource.
fn peak(state: &State<'_>, resource: &str, ratio: f64) -> Option<Peak> {
    let mut taken = vec![0_u64; state.nodes.len()];
    for vm in &state.vms {
        if let Some(node) = vm.node {
            taken[node] += vm.needs.get(resource).copied().unwrap_or(0);
        }
    }
    let has = |node: usize| state.nodes[node].capacity.get(resource).copied().unwrap_or(0);
    let fraction = |node: usize| match (taken[node], has(node)) {
        (0, _) => 0.0,
        (_, 0) => f64::INFINITY,
        (taken, has) => taken as f64 / has as f64,
    };
    let node = (0..taken.len())
        .max_by(|one, other| fraction(*one).total_cmp(&fraction(*other)).then(other.cmp(one)))?;
    let (name, fraction) = (state.nodes[node].name.clone(), fraction(node));
    Some(Peak { resource: resource.to_owned(), node: name, fraction, is_exceeded: fraction > ratio })
}

impl Answer for ImportAnswer {
    fn text(&self) -> String {
        let mut text = format!(
            "{}: {}, {}: {} on nodes, {} waiting, {} pinned\n",
            self.system,
            counted(self.nodes, "node"),
            counted(self.vms, "VM"),
            self.placed,
            self.vms - self.placed,
            self.pinned
        );
        if !self.constraints.is_empty() {
            let kinds: Vec<String> =
                self.constraints.iter().map(|it| format!("{} {}", it.count, it.what)).collect();
            writeln!(text, "constraints: {}", kinds.join(", ")).expect("writing to a text succeeds");
        }
        if !self.overcommit.is_empty() {
            writeln!(text, "overcommit: {}", self.overcommit.join(", ")).expect("writing to a text succeeds");
        }
        for Peak { resource, node, fraction, is_exceeded } in &self.peaks {
            let excess = if *is_exceeded { "; more than it has: see --overcommit" } else { "" };
            writeln!(text, "most requested {resource}: {:.0} % on `{node}`{excess}", fraction * 100.0)
                .expect("writing to a text succeeds");
        }
        for Counted { what, count, first } in &self.notes {
            let first = first.as_deref().unwrap_or_default();
            writeln!(text, "{what}: {count} (first `{first}`)").expect("writing to a text succeeds");
        }
        text
    }
}
