//! The study: instances, variants, and runs of a variant.

use crate::conditions::conditions;
use crate::engine::{
    Algorithm, Backfilling, BatchPolicy, ClusterSpec, Comparison, Estimate, GridJob, Heuristic, JobOutcome,
    Mapped, Mapping, Options, Outage, Outcome, Platform, Reallocation, Speed,
};
use crate::jobs::{self, Logs, SiteJobs, Workload, load_of};
use crate::metrics::Metrics;
use crate::outages::outages;
use crate::published::Published;
use crate::recording::{EventsFile, simulate_and_check};
use crate::rows::Simulation;
use crate::scenario::{ClusterFields, GridFields, SiteFields, WorkloadFields};
use crate::windows::Window;
use crate::{HETEROGENEOUS, HOMOGENEOUS, claims, drawings, tables, users};
use dfrsim_lab::fields::Scenario;
use dfrsim_lab::{
    Audit, Claim, Digester, Drawing, Failure, Input, InstanceId, KeyBuilder, Labels, Long, NamedTable,
    Prepared, RunContext, RunError, ShardUnit, Study,
};
use dfrsim_model::{Seed, SimSpan};
use std::sync::OnceLock;

/// Run times below this count as this in slowdowns.
const SHORTEST_RUN_S: f64 = 10.0;

/// The grid study of a scenario, with its logs already read.
#[derive(Debug)]
pub struct GridStudy {
    seed: Seed,
    fields: GridFields,
    workloads: Vec<Workload>,
    instance_specs: Vec<InstanceSpec>,
}

/// Parameters that distinguish an instance.
#[derive(Clone, Copy, Debug)]
struct InstanceSpec {
    workload: usize,
    heterogeneous: bool,
    local: BatchPolicy,
    replication: u32,
}

/// Jobs and a platform, with the reference run: the simulation without reallocation.
#[derive(Debug)]
pub struct Instance {
    spec: InstanceSpec,
    jobs: Vec<GridJob>,
    platform: Platform,
    reference: OnceLock<Result<Outcome, Failure>>,
}

/// Treatment of waiting jobs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Variant {
    /// The reference run: jobs stay where they were mapped.
    Reference,
    /// Reallocation by an algorithm with a heuristic.
    Moved(Algorithm, Heuristic),
    /// A federation: each job waits on all clusters.
    Federation,
}

impl InstanceSpec {
    fn platform(self) -> &'static str {
        if self.heterogeneous { HETEROGENEOUS } else { HOMOGENEOUS }
    }
}

impl GridStudy {
    fn workload(&self, place: InstanceSpec) -> &WorkloadFields {
        &self.fields.workloads[place.workload]
    }

    /// Builds the clusters of the workload's sites, in the order of the sites, with their outages.
    fn platform(&self, place: InstanceSpec) -> Result<Platform, Failure> {
        let workload = self.workload(place);
        let sites = workload.sites.iter();
        let clusters: Vec<&ClusterFields> =
            sites.filter_map(|site| self.fields.cluster(&site.cluster)).collect();
        let seed = self.job_seed(place.replication).fork(&workload.name);
        let length = jobs::length(&workload.days);
        let spec = |cluster: &&ClusterFields| {
            Ok(ClusterSpec {
                name: cluster.name.clone(),
                cores: cluster.cores,
                speed: if place.heterogeneous { cluster.speed } else { Speed::ONE },
                local: cluster.local,
                conditions: conditions(cluster, length, seed)?,
            })
        };
        let outages = outages(&clusters, length, seed);
        let specs = clusters.iter().map(spec).collect::<Result<_, Failure>>()?;
        let platform = Platform::new(specs, place.local);
        platform.and_then(|platform| platform.with_outages(outages)).map_err(Failure::failed)
    }

    /// Returns the seed of everything that is random about jobs.
    fn job_seed(&self, replication: u32) -> Seed {
        self.seed.fork("grid").numbered(replication.into())
    }

    fn spec_labels(&self, place: InstanceSpec) -> Labels {
        vec![
            ("workload", self.workload(place).name.clone()),
            ("replication", place.replication.to_string()),
            ("platform", place.platform().to_owned()),
            ("local", place.local.to_string()),
        ]
    }

