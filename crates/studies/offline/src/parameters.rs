//! What the instances of a scenario have in common.

use dfrsim_model::Share;
use dfrsim_model::offline::Instance;
use dfrsim_offline::instances::{DissertationScenario, Rr6692Scenario, Scenario};

/// What the instances of a scenario have in common.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Parameters {
    /// Those that they are made by.
    Made(Scenario),
    /// Those of an instance from a file.
    Read(Shape),
}

/// What tables say of an instance from a file.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct Shape {
    pub(crate) nodes: u32,
    pub(crate) tasks: u32,
    pub(crate) dimensions: u32,
    /// The free part of the fixed resource of which the least is free; 1 if none is fixed, and less than 0 if there is too little.
    pub(crate) slack: f64,
}

impl Shape {
    pub(crate) fn of(instance: &Instance) -> Shape {
        let tasks = instance.jobs.iter().map(|job| job.tasks).fold(0, u32::saturating_add);
        let free = |resource: usize| {
            let part = |amount: u32| f64::from(amount) / f64::from(Share::ONE.units());
            let asked: f64 =
                instance.jobs.iter().map(|job| f64::from(job.tasks) * part(job.demand[resource])).sum();
            let there: f64 = instance.nodes.iter().map(|node| part(node[resource])).sum();
            if there > 0.0 { 1.0 - asked / there } else { 0.0 }
        };
        let slack = (0..instance.fixed).map(free).fold(1.0, f64::min);
        Shape {
            nodes: instance.nodes.len() as u32,
            tasks,
            dimensions: instance.dimensions() as u32,
            slack: (slack * 1e4).round() / 1e4,
        }
    }
}

impl Parameters {
    pub(crate) fn nodes(&self) -> u32 {
        match self {
            Parameters::Made(made) => made.nodes(),
            Parameters::Read(shape) => shape.nodes,
        }
    }
    pub(crate) fn tasks(&self) -> u32 {
        match self {
            Parameters::Made(Scenario::Dissertation(of)) => of.jobs,
            Parameters::Made(Scenario::Rr6692(of)) => of.tasks,
            Parameters::Read(shape) => shape.tasks,
        }
    }
    pub(crate) fn dimensions(&self) -> u32 {
        match self {
            Parameters::Made(Scenario::Dissertation(of)) => of.dimensions,
            Parameters::Made(Scenario::Rr6692(_)) => 2,
            Parameters::Read(shape) => shape.dimensions,
        }
    }
    pub(crate) fn slack(&self) -> f64 {
        match self {
            Parameters::Made(made) => made.slack(),
            Parameters::Read(shape) => shape.slack,
        }
    }
    /// Those of the dissertation, if they are its own.
    pub(crate) fn of_dissertation(&self) -> Option<&DissertationScenario> {
        match self {
            Parameters::Made(Scenario::Dissertation(of)) => Some(of),
            Parameters::Made(Scenario::Rr6692(_)) | Parameters::Read(_) => None,
        }
    }
    /// Those of RR-6692, if they are its own.
    pub(crate) fn of_report(&self) -> Option<&Rr6692Scenario> {
        match self {
            Parameters::Made(Scenario::Rr6692(of)) => Some(of),
            Parameters::Made(Scenario::Dissertation(_)) | Parameters::Read(_) => None,
        }
    }
}
