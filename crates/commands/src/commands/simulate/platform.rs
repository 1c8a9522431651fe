//! Unequal nodes, as given on the command line.

use crate::arguments::WorkloadArguments;
use crate::failure::Failure;
use crate::output::notice;
use crate::slurm_site::{self, SiteAndLog, largest_node};
use clap::Args;
use dfrsim_cluster::EnergyMetrics;
use dfrsim_model::platform::classes::{
    ClassFields, Demands, NodeClasses, ReferenceNode, Request, UnequalNodes, read,
};
use dfrsim_model::platform::levels::LevelUse;
use dfrsim_model::platform::power::PowerCap;
use dfrsim_model::platform::series::{self, ParsedSeries};
use dfrsim_model::{Seed, SimSpan};
use dfrsim_policies::Policy;
use dfrsim_workload::formats::slurm_conf::SimulatedSite;
use dfrsim_workload::log::{Header, ResourceRequests};
use dfrsim_workload::prepare::resources;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// Node classes and the requests of jobs.
#[derive(Args, Debug)]
#[command(next_help_heading = "Unequal nodes")]
pub(super) struct PlatformArguments {
    /// Node classes, instead of `--nodes`: a TOML file (nodes, cores, memory_gb, speed, GPUs and
    /// other resources, features, power, licences), a SimGrid platform (.xml), of which only the hosts
    /// are used, a node list of Alibaba's GPU trace (.csv), or the name of a machine (cirrus,
    /// dgx-a100-pod, frontier, fugaku, hpc2n-2002, lumi-g, marconi100, perlmutter)
    #[arg(long, value_name = "FILE", conflicts_with = "nodes", value_hint = clap::ValueHint::FilePath)]
    platform: Option<PathBuf>,
    /// Requests of jobs that are drawn at random: RESOURCE:PROBABILITY:NUMBERS[:NEED] (each task
    /// requests one of these numbers of units, and uses such a fraction of each, as in
    /// gpu:0.3:1+2:0.5-1), RESOURCE:PROBABILITY:lognormal(MU,SIGMA) (units of a resource of the whole
    /// cluster; tasks*lognormal for each task), or @FEATURE:PROBABILITY. May be given several times
    #[arg(long = "request", value_name = "REQUEST", requires = "platform")]
    requests: Vec<Request>,
    /// Power cap, instead of that of the platform: 38kW, 80% of the power of all busy nodes, or steps such
    /// as 0h:38kW,18h:30kW, or each day "daily 0:00=38kW,18:00=80%". Idle nodes count; jobs wait until the
    /// power that they may draw is left
    #[arg(long, value_name = "POWER", requires = "platform")]
    cap: Option<PowerCap>,
    /// Use of the speed levels of nodes, instead of that of the platform: on-cap (jobs run slower where
    /// the power cap leaves too little for full speed; the default), never, or the name of a level at
    /// which all jobs run
    #[arg(long, value_name = "USE", requires = "platform")]
    levels: Option<LevelUse>,
    /// Carbon intensity and price of energy over time, without gaps: a CSV file of Electricity Maps,
    /// National Grid ESO, WattTime, ENTSO-E or Energy-Charts, or another one with a column of times
    /// (UTC, or seconds of the log in `from_s`) and one of g/kWh, or of a price for a kWh or MWh
    #[arg(long, value_name = "FILE", requires = "platform", value_hint = clap::ValueHint::FilePath)]
    intensity: Option<PathBuf>,
}

/// Adds the requests that the log itself records for its jobs to the nodes.
pub(super) fn with_requests_of_log(
    nodes: &UnequalNodes,
    workload: &WorkloadArguments,
    path: &Path,
) -> Result<Arc<UnequalNodes>, Failure> {
    let given = resources(path, &workload.options()?).map_err(|error| workload.log.failure(&error))?;
    let demands = Demands { given: ResourceRequests::clone(&given), ..nodes.demands.clone() };
    match demands.find_unknown_profile(&nodes.classes) {
        Some((name, reason)) => {
            Err(Failure::in_file(path, format!("a job requests `{name}`, which {reason}")))
        }
        None => Ok(Arc::new(UnequalNodes { classes: nodes.classes.clone(), demands })),
    }
}