    /// Returns the jobs of each site of each workload and replication.
    fn windows(&self) -> Vec<Window> {
        let mut windows = Vec::new();
        for (of_workload, fields) in self.workloads.iter().zip(&self.fields.workloads) {
            for replication in 0..self.fields.replications {
                let sites = of_workload.sites(replication, self.job_seed(replication));
                let window = |(jobs, site): (SiteJobs, &SiteFields)| {
                    Window::new(&self.fields, fields, site, replication, of_workload.largest_cluster(), &jobs)
                };
                windows.extend(sites.into_iter().zip(&fields.sites).map(window));
            }
        }
        windows
    }

    fn simulate(
        &self,
        instance: &Instance,
        variant: Variant,
        watch: RunContext<'_>,
    ) -> Result<Outcome, Failure> {
        let place = instance.spec;
        let meta = &self.fields.meta;
        let (period, threshold) = (meta.period_s, meta.threshold_s);
        let reallocation = match variant {
            Variant::Moved(algorithm, heuristic) => {
                Some(Reallocation { algorithm, heuristic, period, threshold })
            }
            Variant::Reference | Variant::Federation => None,
        };
        let copies = match variant {
            Variant::Federation => instance.platform.clusters().len(),
            _ => meta.copies,
        };
        let options = Options {
            mapping: meta.mapping,
            estimate: meta.estimate,
            mapped: meta.mapped,
            copies,
            reallocation,
            transfer: meta.transfer(),
            publication_period: meta.publication_s,
            skip_too_wide: self.fields.jobs.skip_too_wide,
            seed: self.seed.numbered(place.replication.into()),
        };
        let events = self.fields.events.as_ref().map(|folder| {
            let names = file_names(self.fields.workloads.iter().map(|workload| workload.name.as_str()));
            let (workload, platform) = (&names[place.workload], place.platform());
            let local = place.local.to_string().replace('/', "-");
            let variant = match variant {
                Variant::Reference => "none".to_owned(),
                Variant::Moved(algorithm, heuristic) => format!("{algorithm}-{heuristic}"),
                Variant::Federation => FEDERATION.to_owned(),
            };
            let name = format!("{workload}-{platform}-{local}-{}-{variant}", place.replication);
            EventsFile::create(watch, folder, &name)
        });
        simulate_and_check(&instance.platform, &instance.jobs, &options, events.transpose()?)
    }

