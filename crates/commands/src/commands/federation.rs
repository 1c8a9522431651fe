//! `dfrsim federation`

use super::policies::known;
use super::run::{Execution, execute};
use super::site::scenario::relative_to;
use crate::context::Context;
use crate::failure::Failure;
use crate::output::{OutputFiles, OverwriteGuard, counted, notice};
use crate::slurm_site::SiteAndLog;
use chrono::{DateTime, NaiveDate};
use clap::Args;
use dfrsim_lab::RunOptions;
use dfrsim_model::JobId;
use dfrsim_model::platform::classes::is_of_site;
use dfrsim_model::site::SiteSettings;
use dfrsim_policies::PolicySetting;
use dfrsim_workload::formats::slurm_conf::{SimulatedSite, SiteFiles};
use dfrsim_workload::log::{Line, Source as _};
use dfrsim_workload::prepare::{self, Options};
use dfrsim_workload::recognise::{Kind, recognise};
use serde_json::json;
use std::fs;
use std::path::{Path, PathBuf};
use toml::{Table, Value};

/// Simulate Slurm sites as a federation, and say which users wait less and by how much
///
/// Each SITE is a folder with the output of sacct and with slurm.conf. All jobs run once at the sites
/// of their users, and once in a federation as Slurm has it: each job is submitted to all sites and
/// runs where it starts first. The first table has the answer. The folder of --out gets the scenario
/// and the results.
#[derive(Args, Debug)]
#[command(after_help = "\
Files of a SITE:
  slurm.conf    with the files that it includes
  gres.conf     if slurm.conf does not define the GPUs
  one listing   of `sacct --parsable2`, under any name, with all the columns that `dfrsim site` needs

The calendar of the listings counts: only the days that all of them have are simulated. Jobs that request GPUs or
features of nodes stay at their site. Cores are counted and nodes are not: a cluster has the cores of its nodes in
partitions. Accounts, qualities of service and partitions of one site mean nothing at another, so that jobs compete
by age and size alone; what is not used is listed.

Examples:
  dfrsim federation north/ south/ --out federation
  dfrsim federation north/ south/ east/ --policy EASY --from 2026-03-02 --days 14 --out federation
  dfrsim run federation/federation.toml --set workloads.sites.days=7")]
pub(crate) struct Federation {
    /// Folders of the sites; the name of a folder is that of its site
    #[arg(value_name = "SITE", num_args = 2.., required = true, value_hint = clap::ValueHint::DirPath)]
    sites: Vec<PathBuf>,
    /// Policy of all clusters
    #[arg(long, value_name = "NAME", default_value = "SLURM")]
    policy: String,
    /// First day to simulate; by default the first day that all listings have
    #[arg(long, value_name = "DAY")]
    from: Option<NaiveDate>,
    /// Number of days to simulate; by default up to the last day that all listings have
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=366))]
    days: Option<u32>,
    /// Folder of the scenario and its results
    #[arg(long, value_name = "DIR", value_hint = clap::ValueHint::DirPath)]
    out: PathBuf,
    #[command(flatten)]
    execution: Execution,
}

/// Seconds of a day.
const DAY_S: i64 = 86_400;

/// A site of the federation.
struct Site {
    name: String,
    log: PathBuf,
    cores: u32,
    settings: SiteSettings,
    /// Days since 1970 of the first and the last submission.
    days: (i64, i64),
    jobs: usize,
    /// Number of jobs that stay.
    special: usize,
    /// Descriptions of what is not used.
    unused: Vec<String>,
}

