//! Energy that the nodes of a cluster draw, and the power over time.

use crate::sleep::SleepingNodes;
use crate::used_power::{ShareChange, UsedUnits};
use crate::{NodeRange, Observer, Occurrence, Pace, Placement, PlatformChange};
use dfrsim_model::event::{Record, SleepOfRun, UseOfResource};
use dfrsim_model::platform::NodeSpan;
use dfrsim_model::platform::classes::{Demand, NodeClasses};
use dfrsim_model::platform::common::{CommonDemand, CommonResource};
use dfrsim_model::platform::power::ENERGY_PARTS;
use dfrsim_model::platform::series::EnergySeries;
use dfrsim_model::{Share, SimSpan, SimTime, Yield};
use schemars::JsonSchema;
use serde::Serialize;
use std::collections::VecDeque;
use std::ops::Range;

/// Nanojoules in a kilowatt-hour.
const KILOWATT_HOUR: f64 = 3.6e15;

/// Units of the sums of carbon and prices in a microgram, and in a billionth of the currency: those of a
/// kilowatt-hour divided by 1,000.
const BILLIONTH: u128 = ENERGY_PARTS * 3_600_000_000_000;

/// Collector of the energy of a cluster, and of the time in which its nodes sleep. All sums are exact:
/// milliwatts times microseconds times units of 2^-20.
#[derive(Clone, Debug)]
pub struct EnergyMetrics {
    classes: NodeClasses,
    /// Power cap above idle nodes, if there is one, and its smallest amount in units of the sums.
    cap: Option<(CommonResource, u128)>,
    /// Power of the nodes that are up without tasks, in milliwatts.
    idle: u64,
    /// Power that the tasks add, in milliwatts times units of 2^-20.
    added: u128,
    jobs: JobPowers,
    /// Devices and sockets that draw all of their power once they are used; `None` if there are none.
    used: Option<Box<UsedUnits>>,
    begin: Option<SimTime>,
    now: SimTime,
    energy: u128,
    energy_of_jobs: u128,
    peak: u128,
    /// Time in which the power of tasks exceeded the cap, in microseconds.
    over_cap: u64,
    /// Energy of the job that left last, and the level of the lowest speed at which it has run.
    last_job: u128,
    last_level: u8,
    /// Number of jobs that have left, by the level of the lowest speed at which they have run: 1, 2, ...
    slowed: Vec<u64>,
    /// Sums of the energy times the values of the series for a kilowatt-hour.
    carbon: u128,
    price: i128,
    /// Nodes that may sleep; `None` if all stay awake.
    sleep: Option<Box<SleepingNodes>>,
}

/// Power of a job in the system.
#[derive(Clone, Debug, Default)]
struct JobPower {
    /// Power that a task adds on a node of each class at a yield of 1, in milliwatts: at full speed, then
    /// at each level.
    of_task: Vec<u64>,
    cpu_need: Share,
    /// Power of all of its tasks on their nodes at a yield of 1, without that of used units; 0 unless it
    /// runs.
    full: u64,
    at: Yield,
    level: u8,
    /// Level of the lowest speed at which it has run.
    lowest: u8,
    /// Power of all of its tasks on their nodes at each level; empty if there are none.
    by_level: Vec<u64>,
    /// Share of the job in the power of used devices and sockets, in milliwatts times units of 2^-20.
    of_used: u128,
    /// Time of its last change, and its energy until then.
    since: SimTime,
    energy: u128,
}

/// Power of the jobs in the system by number, of which the places are used again.
#[derive(Clone, Debug, Default)]
struct JobPowers {
    /// Number of the first job of `places`.
    first: u64,
    /// Place of each job in `all`, in ascending order of the jobs; [`GONE`] for those that have left.
    places: VecDeque<u32>,
    all: Vec<JobPower>,
    free: Vec<u32>,
}

/// Place of a job that has left.
const GONE: u32 = u32::MAX;