    fn row(
        &self,
        instance: &Instance,
        variant: Variant,
        reference: &Outcome,
        outcome: &Outcome,
    ) -> Simulation {
        let Instance { spec: place, jobs, platform, .. } = instance;
        let comparison = Comparison::of(jobs, reference, outcome);
        let cores: u32 = platform.clusters().iter().map(|cluster| cluster.cores).sum();
        let length = jobs::length(&self.workload(*place).days);
        let mean = |micros: u128, count: usize| (count > 0).then(|| micros as f64 / count as f64 / 1e6);
        let ran =
            || jobs.iter().zip(&outcome.jobs).filter_map(|(job, ran)| ran.as_ref().map(|ran| (job, ran)));
        let (all, seconds) = (comparison.jobs as f64, SimSpan::as_secs_f64);
        let slowdown = |(job, ran): (&GridJob, &JobOutcome)| {
            let turnaround = seconds(ran.end.since(job.submit));
            (turnaround / seconds(ran.end.since(ran.start)).max(SHORTEST_RUN_S)).max(1.0)
        };
        let of_all = |sum: f64| (comparison.jobs > 0).then(|| sum / all);
        let busy: f64 =
            ran().map(|(job, ran)| f64::from(job.width) * seconds(ran.end.since(ran.start))).sum();
        let last = ran().map(|(_, ran)| ran.end).max();
        let whole =
            last.zip(jobs.first()).map(|(last, first)| f64::from(cores) * seconds(last.since(first.submit)));
        let turnaround = ran().map(|(job, ran)| u128::from(ran.end.since(job.submit).micros())).sum();
        let lateness = ran().map(|(_, ran)| ran.end.saturating_since(ran.promised));
        let delays = Comparison::delays_of_sites(platform.clusters().len(), jobs, reference, outcome);
        let losing = (0..).zip(delays).filter(|(_, delay)| *delay > 0.0).max_by(|a, b| a.1.total_cmp(&b.1));
        let changed_turnaround_s = mean(comparison.turnaround, comparison.changed);
        let reference_turnaround_s = mean(comparison.reference_turnaround, comparison.changed);
        Simulation {
            local_jobs: jobs.iter().filter(|job| job.home.is_some()).count(),
            load: load_of(jobs, cores, length),
            mean_turnaround_s: mean(turnaround, comparison.jobs),
            mean_wait_s: of_all(ran().map(|(job, ran)| seconds(ran.start.since(job.submit))).sum()),
            mean_bounded_slowdown: of_all(ran().map(slowdown).sum()),
            utilisation: whole.filter(|whole| *whole > 0.0).map(|whole| busy / whole),
            changed_turnaround_s,
            reference_turnaround_s,
            relative_turnaround: changed_turnaround_s
                .zip(reference_turnaround_s)
                .map(|(own, other)| own / other),
            losing_site: losing.map(|(site, _): (usize, f64)| platform.clusters()[site].name.clone()),
            users: (variant == Variant::Federation).then(|| {
                let workload = &self.workloads[place.workload];
                users::json(jobs, (reference, outcome), |site, user| workload.user(site, user))
            }),
            losing_site_delay_s: losing.map(|(_, delay)| delay),
            max_lateness_s: lateness.max().unwrap_or(SimSpan::ZERO),
            max_moves: ran().map(|(_, ran)| ran.moves).max().unwrap_or(0),
            max_cancellations: ran().map(|(_, ran)| ran.cancellations).max().unwrap_or(0),
            ..Simulation::of((&comparison, outcome))
        }
    }
}

/// Name of the variant of a federation, where algorithms are named.
pub(crate) const FEDERATION: &str = "federation";

fn algorithm_name(variant: Variant) -> &'static str {
    match variant {
        Variant::Reference => "none",
        Variant::Moved(algorithm, _) => algorithm.name(),
        Variant::Federation => FEDERATION,
    }
}

impl Study for GridStudy {
    const NAME: &'static str = "grid";
    const TITLE: &'static str =
        "Reallocation of waiting jobs between clusters (Caniou, Charrier, Desprez 2010)";
    const SEMANTICS: u32 = 3;
    const AUDIT: Audit = Audit::Always;
    const GRAIN: ShardUnit = ShardUnit::Instances;
    const RUNS: &'static str = "simulations";

    type Fields = GridFields;
    type Instance = Instance;
    type Variant = Variant;
    type Rows = Long<Simulation>;

