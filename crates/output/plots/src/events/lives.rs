//! Job histories collected from an events file, the data of its pictures and its page.

use super::cpus::NodeCpus;
use super::devices::NodeDevices;
use super::fault::EventsError;
use super::grid::{GridRun, replay_grid};
use super::life::{Down, JobHistory, Queued, Stay, merge_nodes};
use super::replay::{Change, Job, Observer, Phase, replay};
use dfrsim_model::platform::devices::DeviceRequest;
use dfrsim_model::{Share, SimTime, Yield, counted};
use std::collections::BTreeMap;
use std::path::Path;

/// Time window of a figure.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Window {
    /// Start of the window; `None` for the first event.
    pub from: Option<SimTime>,
    /// End of the window; `None` for the last event.
    pub to: Option<SimTime>,
}

impl Window {
    /// Returns start and end in microseconds.
    fn bounds(self) -> (u64, u64) {
        (self.from.map_or(0, SimTime::micros), self.to.map_or(u64::MAX, SimTime::micros))
    }
    /// Returns whether an interval, in microseconds, overlaps the window.
    #[must_use]
    pub fn overlaps(self, from: u64, to: u64) -> bool {
        let (begin, end) = self.bounds();
        from < end && to > begin
    }
}

/// Limits on the data that are kept from a file.
#[derive(Clone, Copy, Debug)]
pub struct Limits {
    /// Largest number of stays, and of down times of nodes.
    pub stays: usize,
    /// Largest number of node runs in all stays.
    pub runs: usize,
}

/// Histories of the jobs of an events file, or of the VMs of a plan. Times are in microseconds.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct JobHistories {
    /// Title with policy and nodes, such as `EASY, 128 nodes`.
    pub title: String,
    /// Number of nodes of each cluster of a grid, or of the only cluster.
    pub clusters: Vec<u32>,
    /// True if nodes are the cores of a grid.
    pub is_grid: bool,
    /// Devices of the nodes, if they are what is called nodes here.
    pub devices: Option<NodeDevices>,
    /// CPU of the nodes.
    pub cpus: NodeCpus,
    /// Threshold tau of the bounded stretch; 0 in a grid, for which the bounded stretch is not
    /// defined.
    pub tau: u64,
    /// Jobs that leave after the window begins, in the order of their submission.
    pub jobs: Vec<JobHistory>,
    /// Stays that overlap the window, and those that directly precede or follow such a stay of the
    /// same job, in the order of their begins.
    pub stays: Vec<Stay>,
    /// Queue entries of a grid, in the order of time.
    pub queued: Vec<Queued>,
    /// Down times that overlap the window.
    pub downs: Vec<Down>,
    /// Times of the first and the last event.
    pub events: (u64, u64),
    /// Times of the first and the last job event in the window, or the bounds of the window; never
    /// empty.
    pub shown: (u64, u64),
    /// Time at which a limit was reached, if one was.
    pub cut: Option<u64>,
}

impl JobHistories {
    /// Reads the histories on devices instead of nodes: each device counts as a node, and the part of
    /// it that a task holds as the CPU need of the task. Jobs without devices are left out.
    ///
    /// # Errors
    /// Returns an error if the file cannot be read, is incomplete or is not an events file; if nodes
    /// have no devices; or if no job with devices runs in the window.
    pub(super) fn read_devices(
        path: &Path,
        window: Window,
        limits: Limits,
    ) -> Result<JobHistories, EventsError> {
        let mut collector = Collector { is_of_devices: true, ..Collector::new(window, limits) };
        let run = replay(path, &mut collector)?;
        let mut lives = collector.finish();
        let Some(devices) = &lives.devices else {
            return Err(EventsError::undrawable(
                path,
                "its nodes have no devices; the platform names them as `devices`",
            ));
        };
        lives.stays.retain(|stay| !stay.runs.is_empty());
        if lives.stays.is_empty() {
            return Err(EventsError::undrawable(path, "no job with devices runs in the selected time span"));
        }
        let title = format!("{}, {}", run.title(), counted(devices.count() as usize, &devices.name));
        let clusters = vec![devices.count()];
        Ok(JobHistories { title, clusters, tau: run.tau, ..lives })
    }

    /// Reads the histories in a window of a file, up to the limits.
    ///
    /// # Errors
    /// Returns an error if the file cannot be read, is incomplete or is not an events file; or if no
    /// job runs in the window.
    pub fn read(path: &Path, window: Window, limits: Limits) -> Result<JobHistories, EventsError> {
        let mut collector = Collector::new(window, limits);
        let lives = match replay_grid(path, &mut collector)? {
            Some(GridRun { local, cores }) => JobHistories {
                title: format!("{local}, {}", counted(cores.len(), "cluster")),
                clusters: cores,
                is_grid: true,
                ..collector.finish()
            },
            None => {
                let run = replay(path, &mut collector)?;
                let (title, clusters) = (run.title(), vec![run.nodes]);
                JobHistories { title, clusters, tau: run.tau, cpus: run.cpus, ..collector.finish() }
            }
        };
        if lives.stays.is_empty() {
            return Err(EventsError::undrawable(path, "no job runs in the selected time span"));
        }
        Ok(lives)
    }
}

