//! The shape of a scenario file.

use super::fields::{AnnotationField, Names, Numbers, PolicyField};
use dfrsim_cluster::Overrun;
use dfrsim_workload::cut::Selection;
use dfrsim_workload::log::Strictness;
use dfrsim_workload::lublin::{CpuNeeds, MemoryModel, Mode};
use dfrsim_workload::prepare::{Rules, SizeField};
use serde::{Deserialize, Serialize};
use toml::Spanned;

/// A scenario file, before it is checked. Resolved scenarios are written in this shape too.
#[derive(Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct File {
    pub(super) study: Study,
    #[serde(default)]
    pub(super) title: String,
    #[serde(default = "default_seed")]
    pub(super) seed: Spanned<i64>,
    pub(super) policies: Spanned<Vec<Spanned<PolicyField>>>,
    #[serde(default)]
    pub(super) simulation: SimulationFile,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(super) sweep: Vec<SweepFile>,
    #[serde(default)]
    pub(super) workloads: Vec<WorkloadFile>,
}

/// Which study.
#[derive(Debug, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(super) enum Study {
    Online,
}

#[derive(Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct SweepFile {
    pub(super) policies: Spanned<Vec<Spanned<PolicyField>>>,
    pub(super) period: Spanned<Numbers>,
}

#[derive(Debug, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub(super) struct SimulationFile {
    pub(super) penalty: Spanned<Numbers>,
    pub(super) period: Spanned<Numbers>,
    pub(super) tau: Spanned<Numbers>,
    pub(super) packing: Spanned<Names>,
    pub(super) drop: Spanned<Names>,
    pub(super) yield_floor: Spanned<f64>,
    pub(super) yield_precision: Spanned<f64>,
    pub(super) priority: Spanned<String>,
    pub(super) estimates: Spanned<String>,
    pub(super) overrun: OverrunField,
    pub(super) warm_up: Spanned<f64>,
    pub(super) cool_down: Spanned<f64>,
}

impl Default for SimulationFile {
    fn default() -> SimulationFile {
        SimulationFile {
            penalty: anywhere(Numbers(vec![300.0])),
            period: anywhere(Numbers(vec![600.0])),
            tau: anywhere(Numbers(vec![10.0])),
            packing: anywhere(Names(vec!["cp".to_owned()])),
            drop: anywhere(Names(vec!["prefix".to_owned()])),
            yield_floor: anywhere(0.01),
            yield_precision: anywhere(0.01),
            priority: anywhere("flow-over-virtual-squared".to_owned()),
            estimates: anywhere("exact".to_owned()),
            overrun: OverrunField::Extend,
            warm_up: anywhere(0.0),
            cool_down: anywhere(0.0),
        }
    }
}

#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(super) enum OverrunField {
    Extend,
    Kill,
}

impl From<OverrunField> for Overrun {
    fn from(field: OverrunField) -> Overrun {
        match field {
            OverrunField::Extend => Overrun::Extend,
            OverrunField::Kill => Overrun::Kill,
        }
    }
}

impl From<Overrun> for OverrunField {
    fn from(overrun: Overrun) -> OverrunField {
        match overrun {
            Overrun::Extend => OverrunField::Extend,
            Overrun::Kill => OverrunField::Kill,
        }
    }
}

#[derive(Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct WorkloadFile {
    pub(super) name: Spanned<String>,
    pub(super) nodes: Spanned<i64>,
    #[serde(default = "default_node_memory")]
    pub(super) node_memory_gb: Spanned<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) published: Option<Spanned<Names>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) swf: Option<SwfFile>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) batsim: Option<BatsimFile>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) lublin: Option<LublinFile>,
}

#[derive(Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct SwfFile {
    pub(super) file: Spanned<String>,
    #[serde(default)]
    pub(super) cut: Cut,
    #[serde(default)]
    pub(super) size: SizeField,
    #[serde(default)]
    pub(super) lines: Strictness,
    #[serde(default)]
    pub(super) annotation: AnnotationField,
    #[serde(default)]
    pub(super) select: Selection,
    #[serde(default)]
    pub(super) rules: Rules,
}

#[derive(Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct BatsimFile {
    pub(super) file: Spanned<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) flops: Option<Spanned<f64>>,
    #[serde(default)]
    pub(super) cut: Cut,
    #[serde(default)]
    pub(super) lines: Strictness,
    #[serde(default)]
    pub(super) annotation: AnnotationField,
    #[serde(default)]
    pub(super) select: Selection,
    #[serde(default)]
    pub(super) rules: Rules,
}

/// How a log is cut into instances.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Cut {
    /// Not at all: the log is one instance.
    #[default]
    None,
    /// Into the weeks of its own time.
    Week,
}

#[derive(Debug, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub(crate) struct LublinFile {
    pub(crate) traces: Spanned<i64>,
    pub(crate) jobs: Spanned<i64>,
    pub(crate) mode: Mode,
    pub(crate) loads: Spanned<Numbers>,
    pub(crate) cpu: CpuNeeds,
    pub(crate) memory: MemoryModel,
}

impl Default for LublinFile {
    fn default() -> LublinFile {
        LublinFile {
            traces: anywhere(100),
            jobs: anywhere(1_000),
            mode: Mode::Typed,
            loads: anywhere(Numbers(Vec::new())),
            cpu: CpuNeeds::default(),
            memory: MemoryModel::default(),
        }
    }
}

/// A value that stands nowhere in a text: a default, or one that is going to be written.
pub(crate) fn anywhere<T>(value: T) -> Spanned<T> {
    Spanned::new(0..0, value)
}

fn default_node_memory() -> Spanned<f64> {
    anywhere(8.0)
}

fn default_seed() -> Spanned<i64> {
    anywhere(1)
}
