//! From what stands in a file to a checked scenario of the grid study.

use super::file::{ClusterFile, File, SiteFile, Study, TooWide, WorkloadFile};
use super::input;
use super::scenario::{Jobs, Scenario, Site, Workload};
use crate::scenario::{Resolver, ScenarioErrors, ScenarioText, resolved};
use dfrsim_cluster::EstimateModel;
use dfrsim_grid::month::Month;
use dfrsim_grid::{ClusterSpec, Mapping, Platform, Speed};
use dfrsim_model::SimSpan;
use std::num::NonZeroU32;
use toml::Spanned;

const YEAR: i64 = 366 * 24 * 3_600;

pub(super) fn scenario(source: &ScenarioText<'_>) -> Result<Scenario, ScenarioErrors> {
    resolved(source, |resolver, file: &File| {
        let Study::Grid = file.study;
        let clusters = resolver.clusters(&file.clusters);
        let heterogeneous = file.heterogeneous.get_ref().clone();
        if heterogeneous.is_empty() || heterogeneous.len() > 1 && heterogeneous[0] == heterogeneous[1] {
            resolver.fault(&file.heterogeneous, "expected false, true, or both");
        }
        let most_load = *file.jobs.most_load.get_ref();
        if !(most_load > 0.0 && most_load.is_finite()) {
            resolver.fault(&file.jobs.most_load, format!("expected a load above 0, found {most_load}"));
        }
        let copies = resolver.integer(&file.meta.copies, "a number of clusters", 1, 64) as usize;
        let skip_too_wide = file.jobs.too_wide == TooWide::Skip;
        let workloads = resolver.grids(&file.workloads, &clusters, (most_load, skip_too_wide));
        let seconds = |span: i64| SimSpan::from_secs(span.unsigned_abs());
        Scenario {
            title: file.title.clone(),
            seed: resolver.integer(&file.seed, "a seed", 0, i64::MAX) as u64,
            seeds: resolver.integer(&file.seeds, "a number of seeds", 1, 10_000) as u32,
            clusters,
            heterogeneous,
            local: resolver.names(&file.local, "local policy"),
            algorithms: resolver.names(&file.meta.algorithms, "algorithm"),
            heuristics: resolver.names(&file.meta.heuristics, "heuristic"),
            mapping: resolver.mapping(&file.meta.mapping),
            copies,
            period: seconds(resolver.integer(&file.meta.period, "a number of seconds", 1, YEAR)),
            threshold: seconds(resolver.integer(&file.meta.threshold, "a number of seconds", 0, YEAR)),
            walltimes: resolver.walltimes(&file.jobs.walltimes),
            skip_too_wide,
            audit: file.audit.0,
            events: file.events.clone(),
            workloads,
        }
    })
}

/// What is to be said of the first job of a log that fits on no cluster of its workload. Generated jobs fit on that of
/// their site.
fn too_wide(workload: &Workload, clusters: &[ClusterSpec]) -> Option<String> {
    let widest = workload.sites.iter().map(|site| clusters[site.cluster].cores).max()?;
    workload.sites.iter().find_map(|site| {
        let Jobs::Log { file, jobs, .. } = &site.jobs else { return None };
        let job = jobs.iter().find(|job| job.width > widest)?;
        let (id, width) = (job.id, job.width);
        Some(format!(
            "{file}: job {id} needs {width} cores, and the largest cluster has {widest}; `jobs.too_wide = \"skip\"` leaves \
             such jobs out and counts them"
        ))
    })
}