impl JobPowers {
    #[inline]
    fn get_mut(&mut self, job: u64) -> Option<&mut JobPower> {
        let place = *self.places.get(job.checked_sub(self.first)? as usize)?;
        self.all.get_mut(place as usize)
    }
    /// Adds a job, which comes after all others; returns its power, whose vector may be that of another job.
    fn add(&mut self, job: u64) -> &mut JobPower {
        if self.places.is_empty() {
            self.first = job;
        }
        let place = self.free.pop().unwrap_or_else(|| {
            self.all.push(JobPower::default());
            (self.all.len() - 1) as u32
        });
        self.places.resize(job.saturating_sub(self.first) as usize, GONE);
        self.places.push_back(place);
        &mut self.all[place as usize]
    }
    /// Removes a job; returns its power.
    fn remove(&mut self, job: u64) -> Option<&mut JobPower> {
        let at = job.checked_sub(self.first)? as usize;
        let place = std::mem::replace(self.places.get_mut(at)?, GONE);
        while self.places.front() == Some(&GONE) {
            self.places.pop_front();
            self.first += 1;
        }
        let job = self.all.get_mut(place as usize)?;
        self.free.push(place);
        Some(job)
    }
}

/// Figures of the energy of a cluster, from the first submission to the last event. Energy is that of
/// the site, with the power usage effectiveness; power is that of the nodes.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, JsonSchema)]
pub struct EnergyFigures {
    /// Energy in kilowatt-hours.
    pub energy_kwh: f64,
    /// Energy that tasks add to that of idle nodes, in kilowatt-hours. It includes the power usage
    /// effectiveness; the sum of `energy_j` of all jobs is without it.
    pub energy_of_jobs_kwh: f64,
    /// Mean power in watts.
    pub mean_w: f64,
    /// Largest power in watts.
    pub peak_w: f64,
    /// Time in which the power exceeded the cap, in seconds: jobs that run when the cap falls
    /// continue.
    pub over_cap_s: f64,
    /// Number of jobs that have run below full speed, if nodes have speed levels for jobs that lack
    /// power.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub slowed: Option<u64>,
    /// Energy of the nodes in millijoules, rounded down, without the power usage effectiveness.
    pub nodes_mj: u64,
    /// Carbon dioxide in kilograms, if its intensity is known.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub carbon_kg: Option<f64>,
    /// Price of the energy, if that of a kilowatt-hour is known.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cost: Option<f64>,
    /// Figures of nodes that sleep, if there are any.
    #[serde(flatten)]
    pub sleep: Option<SleepFigures>,
}

/// Figures of nodes that sleep, from the first submission to the last event.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, JsonSchema)]
pub struct SleepFigures {
    /// Fraction of the time of all nodes in which they were asleep.
    pub asleep: f64,
    /// Number of times that a node was woken up for a job.
    pub wakes: u64,
    /// Time for which jobs waited on their nodes until these were awake, summed over the jobs, in
    /// seconds.
    pub woken_s: f64,
}

/// Iterates over the classes of nodes at full speed, then at each level.
fn places(classes: &NodeClasses) -> impl Iterator<Item = (usize, u8)> {
    let all = classes.classes().len();
    (0..=classes.levels().len() as u8).flat_map(move |level| (0..all).map(move |class| (class, level)))
}

/// Converts a sum of energy to whole millijoules, rounded down.
fn millijoules(sum: u128) -> u64 {
    u64::try_from(sum / ENERGY_PARTS / 1_000_000).unwrap_or(u64::MAX)
}

