//! Collects the lives of jobs from an events file: what its pictures and its page are made from.

use super::cpus::Cpus;
use super::fault::EventsError;
use super::grid::{GridRun, replay_grid};
use super::life::{Down, Life, Queued, Stay, joined};
use super::replay::{Change, Job, Phase, Watch, replay};
use dfrsim_model::{SimTime, counted};
use std::collections::BTreeMap;
use std::path::Path;

/// The time that is shown.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Window {
    /// Its begin; the first event if `None`.
    pub from: Option<SimTime>,
    /// Its end; the last event if `None`.
    pub to: Option<SimTime>,
}

impl Window {
    /// Its begin and its end, in microseconds.
    fn bounds(self) -> (u64, u64) {
        (self.from.map_or(0, SimTime::micros), self.to.map_or(u64::MAX, SimTime::micros))
    }
    /// Whether a time, in microseconds, is at least partly in it.
    #[must_use]
    pub fn sees(self, from: u64, to: u64) -> bool {
        let (begin, end) = self.bounds();
        from < end && to > begin
    }
}

/// How much of a file is kept.
#[derive(Clone, Copy, Debug)]
pub struct Limits {
    /// The largest number of stays, and of times in which nodes are down.
    pub stays: usize,
    /// The largest number of runs of nodes of all stays.
    pub runs: usize,
}

/// The jobs of an events file, or what takes their places: VMs. Times are in microseconds.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Lives {
    /// What was simulated, such as `EASY, 128 nodes`.
    pub title: String,
    /// The nodes of each cluster of a grid, or of the only one.
    pub clusters: Vec<u32>,
    /// Whether nodes are the cores of a grid.
    pub is_grid: bool,
    /// The CPU of the nodes.
    pub cpus: Cpus,
    /// The tau of the bounded stretch; 0 in a grid, which has none.
    pub tau: u64,
    /// In the order of their submission, those that have not left before the window begins.
    pub jobs: Vec<Life>,
    /// Those that are at least partly in the window, and those that go on in it without a break, in the order of their begins.
    pub stays: Vec<Stay>,
    /// In the order of time.
    pub queued: Vec<Queued>,
    /// At least partly in the window.
    pub downs: Vec<Down>,
    /// The first and the last event.
    pub events: (u64, u64),
    /// The first and the last event of a job in the window, or its ends; never empty.
    pub shown: (u64, u64),
    /// When there was too much to keep, if there was.
    pub cut: Option<u64>,
}

impl Lives {
    /// Those of a file in a window, as far as there is room for them.
    ///
    /// # Errors
    /// If the file cannot be read, is not complete or is not an events file; if no job runs in the window.
    pub fn read(path: &Path, window: Window, limits: Limits) -> Result<Lives, EventsError> {
        let mut collector = Collector::new(window, limits);
        let lives = match replay_grid(path, &mut collector)? {
            Some(GridRun { local, cores }) => Lives {
                title: format!("{local}, {}", counted(cores.len(), "cluster")),
                clusters: cores,
                is_grid: true,
                ..collector.finish()
            },
            None => {
                let run = replay(path, &mut collector)?;
                let (title, clusters) = (run.title(), vec![run.nodes]);
                Lives { title, clusters, tau: run.tau, cpus: run.cpus, ..collector.finish() }
            }
        };
        if lives.stays.is_empty() {
            return Err(EventsError::undrawable(path, "no job runs in the time that is to be drawn"));
        }
        Ok(lives)
    }
}

/// The lives so far.
struct Collector {
    /// Ends where there is too much to keep.
    window: Window,
    limits: Limits,
    lives: Lives,
    /// By the order of their begins, with those that have not ended.
    stays: BTreeMap<u64, Stay>,
    runs: usize,
    /// Since when nodes have been down.
    down: BTreeMap<u32, u64>,
    /// Jobs in the system.
    inside: BTreeMap<u64, Inside>,
}

/// A job in the system.
struct Inside {
    /// The place of its life.
    place: usize,
    /// The numbers of stays of which each begins when the one before ends.
    stays: Vec<u64>,
    is_running: bool,
}

impl Collector {
    fn new(window: Window, limits: Limits) -> Collector {
        let lives = Lives { events: (u64::MAX, 0), shown: (u64::MAX, 0), ..Lives::default() };
        let (stays, down, inside) = (BTreeMap::new(), BTreeMap::new(), BTreeMap::new());
        Collector { window, limits, lives, stays, runs: 0, down, inside }
    }

