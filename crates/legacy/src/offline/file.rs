//! The shape of a scenario file of the off-line study.

use super::scenario::{Grid, InstanceGroup, Packing, Scenario, Second, Slow, Source};
use crate::scenario::anywhere;
use crate::scenario::fields::{Numbers, PolicyField};
use dfrsim_offline::greedy::{Light, NodeRules};
use dfrsim_offline::instances::{Memory, Requirements};
use dfrsim_offline::{Algorithm, ListOrder, Probes};
use dfrsim_optimum::{Backend, Relaxation};

use serde::{Deserialize, Serialize};
use toml::Spanned;

/// Names of algorithms, or regular expressions.
pub(super) type Algorithms = Spanned<Vec<Spanned<PolicyField>>>;

/// A scenario file, before it is checked. Resolved scenarios are written in this shape too.
#[derive(Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct File {
    pub(super) study: Study,
    #[serde(default)]
    pub(super) title: String,
    #[serde(default = "first_seed")]
    pub(super) seed: Spanned<i64>,
    pub(super) algorithms: Algorithms,
    #[serde(default)]
    pub(super) optimum: bool,
    #[serde(default)]
    pub(super) everything: bool,
    #[serde(default)]
    pub(super) packing: PackingFile,
    #[serde(default)]
    pub(super) slow: Vec<SlowFile>,
    #[serde(default)]
    pub(super) second_phase: SecondFile,
    #[serde(default)]
    pub(super) instances: Vec<InstancesFile>,
}

#[derive(Debug, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(super) enum Study {
    Offline,
}

#[derive(Debug, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub(super) struct PackingFile {
    pub(super) precision: Spanned<f64>,
    pub(super) lists: ListOrderField,
    pub(super) probes: ProbesField,
    pub(super) node_rules: NodeRulesField,
    pub(super) light: LightField,
    pub(super) placements: Spanned<i64>,
    pub(super) search_nodes: Spanned<i64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) time_limit: Option<Spanned<f64>>,
    pub(super) solver: Spanned<String>,
    pub(super) relaxation: RelaxationField,
}

impl Default for PackingFile {
    fn default() -> PackingFile {
        PackingFile {
            precision: anywhere(0.001),
            lists: ListOrderField::default(),
            probes: ProbesField::default(),
            node_rules: NodeRulesField::default(),
            light: LightField::default(),
            placements: anywhere(500_000),
            search_nodes: anywhere(100_000_000),
            time_limit: None,
            solver: anywhere(Backend::default().to_string()),
            relaxation: RelaxationField::AtBound,
        }
    }
}

/// A choice of another crate as a field, by the names of its variants.
macro_rules! choice {
    ($field:ident of $choice:ident: $($variant:ident),+) => {
        #[derive(Clone, Copy, Debug, Serialize, Deserialize)]
        #[serde(rename_all = "kebab-case")]
        pub(super) enum $field {
            $($variant),+
        }

        impl Default for $field {
            fn default() -> $field {
                $choice::default().into()
            }
        }

        impl From<$field> for $choice {
            fn from(field: $field) -> $choice {
                match field {
                    $($field::$variant => $choice::$variant),+
                }
            }
        }

        impl From<$choice> for $field {
            fn from(choice: $choice) -> $field {
                match choice {
                    $($choice::$variant => $field::$variant),+
                }
            }
        }
    };
}

choice!(RelaxationField of Relaxation: Printed, AtBound);
choice!(ListOrderField of ListOrder: ByRank, ByPair);
choice!(ProbesField of Probes: EndsFirst, Halving);
choice!(NodeRulesField of NodeRules: Printed, Simulated);
choice!(LightField of Light: First, Best);
choice!(RequirementsField of Requirements: Cut, Kept);
choice!(MemoryField of Memory: Drawn, Scaled);

#[derive(Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct SlowFile {
    pub(super) algorithms: Algorithms,
    #[serde(default = "one_sample")]
    pub(super) samples: Spanned<i64>,
    #[serde(default = "all_sizes")]
    pub(super) tasks: Spanned<i64>,
}

#[derive(Debug, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub(super) struct SecondFile {
    pub(super) algorithms: Algorithms,
    pub(super) program_samples: Spanned<i64>,
}