impl JobPower {
    /// Becomes the power of a job that arrives; the memory of another one is used again.
    fn begin(&mut self, now: SimTime, need: Share) {
        let JobPower { of_task, cpu_need, full, at, level, lowest, by_level, of_used, since, energy } = self;
        of_task.clear();
        by_level.clear();
        (*cpu_need, *since) = (need, now);
        (*full, *at, *of_used, *energy) = (0, Yield::ZERO, 0, 0);
        (*level, *lowest) = (0, 0);
    }
    /// Sets yield and level.
    fn set_pace(&mut self, pace: Pace) {
        self.at = pace.job_yield;
        if let Some(level) = pace.level {
            (self.level, self.lowest) = (level, self.lowest.max(level));
            self.full = self.by_level.get(usize::from(level)).copied().unwrap_or(self.full);
        }
    }
    fn power(&self) -> u128 {
        u128::from(self.full) * u128::from(self.at.units()) + self.of_used
    }
    /// Adds the energy since the last change; returns the power, which may change now.
    fn advance(&mut self, now: SimTime) -> u128 {
        let power = self.power();
        if power > 0 {
            self.energy += power * u128::from(now.since(self.since).micros());
        }
        self.since = now;
        power
    }
}

impl EnergyMetrics {
    /// Creates a collector; `None` if the power of nodes is unknown and none of them sleeps.
    pub fn new(classes: &NodeClasses) -> Option<EnergyMetrics> {
        if classes.power().is_none() && !classes.can_sleep() {
            return None;
        }
        let cap = classes.common().iter().find(|resource| resource.demand == CommonDemand::Draw);
        Some(EnergyMetrics {
            classes: classes.clone(),
            cap: cap.map(|cap| (cap.clone(), u128::from(cap.smallest_amount()) * ENERGY_PARTS)),
            idle: classes.idle_power(),
            added: 0,
            jobs: JobPowers::default(),
            used: UsedUnits::new(classes),
            begin: None,
            now: SimTime::ZERO,
            energy: 0,
            energy_of_jobs: 0,
            peak: 0,
            over_cap: 0,
            last_job: 0,
            last_level: 0,
            slowed: vec![0; classes.levels().len()],
            carbon: 0,
            price: 0,
            sleep: SleepingNodes::new(classes).map(Box::new),
        })
    }

    /// Returns whether the power of nodes is known.
    pub fn has_power(&self) -> bool {
        self.classes.power().is_some()
    }

    /// Returns the figures of nodes that sleep up to the last event; `None` if none does, or if no time
    /// has passed.
    pub fn sleep_figures(&self) -> Option<SleepFigures> {
        let span = self.now.since(self.begin?).micros();
        let sleep = self.sleep.as_ref().filter(|_| span > 0)?;
        Some(SleepFigures {
            asleep: sleep.time as f64 / (f64::from(self.classes.nodes()) * span as f64),
            wakes: sleep.wakes,
            woken_s: sleep.waited as f64 / 1e6,
        })
    }

    /// Returns the figures up to the last event; `None` if the power of nodes is unknown, or if no time
    /// has passed.
    pub fn figures(&self) -> Option<EnergyFigures> {
        let span = self.now.since(self.begin?).micros();
        let parts = ENERGY_PARTS as f64;
        let effectiveness = f64::from(self.classes.power()?.effectiveness) / 1000.0;
        let kilowatt_hours = |sum: u128| sum as f64 / parts * effectiveness / KILOWATT_HOUR;
        let has = |is_known: fn(&EnergySeries) -> bool| self.series().is_some_and(is_known);
        (span > 0).then(|| EnergyFigures {
            energy_kwh: kilowatt_hours(self.energy),
            energy_of_jobs_kwh: kilowatt_hours(self.energy_of_jobs),
            mean_w: self.energy as f64 / parts / span as f64 / 1e3,
            peak_w: self.peak as f64 / parts / 1e3,
            over_cap_s: self.over_cap as f64 / 1e6,
            slowed: (!self.slowed.is_empty()).then(|| self.slowed.iter().sum()),
            nodes_mj: millijoules(self.energy),
            carbon_kg: has(|it| !it.carbon.is_empty()).then(|| kilowatt_hours(self.carbon) / 1e6),
            cost: has(|it| !it.price.is_empty())
                .then(|| self.price as f64 / parts * effectiveness / KILOWATT_HOUR / 1e6),
            sleep: self.sleep_figures(),
        })
    }

