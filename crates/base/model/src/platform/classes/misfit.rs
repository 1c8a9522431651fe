//! Jobs that no node can hold.

use super::{Demand, NodeClass, NodeClasses};
use crate::platform::common::CommonDemand;
use crate::platform::devices::WHOLE_DEVICE;
use crate::{Job, JobId, Share, SimTime, counted};
use std::collections::BTreeMap;

/// Reason why no node that a job may use can hold one of its tasks, or why there are too few nodes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Misfit {
    /// No node has all of the requested features.
    Features,
    /// No node has as many cores.
    Cores,
    /// No node has as much memory.
    Memory,
    /// No node has as many units of the resource of this index.
    Resource(usize),
    /// Some node has each of the requested amounts, but none has all of them.
    Combination,
    /// The nodes that fit a task are fewer than the job needs.
    Nodes,
    /// The cluster does not lastingly have as much of the common resource of this index.
    Common(usize),
}

/// Jobs of a misfit: their number, the first of them, and the largest request.
#[derive(Clone, Copy, Debug)]
struct Amounts {
    jobs: u64,
    first: JobId,
    most_requested: u64,
}

/// Counts of the jobs that no node can hold, by reason and by the most that there is.
#[derive(Clone, Debug, Default)]
pub struct Misfits {
    jobs: u64,
    /// Number of jobs whose random amount of a resource of the whole cluster was cut.
    cut: u64,
    found: BTreeMap<(Misfit, u64), Amounts>,
}

impl NodeClasses {
    /// Returns the reason why the nodes cannot hold a job even if all are empty, with the requested
    /// amount and the most that there is; `None` if they can.
    #[inline]
    pub fn misfit(&self, job: &Job, demand: &Demand) -> Option<(Misfit, u64, u64)> {
        // The nodes of one class hold most jobs.
        let is_enough = |class: usize| {
            self.classes[class].nodes >= job.tasks && job.tasks > 0 && self.fits(class, job, demand)
        };
        if (0..self.classes.len()).any(is_enough) {
            return self.common_misfit(demand);
        }
        let allowed = || self.classes.iter().filter(|class| demand.accepts(class.features));
        let most = |amount: &dyn Fn(&NodeClass) -> u64| allowed().map(amount).max();
        let Some(cores) = most(&|class| class.cpu) else { return Some((Misfit::Features, 0, 0)) };
        let cpu = u64::from(job.cpu_need.units());
        if cpu > cores {
            return Some((Misfit::Cores, cpu, cores));
        }
        let (memory, largest) = (u64::from(job.memory.units()), most(&|class| class.memory)?);
        if memory > largest {
            return Some((Misfit::Memory, memory, largest));
        }
        for (place, asked) in demand.resources.iter().enumerate() {
            let largest = most(&|class| class.amounts[place].into())?;
            if u64::from(asked.count) > largest {
                return Some((Misfit::Resource(place), asked.count.into(), largest));
            }
        }
        let tasks: u64 =
            allowed().map(|class| u64::from(class.nodes) * self.tasks_of(class, job, demand)).sum();
        match tasks {
            0 => Some((Misfit::Combination, 0, 0)),
            tasks if tasks < u64::from(job.tasks) => Some((Misfit::Nodes, job.tasks.into(), tasks)),
            _ => self.common_misfit(demand),
        }
    }

    /// Returns the first resource of the whole cluster of which a job requests more than there is after
    /// the last step.
    #[inline]
    fn common_misfit(&self, demand: &Demand) -> Option<(Misfit, u64, u64)> {
        let mut amounts = demand.common.iter().zip(&self.common).enumerate();
        amounts.find_map(|(place, (&asked, resource))| {
            let has = resource.lasting_amount();
            (asked > has).then_some((Misfit::Common(place), asked, has))
        })
    }