/// Histories under construction.
struct Collector {
    /// The window; it is cut short when a limit is reached.
    window: Window,
    limits: Limits,
    lives: JobHistories,
    /// Stays by number, in the order of their begins, including those that have not ended.
    stays: BTreeMap<u64, Stay>,
    runs: usize,
    /// Start of the down time of each node that is down.
    down: BTreeMap<u32, u64>,
    /// Jobs in the system.
    inside: BTreeMap<u64, JobInSystem>,
    /// True if stays are on devices.
    is_of_devices: bool,
}

/// State of a job in the system.
struct JobInSystem {
    /// Index of the job's history.
    place: usize,
    /// Numbers of stays that directly follow each other.
    stays: Vec<u64>,
    is_running: bool,
}

impl Collector {
    fn new(window: Window, limits: Limits) -> Collector {
        let lives = JobHistories { events: (u64::MAX, 0), shown: (u64::MAX, 0), ..JobHistories::default() };
        let (stays, down, inside) = (BTreeMap::new(), BTreeMap::new(), BTreeMap::new());
        Collector { window, limits, lives, stays, runs: 0, down, inside, is_of_devices: false }
    }

    /// Records a down time of a node; neighbouring nodes with the same down time are merged.
    fn end_down(&mut self, node: u32, from: u64, to: u64) {
        match self.lives.downs.last_mut() {
            _ if !self.window.overlaps(from, to) => {}
            Some(last) if (last.first + last.nodes, last.from, last.to) == (node, from, to) => {
                last.nodes += 1;
            }
            _ => self.lives.downs.push(Down { first: node, nodes: 1, from, to }),
        }
    }

    fn advance(&mut self, at: u64) {
        self.lives.events = (self.lives.events.0.min(at), at);
    }

    /// Returns whether an event that begins now belongs to the recorded time.
    fn is_recorded(&mut self, at: u64) -> bool {
        self.advance(at);
        let Collector { window, limits, lives, stays, runs, .. } = self;
        lives.shown.0 = lives.shown.0.min(at);
        if at > window.bounds().1 {
            return false;
        }
        let is_full = stays.len().max(lives.downs.len()) >= limits.stays || *runs >= limits.runs;
        if lives.cut.is_none() && is_full {
            lives.cut = Some(at);
            window.to = Some(SimTime::from_micros(at));
        }
        lives.shown.1 = at;
        true
    }

    fn finish(mut self) -> JobHistories {
        for (node, from) in std::mem::take(&mut self.down) {
            self.end_down(node, from, self.lives.events.1);
        }
        let Collector { window, mut lives, stays, .. } = self;
        let (begin, end) = window.bounds();
        // Jobs that left before the window begins are dropped.
        let mut places = Vec::new();
        let mut kept = 0;
        lives.jobs.retain(|life| {
            let is_kept = life.end >= begin;
            places.push(is_kept.then_some(kept));
            kept += usize::from(is_kept);
            is_kept
        });
        let stays = stays.into_values();
        lives.stays = stays.filter_map(|stay| Some(Stay { job: places[stay.job]?, ..stay })).collect();
        let queued = lives.queued.into_iter();
        lives.queued = queued.filter_map(|one| Some(Queued { job: places[one.job]?, ..one })).collect();
        let (first, last) = lives.shown;
        let from = window.from.map_or(first, SimTime::micros);
        lives.shown = (from, end.min(last.max(begin)).max(from.saturating_add(1)));
        lives
    }
}

/// Drops stays that directly follow each other, unless one of them overlaps the window: together
/// they may form one rectangle, where the job has the same fraction of a node.
fn drop_outside(stays: &mut BTreeMap<u64, Stay>, numbers: &[u64], window: Window) {
    if !numbers.iter().any(|number| window.overlaps(stays[number].from, stays[number].to)) {
        for number in numbers {
            stays.remove(number);
        }
    }
}