    fn series(&self) -> Option<&EnergySeries> {
        self.classes.power()?.series.as_deref()
    }

    /// Returns the time that the series of carbon intensities or prices does not cover, as the first and
    /// the last event, if it does not cover the run.
    pub fn uncovered(&self) -> Option<(SimTime, SimTime)> {
        let (first, end) = self.series()?.covers();
        let begin = self.begin?;
        (begin < first || self.now > end).then_some((begin, self.now))
    }

    /// Returns the energy that the tasks of the job that left last have added to that of idle nodes, in
    /// millijoules, rounded down, without the power usage effectiveness.
    pub fn last_job_mj(&self) -> u64 {
        millijoules(self.last_job)
    }

    /// Returns the name of the level of the lowest speed at which the job that left last has run, empty at
    /// full speed; `None` if nodes have no speed levels for jobs that lack power.
    pub fn last_job_level(&self) -> Option<&str> {
        let names = self.classes.levels();
        let level = usize::from(self.last_level).checked_sub(1);
        (!names.is_empty()).then(|| level.map_or("", |level| &*names[level]))
    }

    /// Iterates over the speed levels below full speed, by name, with the number of jobs whose lowest speed
    /// was that of the level.
    pub fn slowed(&self) -> impl Iterator<Item = (&str, u64)> {
        self.classes.levels().iter().map(|name| &**name).zip(self.slowed.iter().copied())
    }

    /// Returns the time for which the job that left last has waited on its nodes until they were awake;
    /// `None` if all nodes stay awake.
    pub fn last_job_woken(&self) -> Option<SimSpan> {
        self.sleep.as_ref().map(|sleep| sleep.last_woken)
    }