    /// Returns the number of tasks that an empty node of a class holds.
    fn tasks_of(&self, class: &NodeClass, job: &Job, demand: &Demand) -> u64 {
        let of = |has: u64, asked: u64| has.checked_div(asked).unwrap_or(u64::MAX);
        let units = demand.resources.iter().zip(&class.amounts).enumerate();
        let units = units.map(|(place, (asked, amount))| match demand.devices(place) {
            Some(request) if self.devices() == Some(place) => {
                request.tasks_in(&vec![WHOLE_DEVICE; *amount as usize])
            }
            _ => of((*amount).into(), asked.count.into()),
        });
        let units = units.min();
        let cpu = of(class.cpu, job.cpu_need.units().into());
        let memory = of(class.memory, job.memory.units().into());
        // A task without any need still is on some node.
        let most = if demand.needs_distinct_nodes { 1 } else { job.tasks.into() };
        cpu.min(memory).min(units.unwrap_or(u64::MAX)).min(most)
    }
}

impl Misfits {
    /// Counts a job.
    #[inline]
    pub fn add(&mut self, classes: &NodeClasses, job: &Job, demand: &Demand) {
        self.jobs += 1;
        self.cut += u64::from(demand.is_cut);
        if let Some((misfit, requested, most)) = classes.misfit(job, demand) {
            let none = Amounts { jobs: 0, first: job.id, most_requested: 0 };
            let amounts = self.found.entry((misfit, most)).or_insert(none);
            amounts.jobs += 1;
            amounts.most_requested = amounts.most_requested.max(requested);
        }
    }

    /// Returns the number of jobs that no node can hold.
    pub fn count(&self) -> u64 {
        self.found.values().map(|amounts| amounts.jobs).sum()
    }

    /// Formats the counts, one line for each reason with the first job that has it, and a first line
    /// with their sum, and one for random amounts that were cut; empty if there are none of both.
    pub fn lines(&self, classes: &NodeClasses) -> Vec<String> {
        let cut = (self.cut > 0).then(|| {
            let jobs = counted(self.cut as usize, "job");
            format!("{jobs}: a random amount exceeds what the cluster has, and is cut to it")
        });
        if self.found.is_empty() {
            return cut.into_iter().collect();
        }
        let is_common = |(misfit, _): &&(Misfit, u64)| matches!(misfit, Misfit::Common(_));
        let first = format!(
            "{} of {} {}",
            self.count(),
            counted(self.jobs as usize, "job"),
            match self.found.keys().filter(is_common).count() {
                0 => "fit no node that they may use",
                count if count == self.found.len() =>
                    "can never start: the cluster as a whole has too little",
                _ => "can never start",
            }
        );
        let lasting = |place: usize| match &classes.common[place].steps[..] {
            _ if classes.common[place].period.is_some() => " at most, as its steps repeat".to_owned(),
            [.., (from, _)] if *from > SimTime::ZERO => format!(" from its last step ({from} s) on"),
            _ => String::new(),
        };
        let reason = |misfit: Misfit, most: u64, amounts: &Amounts| {
            let jobs = counted(amounts.jobs as usize, "job");
            let requested = amounts.most_requested;
            let compared = |what: &str, requested: String, most: String| {
                format!("  {jobs}: {what}: up to {requested} requested, the largest node has {most}")
            };
            match misfit {
                Misfit::Features => {
                    format!("  {jobs}: features or partition: no node has all that are requested")
                }
                Misfit::Cores => {
                    let cores = |units: u64| classes.whole_cores(units).to_string();
                    compared("cores of a node", cores(requested), cores(most))
                }
                Misfit::Memory => {
                    compared("memory of a node", classes.gigabytes(requested), classes.gigabytes(most))
                }
                Misfit::Resource(place) => {
                    let name = &classes.resources[place].name;
                    compared(&format!("{name} of a node"), requested.to_string(), most.to_string())
                }
                Misfit::Combination => {
                    format!("  {jobs}: cores, memory and other resources: no node has all that are requested")
                }
                Misfit::Nodes => {
                    format!("  {jobs}: nodes: up to {requested} tasks requested, but only {most} fit")
                }
                Misfit::Common(place) if classes.common[place].demand == CommonDemand::Draw => {
                    let [requested, most] = [requested, most].map(|milliwatts| milliwatts as f64 / 1000.0);
                    format!(
                        "  {jobs}: power: up to {requested} W above idle nodes drawn, the cap leaves {most} W{}",
                        lasting(place)
                    )
                }
                Misfit::Common(place) => {
                    let name = &classes.common[place].name;
                    format!(
                        "  {jobs}: {name}: up to {requested} requested, the cluster has {most}{}",
                        lasting(place)
                    )
                }
            }
        };
        let line = |(&(misfit, most), amounts): (&(Misfit, u64), &Amounts)| {
            format!("{}; job {} is the first", reason(misfit, most, amounts), amounts.first)
        };
        [first].into_iter().chain(self.found.iter().map(line)).chain(cut).collect()
    }
}