/// Builds the nodes of a site, with the largest node as the reference of jobs' requests. Jobs are
/// allocated as their listing records.
pub(super) fn site_nodes(
    site: &SiteAndLog,
    of_log: &SimulatedSite,
    conf: &Path,
    workload: &mut WorkloadArguments,
) -> Result<Arc<UnequalNodes>, Failure> {
    let reference = largest_node(&of_log.kinds);
    let classes = slurm_site::platform(of_log, reference).classes();
    let classes = classes.map_err(|error| Failure::in_file(conf, error))?;
    workload.set_nodes(classes.nodes());
    workload.use_listed_nodes(reference.cores, reference.memory_gb);
    let demands = Demands { given: ResourceRequests::clone(&site.requests), ..Demands::default() };
    Ok(Arc::new(UnequalNodes { classes, demands }))
}

impl PlatformArguments {
    /// Refuses options that have no effect without a platform.
    pub(super) fn check_options(&self) -> Result<(), Failure> {
        let given = [
            ("--request", !self.requests.is_empty()),
            ("--cap", self.cap.is_some()),
            ("--levels", self.levels.is_some()),
            ("--intensity", self.intensity.is_some()),
        ];
        match given.into_iter().find(|(_, is_given)| *is_given && self.platform.is_none()) {
            Some((option, _)) => Err(Failure::input(format!("{option} has no effect without --platform"))),
            None => Ok(()),
        }
    }

    /// Returns whether a series of carbon intensities or prices was given.
    pub(super) const fn has_intensity(&self) -> bool {
        self.intensity.is_some()
    }

    /// Checks that the series of carbon intensities or prices covers a run.
    pub(super) fn check_series(&self, energy: Option<&EnergyMetrics>) -> Result<(), Failure> {
        let Some(((first, last), file)) =
            energy.and_then(EnergyMetrics::uncovered).zip(self.intensity.as_ref())
        else {
            return Ok(());
        };
        Err(Failure::in_file(
            file,
            format!("the series does not cover the run, which lasts from {first} to {last} s"),
        ))
    }

    /// Applies the rule for the use of speed levels: that of the command line, or else that of the
    /// platform file.
    fn use_levels(
        &self,
        path: &Path,
        of_file: Option<String>,
        classes: &mut NodeClasses,
    ) -> Result<(), Failure> {
        let (field, rule) = match (&self.levels, of_file) {
            (Some(rule), _) => (format!("--levels {rule}"), Some(rule.clone())),
            (None, Some(text)) => ("power.use_levels".to_owned(), text.parse().ok()),
            (None, None) => (String::new(), None),
        };
        if let Some(rule) = rule {
            let refused = |reason| Failure::in_file(path, format!("{field}: {reason}"));
            return classes.use_levels(&rule).map_err(refused);
        }
        if classes.levels().is_empty() && !classes.known_levels().is_empty() {
            notice!("{}: the speed levels of nodes have no effect without a power cap", path.display());
        }
        Ok(())
    }

    /// Reads the series of carbon intensities or prices for these nodes.
    pub(super) fn read_series(&self, nodes: Option<&UnequalNodes>) -> Result<Option<ParsedSeries>, Failure> {
        let (Some(file), Some(nodes), Some(platform)) = (&self.intensity, nodes, &self.platform) else {
            return Ok(None);
        };
        let parsed = series::read(file).map_err(Failure::input)?;
        if nodes.classes.power().is_none() {
            let reason = "--intensity: the power of its nodes is unknown; expected `power` in each class";
            return Err(Failure::in_file(platform, reason));
        }
        Ok(Some(parsed))
    }

    /// Moves amounts that repeat each day to the time of day at which a log with this header begins.
    pub(super) fn with_times_of_day(
        &self,
        nodes: Arc<UnequalNodes>,
        (header, has_local_times): (&Header, bool),
    ) -> Arc<UnequalNodes> {
        let Some(path) = self.platform.as_ref().filter(|_| nodes.classes.has_daily_steps()) else {
            return nodes;
        };
        let (time, statement) = header.time_of_day();
        notice!("{}: daily steps: {statement}", path.display());
        if has_local_times {
            notice!(
                "{}: daily steps: times of the listing have no zone, and are those of its clocks",
                path.display()
            );
        }
        let mut nodes = Arc::unwrap_or_clone(nodes);
        nodes.classes.begin_at_time_of_day(SimSpan::from_secs(time));
        Arc::new(nodes)
    }