    /// A node has been down until now; those beside it that went down and came up with it are one entry.
    fn end_down(&mut self, node: u32, from: u64, to: u64) {
        match self.lives.downs.last_mut() {
            _ if !self.window.sees(from, to) => {}
            Some(last) if (last.first + last.nodes, last.from, last.to) == (node, from, to) => {
                last.nodes += 1;
            }
            _ => self.lives.downs.push(Down { first: node, nodes: 1, from, to }),
        }
    }

    fn pass(&mut self, at: u64) {
        self.lives.events = (self.lives.events.0.min(at), at);
    }

    /// Whether what begins now belongs to the kept time.
    fn takes(&mut self, at: u64) -> bool {
        self.pass(at);
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

    fn finish(mut self) -> Lives {
        for (node, from) in std::mem::take(&mut self.down) {
            self.end_down(node, from, self.lives.events.1);
        }
        let Collector { window, mut lives, stays, .. } = self;
        let (begin, end) = window.bounds();
        // Jobs that left before the window begins are left out.
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

/// Leaves out stays that follow each other at once, unless one of them is in the window: then all of them are one rectangle where
/// the job has the same part of a node.
fn forget(stays: &mut BTreeMap<u64, Stay>, numbers: &[u64], window: Window) {
    if !numbers.iter().any(|number| window.sees(stays[number].from, stays[number].to)) {
        for number in numbers {
            stays.remove(number);
        }
    }
}

impl Watch for Collector {
    fn leave(&mut self, at: u64, job: &Job, change: Change) {
        self.takes(at);
        let Collector { window, lives, stays, runs, inside, .. } = self;
        let Some(one) = inside.get_mut(&job.sequence) else { return };
        if one.is_running && change != Change::Yield {
            one.is_running = false;
            let number = one.stays.pop().expect("it runs");
            let stay = stays.get_mut(&number).expect("it has begun");
            (stay.to, stay.end) = (at, Some(change));
            if stay.from == at {
                stays.remove(&number);
            } else {
                *runs += if window.sees(stay.from, at) { stay.runs.len() } else { 0 };
                one.stays.push(number);
            }
        }
        if matches!(change, Change::Complete | Change::Kill | Change::Lose | Change::Reject) {
            let life = &mut lives.jobs[one.place];
            (life.end, life.fate) = (at, Some(change));
            forget(stays, &one.stays, *window);
            inside.remove(&job.sequence);
        }
    }

    fn enter(&mut self, at: u64, job: &Job, change: Change) {
        let is_kept = self.takes(at);
        let Collector { window, lives, stays, inside, .. } = self;
        if change == Change::Submit && is_kept {
            let place = lives.jobs.len();
            inside.insert(job.sequence, Inside { place, stays: Vec::new(), is_running: false });
            lives.jobs.push(Life {
                id: job.id,
                sequence: job.sequence,
                submit: job.submit,
                run: job.run,
                cpu_need: job.cpu_need,
                end: u64::MAX,
                fate: None,
            });
        }
        let Some(one) = inside.get_mut(&job.sequence) else { return };
        if job.phase != Phase::Running {
            return;
        }
        let piece = (at, job.job_yield);
        let last = one.stays.last().and_then(|number| stays.get_mut(number));
        if let Some(stay) = last.filter(|_| one.is_running) {
            // Several changes at one moment are one.
            stay.pieces.pop_if(|last| last.0 == at);
            stay.pieces.push(piece);
            return;
        }
        if !is_kept {
            return;
        }
        if one.stays.last().is_some_and(|number| stays[number].to < at) {
            forget(stays, &std::mem::take(&mut one.stays), *window);
        }
        let number = stays.last_key_value().map_or(0, |(last, _)| last + 1);
        one.stays.push(number);
        one.is_running = true;
        let mut on = job.on.clone();
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
                runs: joined(on.into_iter().map(|(node, tasks)| (node, tasks, 0))),
            },
        );
    }

    fn nodes(&mut self, at: u64, first: u32, nodes: u32, goes_down: bool) {
        self.pass(at);
        for node in first..first + nodes {
            if goes_down {
                self.down.insert(node, at);
            } else if let Some(from) = self.down.remove(&node) {
                self.end_down(node, from, at);
            }
        }
    }

    fn queue(&mut self, at: u64, job: &Job, cluster: u32) {
        let one = self.takes(at).then(|| self.inside.get(&job.sequence)).flatten();
        if let Some(&Inside { place: job, .. }) = one {
            self.lives.queued.push(Queued { job, at, cluster });
        }
    }
}
