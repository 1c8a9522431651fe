//! `dfrsim site`

pub(super) mod scenario;

use super::policies::known;
use crate::arguments::{LogArguments, LogOption};
use crate::context::Context;
use crate::failure::Failure;
use crate::output::{Answer, OutputFiles, OverwriteGuard, notice};
use crate::slurm_site::{SiteAndLog, SiteArguments, largest_node, outages_file, platform, report_drains};
use clap::Args;
use dfrsim_lab::Registry;
use dfrsim_model::account::AccountSummary;
use dfrsim_model::platform::classes::{Demands, Misfits, PlatformFields, UnequalNodes};
use dfrsim_policies::PolicySetting;
use dfrsim_workload::formats::slurm_conf::SimulatedSite;
use dfrsim_workload::log::{Line, ResourceRequests};
use dfrsim_workload::prepare::{JobStream, Opened, Options, Report};
use dfrsim_workload::traces;
use scenario::{Variant, Workload};
use schemars::JsonSchema;
use serde::Serialize;
use std::path::{Path, PathBuf};

/// Make a scenario from the files of a Slurm site, as it is and with other settings
///
/// The folder gets `site.toml`, a scenario with partitions, accounts and qualities of service by
/// name, and the platforms that it names; `dfrsim run` simulates it. The configuration as it was
/// understood is printed, and the unsupported settings, sorted by their likely effect.
#[derive(Args, Debug)]
#[command(after_help = "\
Examples:
  dfrsim site --sacct march.sacct --slurm-conf slurm.conf --out march
  dfrsim run march/site.toml
  dfrsim site --sacct march.sacct --slurm-conf slurm.conf --sacctmgr assoc.txt --qos qos.txt --out march \\
              --what-if nodes.gpu=+20 --what-if 'bf_interval=60; bf_max_job_test=1000' --what-if preemption=on")]
pub(crate) struct MakeSite {
    /// Jobs of the site: the output of sacct --parsable2, with all the columns that the guide names
    #[arg(long, value_name = "FILE.sacct", value_hint = clap::ValueHint::FilePath)]
    sacct: PathBuf,
    /// Path of slurm.conf; files that it includes are read too
    #[arg(long, value_name = "FILE", value_hint = clap::ValueHint::FilePath)]
    slurm_conf: PathBuf,
    #[command(flatten)]
    site: SiteArguments,
    /// Variant to simulate in addition to the site as it is. A parameter of slurm.conf or of its
    /// SchedulerParameters: bf_interval=60, PriorityWeightAge=0; of a partition:
    /// partition.gpu.MaxTime=1-0; of a quality of service or an account: qos.normal.MaxJobsPU=20,
    /// account.physics.Share=10; nodes of a partition, or like a node: nodes.gpu=+20; preemption=on.
    /// Several in one variant: 'A=1; B=2'. May be given several times
    #[arg(long, value_name = "NAME=VALUE")]
    what_if: Vec<String>,
    /// Policy to simulate; `dfrsim policies` lists them. May be given several times:
    /// SLURM/NODES=EXCLUSIVE is Slurm without jobs that share nodes
    #[arg(long, value_name = "NAME", default_value = "SLURM")]
    policy: Vec<String>,
    /// Number of workloads to draw from the users of the log, for the confidence intervals
    #[arg(long, value_name = "N", default_value_t = 10, value_parser = clap::value_parser!(u32).range(0..=1_000))]
    samples: u32,
    /// Number of copies of the log whose submissions are moved by up to a second, for the standard
    /// errors of waits and changes; 0 for none, at least 5 otherwise
    #[arg(long, value_name = "N", default_value_t = 20, value_parser = copies)]
    copies: u32,
    /// Folder of the scenario to write
    #[arg(long, value_name = "DIR")]
    out: PathBuf,
    #[command(flatten)]
    log: LogArguments,
}

/// Largest number of copies of a log.
const MAX_COPIES: u32 = 1_000;
/// Smallest number of copies for which a standard error is printed.
const FEWEST_COPIES: u32 = 5;