impl Federation {
    pub(crate) fn run(self, context: &Context<'_>) -> Result<(), Failure> {
        let policy = known(context.registry).parse(&self.policy).map_err(Failure::input)?;
        if !policy.reads(PolicySetting::Site) {
            return Err(Failure::input(format!(
                "--policy {policy}: it does not read the settings of a site; expected a policy such as SLURM"
            )));
        }
        let sites = self.sites.iter().map(|folder| Site::read(folder)).collect::<Result<Vec<Site>, _>>()?;
        for (place, site) in sites.iter().enumerate() {
            if sites[..place].iter().any(|other| other.name == site.name) {
                return Err(Failure::input(format!("two folders are named `{}`", site.name)));
            }
        }
        let (from, days) = self.window(&sites)?;
        for site in &sites {
            let Site { name, cores, jobs, special, unused, .. } = site;
            notice!(
                "{name}: {}, {}; {special} of them request GPUs or features and stay there",
                counted(*cores as usize, "core"),
                counted(*jobs, "job")
            );
            if !unused.is_empty() {
                notice!("{name}: not used: {}", unused.join("; "));
            }
        }
        notice!("{from} and the {days} days from then on: the ones that all sites have");
        let scenario = self.out.join("federation.toml");
        let mut places = OverwriteGuard::default();
        for site in &sites {
            places = places.add_input("SITE", &site.log);
        }
        places.add_output("--out", scenario.as_path())?;
        let mut files = OutputFiles::in_folder(&self.out)?;
        files.add_bytes(&scenario, self.text(&sites, (from, days))?)?;
        files.finish()?;
        let loaded = context.registry.load(&scenario, &[]).map_err(Failure::input)?;
        let options = RunOptions::new(self.out.join("results"));
        execute(context, &loaded, options, &self.execution)
    }

    /// Returns the first day and the number of days that all sites have, or that were given.
    fn window(&self, sites: &[Site]) -> Result<(NaiveDate, u32), Failure> {
        let first = sites.iter().map(|site| site.days.0).max().unwrap_or(0);
        let last = sites.iter().map(|site| site.days.1).min().unwrap_or(0);
        let day = |day: i64| DateTime::from_timestamp(day * DAY_S, 0).map(|at| at.date_naive());
        let listed = || {
            let span = |site: &Site| {
                let ends = [site.days.0, site.days.1].map(|at| day(at).unwrap_or_default().to_string());
                format!("{} {} to {}", site.name, ends[0], ends[1])
            };
            sites.iter().map(span).collect::<Vec<_>>().join(", ")
        };
        let from = match self.from {
            Some(from) => from.and_time(chrono::NaiveTime::MIN).and_utc().timestamp() / DAY_S,
            None => first,
        };
        let longest = last - from + 1;
        if from < first || longest < 1 {
            return Err(Failure::input(format!(
                "the listings have no common days from then on: {}",
                listed()
            )));
        }
        let days = self.days.map_or(longest.min(366), i64::from);
        if days > longest {
            return Err(Failure::input(format!(
                "--days {days}: the listings have {longest} common days: {}",
                listed()
            )));
        }
        let from = day(from).ok_or_else(|| Failure::input("the listings have no usable days"))?;
        Ok((from, days as u32))
    }

    /// Generates the scenario.
    fn text(&self, sites: &[Site], (from, days): (NaiveDate, u32)) -> Result<String, Failure> {
        let mut clusters = Vec::new();
        for Site { name, cores, settings, .. } in sites {
            let settings = serde_json::to_value(settings).map_err(Failure::input)?;
            clusters.push(json!({"name": name, "cores": cores, "speed": 1.0, "priorities": settings}));
        }
        let mut of_sites = Vec::new();
        for Site { name, log, .. } in sites {
            let log = relative_to(log, &self.out)?;
            of_sites.push(json!({"cluster": name, "log": log, "special_jobs": "stay"}));
        }
        let names: Vec<&str> = sites.iter().map(|site| site.name.as_str()).collect();
        let scenario = Table::try_from(json!({
            "study": "grid",
            "title": format!("{} as a federation", names.join(" and ")),
            "local": self.policy,
            "heterogeneous": false,
            "meta": {"mapping": "home", "federation": true},
            "jobs": {"too_wide": "skip", "walltimes": "exact"},
            "clusters": clusters,
            "workloads": [{"name": "sites", "from": from.to_string(), "days": [days], "sites": of_sites}],
        }));
        let scenario = Value::Table(scenario.map_err(Failure::input)?);
        toml::to_string(&scenario).map_err(Failure::input)
    }
}

