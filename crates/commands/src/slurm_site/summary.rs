//! Summary of the site as it was parsed.

use super::SiteAndLog;
use crate::output::{counted, notice};
use dfrsim_model::site::{FairShare, JobClass};
use dfrsim_workload::formats::slurm_conf::{NodeKind, PartitionSize, SimulatedSite, is_resource_or_feature};
use std::collections::BTreeMap;

impl SiteAndLog {
    /// Counts the jobs for each resource or feature that they request and that no node has, with
    /// whether the request is ignored.
    fn unknown_requests(&self, of_log: &SimulatedSite) -> BTreeMap<&str, (usize, bool)> {
        let has = |kind: &NodeKind, name: &str| match name.strip_prefix('@') {
            Some(feature) => kind.features.iter().any(|known| known == feature),
            None => kind.resources.contains_key(name),
        };
        let mut unknown = BTreeMap::new();
        for (name, _) in self
            .requests
            .values()
            .flatten()
            .filter(|(name, _)| self.site.has_reservations() || !name.starts_with("@reservation-"))
            .filter(|(name, _)| is_resource_or_feature(name))
        {
            let is_ignored = !of_log.unavailable.contains(name);
            let is_known = of_log.kinds.iter().any(|kind| has(kind, name));
            let is_of_no_partition = is_ignored && name.starts_with("@partition-");
            if !is_known && !is_of_no_partition {
                unknown.entry(name.trim_start_matches('@')).or_insert((0, is_ignored)).0 += 1;
            }
        }
        unknown
    }

    /// Describes the parsed configuration, one line per fact.
    pub(crate) fn summary(&self, of_log: &SimulatedSite) -> Vec<String> {
        let SimulatedSite { kinds, settings, absent, .. } = of_log;
        let mut lines = Vec::new();
        for NodeKind { name, nodes, cores, memory_mb, resources, features, .. } in kinds {
            let more = resources.iter().map(|(name, count)| format!(", {count} {name}"));
            let more: String = more.chain(features.iter().map(|name| format!(", {name}"))).collect();
            let memory = memory_mb.map_or_else(|| "any memory".to_owned(), |memory| format!("{memory} MB"));
            let count = counted(*nodes as usize, "node");
            lines.push(format!("{count} from {name} on: {cores} cores, {memory}{more}"));
        }
        let some = |count: usize, of: &str, what: &str| {
            (count > 0).then(|| format!("{} {what}", counted(count, of)))
        };
        let names = |names: Vec<String>| if names.is_empty() { "none".to_owned() } else { names.join(", ") };
        let partition = |class: &JobClass| {
            let time = class.max_time_s.map(|seconds| match seconds {
                0..3600 => format!(", at most {:.1} min", seconds as f64 / 60.0),
                _ => format!(", at most {:.1} h", seconds as f64 / 3600.0),
            });
            let (JobClass { name, priority, .. }, tier) = (class, class.tier());
            let size = of_log.partitions.iter().find(|it| it.name == *name);
            let size = size.map(|PartitionSize { nodes, cpus, idle, .. }| {
                let idle = if *idle > 0 { format!(", {idle} of them without jobs") } else { String::new() };
                format!("{}{idle}, {cpus} CPUs, ", counted(*nodes, "node"))
            });
            let whole = if class.whole_nodes { ", whole nodes" } else { "" };
            let (size, time) = (size.unwrap_or_default(), time.unwrap_or_default());
            format!("{name} ({size}tier {tier}, factor {priority}{time}{whole})")
        };
        lines.push(format!("partitions: {}", names(settings.partitions.iter().map(partition).collect())));
        let qos = settings.qos.iter().map(|class| format!("{} ({})", class.name, class.priority));
        lines.push(format!("qualities of service with their priorities: {}", names(qos.collect())));
        let (users, accounts): (Vec<_>, Vec<_>) = settings.accounts.iter().partition(|it| it.is_user);
        let paying = accounts.iter().filter(|account| !account.groups.is_empty()).count();
        lines.push(format!(
            "{}, {paying} of them with jobs of the log; fair share: {}{}",
            counted(accounts.len(), "account"),
            match settings.fair_share {
                FairShare::Classic => "classic, of accounts",
                FairShare::ClassicOfUsers => "classic",
                FairShare::FairTree => "Fair Tree",
            },
            some(users.len(), "user", "by name").map(|users| format!(", {users}")).unwrap_or_default(),
        ));
        lines.extend(some(
            settings.arrays.len(),
            "array",
            "with a limit on the tasks that run at the same time",
        ));
        let together = settings.together.len();
        lines.extend(some(together, "heterogeneous job", "whose components start together"));
        let reservations = settings.reservations.iter().map(|it| it.name.as_str()).collect::<Vec<_>>();
        if !reservations.is_empty() {
            lines.push(format!("reservations: {}", reservations.join(", ")));
        }
        let kept_off = "in reservations that exclude their user or account; they run there nevertheless";
        lines.extend(some(self.excluded, "job", kept_off));
        if self.dependent > 0 {
            lines.push(format!("jobs that depend on other jobs: {}", self.dependent));
        }
        if !absent.is_empty() {
            lines.push(format!("without jobs in the log: {}", absent.join(", ")));
        }
        for (name, (jobs, is_ignored)) in self.unknown_requests(of_log) {
            let outcome = if is_ignored { "the request is ignored" } else { "they cannot run" };
            lines.push(match name.strip_prefix("partition-") {
                Some(name) => {
                    format!(
                        "{} of partition {name}, which has no node that takes jobs; {outcome}",
                        counted(jobs, "job")
                    )
                }
                None => format!("{} request {name}, which no node has; {outcome}", counted(jobs, "job")),
            });
        }
        lines.extend(of_log.notes.iter().map(ToString::to_string));
        lines
    }

    /// Prints the parsed configuration and the unsupported settings to standard error.
    pub(crate) fn report(&self, of_log: &SimulatedSite) {
        let conf = self.conf.display();
        self.summary(of_log).iter().for_each(|line| notice!("{conf}: {line}"));
        of_log.ignored.to_string().lines().for_each(|line| notice!("{conf}: {line}"));
    }
}