    /// Gives the nodes the series of carbon intensities or prices, for a log with this header.
    pub(super) fn with_series(
        &self,
        nodes: Arc<UnequalNodes>,
        parsed: &ParsedSeries,
        (header, has_local_times): (&Header, bool),
    ) -> Result<Arc<UnequalNodes>, Failure> {
        let Some(file) = &self.intensity else { return Ok(nodes) };
        let origin = header.unix_start_time().filter(|origin| *origin > 0);
        let (series, notes) = parsed.of_log(origin).map_err(|reason| Failure::in_file(file, reason))?;
        notes.iter().for_each(|note| notice!("{}: {note}", file.display()));
        if has_local_times && !notes.is_empty() {
            notice!("{}: the times of the listing have no zone, and count as UTC", file.display());
        }
        let mut nodes = Arc::unwrap_or_clone(nodes);
        nodes.classes.set_energy_series(series);
        Ok(Arc::new(nodes))
    }

    /// Builds the nodes, and the requests of jobs; `None` if all nodes are equal.
    ///
    /// Jobs of a listing have the nodes, cores and memory that it gives them, unless other options
    /// determine their tasks.
    pub(super) fn unequal_nodes(
        &self,
        workload: &mut WorkloadArguments,
        policy: Policy,
    ) -> Result<Option<Arc<UnequalNodes>>, Failure> {
        let by_power = matches!(policy, Policy::Batch(policy) if policy.place.depends_on_power());
        let Some(path) = &self.platform else {
            if by_power {
                let reason = format!(
                    "{policy} needs the power of nodes; expected --platform with `power` in each class"
                );
                return Err(Failure::input(reason));
            }
            return Ok(None);
        };
        let seed = workload.seed;
        let mut fields = read(path).map_err(Failure::input)?;
        if workload.is_listing() && !workload.has_task_options() {
            let most = |of: fn(&ClassFields) -> f64| fields.classes.iter().map(of).fold(0.0, f64::max);
            let largest = ReferenceNode {
                cores: most(|it| it.cores.into()) as u32,
                memory_gb: most(|it| it.memory_gb),
            };
            let reference = *fields.reference.get_or_insert(largest);
            let cores = reference.cores.saturating_mul(workload.log.core_parts());
            workload.use_listed_nodes(cores, reference.memory_gb);
        }
        if let Some(flops) = fields.flops
            && workload.is_batsim()
            && workload.log.use_flops(flops)
        {
            notice!("{}: {flops} flop/s, the speed of the fastest host, stands for --flops", path.display());
        }
        fields.power_notes().iter().for_each(|note| notice!("{}: {note}", path.display()));
        // The cap of the command line counts, too.
        let rule_of_file = fields.power.as_mut().and_then(|power| power.use_levels.take());
        let mut classes = fields.classes().map_err(|error| Failure::in_file(path, error))?;
        if let Some(cap) = &self.cap {
            let refused = |reason| Failure::in_file(path, format!("--cap {cap}: {reason}"));
            classes.cap_power(cap).map_err(refused)?;
        }
        for (name, cap) in [("--cap", self.cap.clone()), ("power.cap", fields.power_cap())] {
            let is_used = name == "--cap" || self.cap.is_none();
            let Some(cap) = cap.filter(|_| is_used) else { continue };
            let notes = classes.cap_notes(&cap);
            notes.iter().for_each(|note| notice!("{}: {name}: {note}", path.display()));
        }
        self.use_levels(path, rule_of_file, &mut classes)?;
        if by_power && classes.power().is_none() {
            let reason = format!("{policy} needs the power of nodes; expected `power` in each class");
            return Err(Failure::in_file(path, reason));
        }
        let demands = Demands {
            requests: self.requests.clone(),
            seed: Seed::new(seed),
            given: ResourceRequests::new(),
        };
        if let Some((request, reason)) = demands.find_unknown(&classes) {
            return Err(Failure::in_file(path, format!("--request {request}: {reason}")));
        }
        Ok(Some(Arc::new(UnequalNodes { classes, demands })))
    }
}