/// Reads the number of copies.
fn copies(text: &str) -> Result<u32, String> {
    let is_known = |copies: &u32| *copies == 0 || (FEWEST_COPIES..=MAX_COPIES).contains(copies);
    let copies = text.parse().ok().filter(is_known);
    copies.ok_or_else(|| format!("expected 0, or a number from {FEWEST_COPIES} to {MAX_COPIES}"))
}

/// Configuration of a site as it was understood.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct Understood {
    /// The files that were written.
    files: Vec<PathBuf>,
    /// The log as it was found.
    log: PathBuf,
    /// Account of the lines of the log.
    account: AccountSummary,
    /// The jobs that no node can hold, one line for each reason.
    fit_no_node: Vec<String>,
    /// The configuration as it was understood, one line per fact.
    understood: Vec<String>,
    /// Unsupported settings, ordered by their likely effect on results, the most severe first.
    not_used: Vec<NotUsed>,
    /// The variants, including the site as it is.
    variants: Vec<String>,
}

/// Unsupported parameters with the same likely effect.
#[derive(Debug, Serialize, JsonSchema)]
struct NotUsed {
    may_change: String,
    parameters: Vec<String>,
}

impl MakeSite {
    pub(crate) fn run(self, context: &Context<'_>) -> Result<(), Failure> {
        for name in &self.policy {
            let policy = known(context.registry).parse(name).map_err(Failure::input)?;
            if !policy.reads(PolicySetting::Site) {
                return Err(Failure::input(format!(
                    "--policy {policy}: it does not read the settings of a site; expected a policy such as SLURM"
                )));
            }
        }
        self.log.refuse(&[LogOption::Flops], "is for Batsim workloads; --sacct is a listing of Slurm")?;
        let log = traces::locate(&self.sacct).map_err(Failure::input)?;
        let files = self.site.files(&self.slurm_conf);
        let whole = self.log.read_whole(&log)?;
        let options = self.log.options();
        let selected = |line: &Line| options.select.contains(line.place, line.record.submit);
        let seconds = whole.clone().filter(selected).map(|line| line.record.submit.micros() / 1_000_000);
        let span = seconds.fold(None, |span, at| match span {
            None => Some((at, at)),
            Some((first, last)) => Some((at.min(first), at.max(last))),
        });
        if span.is_none() {
            return Err(self.log.no_jobs(&log));
        }
        let as_it_is = SiteAndLog::read(&files, whole.clone())?;
        let of_log = as_it_is.for_log()?;
        if self.log.is_strict() {
            as_it_is.check_strictly(&of_log)?;
        }
        let reference = largest_node(&of_log.kinds);
        let own = platform(&of_log, reference);
        let mut platforms = vec![("platform.toml".to_owned(), own)];
        let mut variants = vec![Variant::new("as it is", &of_log, None)];
        for (number, change) in (1..).zip(&self.what_if) {
            let mut changed = as_it_is.clone();
            for one in change.split(';').map(str::trim).filter(|one| !one.is_empty()) {
                changed.site.change(one).map_err(Failure::input)?;
            }
            let of_log = changed.for_log()?;
            let other = platform(&of_log, reference);
            let place = platforms.iter().position(|(_, known)| *known == other).unwrap_or_else(|| {
                platforms.push((format!("platform-{number}.toml"), other));
                platforms.len() - 1
            });
            let file = (place > 0).then(|| platforms[place].0.clone());
            let variant = Variant::new(change, &of_log, file);
            if variant.has_settings_of(&variants[0]) {
                return Err(Failure::input(format!("--what-if: {change}: this change has no effect")));
            }
            variants.push(variant);
        }
        let annotation = scenario::annotation(reference);
        let opened = Opened::of_whole(&log, &Options { annotation, ..options.clone() }, whole);
        let (misfits, report) = self.misfits(opened, &platforms[0].1, &as_it_is)?;
        let nodes = |fields: &PlatformFields| match fields.classes() {
            Ok(classes) => Ok(classes.nodes()),
            Err(error) => Err(Failure::in_file(&self.slurm_conf, error)),
        };
        let workload = Workload {
            log: &log,
            nodes: nodes(&platforms[0].1)?,
            reference,
            samples: self.samples,
            copies: self.copies,
            span,
            options,
            has_dependencies: as_it_is.dependent > 0,
            has_outages: !of_log.outages.is_empty(),
        };
        platforms.iter().try_for_each(|(_, fields)| nodes(fields).map(drop))?;
        let text = scenario::text(&self.policy, &workload, &variants, &as_it_is.header, &self.out)?;
        for name in &self.policy {
            report_drains(&of_log.outages, known(context.registry).parse(name).map_err(Failure::input)?);
        }
        let outages = outages_file(&of_log);
        let written = self.write(&text, &platforms, outages, context.registry)?;
        let account = report.account().summary();
        context.print(&Understood::new(written, (&log, account), misfits, &as_it_is, &of_log, &variants))
    }

