//! Follows the records of a grid, and reports what each job leaves and enters, as if all cores belonged to one machine.

use super::fault::{EventsError, EventsFault};
use super::replay::{Change, Job, Jobs, Phase, Watch, follow, parse};
use dfrsim_model::event;
use dfrsim_model::grid_event::{FORMAT_VERSION, Record};
use dfrsim_model::{Share, Yield};
use std::collections::BTreeMap;
use std::path::Path;

/// What the records say of the whole run.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct GridRun {
    /// The policy of the clusters that have none of their own.
    pub(super) local: String,
    /// The cores of each cluster: the nodes that a watcher sees, cluster by cluster.
    pub(super) cores: Vec<u32>,
}

/// Reads a file and shows it to a watcher; `None` if it does not have the records of a grid. A job that starts elsewhere than
/// where it waited first enters with [`Change::Migrate`].
///
/// # Errors
/// If the file cannot be read, is not complete or is not an events file, and what the watcher finds wrong.
pub(super) fn replay_grid(path: &Path, watch: &mut dyn Watch) -> Result<Option<GridRun>, EventsError> {
    let (mut replay, mut is_grid) = (None::<Replay>, true);
    let line = follow(path, |text| match &mut replay {
        _ if !is_grid => Ok(false),
        None => {
            let first = Record::from_json(text).ok();
            replay = first.map(|record| Replay::begin(&record)).transpose()?;
            is_grid = replay.is_some();
            Ok(is_grid)
        }
        Some(replay) => replay.record(&parse(Record::from_json(text))?, watch).map(|()| true),
    })?;
    let Some(replay) = replay else { return Ok(None) };
    let Replay { run, jobs, .. } = replay;
    jobs.end().map_err(|fault| fault.at(path, line))?;
    Ok(Some(run))
}

struct Replay {
    run: GridRun,
    /// The jobs of each cluster in the order of their submission there.
    numbers: Vec<Vec<u64>>,
    jobs: Jobs,
    /// How many cores each job needs, and the first queue that it left without starting.
    needs: BTreeMap<u64, (u32, Option<u32>)>,
}

impl Replay {
    fn begin(first: &Record<'_>) -> Result<Replay, EventsFault> {
        match first {
            Record::Run { format, .. } if *format != FORMAT_VERSION => Err(EventsFault::Format(*format)),
            Record::Run { local, clusters, .. } => {
                let cores: Vec<u32> = clusters.iter().map(|cluster| cluster.cores).collect();
                let numbers = vec![Vec::new(); cores.len()];
                let run = GridRun { local: local.clone().into_owned(), cores };
                Ok(Replay { run, numbers, jobs: Jobs::default(), needs: BTreeMap::new() })
            }
            _ => Err(EventsFault::NoRun),
        }
    }

    fn record(&mut self, record: &Record<'_>, watch: &mut dyn Watch) -> Result<(), EventsFault> {
        self.jobs.check_open()?;
        match *record {
            Record::Run { .. } => Err(EventsFault::SecondRun),
            Record::Summary { .. } => {
                self.jobs.complete();
                Ok(())
            }
            Record::Arrive { at_us, job, id, width, run_us, .. } => {
                self.needs.insert(job, (width, None));
                self.jobs.submit(Job::new(id, job, at_us, run_us, Share::ONE), watch)
            }
            Record::Skip { at_us, job } => self.jobs.remove(at_us, job, Change::Reject, watch),
            Record::Submit { at_us, job, cluster, .. } => {
                self.numbers.get_mut(cluster as usize).ok_or(EventsFault::Cores { cluster })?.push(job);
                watch.queue(at_us, self.jobs.find(at_us, job)?, cluster);
                Ok(())
            }
            Record::Cancel { at_us, job, cluster, .. } => {
                self.jobs.find(at_us, job)?;
                self.leaves(job, cluster);
                Ok(())
            }
            Record::Fail { at_us, .. } | Record::Repair { at_us, .. } | Record::Publish { at_us } => {
                self.jobs.advance(at_us)
            }
            Record::Local { cluster, ref record } => match **record {
                event::Record::Interrupt { at_us, job, .. } | event::Record::Pause { at_us, job } => {
                    let number = self.number(cluster, job)?;
                    self.lose(at_us, number, cluster, watch)
                }
                event::Record::Resume { at_us, job, ref on, .. } => {
                    let number = self.number(cluster, job)?;
                    self.start(at_us, number, cluster, on, watch)
                }
                _ => Ok(()),
            },
            Record::Lose { at_us, job, cluster } => self.lose(at_us, job, cluster, watch),
            Record::Start { at_us, job, cluster, ref on } => self.start(at_us, job, cluster, on, watch),
            Record::Complete { at_us, job, .. } => self.jobs.remove(at_us, job, Change::Complete, watch),
        }
    }

    /// A job leaves the queue or the cores of a cluster.
    fn leaves(&mut self, number: u64, cluster: u32) {
        if let Some((_, left)) = self.needs.get_mut(&number) {
            left.get_or_insert(cluster);
        }
    }

    /// The job waits again, for another start.
    fn lose(&mut self, at: u64, number: u64, cluster: u32, watch: &mut dyn Watch) -> Result<(), EventsFault> {
        self.leaves(number, cluster);
        self.jobs.change(at, number, Change::Pause, |job| job.stop(Phase::Waiting), watch)
    }

    /// The job of a place in the order of submission to a cluster.
    fn number(&self, cluster: u32, place: u64) -> Result<u64, EventsFault> {
        let numbers = self.numbers.get(cluster as usize).ok_or(EventsFault::Cores { cluster })?;
        numbers.get(place as usize).copied().ok_or(EventsFault::UnknownJob(place))
    }

    /// The job has these cores of the cluster.
    fn start(
        &mut self,
        at: u64,
        number: u64,
        cluster: u32,
        on: &[(u32, u32)],
        watch: &mut dyn Watch,
    ) -> Result<(), EventsFault> {
        let waits = self.jobs.find(at, number)?.allow(Change::Start);
        let (width, left) = self.needs[&number];
        let cores = &self.run.cores;
        let last = on.iter().map(|&(node, _)| node).max().unwrap_or(0);
        let tasks: u32 = on.iter().map(|&(_, tasks)| tasks).sum();
        if tasks != width || cores.get(cluster as usize).is_none_or(|&cores| last >= cores) {
            return Err(EventsFault::Cores { cluster });
        }
        let first: u32 = cores[..cluster as usize].iter().sum();
        waits?;
        let change = if left.is_some_and(|left| left != cluster) { Change::Migrate } else { Change::Start };
        let on = on.iter().map(|&(node, tasks)| (first + node, tasks)).collect();
        self.jobs.apply(number, change, |job| job.run_on(on, Yield::ONE), watch)
    }
}