impl Site {
    /// Reads the files of a folder.
    fn read(folder: &Path) -> Result<Site, Failure> {
        let name = folder.canonicalize().map_err(|error| Failure::in_file(folder, error))?;
        let name = name.file_name().map_or_else(String::new, |name| name.to_string_lossy().into_owned());
        let conf = folder.join("slurm.conf");
        if !conf.is_file() {
            return Err(Failure::in_file(folder, "expected a folder with slurm.conf and a listing of sacct"));
        }
        let gres = Some(folder.join("gres.conf")).filter(|path| path.is_file());
        let (log, mut unused) = listing(folder, &[Some(&conf), gres.as_ref()])?;
        let whole = prepare::read_whole(&log, &Options::default()).map_err(Failure::input)?;
        let start = whole.header().unix_start_time().unwrap_or(0);
        let mut span: Option<(i64, i64)> = None;
        let (mut jobs, mut special) = (0, 0);
        let requests = whole.resource_requests();
        for Line { record, .. } in whole.clone() {
            let day = (start + (record.submit.micros() / 1_000_000) as i64).div_euclid(DAY_S);
            let (first, last) = span.unwrap_or((day, day));
            span = Some((first.min(day), last.max(day)));
            jobs += 1;
            let named = requests.get(&JobId(record.job)).into_iter().flatten();
            special += usize::from({ named }.any(|(name, _)| is_of_site(name)));
        }
        let days = span.ok_or_else(|| Failure::in_file(&log, "there are no jobs"))?;
        let files = SiteFiles { conf, gres, ..SiteFiles::default() };
        let site = SiteAndLog::read(&files, whole)?;
        let of_log = site.for_log()?;
        unused.extend(unused_settings(&site, &of_log));
        let cores: u64 = of_log.kinds.iter().map(|kind| u64::from(kind.nodes) * u64::from(kind.cores)).sum();
        let cores = u32::try_from(cores).map_err(|_| Failure::in_file(folder, "there are too many cores"))?;
        Ok(Site { name, log, cores, settings: common(&of_log.settings), days, jobs, special, unused })
    }
}

/// Finds the listing of sacct in a folder, and names the files that are not used.
fn listing(folder: &Path, used: &[Option<&PathBuf>]) -> Result<(PathBuf, Vec<String>), Failure> {
    let entries = fs::read_dir(folder).map_err(|error| Failure::in_file(folder, error))?;
    let mut paths: Vec<PathBuf> = entries.filter_map(|entry| Some(entry.ok()?.path())).collect();
    paths.sort();
    let others = paths.into_iter().filter(|path| path.is_file() && !used.contains(&Some(path)));
    let (logs, rest): (Vec<PathBuf>, Vec<PathBuf>) =
        others.partition(|path| matches!(recognise(path), Ok(Kind::Slurm)));
    let name = |path: &PathBuf| path.file_name().unwrap_or_default().to_string_lossy().into_owned();
    match &logs[..] {
        [log] => Ok((log.clone(), rest.iter().map(|path| format!("the file {}", name(path))).collect())),
        [] => Err(Failure::in_file(folder, "there is no listing of sacct, which has the jobs")),
        several => {
            let names = several.iter().map(name).collect::<Vec<_>>().join(", ");
            Err(Failure::in_file(folder, format!("expected one listing of sacct, found {names}")))
        }
    }
}

/// Returns the settings that mean the same at all sites: the timers and limits of the schedulers, and
/// priorities by age and size.
fn common(of: &SiteSettings) -> SiteSettings {
    let mut settings = SiteSettings {
        max_age_s: of.max_age_s,
        favor_small: of.favor_small,
        size: of.size,
        calc_period_s: of.calc_period_s,
        backfill: of.backfill,
        main: of.main,
        ..SiteSettings::slurm_defaults()
    };
    (settings.weights.age, settings.weights.size) = (of.weights.age, of.weights.size);
    settings
}

/// Describes the settings of a site that a federation does not use.
fn unused_settings(site: &SiteAndLog, of_log: &SimulatedSite) -> Vec<String> {
    let SiteSettings { accounts, qos, partitions, reservations, licences, weights, .. } = &of_log.settings;
    let lists = [
        (accounts.len(), "account"),
        (qos.len(), "QOS"),
        (partitions.len(), "partition"),
        (reservations.len(), "reservation"),
        (licences.len(), "licence"),
    ];
    let mut unused: Vec<String> = lists
        .into_iter()
        .filter(|(count, _)| *count > 0)
        .map(|(count, what)| format!("the settings of {}", counted(count, what)))
        .collect();
    if weights.fair_share > 0 {
        unused.push("fair share".to_owned());
    }
    if site.dependent > 0 {
        unused.push(format!("dependencies of {}", counted(site.dependent, "job")));
    }
    let others = site.unsupported_settings(of_log);
    unused.extend(others.iter().flat_map(|(_, names)| names.iter().cloned()));
    unused
}
