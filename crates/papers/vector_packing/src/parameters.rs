//! Parameters that the instances of a scenario share.

use dfrsim_model::Share;
use dfrsim_model::offline::Instance;
use dfrsim_vector_packing::instances::{DissertationScenario, Rr6692Scenario, Scenario};

/// Parameters that the instances of a scenario share.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Parameters {
    pub(crate) nodes: u32,
    pub(crate) tasks: u32,
    pub(crate) dimensions: u32,
    /// Free fraction of the scarcest fixed resource; 1 if no resource is fixed, and negative if
    /// demand exceeds capacity.
    pub(crate) slack: f64,
    /// Generator parameters, if the instances are not from a file.
    pub(crate) generator: Option<Scenario>,
}

impl Parameters {
    /// Computes the parameters of an instance from a file.
    pub(crate) fn of_instance(instance: &Instance) -> Parameters {
        let tasks = instance.jobs.iter().map(|job| job.tasks).fold(0, u32::saturating_add);
        let free = |resource: usize| {
            let part = |amount: u32| f64::from(amount) / f64::from(Share::ONE.units());
            let asked: f64 =
                instance.jobs.iter().map(|job| f64::from(job.tasks) * part(job.demand[resource])).sum();
            let there: f64 = instance.nodes.iter().map(|node| part(node[resource])).sum();
            if there > 0.0 { 1.0 - asked / there } else { 0.0 }
        };
        let slack = (0..instance.fixed).map(free).fold(1.0, f64::min);
        Parameters {
            nodes: instance.nodes.len() as u32,
            tasks,
            dimensions: instance.dimensions() as u32,
            slack: (slack * 1e4).round() / 1e4,
            generator: None,
        }
    }
    /// Returns the generator parameters of the dissertation, if these generated the instances.
    pub(crate) fn of_dissertation(&self) -> Option<&DissertationScenario> {
        if let Some(Scenario::Dissertation(of)) = &self.generator { Some(of) } else { None }
    }
    /// Returns the generator parameters of RR-6692, if these generated the instances.
    pub(crate) fn of_report(&self) -> Option<&Rr6692Scenario> {
        if let Some(Scenario::Rr6692(of)) = &self.generator { Some(of) } else { None }
    }
}

impl From<Scenario> for Parameters {
    fn from(made: Scenario) -> Parameters {
        let (tasks, dimensions) = match &made {
            Scenario::Dissertation(of) => (of.jobs, of.dimensions),
            Scenario::Rr6692(of) => (of.tasks, 2),
        };
        Parameters { nodes: made.nodes(), tasks, dimensions, slack: made.slack(), generator: Some(made) }
    }
}
