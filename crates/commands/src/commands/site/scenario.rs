//! The text of the scenario of a site.

use crate::failure::Failure;
use dfrsim_model::priority::{Account, JobClass, Priorities};
use dfrsim_platform::classes::ReferenceNode;
use dfrsim_workload::by_name::ByName;
use dfrsim_workload::formats::slurm_conf::SiteOfLog;
use dfrsim_workload::log::Header;
use std::path::{Component, Path, PathBuf};
use toml::{Table, Value};

/// The seconds of a week.
const WEEK: u64 = 7 * 86_400;

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

    /// As a table `priority`, with the names of the log.
    fn table(&self, header: &Header) -> Result<Table, Failure> {
        let Priorities { accounts, qos, partitions, .. } = &self.settings;
        let accounts: Vec<ByName<Account>> =
            accounts.iter().map(|it| ByName::named(it.clone(), header)).collect();
        let classes = |list: &[JobClass]| -> Vec<ByName<JobClass>> {
            list.iter().map(|it| ByName::named(it.clone(), header)).collect()
        };
        let mut table = Table::new();
        table.insert("name".to_owned(), self.name.clone().into());
        if let Some(platform) = &self.platform {
            table.insert("platform".to_owned(), platform.clone().into());
        }
        table.extend(Table::try_from(&self.settings).map_err(Failure::input)?);
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
    fn table(&self, folder: &Path) -> Result<Table, Failure> {
        let name = self.log.file_name().map_or_else(String::new, |name| name.to_string_lossy().into_owned());
        let ReferenceNode { cores, memory_gb } = self.reference;
        let memory_kb = (memory_gb * 1_048_576.0).round() as i64;
        let hpc2n = Table::from_iter([
            ("cores".to_owned(), Value::from(i64::from(cores))),
            ("memory_kb".to_owned(), Value::from(memory_kb)),
            ("floor_tenths".to_owned(), Value::from(0)),
            ("join".to_owned(), Value::from("listed")),
        ]);
        let mut swf = Table::from_iter([
            ("file".to_owned(), Value::from(from_folder(self.log, folder)?)),
            (
                "annotation".to_owned(),
                Value::from(Table::from_iter([("hpc2n".to_owned(), Value::from(hpc2n))])),
            ),
        ]);
        if self.are_held {
            swf.insert("submission".to_owned(), Value::from("holds"));
        }
        if self.samples > 0 {
            let weeks = self.span.map_or(1, |(first, last)| last / WEEK - first / WEEK + 1);
            let resample = Table::from_iter([
                ("replications".to_owned(), Value::from(i64::from(self.samples))),
                ("weeks".to_owned(), Value::from(i64::try_from(weeks).unwrap_or(1))),
                ("whole".to_owned(), Value::from(true)),
            ]);
            swf.insert("resample".to_owned(), Value::from(resample));
        }
        Ok(Table::from_iter([
            ("name".to_owned(), Value::from(name.split('.').next().unwrap_or("log").to_owned())),
            ("nodes".to_owned(), Value::from(i64::from(self.nodes))),
            ("node_memory_gb".to_owned(), Value::from(memory_gb)),
            ("platform".to_owned(), Value::from("platform.toml")),
            ("swf".to_owned(), Value::from(swf)),
        ]))
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
        file.canonicalize().map_err(|error| Failure::input(format!("{}: {error}", file.display())))?
    };
    let text =
        path.to_str().ok_or_else(|| Failure::input(format!("{}: its name is no UTF-8", path.display())))?;
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
    let simulation = Table::from_iter([
        ("penalty".to_owned(), Value::from(0)),
        ("estimates".to_owned(), Value::from("requested")),
    ]);
    let strings = |names: &[&str]| Value::from(names.iter().copied().map(Value::from).collect::<Vec<_>>());
    let scenario = Table::from_iter([
        ("study".to_owned(), Value::from("online")),
        ("title".to_owned(), Value::from(format!("{name} as it is, and with other settings"))),
        ("policies".to_owned(), Value::from(policies.to_vec())),
        ("plain".to_owned(), Value::from(false)),
        ("bounded".to_owned(), Value::from(false)),
        ("waits_by".to_owned(), strings(&["partition", "account", "size"])),
        ("simulation".to_owned(), Value::from(simulation)),
        ("workloads".to_owned(), Value::from(vec![Value::from(workload.table(folder)?)])),
        ("priority".to_owned(), Value::from(variants)),
    ]);
    toml::to_string(&scenario).map_err(Failure::input)
}
