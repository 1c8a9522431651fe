//! The shape of a scenario file of the grid study.

use super::scenario::{Jobs, Scenario, Site, Workload};
use crate::scenario::anywhere;
use crate::scenario::fields::Names;
use serde::{Deserialize, Serialize};
use std::path::PathBuf;
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
    #[serde(default = "one")]
    pub(super) seeds: Spanned<i64>,
    #[serde(default = "both")]
    pub(super) heterogeneous: Spanned<Vec<bool>>,
    #[serde(default = "published_policies")]
    pub(super) local: Spanned<Names>,
    #[serde(default)]
    pub(super) audit: Audit,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) events: Option<PathBuf>,
    #[serde(default)]
    pub(super) meta: MetaFile,
    #[serde(default)]
    pub(super) jobs: JobsFile,
    #[serde(default)]
    pub(super) clusters: Vec<ClusterFile>,
    #[serde(default)]
    pub(super) workloads: Vec<WorkloadFile>,
}

#[derive(Debug, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(super) enum Study {
    Grid,
}

/// Whether simulations are checked; they are.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
#[serde(transparent)]
pub(super) struct Audit(pub(super) bool);

impl Default for Audit {
    fn default() -> Audit {
        Audit(true)
    }
}

#[derive(Debug, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub(super) struct MetaFile {
    pub(super) mapping: Spanned<String>,
    pub(super) copies: Spanned<i64>,
    pub(super) algorithms: Spanned<Names>,
    pub(super) heuristics: Spanned<Names>,
    pub(super) period: Spanned<i64>,
    pub(super) threshold: Spanned<i64>,
}

impl Default for MetaFile {
    fn default() -> MetaFile {
        MetaFile {
            mapping: anywhere("mct".to_owned()),
            copies: anywhere(1),
            algorithms: names(["without", "with"]),
            heuristics: names(["mct", "minmin", "maxmin", "maxgain", "maxrelgain", "sufferage"]),
            period: anywhere(3_600),
            threshold: anywhere(60),
        }
    }
}

#[derive(Debug, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub(super) struct JobsFile {
    pub(super) walltimes: Spanned<String>,
    pub(super) most_load: Spanned<f64>,
    pub(super) too_wide: TooWide,
}

impl Default for JobsFile {
    fn default() -> JobsFile {
        JobsFile {
            walltimes: anywhere("random:5".to_owned()),
            most_load: anywhere(0.9),
            too_wide: TooWide::Error,
        }
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(super) enum TooWide {
    Error,
    Skip,
}

#[derive(Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct ClusterFile {
    pub(super) name: Spanned<String>,
    pub(super) cores: Spanned<i64>,
    pub(super) speed: Spanned<f64>,
}

#[derive(Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct WorkloadFile {
    pub(super) name: Spanned<String>,
    pub(super) days: Spanned<Vec<i64>>,
    pub(super) sites: Vec<SiteFile>,
}

#[derive(Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct SiteFile {
    pub(super) cluster: Spanned<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) jobs: Option<Spanned<Vec<i64>>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) log: Option<Spanned<String>>,
}

impl File {
    /// A scenario in the shape of a file.
    pub(super) fn of(scenario: &Scenario) -> File {
        let months = scenario.workloads.iter().flat_map(|workload| &workload.sites);
        let most_load = months
            .filter_map(|site| match &site.jobs {
                Jobs::Months(months) => months.first().map(|month| month.most_load),
                Jobs::Log { .. } => None,
            })
            .next();
        File {
            study: Study::Grid,
            title: scenario.title.clone(),
            seed: anywhere(scenario.seed as i64),
            seeds: anywhere(scenario.seeds.into()),
            heterogeneous: anywhere(scenario.heterogeneous.clone()),
            local: names(scenario.local.iter().map(|each| each.name())),
            audit: Audit(scenario.audit),
            events: scenario.events.clone(),
            meta: MetaFile {
                mapping: anywhere(scenario.mapping.name().to_owned()),
                copies: anywhere(scenario.copies as i64),
                algorithms: names(scenario.algorithms.iter().map(|each| each.name())),
                heuristics: names(scenario.heuristics.iter().map(|each| each.name())),
                period: anywhere((scenario.period.micros() / 1_000_000) as i64),
                threshold: anywhere((scenario.threshold.micros() / 1_000_000) as i64),
            },
            jobs: JobsFile {
                walltimes: anywhere(scenario.walltimes.to_string()),
                most_load: most_load.map_or(JobsFile::default().most_load, anywhere),
                too_wide: if scenario.skip_too_wide { TooWide::Skip } else { TooWide::Error },
            },
            clusters: (scenario.clusters.iter())
                .map(|cluster| ClusterFile {
                    name: anywhere(cluster.name.clone()),
                    cores: anywhere(cluster.cores.into()),
                    speed: anywhere(f64::from(cluster.speed.thousandths()) / 1_000.0),
                })
                .collect(),
            workloads: scenario
                .workloads
                .iter()
                .map(|workload| WorkloadFile::of(scenario, workload))
                .collect(),
        }
    }
}

impl WorkloadFile {
    fn of(scenario: &Scenario, workload: &Workload) -> WorkloadFile {
        let site = |site: &Site| SiteFile {
            cluster: anywhere(scenario.clusters[site.cluster].name.clone()),
            jobs: match &site.jobs {
                Jobs::Months(months) => {
                    Some(anywhere(months.iter().map(|month| month.jobs as i64).collect()))
                }
                Jobs::Log { .. } => None,
            },
            log: match &site.jobs {
                Jobs::Months(_) => None,
                Jobs::Log { file, .. } => Some(anywhere(file.clone())),
            },
        };
        WorkloadFile {
            name: anywhere(workload.name.clone()),
            days: anywhere(workload.days.iter().map(|&days| days.into()).collect()),
            sites: workload.sites.iter().map(site).collect(),
        }
    }
}

fn names<'a>(names: impl IntoIterator<Item = &'a str>) -> Spanned<Names> {
    anywhere(Names(names.into_iter().map(str::to_owned).collect()))
}

fn one() -> Spanned<i64> {
    anywhere(1)
}

fn both() -> Spanned<Vec<bool>> {
    anywhere(vec![false, true])
}

fn published_policies() -> Spanned<Names> {
    names(["FCFS", "CBF"])
}
