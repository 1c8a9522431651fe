//! From what stands in a file to a checked scenario of the co-allocation study.

use super::file::{File, ParametersFile, Sample, StreamFile, Study as Field, VariationsFile};
use super::scenario::{NodeList, Scenario, StreamScenario, Variations};
use crate::Study;
use crate::key::Digest;
use crate::scenario::{Resolver, ScenarioErrors, ScenarioText, resolved};
use dfrsim_coallocation::file::Resources;
use dfrsim_coallocation::planetlab::PROPERTIES;
use dfrsim_coallocation::{Grid, Parameters};
use dfrsim_model::SimSpan;
use dfrsim_model::coallocation::Resource;
use std::fs;
use toml::Spanned;

/// The scenario of a text.
pub(crate) fn read(source: &ScenarioText<'_>) -> Result<Study, ScenarioErrors> {
    let scenario = resolved(source, |resolver, file: &File| {
        let Field::Coallocation = file.study;
        resolver.coallocation(file)
    })?;
    Ok(Study::Experiment(Box::new(scenario)))
}

impl Resolver<'_> {
    fn coallocation(&mut self, file: &File) -> Scenario {
        let drawn = self.integer(&file.nodes, "a number of nodes", 1, 100_000) as usize;
        let node_list = file.node_list.as_ref().and_then(|field| self.node_list(field));
        let nodes = node_list.as_ref().map_or(drawn, |list| list.resources.len());
        let usage: Vec<f64> = file.usage.get_ref().0.clone();
        if usage.is_empty() || usage.iter().any(|mean| !(0.0..=0.5).contains(mean)) {
            self.fault(&file.usage, "expected mean levels of use from 0 to 0.5, at least one");
        }
        Scenario {
            title: file.title.clone(),
            seed: self.integer(&file.seed, "a seed", 0, i64::MAX) as u64,
            grids: self.integer(&file.grids, "a number of grids", 1, 10_000) as u32,
            nodes,
            node_list,
            usage,
            usage_deviation: self.fraction(&file.usage_deviation),
            usage_correlation: self.fraction(&file.usage_correlation),
            sizes: self.sizes(&file.sizes, nodes),
            cases: self.integer(&file.cases, "a number of test cases", 1, 10_000) as u32,
            repetitions: self.integer(&file.repetitions, "a number of repetitions", 1, 1_000_000) as u32,
            sample_anew: file.sample == Sample::Repetition,
            optimum: self.optimum_sizes(file),
            times: file.times,
            parameters: self.coallocation_parameters(&file.parameters),
            variations: file.variations.as_ref().map(|file| self.variations(file, nodes)),
            stream: file.stream.as_ref().map(|file| self.stream(file)),
        }
    }

    /// Nodes with the properties of table 1. Their labels do not matter: no test case asks for any.
    fn node_list(&mut self, field: &Spanned<String>) -> Option<NodeList> {
        let path = self.located(field);
        let text = match fs::read_to_string(&path) {
            Ok(text) => text,
            Err(error) => {
                self.fault(field, format!("{}: {error}", path.display()));
                return None;
            }
        };
        let file = field.get_ref().clone();
        let digest = Digest::of_bytes(text.as_bytes());
        let list = match Resources::parse(&file, &text) {
            Ok(list) => list,
            Err(faults) => {
                faults.0.iter().for_each(|fault| self.fault(field, fault.to_string()));
                return None;
            }
        };
        let expected = PROPERTIES.map(|it| it.name);
        if list.quantities != expected {
            self.fault(field, format!("{file}:1: the properties should be {}", expected.join(",")));
            return None;
        }
        if list.resources.is_empty() {
            self.fault(field, format!("{file}: there must be at least one node"));
            return None;
        }
        let resources: Vec<Resource> =
            list.resources.into_iter().map(|it| Resource { labels: [].into(), ..it }).collect();
        if let Err(error) = Grid::new(resources.clone()) {
            self.fault(field, format!("{file}: {error}"));
        }
        Some(NodeList { file, digest, resources })
    }

    /// How many resources are asked for: each number once.
    fn sizes(&mut self, field: &Spanned<Vec<i64>>, nodes: usize) -> Vec<usize> {
        let sizes = self.numbers(field, "numbers of resources", 1, nodes as i64);
        if sizes.iter().enumerate().any(|(place, size)| sizes[..place].contains(size)) {
            self.fault(field, "a number of resources stands twice");
        }
        sizes
    }
    /// The optimum is of the resources of the test case; the complete search takes too long for more than a few.
    fn optimum_sizes(&mut self, file: &File) -> Vec<usize> {
        let sizes = self.numbers(&file.optimum, "numbers of resources", 1, 10);
        if file.sample == Sample::Repetition && !sizes.is_empty() {
            self.fault(&file.optimum, "there is one optimum a test case with `sample = \"case\"` only");
        }
        sizes
    }
    fn coallocation_parameters(&mut self, file: &ParametersFile) -> Parameters {
        let mut number = |field: &Spanned<i64>, least| self.integer(field, "a number", least, 1_000) as usize;
        Parameters {
            initial_multiple: number(&file.initial_multiple, 1),
            largest_multiple: number(&file.largest_multiple, 1),
            admission_effort: number(&file.l1, 0),
            improvement_effort: number(&file.l2, 0),
        }
    }
    fn variations(&mut self, file: &VariationsFile, nodes: usize) -> Variations {
        Variations {
            size: self.integer(&file.size, "a number of resources", 1, nodes as i64) as usize,
            repetitions: self.integer(&file.repetitions, "a number of repetitions", 1, 1_000_000) as u32,
            multiples: self.numbers(&file.multiples, "multiples", 1, 1_000),
            admission: self.numbers(&file.l1, "numbers", 0, 1_000),
            improvement: self.numbers(&file.l2, "numbers", 0, 1_000),
        }
    }
    fn stream(&mut self, file: &StreamFile) -> StreamScenario {
        let mut some_time = |field: &Spanned<f64>| {
            let span = self.span(field, *field.get_ref());
            if !(1.0..=1e8).contains(field.get_ref()) {
                self.fault(field, "expected seconds from 1 to a hundred million");
            }
            span.max(SimSpan::from_secs(1))
        };
        StreamScenario {
            span: some_time(&file.span),
            mean_gap: some_time(&file.mean_gap),
            patience: some_time(&file.patience),
        }
    }

    fn numbers(&mut self, field: &Spanned<Vec<i64>>, what: &str, least: i64, most: i64) -> Vec<usize> {
        let numbers = field.get_ref();
        if numbers.iter().any(|number| !(least..=most).contains(number)) {
            self.fault(field, format!("expected {what} from {least} to {most}"));
        }
        numbers.iter().map(|&number| number.max(least) as usize).collect()
    }
    fn fraction(&mut self, field: &Spanned<f64>) -> f64 {
        if !(0.0..=1.0).contains(field.get_ref()) {
            self.fault(field, "expected a number from 0 to 1");
        }
        *field.get_ref()
    }
}