    /// Creates the record of the energy up to the last event; `None` if the power of nodes is unknown.
    pub fn record(&self) -> Option<Record<'static>> {
        self.has_power().then(|| Record::Energy {
            nodes_mj: millijoules(self.energy),
            jobs_mj: millijoules(self.energy_of_jobs),
            peak_mw: u64::try_from(self.peak.div_ceil(ENERGY_PARTS)).unwrap_or(u64::MAX),
        })
    }

    /// Creates the record of the use of what the cluster has as a whole up to the last event, given that of
    /// resources other than power; `None` if there is nothing of it.
    pub(crate) fn use_record(&self, common: Vec<UseOfResource>) -> Option<Record<'static>> {
        let series = self.series();
        let carbon = series.is_some_and(|series| !series.carbon.is_empty());
        let price = series.is_some_and(|series| !series.price.is_empty());
        let sleep = self.sleep_figures().map(|figures| SleepOfRun {
            asleep: figures.asleep,
            wakes: figures.wakes,
            woken_us: self.sleep.as_ref().map_or(0, |it| u64::try_from(it.waited).unwrap_or(u64::MAX)),
        });
        let of_power = self.cap.is_some() || !self.slowed.is_empty() || carbon || price;
        (of_power || sleep.is_some() || !common.is_empty()).then(|| Record::Figures {
            common,
            over_cap_us: self.cap.as_ref().map(|_| self.over_cap),
            slowed: self.slowed.clone(),
            sleep,
            carbon_ug: carbon.then(|| u64::try_from(self.carbon / BILLIONTH).unwrap_or(u64::MAX)),
            cost_billionths: price.then(|| {
                let cost = self.price.div_euclid(BILLIONTH as i128);
                i64::try_from(cost).unwrap_or(if cost < 0 { i64::MIN } else { i64::MAX })
            }),
        })
    }

    /// Advances to a time. Nodes may fall asleep before it.
    fn advance(&mut self, now: SimTime) {
        while let Some(at) = self.sleep.as_ref().and_then(|sleep| sleep.next(now)) {
            self.elapse(at);
            self.idle -= self.sleep.as_mut().map_or(0, |sleep| sleep.fall_asleep(at));
        }
        self.elapse(now);
    }

    /// Adds the time that has passed since the last event.
    fn elapse(&mut self, now: SimTime) {
        if self.begin.is_none() || now <= self.now {
            return;
        }
        let span = u128::from(now.since(self.now).micros());
        let power = u128::from(self.idle) * ENERGY_PARTS + self.added;
        self.energy += power * span;
        self.energy_of_jobs += self.added * span;
        self.sleep.iter_mut().for_each(|sleep| sleep.elapse(span));
        self.peak = self.peak.max(power);
        if let Some(series) = self.classes.power().and_then(|power| power.series.as_deref()) {
            for (at, span) in series.intervals(self.now, now) {
                let energy = power * u128::from(span);
                self.carbon += energy * series.carbon.get(at).map_or(0, |value| u128::from(*value));
                // At the largest price, 100 for a kilowatt-hour, there is room for 4 * 10^8 kWh.
                let energy = i128::try_from(energy).unwrap_or(i128::MAX);
                let price = series.price.get(at).map_or(0, |value| i128::from(*value));
                self.price = self.price.saturating_add(energy.saturating_mul(price));
            }
        }
        if let Some((cap, _)) = self.cap.as_ref().filter(|(_, least)| self.added > *least) {
            for (from, until, amount) in cap.spans_between(self.now, now) {
                if self.added > u128::from(amount) * ENERGY_PARTS {
                    self.over_cap += until.since(from).micros();
                }
            }
        }
        self.now = now;
    }

    /// Replaces the power of a running job.
    fn set(&mut self, now: SimTime, job: u64, change: impl FnOnce(&mut JobPower)) {
        let Some(job) = self.jobs.get_mut(job) else { return };
        self.added -= job.advance(now);
        change(job);
        self.added += job.power();
    }

    /// Changes the devices and sockets that are used, and the shares of jobs in their power.
    fn change_used(
        &mut self,
        now: SimTime,
        change: impl FnOnce(&mut UsedUnits, &NodeClasses) -> Vec<ShareChange>,
    ) {
        let Some(used) = &mut self.used else { return };
        for ShareChange { job, before, after } in change(used, &self.classes) {
            self.set(now, job, |job| job.of_used = job.of_used - before + after);
        }
    }

    /// Removes a job from its nodes.
    fn leave(&mut self, now: SimTime, job: u64) {
        self.set(now, job, |job| {
            (job.full, job.of_used) = (0, 0);
            job.by_level.clear();
        });
        self.change_used(now, |used, classes| used.release(job, classes));
    }

    /// Places a job, which `is_new` on nodes unless it migrates.
    fn place(&mut self, now: SimTime, job: u64, on: Placement<'_>, pace: Pace, is_new: bool) {
        if self.used.is_some() {
            self.leave(now, job);
            self.change_used(now, |used, classes| used.place(job, on, classes));
        }
        let Some(job) = self.jobs.get_mut(job) else { return };
        let (all, levels) = (self.classes.classes().len(), self.classes.levels().len());
        let of_level = |level: usize| {
            let of_task = &job.of_task[level * all..];
            if all == 1 {
                return of_task[0] * on.tasks();
            }
            let of_range = |range: &NodeRange| {
                let by_class = self.classes.by_class(range.indices());
                let tasks = |nodes: Range<usize>| u64::from(range.tasks) * nodes.len() as u64;
                by_class.map(|(class, nodes)| of_task[class] * tasks(nodes)).sum::<u64>()
            };
            on.ranges().iter().map(of_range).sum::<u64>()
        };
        let full = of_level(0);
        let by_level: Vec<u64> = if levels > 0 { (0..=levels).map(of_level).collect() } else { Vec::new() };
        self.added -= job.advance(now);
        (job.full, job.by_level) = (full, by_level);
        job.set_pace(Pace { level: pace.level.or(Some(if is_new { 0 } else { job.level })), ..pace });
        self.added += job.power();
    }

    /// Adds a job that arrives, with the power of its tasks without further requests.
    fn submit(&mut self, now: SimTime, job: u64, cpu_need: Share) {
        let (own, plain) = (self.jobs.add(job), Demand::default());
        own.begin(now, cpu_need);
        for level in 0..=self.classes.levels().len() as u8 {
            let of_class = |class| self.classes.task_power_at(class, level, cpu_need, &plain);
            own.of_task.extend((0..self.classes.classes().len()).map(of_class));
        }
        self.used.iter_mut().for_each(|used| used.submit(job, cpu_need, &self.classes));
    }

    /// Adds the units that the tasks of a job request to their power.
    fn request(&mut self, job: u64, demand: &Demand) {
        let requests_units = demand.resources.iter().any(|asked| asked.count > 0);
        self.used.iter_mut().for_each(|used| used.request(job, demand, &self.classes));
        if let Some(job) = self.jobs.get_mut(job).filter(|_| requests_units) {
            let (classes, of_task) = (&self.classes, job.of_task.iter_mut());
            for ((class, level), power) in places(classes).zip(of_task) {
                *power = classes.task_power_at(class, level, job.cpu_need, demand);
            }
        }
    }

    /// Removes a job that leaves.
    fn remove(&mut self, now: SimTime, job: u64) {
        if self.used.is_some() {
            self.leave(now, job);
            self.used.iter_mut().for_each(|used| used.remove(job));
        }
        let Some(job) = self.jobs.remove(job) else { return };
        self.added -= job.advance(now);
        (self.last_job, self.last_level) = (job.energy, job.lowest);
        if job.lowest > 0 {
            self.slowed[usize::from(job.lowest) - 1] += 1;
        }
    }

    fn idle_of(&self, spans: &[NodeSpan]) -> u64 {
        let of_node = |node: u64| self.classes.of(node as u32).idle_power();
        spans.iter().flat_map(|span| u64::from(span.first)..span.end()).map(of_node).sum()
    }
}