impl Observer for Collector {
    fn before_change(&mut self, at: u64, job: &Job, change: Change) {
        self.is_recorded(at);
        let Collector { window, lives, stays, runs, inside, .. } = self;
        let Some(one) = inside.get_mut(&job.sequence) else { return };
        if one.is_running && change != Change::Yield {
            one.is_running = false;
            let number = one.stays.pop().expect("it runs");
            let stay = stays.get_mut(&number).expect("a running job has a stay");
            (stay.to, stay.end) = (at, Some(change));
            if stay.from == at {
                stays.remove(&number);
            } else {
                *runs += if window.overlaps(stay.from, at) { stay.runs.len() } else { 0 };
                one.stays.push(number);
            }
        }
        if matches!(change, Change::Complete | Change::Kill | Change::Lose | Change::Reject) {
            let life = &mut lives.jobs[one.place];
            (life.end, life.fate) = (at, Some(change));
            drop_outside(stays, &one.stays, *window);
            inside.remove(&job.sequence);
        }
    }

    fn after_change(&mut self, at: u64, job: &Job, change: Change) {
        let is_kept = self.is_recorded(at);
        let Collector { window, lives, stays, inside, is_of_devices, .. } = self;
        if change == Change::Submit && is_kept {
            let place = lives.jobs.len();
            inside.insert(job.sequence, JobInSystem { place, stays: Vec::new(), is_running: false });
            lives.jobs.push(JobHistory {
                id: job.id,
                sequence: job.sequence,
                submit: job.submit,
                run: job.run,
                cpu_need: job.cpu_need,
                of: job.of,
                end: u64::MAX,
                fate: None,
            });
        }
        let Some(one) = inside.get_mut(&job.sequence) else { return };
        if job.phase != Phase::Running {
            return;
        }
        // Tasks hold parts of devices at any yield, unless these are shared.
        let is_held = *is_of_devices && lives.devices.as_ref().is_some_and(|devices| !devices.is_shared);
        let piece = (at, if is_held { Yield::ONE } else { job.job_yield });
        let last = one.stays.last().and_then(|number| stays.get_mut(number));
        if let Some(stay) = last.filter(|_| one.is_running) {
            // Several changes at the same time count as one.
            stay.pieces.pop_if(|last| last.0 == at);
            stay.pieces.push(piece);
            return;
        }
        if !is_kept {
            return;
        }
        if one.stays.last().is_some_and(|number| stays[number].to < at) {
            drop_outside(stays, &std::mem::take(&mut one.stays), *window);
        }
        let number = stays.last_key_value().map_or(0, |(last, _)| last + 1);
        one.stays.push(number);
        one.is_running = true;
        let mut on = if *is_of_devices { Vec::new() } else { job.on.clone() };
        on.sort_unstable();
        stays.insert(
            number,
            Stay {
                job: one.place,
                from: at,
                to: at,
                begin: change,
                end: None,
                pieces: vec![piece],
                runs: merge_nodes(on.into_iter().map(|(node, tasks)| (node, tasks, 0))),
            },
        );
    }

    fn begin_with_devices(&mut self, nodes: &NodeDevices) {
        self.lives.devices = Some(nodes.clone()).filter(|_| self.is_of_devices);
    }

    fn devices_requested(&mut self, job: &Job, request: DeviceRequest) {
        let place = self.inside.get(&job.sequence).map(|one| one.place).filter(|_| self.is_of_devices);
        if let Some(place) = place {
            let part = u32::try_from(request.part).ok().and_then(Share::try_from_units);
            self.lives.jobs[place].cpu_need = part.unwrap_or(Share::ONE);
        }
    }

    fn devices_bound(&mut self, _: u64, job: &Job, on: &[(u32, u32, u32)]) {
        let Collector { lives, stays, inside, .. } = self;
        let Some(devices) = &lives.devices else { return };
        let stay = inside.get(&job.sequence).and_then(|one| stays.get_mut(one.stays.last()?));
        if let Some(stay) = stay {
            let number =
                |&(node, device, tasks): &(u32, u32, u32)| Some((devices.number(node, device).ok()?, tasks));
            let mut on: Vec<(u32, u32)> = on.iter().filter_map(number).collect();
            on.sort_unstable();
            stay.runs = merge_nodes(on.into_iter().map(|(device, tasks)| (device, tasks, 0)));
        }
    }

    fn nodes_changed(&mut self, at: u64, first: u32, nodes: u32, goes_down: bool) {
        self.advance(at);
        let all = match &self.lives.devices {
            Some(devices) => devices.of_nodes(first, nodes),
            None => first..first + nodes,
        };
        for node in all {
            if goes_down {
                self.down.insert(node, at);
            } else if let Some(from) = self.down.remove(&node) {
                self.end_down(node, from, at);
            }
        }
    }

    fn job_queued(&mut self, at: u64, job: &Job, cluster: u32) {
        let one = self.is_recorded(at).then(|| self.inside.get(&job.sequence)).flatten();
        if let Some(&JobInSystem { place: job, .. }) = one {
            self.lives.queued.push(Queued { job, at, cluster });
        }
    }
}