    /// Returns a lower bound on the bytes that the jobs of the largest workload of generated months
    /// occupy.
    fn memory(scenario: &Scenario<GridFields>) -> u64 {
        const JOB: u64 = 100;
        let jobs = |site: &SiteFields| match (&site.log, &site.jobs) {
            (None, Some(jobs)) => jobs.iter().sum::<usize>() as u64,
            _ => 0,
        };
        let of = |workload: &WorkloadFields| JOB * workload.sites.iter().map(jobs).sum::<u64>();
        scenario.workloads.iter().map(of).max().unwrap_or(0)
    }
    fn open(scenario: &Scenario<GridFields>, inputs: &mut Vec<Input>) -> Result<GridStudy, RunError> {
        let fields = scenario.fields.clone();
        let (mut logs, mut workloads, mut places) = (Logs::default(), Vec::new(), Vec::new());
        for (workload, of_workload) in fields.workloads.iter().enumerate() {
            workloads.push(Workload::open(&fields, of_workload, &mut logs)?);
            let clusters = of_workload.sites.iter().filter_map(|site| fields.cluster(&site.cluster));
            let are_equal = clusters.map(|cluster| cluster.speed).all(|speed| speed == Speed::ONE);
            for &heterogeneous in &fields.heterogeneous {
                // The homogeneous platform is the same.
                if heterogeneous && are_equal && fields.heterogeneous.contains(&false) {
                    continue;
                }
                for &local in &fields.local {
                    let place = |replication| InstanceSpec { workload, heterogeneous, local, replication };
                    places.extend((0..fields.replications).map(place));
                }
            }
        }
        inputs.extend(logs.into_inputs());
        Ok(GridStudy { seed: Seed::new(scenario.seed), fields, workloads, instance_specs: places })
    }
    fn instances(&self) -> Vec<InstanceId> {
        let id = |&place: &InstanceSpec| {
            let days: u32 = self.workload(place).days.iter().sum();
            let weight = u64::from(days) * 10 + u64::from(place.local.backfilling == Backfilling::Fcfs);
            InstanceId { labels: self.spec_labels(place), weight }
        };
        self.instance_specs.iter().map(id).collect()
    }
    fn variants(&self, _: usize) -> Vec<Variant> {
        let mut variants = vec![Variant::Reference];
        if self.fields.meta.federation {
            variants.push(Variant::Federation);
        }
        // Jobs that wait on several clusters are not moved.
        if self.fields.meta.copies == 1 && !self.fields.meta.federation {
            let heuristics = |&algorithm| {
                self.fields.meta.heuristics.iter().map(move |&heuristic| Variant::Moved(algorithm, heuristic))
            };
            variants.extend(self.fields.meta.algorithms.iter().flat_map(heuristics));
        }
        variants
    }
    fn prepare(&self, at: usize) -> Result<Prepared<Instance>, Failure> {
        let place = self.instance_specs[at];
        let jobs = self.workloads[place.workload].jobs(place.replication, self.job_seed(place.replication));
        let platform = self.platform(place)?;
        // The labels are included so that instances with the same jobs have different keys.
        let mut digester = Digester::new();
        self.spec_labels(place).iter().for_each(|(_, value)| _ = digester.text(value));
        digester.integer(jobs::length(&self.workload(place).days).micros());
        for cluster in platform.clusters() {
            digester.integer(cluster.cores).integer(cluster.speed.thousandths());
            digester.text(&platform.local_of(cluster).to_string());
        }
        let has_conditions = !platform.clusters().iter().all(ClusterSpec::is_plain);
        if has_conditions {
            let specs = platform.clusters().iter().map(|spec| &spec.conditions);
            specs.for_each(|conditions| _ = digester.text(&format!("{conditions:?}")));
        }
        for GridJob { id, submit, width, run, walltime, home, site, traits } in &jobs {
            digester.integer(id.0).integer(submit.micros()).integer(*width);
            digester.integer(run.micros()).integer(walltime.micros());
            digester.integer(home.map_or(0, |home| home + 1));
            if self.fields.meta.mapping == Mapping::Home {
                digester.integer(site.map_or(0, |site| site + 1));
            }
            if has_conditions {
                digester.text(&format!("{traits:?}"));
            }
        }
        for &Outage { cluster, from, until } in platform.outages() {
            digester.integer(cluster as u64).integer(from.micros()).integer(until.micros());
        }
        let instance = Instance { spec: place, jobs, platform, reference: OnceLock::new() };
        Ok(Prepared { instance, digest: digester.digest() })
    }
    fn key(&self, variant: &Variant, key: &mut KeyBuilder) {
        let meta = &self.fields.meta;
        key.field("mapping", meta.mapping).field("copies", meta.copies);
        key.optional("estimate", (meta.estimate != Estimate::default()).then_some(meta.estimate));
        key.optional("mapped", (meta.mapped != Mapped::default()).then_some(meta.mapped));
        key.optional("publication_s", meta.publication_s);
        key.optional("mapping_seed", (meta.mapping == Mapping::Random).then_some(self.seed.value()));
        key.field("algorithm", algorithm_name(*variant));
        if let Variant::Moved(algorithm, heuristic) = variant {
            key.field("heuristic", heuristic).field("period_s", meta.period_s);
            key.optional("threshold_s", (*algorithm == Algorithm::Without).then_some(meta.threshold_s));
            let takes_time = |span: SimSpan| (!span.is_zero()).then_some(span);
            key.optional("transfer_s", takes_time(meta.transfer_s));
            key.optional("transfer_per_core_s", takes_time(meta.transfer_per_core_s));
        }
    }
    fn labels(&self, variant: &Variant) -> Labels {
        let heuristic = match variant {
            Variant::Reference => "",
            Variant::Moved(_, heuristic) => heuristic.name(),
            Variant::Federation => "all",
        };
        vec![("algorithm", algorithm_name(*variant).to_owned()), ("heuristic", heuristic.to_owned())]
    }
    fn run(
        &self,
        instance: &Instance,
        variant: &Variant,
        watch: RunContext<'_>,
    ) -> Result<Vec<Simulation>, Failure> {
        // The variant runs first, as another thread may be about to finish the reference run.
        let is_own = *variant != Variant::Reference;
        let own = is_own.then(|| self.simulate(instance, *variant, watch)).transpose()?;
        let reference = instance.reference.get_or_init(|| self.simulate(instance, Variant::Reference, watch));
        let reference = reference.as_ref().map_err(Clone::clone)?;
        let outcome = own.as_ref().unwrap_or(reference);
        Ok(vec![self.row(instance, *variant, reference, outcome)])
    }
    fn tables(&self, rows: &Long<Simulation>) -> Vec<NamedTable> {
        let metrics = Metrics::from_rows(rows.ok(), self.fields.published.map(Published::tables));
        let windows = self.windows();
        let answers = [
            tables::gains(rows, self.fields.published.is_none()),
            tables::reference(rows, self.fields.meta.copies),
        ];
        // What is printed as the answer comes first.
        let (mut tables, others): (Vec<NamedTable>, Vec<NamedTable>) =
            answers.into_iter().partition(|table| table.is_printed);
        if self.fields.meta.federation {
            let sites = |workload: &str| {
                let fields = self.fields.workloads.iter().find(|known| known.name == workload);
                let sites = fields.into_iter().flat_map(|fields| &fields.sites);
                sites.map(|site| site.cluster.clone()).collect()
            };
            tables.splice(0..0, users::tables(rows, self.seed, sites));
        }
        tables.push(tables::jobs(&windows, self.fields.published));
        tables.extend(tables::published_tables(&metrics));
        tables.extend([tables::summary(&metrics), tables::metrics(&metrics)]);
        tables.extend(others);
        tables.extend([tables::starvation(rows), tables::windows(&windows)]);
        tables
    }
    fn claims(&self, rows: &Long<Simulation>) -> Vec<Claim> {
        self.fields.published.map_or_else(Vec::new, |report| claims::claims(rows, report))
    }
    fn drawings(scenario: &Scenario<GridFields>, rows: &Long<Simulation>) -> Vec<Drawing> {
        drawings::drawings(&Metrics::from_rows(rows.ok(), scenario.published.map(Published::tables)))
    }
}

/// Makes prefixes of file names from the names of workloads: letters, digits, `.`, `_` and `-` are
/// kept, everything else becomes `-`. If that makes two names equal, `~` and the number of the
/// workload are appended.
fn file_names<'a>(workloads: impl Iterator<Item = &'a str>) -> Vec<String> {
    let is_plain = |letter: char| letter.is_alphanumeric() || "._-".contains(letter);
    let plain: Vec<String> = workloads.map(|name| name.replace(|letter| !is_plain(letter), "-")).collect();
    let is_unique = |name: &String| plain.iter().filter(|other| *other == name).count() == 1;
    let numbered = |(place, name): (usize, &String)| match is_unique(name) {
        true => name.clone(),
        false => format!("{name}~{}", place + 1),
    };
    plain.iter().enumerate().map(numbered).collect()
}

#[cfg(test)]
mod tests {
    use super::file_names;

    #[test]
    fn no_two_workloads_write_to_the_same_file() {
        let names = file_names(["a b", "a/b", "days", "../a", "a-b"].into_iter());
        assert_eq!(names, ["a-b~1", "a-b~2", "days", "..-a", "a-b~5"]);
    }
}