impl Observer for EnergyMetrics {
    fn observe(&mut self, now: SimTime, job: u64, occurrence: Occurrence<'_>) {
        if self.begin.is_none() {
            (self.begin, self.now) = (Some(now), now);
        }
        self.advance(now);
        self.idle += self.sleep.as_mut().map_or(0, |sleep| sleep.follow(now, job, &occurrence));
        match occurrence {
            Occurrence::Submitted(it, _) => self.submit(now, job, it.cpu_need),
            Occurrence::Asked(demand, _) => self.request(job, demand),
            Occurrence::Started(on, pace) | Occurrence::Resumed(on, pace) => {
                self.place(now, job, on, pace, true);
            }
            Occurrence::Migrated(on, pace, ..) => self.place(now, job, on, pace, false),
            Occurrence::YieldChanged(pace) => self.set(now, job, |job| job.set_pace(pace)),
            Occurrence::Paused(_) | Occurrence::Interrupted(..) => self.leave(now, job),
            Occurrence::Bound(devices) => {
                self.change_used(now, |used, classes| used.bind(job, devices, classes));
            }
            Occurrence::Rejected
            | Occurrence::Killed(_)
            | Occurrence::Lost(..)
            | Occurrence::Completed(_) => self.remove(now, job),
            Occurrence::Linked(_) | Occurrence::Woken(_) => {}
        }
    }

    fn observe_platform(&mut self, now: SimTime, change: PlatformChange<'_>) {
        self.advance(now);
        match change {
            PlatformChange::Announced(_) | PlatformChange::Drained(_) | PlatformChange::Undrained(_) => {}
            PlatformChange::Down(spans) => {
                self.idle += self.sleep.as_mut().map_or(0, |sleep| sleep.go_down(spans));
                self.idle -= self.idle_of(spans);
            }
            PlatformChange::Up(spans) => {
                self.idle += self.idle_of(spans);
                self.sleep.iter_mut().for_each(|sleep| sleep.come_up(now, spans));
            }
        }
    }
}