impl NodeClasses {
    /// Formats an amount of memory in [`Share`] units of the reference node.
    fn gigabytes(&self, units: u64) -> String {
        let megabytes = units as f64 / f64::from(Share::ONE.units()) * self.reference_memory_mb as f64;
        format!("{:.1} GB", megabytes / 1024.0)
    }
}

#[cfg(test)]
mod tests {
    use super::super::{PlatformFields, ResourceRequest};
    use super::*;
    use crate::{Origin, SimSpan, SimTime};

    const PLATFORM: &str = "reference = { cores = 8, memory_gb = 64 }\n\
        classes = [{ name = 'a', nodes = 2, cores = 8, memory_gb = 16, features = ['a'] },\n\
        { name = 'b', nodes = 3, cores = 4, memory_gb = 64, resources = { gpu = 2 }, features = ['b'] }]\n";

    fn job(tasks: u32, cores: u64, memory_gb: u64) -> Job {
        Job {
            id: JobId(1),
            submit: SimTime::ZERO,
            tasks,
            cpu_need: Share::from_ratio(cores, 8),
            memory: Share::from_ratio(memory_gb, 64),
            run_time: SimSpan::from_secs(1),
            requested_time: None,
            user: None,
            origin: Origin::UNKNOWN,
        }
    }

    #[test]
    fn jobs_that_fit_no_node_are_counted_by_reason() {
        let classes = PlatformFields::parse("p.toml", PLATFORM).unwrap().classes().unwrap();
        let bit = |name: &str| 1 << classes.features().iter().position(|it| it == name).unwrap();
        let demand = |gpus: u32, features: u64| Demand {
            resources: vec![ResourceRequest { count: gpus, need: Share::ONE }],
            features,
            ..Demand::default()
        };
        let reason = |job: &Job, demand: &Demand| classes.misfit(job, demand).map(|(reason, ..)| reason);
        assert_eq!(reason(&job(5, 4, 16), &demand(0, 0)), None);
        assert_eq!(reason(&job(1, 8, 32), &demand(0, 0)), Some(Misfit::Combination));
        assert_eq!(reason(&job(1, 8, 16), &demand(0, bit("b"))), Some(Misfit::Cores));
        assert_eq!(reason(&job(1, 1, 32), &demand(0, bit("a"))), Some(Misfit::Memory));
        assert_eq!(reason(&job(1, 1, 1), &demand(3, 0)), Some(Misfit::Resource(0)));
        assert_eq!(reason(&job(1, 1, 1), &demand(0, bit("a") | bit("b"))), Some(Misfit::Features));
        assert_eq!(reason(&job(4, 4, 64), &demand(0, 0)), Some(Misfit::Nodes));
        let distinct = Demand { needs_distinct_nodes: true, ..demand(0, 0) };
        assert_eq!(reason(&job(5, 1, 1), &distinct), None);
        assert_eq!(reason(&job(6, 1, 1), &distinct), Some(Misfit::Nodes));

        // Halves of two devices: four tasks fit on a node.
        let text = PLATFORM.replace("reference =", "devices = 'gpu'\nreference =");
        let with_devices = PlatformFields::parse("p.toml", &text).unwrap().classes().unwrap();
        let halves = Demand {
            resources: vec![ResourceRequest { count: 1, need: Share::from_ratio(1, 2) }],
            ..Demand::default()
        };
        let reason = |tasks| with_devices.misfit(&job(tasks, 1, 1), &halves).map(|(reason, ..)| reason);
        assert_eq!((reason(12), reason(13)), (None, Some(Misfit::Nodes)));

        let mut misfits = Misfits::default();
        for memory in [1, 32, 48] {
            misfits.add(&classes, &job(1, 1, memory), &demand(0, bit("a")));
        }
        assert_eq!(
            misfits.lines(&classes),
            [
                "2 of 3 jobs fit no node that they may use",
                "  2 jobs: memory of a node: up to 48.0 GB requested, the largest node has 16.0 GB; job 1 is the first"
            ]
        );
    }
}