impl Resolver<'_> {
    fn clusters(&mut self, files: &[ClusterFile]) -> Vec<ClusterSpec> {
        if files.is_empty() || files.len() > Platform::MOST_CLUSTERS {
            self.fault_of_file("there must be 1 to 64 [[clusters]]");
        }
        let mut clusters = Vec::<ClusterSpec>::new();
        for file in files {
            let name = file.name.get_ref().clone();
            if clusters.iter().any(|other| other.name == name) {
                self.fault(&file.name, format!("there is another cluster `{name}`"));
            }
            let speed = *file.speed.get_ref();
            let thousandths = (speed * 1_000.0).round();
            if !(1.0..=1e6).contains(&thousandths) || (thousandths / 1_000.0 - speed).abs() > 1e-9 {
                self.fault(
                    &file.speed,
                    format!("expected a speed from 0.001 to 1000 with three decimals, found {speed}"),
                );
            }
            clusters.push(ClusterSpec {
                name,
                cores: self.integer(&file.cores, "a number of cores", 1, 1 << 20) as u32,
                speed: Speed::from_thousandths(thousandths as u32).unwrap_or(Speed::ONE),
            });
        }
        clusters
    }

    fn mapping(&mut self, field: &Spanned<String>) -> Mapping {
        field.get_ref().parse().unwrap_or_else(|error: dfrsim_model::named::UnknownName| {
            self.fault(field, error.to_string());
            Mapping::default()
        })
    }

    fn walltimes(&mut self, field: &Spanned<String>) -> EstimateModel {
        match field.get_ref().parse() {
            Ok(EstimateModel::None) => self.fault(field, "jobs must have walltimes"),
            Ok(model) => return model,
            Err(error) => self.fault(field, format!("{error}")),
        }
        EstimateModel::Exact
    }

    fn grids(
        &mut self,
        files: &[WorkloadFile],
        clusters: &[ClusterSpec],
        (most_load, skip_too_wide): (f64, bool),
    ) -> Vec<Workload> {
        if files.is_empty() {
            self.fault_of_file("there must be at least one [[workloads]]");
        }
        let mut workloads = Vec::<Workload>::new();
        for file in files {
            let name = file.name.get_ref().clone();
            if name.is_empty() || workloads.iter().any(|other| other.name == name) {
                self.fault(&file.name, "workloads must have names, each its own");
            }
            let days: Vec<u32> = file.days.get_ref().iter().map(|&days| days.clamp(0, 366) as u32).collect();
            if days.is_empty() || file.days.get_ref().iter().any(|days| !(1..=366).contains(days)) {
                self.fault(&file.days, "expected the lengths of months in days, each from 1 to 366");
                continue;
            }
            let mut sites = Vec::new();
            for site in &file.sites {
                sites.extend(self.site(site, &days, clusters, most_load));
            }
            let mut used: Vec<usize> = sites.iter().map(|site| site.cluster).collect();
            used.sort_unstable();
            used.dedup();
            if file.sites.is_empty() || used.len() < sites.len() {
                self.fault(&file.name, "a workload needs sites, and each site a cluster of its own");
            }
            let workload = Workload { name, days, sites };
            if let Some(fault) = too_wide(&workload, clusters).filter(|_| !skip_too_wide) {
                self.fault(&file.name, fault);
            }
            workloads.push(workload);
        }
        workloads
    }

    fn site(
        &mut self,
        file: &SiteFile,
        days: &[u32],
        clusters: &[ClusterSpec],
        most_load: f64,
    ) -> Option<Site> {
        let name = file.cluster.get_ref();
        let Some(cluster) = clusters.iter().position(|cluster| cluster.name == *name) else {
            self.fault(&file.cluster, format!("there is no cluster `{name}`"));
            return None;
        };
        let jobs = match (&file.jobs, &file.log) {
            (Some(field), None) => {
                let counts = field.get_ref();
                if counts.len() != days.len() || counts.iter().any(|count| !(0..=10_000_000).contains(count))
                {
                    self.fault(
                        field,
                        format!("expected a number of jobs for each of the {} months", days.len()),
                    );
                    return None;
                }
                let cores = NonZeroU32::new(clusters[cluster].cores)?;
                let month = |(&jobs, &days): (&i64, &u32)| Month {
                    cores,
                    jobs: jobs as usize,
                    length: SimSpan::from_secs(u64::from(days) * 86_400),
                    most_load,
                };
                Jobs::Months(counts.iter().zip(days).map(month).collect())
            }
            (None, Some(field)) => match input::read_log(field.get_ref(), self.folder(), days) {
                Ok(jobs) => jobs,
                Err(message) => {
                    self.fault(field, message);
                    return None;
                }
            },
            _ => {
                self.fault(&file.cluster, "a site needs one of `jobs = [..]` and `log = \"..\"`");
                return None;
            }
        };
        Some(Site { cluster, jobs })
    }
}
