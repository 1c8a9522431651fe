//! Random configurations of a large cluster (section 5.1).

use super::application::traces;
use crate::amount::Amount;
use crate::cluster::Cluster;
use crate::configuration::{Configuration, Place};
use crate::inventory::Node;
use crate::vjob::{Vjob, VjobId, Vm};
use dfrsim_model::{NodeId, Seed, SimSpan};
use rand::RngExt;
use rand::seq::IndexedRandom;

/// Initial states of vjobs in a sample.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum InitialState {
    /// Never run so far.
    Waiting,
    /// Running, each VM on a random node with enough memory.
    Running,
    /// Suspended, each image on a random node.
    Sleeping,
}

impl InitialState {
    /// All initial states.
    pub const ALL: [InitialState; 3] = [InitialState::Waiting, InitialState::Running, InitialState::Sleeping];
}

/// Size and load of a sample.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SampleShape {
    /// Number of nodes, each with 2 processing units and 4 GB.
    pub nodes: u32,
    /// Number of VMs; vjobs have 9 or 18 VMs, and the last vjob has the remaining ones.
    pub vms: u32,
    /// Probability that a VM computes, in [0, 1]; `None` to follow its application, in half of which
    /// only one or two of nine VMs compute.
    pub busy: Option<f64>,
}

/// A cluster with vjobs in random states.
#[derive(Clone, Debug, PartialEq)]
pub struct Sample {
    /// Nodes and VMs, with the demands at a random time of each application.
    pub cluster: Cluster,
    /// Current configuration: running VMs fit into the memory of their nodes, but may exceed the
    /// CPU.
    pub current: Configuration,
}

const NODE_CPU: i64 = 2;
const NODE_MEMORY: i64 = 4_096;
const VM_MEMORY: [i64; 4] = [256, 512, 1_024, 2_048];

impl Sample {
    /// Draws a random sample.
    ///
    /// Each vjob gets an application of the set, a random time of its run, which determines the
    /// computing VMs, and one of `states` with equal probability; `states` must not be empty. VMs
    /// have 256, 512, 1,024 or 2,048 MB with equal probability. A vjob that is to run but does not
    /// fit into the free memory waits instead.
    pub fn draw(shape: SampleShape, states: &[InitialState], seed: Seed) -> Sample {
        let traces = traces(seed);
        let mut rng = seed.fork("sample").rng();
        let capacity = Amount::new(NODE_CPU, NODE_MEMORY);
        let nodes = (0..shape.nodes).map(|node| Node { name: format!("node{node:05}"), capacity });
        let mut free = vec![NODE_MEMORY; shape.nodes as usize];
        let (mut vjobs, mut vms, mut places) = (Vec::new(), Vec::<Vm>::new(), Vec::new());
        while vms.len() < shape.vms as usize {
            let trace = traces.choose(&mut rng).expect("there are traces");
            let times = trace.undisturbed();
            let ends = times.iter().map(|(_, end)| *end).max().unwrap_or_default();
            let now = SimSpan::from_micros(rng.random_range(0..ends.micros().max(1)));
            let vjob = VjobId(vjobs.len() as u32);
            let first = vms.len();
            for (position, (begin, end)) in times.iter().take(shape.vms as usize - first).enumerate() {
                let memory = *VM_MEMORY.choose(&mut rng).expect("there are sizes");
                let computes =
                    shape.busy.map_or((*begin..*end).contains(&now), |chance| rng.random_bool(chance));
                let demand = Amount::new(i64::from(computes), memory);
                vms.push(Vm { name: format!("vm{:05}-{position:02}", vjob.0), vjob, demand });
            }
            let of_vjob = &vms[first..];
            let state = states.choose(&mut rng).expect("`states` is not empty");
            let mut node = |memory: i64| {
                let has_room: Vec<usize> = (0..free.len()).filter(|&node| free[node] >= memory).collect();
                let node = has_room.choose(&mut rng).copied()?;
                free[node] -= memory;
                Some(NodeId(node as u32))
            };
            let chosen: Option<Vec<Place>> = match state {
                InitialState::Waiting => None,
                InitialState::Running => {
                    of_vjob.iter().map(|vm| node(vm.demand.memory).map(Place::Running)).collect()
                }
                InitialState::Sleeping => (0..of_vjob.len())
                    .map(|_| Some(Place::Sleeping(NodeId(rng.random_range(0..shape.nodes)))))
                    .collect(),
            };
            places.extend(chosen.unwrap_or_else(|| vec![Place::Waiting; of_vjob.len()]));
            vjobs.push(Vjob { name: format!("vjob{:05}", vjob.0), priority: 0 });
        }
        let cluster =
            Cluster::new(nodes.collect(), vjobs, vms).expect("names are numbered and amounts are small");
        Sample { cluster, current: Configuration::new(places) }
    }
}
