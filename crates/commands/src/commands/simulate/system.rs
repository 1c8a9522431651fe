//! The simulated system, as given on the command line: its nodes, outages, priorities and limits.

use super::outages::OutageArguments;
use super::platform::{self, PlatformArguments};
use super::priorities;
use crate::arguments::WorkloadArguments;
use crate::failure::Failure;
use crate::slurm_site::{SiteAndLog, SiteArguments, report_drains};
use clap::Args;
use dfrsim_cluster::Conditions;
use dfrsim_model::SimTime;
use dfrsim_model::platform::Outages;
use dfrsim_model::platform::classes::UnequalNodes;
use dfrsim_model::platform::file::ClusterNodes;
use dfrsim_model::platform::series::ParsedSeries;
use dfrsim_model::site::SiteSettings;
use dfrsim_policies::Policy;
use dfrsim_workload::log::{Header, Whole};
use std::path::PathBuf;
use std::sync::Arc;

/// Nodes, outages, priorities and limits of the simulated system.
#[derive(Args, Debug)]
pub(in super::super) struct SystemArguments {
    #[command(flatten)]
    pub(super) platform: PlatformArguments,
    #[command(flatten)]
    outages: OutageArguments,
    /// Priorities, limits and preemption of jobs, and their weights in fractional shares: a TOML
    /// file (see the pages `priorities` and `weights` of the guide), or a file named *.conf with
    /// parameters of slurm.conf
    #[arg(long, value_name = "FILE", help_heading = "Priorities", value_hint = clap::ValueHint::FilePath)]
    priority: Option<PathBuf>,
    /// Site configuration from Slurm's own file: nodes with memory, GPUs and features, partitions,
    /// priorities, limits, preemption and backfilling. Jobs of a listing of sacct have the nodes,
    /// GPUs, features and partition that are listed, and the policy knows requested times. Use
    /// `NODES=SHARED` policies where jobs share nodes
    #[arg(long, value_name = "FILE", help_heading = "Site")]
    #[arg(conflicts_with_all = ["platform", "nodes", "priority", "annotate", "unit"], value_hint = clap::ValueHint::FilePath)]
    slurm_conf: Option<PathBuf>,
    #[command(flatten)]
    site: SiteArguments,
}

/// System as it was read.
#[derive(Debug, Default)]
pub(in super::super) struct System {
    /// Node classes and requests of jobs; `None` if all nodes are equal.
    pub(in super::super) unequal: Option<Arc<UnequalNodes>>,
    /// Settings of the site; `None` if they do not change the schedule.
    pub(in super::super) settings: Option<Arc<SiteSettings>>,
    /// Times at which nodes of the site are down.
    outages: Outages,
    /// Carbon intensities and prices as their file gives them.
    series: Option<ParsedSeries>,
    /// True if the times of the log are those of the site's clocks.
    has_local_times: bool,
    /// True if the log names jobs for which others wait.
    pub(in super::super) has_dependencies: bool,
}

impl SystemArguments {
    /// Returns whether the system is a Slurm site.
    pub(in super::super) fn is_site(&self) -> bool {
        self.slurm_conf.is_some()
    }

    /// Refuses options that have no effect without others.
    pub(in super::super) fn check_options(&self) -> Result<(), Failure> {
        self.platform.check_options()
    }

    /// Refuses options about energy, which change no start.
    pub(in super::super) fn refuse_intensity(&self) -> Result<(), Failure> {
        match self.platform.has_intensity() {
            true => Err(Failure::input(
                "--intensity: carbon intensities and prices change no start; `dfrsim simulate` takes them",
            )),
            false => Ok(()),
        }
    }

    /// Reads the nodes and the settings of a Slurm site for a log; `None` without one. The workload
    /// gets the nodes.
    pub(in super::super) fn read_site(
        &self,
        workload: &mut WorkloadArguments,
        policy: Policy,
        read: impl FnOnce(&WorkloadArguments) -> Result<Whole, Failure>,
    ) -> Result<Option<(System, Whole)>, Failure> {
        let Some(conf) = &self.slurm_conf else { return Ok(None) };
        let files = self.site.files(conf);
        let whole = read(workload)?;
        let site = SiteAndLog::read(&files, whole.clone())?;
        let of_log = site.for_log()?;
        if workload.log.is_strict() {
            site.check_strictly(&of_log)?;
        }
        site.report(&of_log);
        let nodes = platform::site_nodes(&site, &of_log, conf, workload)?;
        let settings = priorities::checked(conf, of_log.settings, policy)?;
        let (outages, has_dependencies) = (of_log.outages, site.dependent > 0);
        let system = System { settings, outages, has_dependencies, ..System::default() };
        Ok(Some((System { unequal: Some(nodes), ..system }, whole)))
    }

    /// Reads the nodes of a platform, which the workload gets; those of a system without one are
    /// equal.
    pub(in super::super) fn read_platform(
        &self,
        workload: &mut WorkloadArguments,
        policy: Policy,
    ) -> Result<System, Failure> {
        let unequal = self.platform.unequal_nodes(workload, policy)?;
        if let Some(unequal) = &unequal {
            workload.set_nodes(unequal.classes.nodes());
        }
        let series = self.platform.read_series(unequal.as_deref())?;
        let log = workload.path()?;
        let with_log = |nodes: Arc<UnequalNodes>| platform::with_requests_of_log(&nodes, workload, &log);
        let (unequal, has_local_times) = (unequal.map(with_log).transpose()?, workload.is_listing());
        Ok(System { unequal, series, has_local_times, ..System::default() })
    }

    /// Reads the system of jobs that are given rather than read from a log.
    pub(super) fn of_given_jobs(
        &self,
        workload: &mut WorkloadArguments,
        policy: Policy,
    ) -> Result<System, Failure> {
        let unequal = self.platform.unequal_nodes(workload, policy)?;
        let series = self.platform.read_series(unequal.as_deref())?;
        self.with_priorities(System { unequal, series, ..System::default() }, policy, &Header::default())
    }

    /// Adds the priorities of a file, times of day, and carbon intensities and prices, for a log with this
    /// header.
    pub(in super::super) fn with_priorities(
        &self,
        system: System,
        policy: Policy,
        header: &Header,
    ) -> Result<System, Failure> {
        let read = |file: &PathBuf| priorities::read(file, policy, header);
        let settings = self.priority.as_ref().map(read).transpose()?.flatten();
        let clocks = (header, system.has_local_times);
        let unequal = system.unequal.map(|nodes| self.platform.with_times_of_day(nodes, clocks));
        let unequal = match (unequal, &system.series) {
            (Some(nodes), Some(series)) => Some(self.platform.with_series(nodes, series, clocks)?),
            (nodes, _) => nodes,
        };
        Ok(System { settings: settings.or(system.settings), unequal, ..system })
    }

    /// Returns the conditions of a simulation on `nodes` nodes whose last job arrives at `last`.
    pub(in super::super) fn conditions(
        &self,
        system: System,
        policy: Policy,
        nodes: u32,
        (last, seed): (SimTime, u64),
    ) -> Result<Conditions, Failure> {
        let hosts = system.unequal.as_ref().map_or(&[][..], |unequal| unequal.classes.hosts());
        let cluster = ClusterNodes { nodes, hosts, of_variant: &[] };
        let outages = self.outages.outages(cluster, &system.outages, last, seed)?.map(Arc::new);
        outages.iter().for_each(|outages| report_drains(outages, policy));
        Ok(Conditions { outages, unequal: system.unequal, site: system.settings })
    }
}
