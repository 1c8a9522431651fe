//! Random configurations and vjobs over time, ready for policies.

use crate::scenario::{Configurations, ContextSwitches, MemoryBy, Policy, Simulations};
use dfrsim_context_switch::file::cluster_to_json;
use dfrsim_context_switch::simulation::{self, Setting};
use dfrsim_context_switch::workload::{Application, Benchmark, Sample, SampleShape, Task};
use dfrsim_context_switch::{
    Amount, Cluster, Configuration, Node, Place, SuspendTo, Vjob, VjobId, Vm, first_come_first_served,
    select_running,
};
use dfrsim_lab::{Digester, Prepared};
use dfrsim_model::{Seed, SimSpan, SimTime};
use rand::seq::IndexedRandom;

/// Number of VMs of a vjob on the cluster of section 5.2.
pub(crate) const VMS_PER_VJOB: u32 = 9;

/// Input of the policies.
pub enum Instance {
    /// A random configuration.
    Sample(RandomConfiguration),
    /// A cluster over time.
    Cluster(Timeline),
}

/// A random configuration, and the placement of its VMs by first-fit decreasing.
pub struct RandomConfiguration {
    pub(crate) sample: Sample,
    pub(crate) first_fit: Configuration,
    pub(crate) seed: Seed,
}

/// Vjobs with their applications on a cluster.
pub struct Timeline {
    pub(crate) cluster: Cluster,
    applications: Vec<Application>,
    seed: Seed,
}

impl RandomConfiguration {
    pub(crate) fn prepare(
        seed: u64,
        part: &Configurations,
        vms: u32,
        replication: u32,
    ) -> Prepared<Instance> {
        let seed = Seed::new(seed).fork("samples").numbered(vms.into()).numbered(replication.into());
        let sample =
            Sample::draw(SampleShape { nodes: part.nodes, vms, busy: part.busy }, &part.states, seed);
        let Sample { cluster, current } = &sample;
        let first_fit = select_running(cluster, current, &first_come_first_served(cluster), SuspendTo::Disk);
        let mut digester = Digester::new();
        digester.text("sample").integer(replication).text(&cluster_to_json(cluster, current));
        Prepared {
            instance: Instance::Sample(RandomConfiguration { sample, first_fit, seed }),
            digest: digester.digest(),
        }
    }
}

impl Timeline {
    /// Draws a cluster with its vjobs, which are the same for every policy.
    pub(crate) fn prepare(
        seed: u64,
        scenario: &ContextSwitches,
        part: &Simulations,
        replication: u32,
    ) -> Prepared<Instance> {
        let seed = Seed::new(seed).fork("cluster").numbered(replication.into());
        let mut rng = seed.fork("vms").rng();
        let capacity = Amount::new(part.cpu.into(), part.memory_mb.into());
        let nodes = (1..=part.nodes).map(|node| Node { name: format!("node{node:04}"), capacity });
        let priorities = part.priorities.iter().cycle();
        let vjobs = (1..=part.vjobs).zip(priorities);
        let vjobs =
            vjobs.map(|(vjob, &priority)| Vjob { name: format!("vjob{vjob}"), priority: priority.into() });
        let mut memory = 0;
        let vms = (0..part.vjobs * VMS_PER_VJOB).map(|vm| {
            if part.memory_by == MemoryBy::Vm || vm % VMS_PER_VJOB == 0 {
                memory = *part.vm_memory_mb.choose(&mut rng).expect("there is a size");
            }
            let name = format!("vm{:03}-{}", vm / VMS_PER_VJOB + 1, vm % VMS_PER_VJOB + 1);
            Vm { name, vjob: VjobId(vm / VMS_PER_VJOB), demand: Amount::new(1, memory.into()) }
        });
        let cluster = Cluster::new(nodes.collect(), vjobs.collect(), vms.collect())
            .expect("names are numbered and amounts are in range");
        let application = |vjob: usize| {
            let mut rng = seed.fork("applications").numbered(vjob as u64).rng();
            Application::new(Benchmark::ALL[vjob % 4], VMS_PER_VJOB as usize, part.work, &mut rng)
        };
        let applications: Vec<Application> = (0..part.vjobs as usize).map(application).collect();
        let mut digester = Digester::new();
        let waiting = Configuration::new(vec![Place::Waiting; cluster.vms().len()]);
        digester.text("cluster").integer(replication).text(&cluster_to_json(&cluster, &waiting));
        for Task { work, after } in applications.iter().flat_map(|application| &application.tasks) {
            digester.integer(work.micros()).integer(after.len() as u64);
            after.iter().for_each(|&task| _ = digester.integer(task as u64));
        }
        for span in [part.period_s, part.observation_s, part.horizon_s] {
            digester.integer(span.micros());
        }
        digester.number(part.failures).integer(part.retries).number(part.interarrival_s);
        scenario.durations.digest(&mut digester);
        let instance = Instance::Cluster(Timeline { cluster, applications, seed });
        Prepared { instance, digest: digester.digest() }
    }

    pub(crate) fn setting(&self, scenario: &ContextSwitches, part: &Simulations, policy: Policy) -> Setting {
        let submission = |vjob: u32| {
            let after = SimSpan::try_from_secs_f64(f64::from(vjob) * part.interarrival_s);
            SimTime::ZERO.saturating_add(after.unwrap_or(SimSpan::MAX))
        };
        Setting {
            submissions: (0..part.vjobs).map(submission).collect(),
            cluster: self.cluster.clone(),
            applications: self.applications.clone(),
            policy: match policy {
                Policy::Booking => simulation::Policy::Booking,
                Policy::Easy => simulation::Policy::Easy,
                Policy::FirstFit => simulation::Policy::FirstFit(SuspendTo::Disk),
                Policy::Optimised => simulation::Policy::Optimised(SuspendTo::Disk, scenario.limits()),
                Policy::SuspendToRam => simulation::Policy::Optimised(SuspendTo::Memory, scenario.limits()),
            },
            period: part.period_s,
            observation: part.observation_s,
            durations: scenario.durations.durations(),
            failures: part.failures,
            retries: part.retries,
            seed: self.seed.fork("simulation"),
            horizon: SimTime::ZERO + part.horizon_s,
        }
    }
}