impl Default for SecondFile {
    fn default() -> SecondFile {
        SecondFile { algorithms: anywhere(Vec::new()), program_samples: anywhere(1) }
    }
}

#[derive(Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct InstancesFile {
    pub(super) name: Spanned<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) set: Option<Spanned<String>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) grid: Option<GridFile>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) samples: Option<Spanned<i64>>,
    #[serde(default)]
    pub(super) requirements: RequirementsField,
    #[serde(default)]
    pub(super) memory: MemoryField,
}

#[derive(Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct GridFile {
    pub(super) nodes: Spanned<i64>,
    pub(super) jobs: Spanned<Numbers>,
    pub(super) dimensions: Spanned<Numbers>,
    pub(super) sigma: Spanned<Numbers>,
    pub(super) rho: Spanned<Numbers>,
    pub(super) slack: Spanned<Numbers>,
}

impl File {
    /// A scenario in the shape of a file.
    pub(super) fn of(scenario: &Scenario) -> File {
        let Scenario { title, seed, algorithms, packing, slow, everything, second, instances } = scenario;
        File {
            study: Study::Offline,
            title: title.clone(),
            seed: anywhere(*seed as i64),
            algorithms: names(algorithms),
            optimum: algorithms.contains(&Algorithm::Optimum),
            everything: *everything,
            packing: PackingFile::of(packing),
            slow: slow.iter().map(SlowFile::of).collect(),
            second_phase: SecondFile::of(second),
            instances: instances.iter().map(InstancesFile::of).collect(),
        }
    }
}

impl PackingFile {
    fn of(packing: &Packing) -> PackingFile {
        PackingFile {
            precision: anywhere(packing.precision.as_f64()),
            lists: packing.lists.into(),
            probes: packing.probes.into(),
            node_rules: packing.greedy.rules.into(),
            light: packing.greedy.light.into(),
            placements: anywhere(packing.placements as i64),
            search_nodes: anywhere(packing.search_nodes as i64),
            time_limit: packing.time_limit.map(|limit| anywhere(limit.as_secs_f64())),
            solver: anywhere(packing.solver.to_string()),
            relaxation: packing.relaxation.into(),
        }
    }
}

impl SlowFile {
    fn of(slow: &Slow) -> SlowFile {
        SlowFile {
            algorithms: names(&slow.algorithms),
            samples: anywhere(slow.samples.into()),
            tasks: anywhere(slow.tasks.into()),
        }
    }
}

impl SecondFile {
    fn of(second: &Second) -> SecondFile {
        SecondFile {
            algorithms: names(&second.algorithms),
            program_samples: anywhere(second.program_samples.into()),
        }
    }
}

impl InstancesFile {
    fn of(group: &InstanceGroup) -> InstancesFile {
        let (set, grid) = match &group.source {
            Source::Set(set) => (Some(anywhere(set.to_string())), None),
            Source::Grid(grid) => (None, Some(GridFile::of(grid))),
        };
        let samples = Some(anywhere(group.samples.into()));
        let (requirements, memory) = (group.readings.requirements.into(), group.readings.memory.into());
        InstancesFile { name: anywhere(group.name.clone()), set, grid, samples, requirements, memory }
    }
}

impl GridFile {
    fn of(grid: &Grid) -> GridFile {
        let whole = |numbers: &[u32]| anywhere(Numbers(numbers.iter().copied().map(f64::from).collect()));
        let real = |numbers: &[f64]| anywhere(Numbers(numbers.to_vec()));
        GridFile {
            nodes: anywhere(grid.nodes.into()),
            jobs: whole(&grid.jobs),
            dimensions: whole(&grid.dimensions),
            sigma: real(&grid.sigma),
            rho: real(&grid.rho),
            slack: real(&grid.slack),
        }
    }
}

fn names(algorithms: &[Algorithm]) -> Algorithms {
    let name = |algorithm: &Algorithm| anywhere(PolicyField::Name(algorithm.to_string()));
    anywhere(algorithms.iter().map(name).collect())
}

fn one_sample() -> Spanned<i64> {
    anywhere(1)
}

fn all_sizes() -> Spanned<i64> {
    anywhere(u32::MAX.into())
}

fn first_seed() -> Spanned<i64> {
    anywhere(1)
}
