//! The shape of a scenario file of the discovery study.

use super::scenario::{RecordedSource, Scenario, Source, Variant, WorkloadGroup};
use crate::scenario::anywhere;
use crate::scenario::fields::Names;
use dfrsim_discovery::{Approach, Settings, Testbed};
use serde::{Deserialize, Serialize};
use toml::Spanned;

/// A scenario file, before it is checked. Resolved scenarios are written in this shape too.
#[derive(Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct File {
    pub(super) study: Study,
    #[serde(default)]
    pub(super) title: String,
    #[serde(default = "one")]
    pub(super) seed: Spanned<i64>,
    #[serde(default = "hundred")]
    pub(super) samples: Spanned<i64>,
    #[serde(default = "all_approaches")]
    pub(super) approaches: Spanned<Names>,
    #[serde(default)]
    pub(super) variants: Vec<VariantFile>,
    #[serde(default)]
    pub(super) workloads: Vec<WorkloadFile>,
}

#[derive(Debug, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(super) enum Study {
    Discovery,
}

#[derive(Debug, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub(super) struct VariantFile {
    pub(super) name: Spanned<String>,
    pub(super) discovery: Spanned<f64>,
    pub(super) allocation: Spanned<f64>,
    pub(super) execution: Spanned<f64>,
    pub(super) monitor: Spanned<f64>,
    pub(super) threshold: f64,
    pub(super) migration: Spanned<f64>,
    pub(super) sharing: Spanned<String>,
    pub(super) spare: Spanned<String>,
    pub(super) packing: Spanned<String>,
    pub(super) yield_floor: Spanned<f64>,
    pub(super) yield_precision: Spanned<f64>,
    pub(super) relabel: bool,
}

impl Default for VariantFile {
    fn default() -> VariantFile {
        VariantFile::of(&Variant { name: "standard".to_owned(), settings: Settings::default() })
    }
}

#[derive(Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct WorkloadFile {
    pub(super) name: Spanned<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) published: Option<Spanned<String>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) testbed: Option<TestbedFile>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) recorded: Option<RecordedFile>,
}

#[derive(Debug, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub(super) struct TestbedFile {
    pub(super) nodes: Spanned<i64>,
    pub(super) vms_per_node: Spanned<i64>,
    pub(super) hogs: Spanned<i64>,
    pub(super) memory: Spanned<f64>,
    pub(super) mean_change: Spanned<f64>,
    pub(super) span: Spanned<f64>,
}

impl Default for TestbedFile {
    fn default() -> TestbedFile {
        TestbedFile::of(&Testbed::default())
    }
}

#[derive(Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct RecordedFile {
    pub(super) files: Vec<Spanned<String>>,
    pub(super) nodes: Spanned<i64>,
    #[serde(default = "quarter")]
    pub(super) memory: Spanned<f64>,
    #[serde(default = "five_minutes")]
    pub(super) interval: Spanned<f64>,
    #[serde(default = "percent")]
    pub(super) unit: Spanned<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) span: Option<Spanned<f64>>,
}

impl File {
    /// A scenario in the shape of a file.
    pub(super) fn of(scenario: &Scenario) -> File {
        let Scenario { title, seed, samples, approaches, variants, workloads } = scenario;
        File {
            study: Study::Discovery,
            title: title.clone(),
            seed: anywhere(*seed as i64),
            samples: anywhere((*samples).into()),
            approaches: anywhere(Names(approaches.iter().map(ToString::to_string).collect())),
            variants: variants.iter().map(VariantFile::of).collect(),
            workloads: workloads.iter().map(WorkloadFile::of).collect(),
        }
    }
}

impl VariantFile {
    fn of(variant: &Variant) -> VariantFile {
        let Settings {
            discovery,
            allocation,
            execution,
            monitor,
            threshold,
            migration,
            sharing,
            spare,
            mcb,
            relabel,
        } = variant.settings;
        VariantFile {
            name: anywhere(variant.name.clone()),
            discovery: anywhere(discovery.as_secs_f64()),
            allocation: anywhere(allocation.as_secs_f64()),
            execution: anywhere(execution.as_secs_f64()),
            monitor: anywhere(monitor.as_secs_f64()),
            threshold,
            migration: anywhere(migration.as_secs_f64()),
            sharing: anywhere(sharing.to_string()),
            spare: anywhere(spare.to_string()),
            packing: anywhere(mcb.packing.to_string()),
            yield_floor: anywhere(mcb.floor.as_f64()),
            yield_precision: anywhere(mcb.precision.as_f64()),
            relabel,
        }
    }
}

impl WorkloadFile {
    fn of(group: &WorkloadGroup) -> WorkloadFile {
        let (mut testbed, mut recorded) = (None, None);
        match &group.source {
            Source::Testbed(source) => testbed = Some(TestbedFile::of(source)),
            Source::Recorded(source) => recorded = Some(RecordedFile::of(source)),
        }
        let published = group.published.map(|table| anywhere(table.to_string()));
        WorkloadFile { name: anywhere(group.name.clone()), published, testbed, recorded }
    }
}

impl TestbedFile {
    fn of(testbed: &Testbed) -> TestbedFile {
        let Testbed { nodes, vms_per_node, hogs, memory, mean_change, span } = *testbed;
        TestbedFile {
            nodes: anywhere(nodes.into()),
            vms_per_node: anywhere(vms_per_node.into()),
            hogs: anywhere(hogs.into()),
            memory: anywhere(memory.as_f64()),
            mean_change: anywhere(mean_change.as_secs_f64()),
            span: anywhere(span.as_secs_f64()),
        }
    }
}

impl RecordedFile {
    fn of(source: &RecordedSource) -> RecordedFile {
        let RecordedSource { files, nodes, memory, interval, unit, span, workload: _ } = source;
        RecordedFile {
            files: files.iter().map(|(name, _)| anywhere(name.clone())).collect(),
            nodes: anywhere((*nodes).into()),
            memory: anywhere(memory.as_f64()),
            interval: anywhere(interval.as_secs_f64()),
            unit: anywhere(unit.to_string()),
            span: Some(anywhere(span.as_secs_f64())),
        }
    }
}

fn one() -> Spanned<i64> {
    anywhere(1)
}

fn hundred() -> Spanned<i64> {
    anywhere(100)
}

fn quarter() -> Spanned<f64> {
    anywhere(0.25)
}

fn five_minutes() -> Spanned<f64> {
    anywhere(300.0)
}

fn percent() -> Spanned<String> {
    anywhere("percent".to_owned())
}

fn all_approaches() -> Spanned<Names> {
    anywhere(Names(Approach::ALL.iter().map(ToString::to_string).collect()))
}