    /// Counts the jobs of the log that no node of the site can hold; the result has a line for each
    /// reason.
    fn misfits(
        &self,
        opened: Opened,
        platform: &PlatformFields,
        site: &SiteAndLog,
    ) -> Result<(Vec<String>, Report), Failure> {
        let classes = platform.classes().map_err(|error| Failure::in_file(&self.slurm_conf, error))?;
        let demands = Demands { given: ResourceRequests::clone(&site.requests), ..Demands::default() };
        let nodes = UnequalNodes { classes, demands };
        let count = |jobs: &mut JobStream<_>| {
            let mut misfits = Misfits::default();
            jobs.for_each(|job| misfits.add(&nodes.classes, &job, &nodes.demand(&job)));
            misfits
        };
        let (misfits, report) = opened.with_jobs(count).map_err(|error| self.log.failure(&error))?;
        Ok((misfits.lines(&nodes.classes), report))
    }

    /// Writes the scenario and its platforms, and checks that the scenario can be loaded.
    fn write(
        &self,
        text: &str,
        platforms: &[(String, PlatformFields)],
        outages: Option<String>,
        registry: &Registry,
    ) -> Result<Vec<PathBuf>, Failure> {
        let scenario = self.out.join("site.toml");
        let places = OverwriteGuard::default()
            .add_input("--sacct", &self.sacct)
            .add_input("--slurm-conf", &self.slurm_conf);
        places.add_output("--out", scenario.as_path())?;
        let mut files = OutputFiles::in_folder(&self.out)?;
        let mut written = vec![scenario.clone()];
        for (name, fields) in platforms {
            let path = self.out.join(name);
            files.add_bytes(&path, toml::to_string(fields).map_err(Failure::input)?)?;
            written.push(path);
        }
        if let Some(outages) = outages {
            let path = self.out.join(scenario::OUTAGES);
            files.add_bytes(&path, outages)?;
            written.push(path);
        }
        files.add_bytes(&scenario, text)?;
        files.finish()?;
        registry.load(&scenario, &[]).map_err(Failure::input)?;
        notice!("dfrsim run {}", scenario.display());
        Ok(written)
    }
}

impl Understood {
    fn new(
        files: Vec<PathBuf>,
        (log, account): (&Path, AccountSummary),
        fit_no_node: Vec<String>,
        site: &SiteAndLog,
        of_log: &SimulatedSite,
        variants: &[Variant],
    ) -> Understood {
        let not_used = site.unsupported_settings(of_log);
        let not_used = not_used.iter().map(|(consequence, parameters)| NotUsed {
            may_change: consequence.to_string(),
            parameters: parameters.to_vec(),
        });
        Understood {
            files,
            log: log.to_owned(),
            account,
            fit_no_node,
            understood: site.summary(of_log),
            not_used: not_used.collect(),
            variants: variants.iter().map(|variant| variant.name.clone()).collect(),
        }
    }
}

impl Answer for Understood {
    fn text(&self) -> String {
        let mut lines = self.account.paragraphs(&self.log.display().to_string());
        lines.extend(self.fit_no_node.iter().cloned());
        lines.extend(self.understood.iter().cloned());
        for NotUsed { may_change, parameters } in &self.not_used {
            lines.push(format!("not used, may change {may_change}: {}", parameters.join(", ")));
        }
        lines.push(format!("variants: {}", self.variants.join(", ")));
        lines.iter().map(|line| format!("{line}\n")).collect()
    }
}
