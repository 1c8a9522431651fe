//! Generation of the scenario of a site.

use crate::arguments::KB_OF_GB;
use crate::failure::Failure;
use dfrsim_model::platform::classes::ReferenceNode;
use dfrsim_model::site::SiteSettings;
use dfrsim_workload::cut::WEEK;
use dfrsim_workload::formats::slurm_conf::SimulatedSite;
use dfrsim_workload::log::Header;
use dfrsim_workload::named_settings::{self, NamedSettings};
use dfrsim_workload::prepare::{Annotation, ClusterAssumptions, Join, Options};
use serde::Serialize;
use serde_json::json;
use std::path::{Component, Path, PathBuf};
use toml::{Table, Value};

/// Variant of the site's settings.
pub(super) struct Variant {
    pub(super) name: String,
    settings: SiteSettings,
    /// File of the platform, if it differs from that of the workload.
    platform: Option<String>,
}

impl Variant {
    pub(super) fn new(name: &str, of_log: &SimulatedSite, platform: Option<String>) -> Variant {
        Variant { name: name.to_owned(), settings: of_log.settings.clone(), platform }
    }

    /// Returns whether both variants are equal except for their names.
    pub(super) fn has_settings_of(&self, other: &Variant) -> bool {
        self.settings == other.settings && self.platform == other.platform
    }

    /// Returns the table `priority` of the variant, with the names of the log.
    fn table(&self, header: &Header) -> PriorityTable<'_> {
        let settings = named_settings::with_names(&self.settings, header);
        PriorityTable { name: &self.name, platform: self.platform.as_deref(), settings }
    }
}

/// Table `priority` of a scenario.
#[derive(Serialize)]
struct PriorityTable<'a> {
    name: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    platform: Option<&'a str>,
    #[serde(flatten)]
    settings: NamedSettings,
}

/// Log of the jobs, and the cluster on which they ran.
pub(super) struct Workload<'a> {
    pub(super) log: &'a Path,
    pub(super) nodes: u32,
    pub(super) reference: ReferenceNode,
    pub(super) samples: u32,
    /// Copies of the log whose submissions are moved.
    pub(super) copies: u32,
    /// Submissions of the first and the last selected job, in seconds of the log.
    pub(super) span: Option<(u64, u64)>,
    /// Selected part of the log, size of jobs, and rules for anomalous lines.
    pub(super) options: Options,
    /// True if some jobs depend on others.
    pub(super) has_dependencies: bool,
    /// True if nodes are down or drained at times.
    pub(super) has_outages: bool,
}

/// Name of the file of outages in the folder of the scenario.
pub(super) const OUTAGES: &str = "outages.csv";

/// Returns the annotation of jobs with the nodes, cores and memory of the listing, as fractions of
/// the reference node.
pub(super) fn annotation(reference: ReferenceNode) -> Annotation {
    let ReferenceNode { cores, memory_gb } = reference;
    let memory_kb = (memory_gb * KB_OF_GB).round() as u64;
    Annotation::Hpc2n(ClusterAssumptions { cores, memory_kb, floor_tenths: 0, join: Some(Join::Listed) })
}

impl Workload<'_> {
    fn fields(&self, folder: &Path) -> Result<serde_json::Value, Failure> {
        let name = self.log.file_name().map_or_else(String::new, |name| name.to_string_lossy().into_owned());
        let mut swf = json!({
            "file": relative_to(self.log, folder)?,
            "annotation": serde_json::to_value(annotation(self.reference)).map_err(Failure::input)?,
        });
        let Options { lines, size, select, rules, .. } = self.options;
        let usual = Options::default();
        let value = |it: serde_json::Result<serde_json::Value>| it.map_err(Failure::input);
        if lines != usual.lines {
            swf["lines"] = value(serde_json::to_value(lines))?;
        }
        if size != usual.size {
            swf["size"] = value(serde_json::to_value(size))?;
        }
        if select != usual.select {
            swf["select"] = value(serde_json::to_value(select))?;
        }
        if rules != usual.rules {
            swf["rules"] = value(serde_json::to_value(rules))?;
        }
        if self.has_dependencies {
            swf["submission"] = "holds".into();
        }
        if self.samples > 0 {
            let weeks = self.span.map_or(1, |(first, last)| last / WEEK - first / WEEK + 1);
            swf["resample"] = json!({"replications": self.samples, "weeks": weeks, "whole": true});
        }
        let mut fields = json!({
            "name": name.split('.').next().unwrap_or("log"),
            "nodes": self.nodes,
            "node_memory_gb": self.reference.memory_gb,
            "platform": "platform.toml",
            "swf": swf,
        });
        if self.copies > 0 {
            fields["jitter"] = json!({"copies": self.copies});
        }
        Ok(fields)
    }
}

/// Returns the path of a file relative to a folder, as scenarios have it; a path that is absolute, or
/// cannot be made relative, becomes canonical.
pub(in crate::commands) fn relative_to(file: &Path, folder: &Path) -> Result<String, Failure> {
    let is_plain =
        |path: &Path| path.components().all(|part| matches!(part, Component::Normal(_) | Component::CurDir));
    let path = if file.is_relative() && is_plain(folder) {
        let ups = folder.components().filter(|part| matches!(part, Component::Normal(_))).map(|_| "..");
        ups.collect::<PathBuf>().join(file)
    } else {
        PathBuf::new()
    };
    // A folder that is a symbolic link has another parent.
    let canonical = file.canonicalize().map_err(|error| Failure::in_file(file, error))?;
    let is_right =
        !folder.exists() || folder.join(&path).canonicalize().is_ok_and(|found| found == canonical);
    let path = if is_right && !path.as_os_str().is_empty() { path } else { canonical };
    let text = path.to_str().ok_or_else(|| Failure::in_file(&path, "this path is not valid UTF-8"))?;
    Ok(text.to_owned())
}

/// Generates the text of the scenario of a site, for a file in this folder.
pub(super) fn text(
    policies: &[String],
    workload: &Workload<'_>,
    variants: &[Variant],
    header: &Header,
    folder: &Path,
) -> Result<String, Failure> {
    let name = workload.log.file_name().map_or_else(String::new, |name| name.to_string_lossy().into_owned());
    let variants: Vec<PriorityTable<'_>> = variants.iter().map(|it| it.table(header)).collect();
    let mut scenario = Table::try_from(json!({
        "study": "online",
        "title": format!("{name} as it is, and with other settings"),
        "policies": policies,
        "plain": false,
        "bounded": false,
        "objective": "mean_wait_s",
        "waits_by": ["partition", "account", "size"],
        "simulation": {"penalty": 0, "estimates": "requested-or-exact"},
        "workloads": [workload.fields(folder)?],
    }))
    .map_err(Failure::input)?;
    if workload.has_outages {
        scenario.insert(
            "outages".to_owned(),
            Value::Table(Table::from_iter([("file".to_owned(), OUTAGES.into())])),
        );
    }
    scenario.insert("priority".to_owned(), Value::try_from(variants).map_err(Failure::input)?);
    toml::to_string(&scenario).map_err(Failure::input)
}
