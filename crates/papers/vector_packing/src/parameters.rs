//! What the instances of a scenario have in common.

use dfrsim_model::Share;
use dfrsim_model::offline::Instance;
use dfrsim_vector_packing::instances::{DissertationScenario, Rr6692Scenario, Scenario};

/// What the instances of a scenario have in common.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Parameters {
    pub(crate) nodes: u32,
    pub(crate) tasks: u32,
    pub(crate) dimensions: u32,
    /// The free part of the fixed resource of which the least is free; 1 if none is fixed, and less than 0 if there is too little.
    pub(crate) slack: f64,
    /// What they are made by, if they are not from a file.
    pub(crate) made: Option<Scenario>,
}

impl Parameters {
    /// Those of an instance from a file.
    pub(crate) fn of(instance: &Instance) -> Parameters {
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
            made: None,
        }
    }
    /// Those of the dissertation, if they are its own.
    pub(crate) fn of_dissertation(&self) -> Option<&DissertationScenario> {
        if let Some(Scenario::Dissertation(of)) = &self.made { Some(of) } else { None }
    }
    /// Those of RR-6692, if they are its own.
    pub(crate) fn of_report(&self) -> Option<&Rr6692Scenario> {
        if let Some(Scenario::Rr6692(of)) = &self.made { Some(of) } else { None }
    }
}

impl From<Scenario> for Parameters {
    fn from(made: Scenario) -> Parameters {
        let (tasks, dimensions) = match &made {
            Scenario::Dissertation(of) => (of.jobs, of.dimensions),
            Scenario::Rr6692(of) => (of.tasks, 2),
        };
        Parameters { nodes: made.nodes(), tasks, dimensions, slack: made.slack(), made: Some(made) }
    }
}
