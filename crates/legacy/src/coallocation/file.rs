//! The shape of a scenario file of the co-allocation study.

use super::scenario::{Scenario, StreamScenario, Variations};
use crate::scenario::anywhere;
use crate::scenario::fields::Numbers;
use dfrsim_coallocation::Parameters;
use dfrsim_coallocation::planetlab::{NODES, SIZES, Usage};
use dfrsim_model::SimSpan;
use serde::{Deserialize, Serialize};
use toml::Spanned;

/// A scenario file, before it is checked. Resolved scenarios are written in this shape too.
#[derive(Debug, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub(super) struct File {
    pub(super) study: Study,
    pub(super) title: String,
    pub(super) seed: Spanned<i64>,
    pub(super) grids: Spanned<i64>,
    pub(super) nodes: Spanned<i64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) node_list: Option<Spanned<String>>,
    pub(super) usage: Spanned<Numbers>,
    pub(super) usage_deviation: Spanned<f64>,
    pub(super) usage_correlation: Spanned<f64>,
    pub(super) sizes: Spanned<Vec<i64>>,
    pub(super) cases: Spanned<i64>,
    pub(super) repetitions: Spanned<i64>,
    pub(super) sample: Sample,
    pub(super) optimum: Spanned<Vec<i64>>,
    pub(super) times: bool,
    pub(super) parameters: ParametersFile,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) variations: Option<VariationsFile>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) stream: Option<StreamFile>,
}

#[derive(Clone, Copy, Debug, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(super) enum Study {
    #[default]
    Coallocation,
}

/// Whose resources a search looks at.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(super) enum Sample {
    /// Those of the test case, in all repetitions and for both kinds.
    Case,
    /// Those that phase I draws, in each repetition anew.
    Repetition,
}

#[derive(Debug, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub(super) struct ParametersFile {
    pub(super) initial_multiple: Spanned<i64>,
    pub(super) largest_multiple: Spanned<i64>,
    pub(super) l1: Spanned<i64>,
    pub(super) l2: Spanned<i64>,
}

#[derive(Debug, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub(super) struct VariationsFile {
    pub(super) size: Spanned<i64>,
    pub(super) repetitions: Spanned<i64>,
    pub(super) multiples: Spanned<Vec<i64>>,
    pub(super) l1: Spanned<Vec<i64>>,
    pub(super) l2: Spanned<Vec<i64>>,
}

#[derive(Debug, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub(super) struct StreamFile {
    pub(super) span: Spanned<f64>,
    pub(super) mean_gap: Spanned<f64>,
    pub(super) patience: Spanned<f64>,
}

impl Default for File {
    /// The experiments as they are described.
    fn default() -> File {
        let usage = Usage::default();
        File::of(&Scenario {
            title: String::new(),
            seed: 1,
            grids: 10,
            nodes: NODES,
            node_list: None,
            usage: vec![usage.mean],
            usage_deviation: usage.deviation,
            usage_correlation: usage.correlation,
            sizes: SIZES.to_vec(),
            cases: 90,
            repetitions: 1_000,
            sample_anew: false,
            optimum: vec![5],
            times: false,
            parameters: Parameters::default(),
            variations: None,
            stream: None,
        })
    }
}

impl Default for ParametersFile {
    fn default() -> ParametersFile {
        ParametersFile::of(&Parameters::default())
    }
}

impl Default for VariationsFile {
    /// Section 4.3.
    fn default() -> VariationsFile {
        let efforts = vec![2, 3, 5, 7, 10, 15, 20, 30, 50];
        VariationsFile::of(&Variations {
            size: 15,
            repetitions: 100,
            multiples: vec![2, 3, 4, 6, 8],
            admission: efforts.clone(),
            improvement: efforts,
        })
    }
}

impl Default for StreamFile {
    /// A week with a request every ten minutes, which may start a day later.
    fn default() -> StreamFile {
        StreamFile::of(&StreamScenario {
            span: SimSpan::from_secs(7 * 86_400),
            mean_gap: SimSpan::from_secs(600),
            patience: SimSpan::from_secs(86_400),
        })
    }
}

impl File {
    /// A scenario in the shape of a file.
    pub(super) fn of(scenario: &Scenario) -> File {
        File {
            study: Study::Coallocation,
            title: scenario.title.clone(),
            seed: anywhere(scenario.seed as i64),
            grids: anywhere(scenario.grids.into()),
            nodes: anywhere(scenario.nodes as i64),
            node_list: scenario.node_list.as_ref().map(|it| anywhere(it.file.clone())),
            usage: anywhere(Numbers(scenario.usage.clone())),
            usage_deviation: anywhere(scenario.usage_deviation),
            usage_correlation: anywhere(scenario.usage_correlation),
            sizes: list(&scenario.sizes),
            cases: anywhere(scenario.cases.into()),
            repetitions: anywhere(scenario.repetitions.into()),
            sample: if scenario.sample_anew { Sample::Repetition } else { Sample::Case },
            optimum: list(&scenario.optimum),
            times: scenario.times,
            parameters: ParametersFile::of(&scenario.parameters),
            variations: scenario.variations.as_ref().map(VariationsFile::of),
            stream: scenario.stream.as_ref().map(StreamFile::of),
        }
    }
}

impl ParametersFile {
    fn of(parameters: &Parameters) -> ParametersFile {
        let number = |number: usize| anywhere(number as i64);
        ParametersFile {
            initial_multiple: number(parameters.initial_multiple),
            largest_multiple: number(parameters.largest_multiple),
            l1: number(parameters.admission_effort),
            l2: number(parameters.improvement_effort),
        }
    }
}

impl VariationsFile {
    fn of(variations: &Variations) -> VariationsFile {
        VariationsFile {
            size: anywhere(variations.size as i64),
            repetitions: anywhere(variations.repetitions.into()),
            multiples: list(&variations.multiples),
            l1: list(&variations.admission),
            l2: list(&variations.improvement),
        }
    }
}

impl StreamFile {
    fn of(stream: &StreamScenario) -> StreamFile {
        StreamFile {
            span: anywhere(stream.span.as_secs_f64()),
            mean_gap: anywhere(stream.mean_gap.as_secs_f64()),
            patience: anywhere(stream.patience.as_secs_f64()),
        }
    }
}

fn list(numbers: &[usize]) -> Spanned<Vec<i64>> {
    anywhere(numbers.iter().map(|&number| number as i64).collect())
}
