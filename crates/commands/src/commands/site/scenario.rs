//! The text of the scenario of a site.

use crate::arguments::KB_OF_GB;
use crate::failure::Failure;
use dfrsim_model::platform::classes::ReferenceNode;
use dfrsim_model::priority::{Account, JobClass, Priorities};
use dfrsim_workload::by_name::ByName;
use dfrsim_workload::cut::WEEK;
use dfrsim_workload::formats::slurm_conf::SiteOfLog;
use dfrsim_workload::log::Header;
use serde_json::json;
use std::path::{Component, Path, PathBuf};
use toml::{Table, Value};

/// Settings beside each other.
pub(super) struct Variant {
    pub(super) name: String,
    settings: Priorities,
    /// The file of its nodes, where they are others than those of the workload.
    platform: Option<String>,
}

impl Variant {
    pub(super) fn new(name: &str, of_log: &SiteOfLog, platform: Option<String>) -> Variant {
        Variant { name: name.to_owned(), settings: of_log.settings.clone(), platform }
    }

    /// Whether both are the same but for their names.
    pub(super) fn is_like(&self, other: &Variant) -> bool {
        self.settings == other.settings && self.platform == other.platform
    }

    /// As a table `priority`, with the names of the log.
    fn table(&self, header: &Header) -> Result<Table, Failure> {
        let Priorities { accounts, qos, partitions, .. } = &self.settings;
        let accounts: Vec<ByName<Account>> =
            accounts.iter().map(|it| ByName::named(it.clone(), header)).collect();
        let classes = |list: &[JobClass]| -> Vec<ByName<JobClass>> {
            list.iter().map(|it| ByName::named(it.clone(), header)).collect()
        };
        let mut table = Table::try_from(&self.settings).map_err(Failure::input)?;
        table.insert("name".to_owned(), self.name.clone().into());
        if let Some(platform) = &self.platform {
            table.insert("platform".to_owned(), platform.clone().into());
        }
        for (list, value) in [
            ("accounts", Value::try_from(accounts)),
            ("qos", Value::try_from(classes(qos))),
            ("partitions", Value::try_from(classes(partitions))),
        ] {
            table.insert(list.to_owned(), value.map_err(Failure::input)?);
        }
        Ok(table)
    }
}

/// The jobs, and the cluster that they had.
pub(super) struct Workload<'a> {
    pub(super) log: &'a Path,
    pub(super) nodes: u32,
    pub(super) reference: ReferenceNode,
    pub(super) samples: u32,
    pub(super) span: Option<(u64, u64)>,
    /// Whether jobs wait for others.
    pub(super) are_held: bool,
}

impl Workload<'_> {
    fn fields(&self, folder: &Path) -> Result<serde_json::Value, Failure> {
        let name = self.log.file_name().map_or_else(String::new, |name| name.to_string_lossy().into_owned());
        let ReferenceNode { cores, memory_gb } = self.reference;
        let memory_kb = (memory_gb * KB_OF_GB).round() as i64;
        let mut swf = json!({
            "file": from_folder(self.log, folder)?,
            "annotation": {"hpc2n": {"cores": cores, "memory_kb": memory_kb, "floor_tenths": 0, "join": "listed"}},
        });
        if self.are_held {
            swf["submission"] = "holds".into();
        }
        if self.samples > 0 {
            let weeks = self.span.map_or(1, |(first, last)| last / WEEK - first / WEEK + 1);
            swf["resample"] = json!({"replications": self.samples, "weeks": weeks, "whole": true});
        }
        Ok(json!({
            "name": name.split('.').next().unwrap_or("log"),
            "nodes": self.nodes,
            "node_memory_gb": memory_gb,
            "platform": "platform.toml",
            "swf": swf,
        }))
    }
}

/// The name of a file from a folder on: a relative one stays relative.
fn from_folder(file: &Path, folder: &Path) -> Result<String, Failure> {
    let is_plain =
        |path: &Path| path.components().all(|part| matches!(part, Component::Normal(_) | Component::CurDir));
    let path = if file.is_relative() && is_plain(folder) {
        let ups = folder.components().filter(|part| matches!(part, Component::Normal(_))).map(|_| "..");
        ups.collect::<PathBuf>().join(file)
    } else {
        file.canonicalize().map_err(|error| Failure::of(file, error))?
    };
    let text = path.to_str().ok_or_else(|| Failure::of(&path, "its name is no UTF-8"))?;
    Ok(text.to_owned())
}

/// The scenario of a site, for a file in this folder.
pub(super) fn text(
    policies: &[String],
    workload: &Workload<'_>,
    variants: &[Variant],
    header: &Header,
    folder: &Path,
) -> Result<String, Failure> {
    let name = workload.log.file_name().map_or_else(String::new, |name| name.to_string_lossy().into_owned());
    let variants =
        variants.iter().map(|it| Ok(Value::from(it.table(header)?))).collect::<Result<Vec<_>, Failure>>()?;
    let mut scenario = Table::try_from(json!({
        "study": "online",
        "title": format!("{name} as it is, and with other settings"),
        "policies": policies,
        "plain": false,
        "bounded": false,
        "waits_by": ["partition", "account", "size"],
        "simulation": {"penalty": 0, "estimates": "requested"},
        "workloads": [workload.fields(folder)?],
    }))
    .map_err(Failure::input)?;
    scenario.insert("priority".to_owned(), Value::from(variants));
    toml::to_string(&scenario).map_err(Failure::input)
}
