//! From what stands in a file to a checked scenario of the off-line study.

use super::file::{Algorithms, File, GridFile, InstancesFile, PackingFile, Study};
use super::scenario::{Grid, InstanceGroup, Packing, Scenario, Second, Slow, Source};
use crate::scenario::fields::Numbers;
use crate::scenario::{Resolver, ScenarioErrors, ScenarioText, resolved};
use dfrsim_model::named::UnknownName;
use dfrsim_offline::Algorithm;
use dfrsim_offline::greedy::Readings;
use dfrsim_offline::instances::{self, InstanceSet};
use dfrsim_optimum::Backend;
use std::time::Duration;
use toml::Spanned;

const MOST: i64 = u32::MAX as i64;

pub(super) fn scenario(source: &ScenarioText<'_>) -> Result<Scenario, ScenarioErrors> {
    resolved(source, |resolver, file: &File| {
        let Study::Offline = file.study;
        let mut algorithms = resolver.algorithms(&file.algorithms);
        if file.optimum && !algorithms.contains(&Algorithm::Optimum) {
            algorithms.push(Algorithm::Optimum);
        }
        let subset = |resolver: &mut Resolver<'_>, field: &Algorithms| -> Vec<Algorithm> {
            let some = if field.get_ref().is_empty() { Vec::new() } else { resolver.algorithms(field) };
            algorithms.iter().copied().filter(|algorithm| some.contains(algorithm)).collect()
        };
        let slow = file.slow.iter().map(|slow| Slow {
            algorithms: subset(resolver, &slow.algorithms),
            samples: resolver.integer(&slow.samples, "a number of samples", 0, MOST) as u32,
            tasks: resolver.integer(&slow.tasks, "a number of tasks", 0, MOST) as u32,
        });
        let slow = slow.collect();
        let second = subset(resolver, &file.second_phase.algorithms);
        Scenario {
            title: file.title.clone(),
            seed: resolver.integer(&file.seed, "a seed", 0, i64::MAX) as u64,
            packing: resolver.packing(&file.packing),
            slow,
            everything: file.everything,
            second: Second {
                algorithms: second,
                program_samples: {
                    let samples = &file.second_phase.program_samples;
                    resolver.integer(samples, "a number of samples", 0, MOST) as u32
                },
            },
            instances: resolver.groups(&file.instances),
            algorithms,
        }
    })
}

impl Resolver<'_> {
    fn algorithms(&mut self, field: &Algorithms) -> Vec<Algorithm> {
        self.selected(field, "algorithm", || Algorithm::all().map(|each| (each.to_string(), each)).collect())
    }

    fn packing(&mut self, file: &PackingFile) -> Packing {
        let time_limit = file.time_limit.as_ref().map(|field| {
            let seconds = *field.get_ref();
            Duration::try_from_secs_f64(seconds).unwrap_or_else(|_| {
                self.fault(field, format!("expected seconds, found {seconds}"));
                Duration::ZERO
            })
        });
        let solver = file.solver.get_ref().parse().unwrap_or_else(|error: UnknownName| {
            self.fault(&file.solver, error.to_string());
            Backend::default()
        });
        Packing {
            precision: self.part(&file.precision),
            lists: file.lists.into(),
            probes: file.probes.into(),
            greedy: Readings { rules: file.node_rules.into(), light: file.light.into() },
            placements: self.integer(&file.placements, "a number of placements", 0, i64::MAX) as u64,
            search_nodes: self.integer(&file.search_nodes, "a number of nodes", 0, i64::MAX) as u64,
            time_limit,
            solver,
            relaxation: file.relaxation.into(),
        }
    }

    fn groups(&mut self, files: &[InstancesFile]) -> Vec<InstanceGroup> {
        if files.is_empty() {
            self.fault_of_file("there must be at least one [[instances]]");
        }
        let mut groups = Vec::<InstanceGroup>::new();
        for file in files {
            let name = file.name.get_ref().clone();
            if name.is_empty() || name.contains(char::is_control) {
                self.fault(&file.name, "instances must have a name, without control characters");
            }
            if groups.iter().any(|other| other.name == name) {
                self.fault(&file.name, format!("there are other instances `{name}`"));
            }
            let (source, published) = match (&file.set, &file.grid) {
                (Some(field), None) => match field.get_ref().parse::<InstanceSet>() {
                    Ok(set) => (Source::Set(set), set.samples()),
                    Err(error) => {
                        let error: UnknownName = error;
                        self.fault(field, error.to_string());
                        continue;
                    }
                },
                (None, Some(grid)) => (Source::Grid(self.grid(grid)), 1),
                _ => {
                    self.fault(
                        &file.name,
                        format!("instances `{name}` need one of `set` and `grid = {{ .. }}`"),
                    );
                    continue;
                }
            };
            let samples = match &file.samples {
                Some(field) => self.integer(field, "a number of samples", 1, MOST) as u32,
                None => published,
            };
            let readings =
                instances::Readings { requirements: file.requirements.into(), memory: file.memory.into() };
            groups.push(InstanceGroup { name, source, samples, readings });
        }
        groups
    }

    fn grid(&mut self, file: &GridFile) -> Grid {
        let grid = Grid {
            nodes: self.integer(&file.nodes, "a number of nodes", 1, 1_000_000) as u32,
            jobs: self.wholes(&file.jobs, "a number of jobs", 1, 1_000_000),
            dimensions: self.wholes(&file.dimensions, "a number of resources", 2, 32),
            sigma: self.reals(&file.sigma, "a deviation", 1e6),
            rho: self.reals(&file.rho, "a probability", 1.0),
            slack: self.reals(&file.slack, "a part that is free", 1.0),
        };
        if grid.dimensions.iter().any(|dimensions| dimensions % 2 == 1) {
            self.fault(&file.dimensions, "half of the resources are fixed: their number must be even");
        }
        grid
    }
    fn reals(&mut self, field: &Spanned<Numbers>, what: &str, most: f64) -> Vec<f64> {
        let numbers = &field.get_ref().0;
        if numbers.is_empty() {
            self.fault(field, format!("there must be at least {what}"));
        }
        for number in numbers.iter().filter(|number| !(0.0..=most).contains(*number)) {
            self.fault(field, format!("expected {what} from 0 to {most}, found {number}"));
        }
        numbers.clone()
    }
    fn wholes(&mut self, field: &Spanned<Numbers>, what: &str, least: u32, most: u32) -> Vec<u32> {
        let numbers = &field.get_ref().0;
        if numbers.is_empty() {
            self.fault(field, format!("there must be at least {what}"));
        }
        let range = f64::from(least)..=f64::from(most);
        for number in numbers.iter().filter(|number| !range.contains(*number) || number.fract() != 0.0) {
            self.fault(field, format!("expected {what} from {least} to {most}, found {number}"));
        }
        numbers.iter().map(|&number| number as u32).collect()
    }
}
