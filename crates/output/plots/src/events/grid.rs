//! Replay of the records of a grid, as if all cores belonged to one machine.

use super::attributes::JobAttributes;
use super::fault::{EventsError, EventsLineError};
use super::replay::{Change, Job, Jobs, Observer, Phase, follow, parse};
use dfrsim_model::event;
use dfrsim_model::grid_event::{FORMAT_VERSION, Record};
use dfrsim_model::{Share, Yield};
use std::collections::BTreeMap;
use std::path::Path;

/// Properties of the whole run.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct GridRun {
    /// Policy of the clusters that have none of their own.
    pub(super) local: String,
    /// Number of cores of each cluster. Observers see the cores as nodes, numbered cluster by
    /// cluster.
    pub(super) cores: Vec<u32>,
}

/// Replays a file for an observer; `None` if it does not have the records of a grid. A job that
/// starts on another cluster than the one where it first waited enters with [`Change::Migrate`].
///
/// # Errors
/// Returns an error if the file cannot be read, is incomplete or is not an events file, and the
/// errors of the observer.
pub(super) fn replay_grid(path: &Path, watch: &mut dyn Observer) -> Result<Option<GridRun>, EventsError> {
    let (mut replay, mut is_grid) = (None::<GridReplay>, true);
    let line = follow(path, |text| match &mut replay {
        _ if !is_grid => Ok(false),
        None => {
            let first = Record::from_json(text).ok();
            replay = first.map(|record| GridReplay::begin(&record)).transpose()?;
            is_grid = replay.is_some();
            Ok(is_grid)
        }
        Some(replay) => replay.record(&parse(Record::from_json(text))?, watch).map(|()| true),
    })?;
    let Some(replay) = replay else { return Ok(None) };
    let GridReplay { run, jobs, .. } = replay;
    jobs.end().map_err(|fault| fault.at(path, line))?;
    Ok(Some(run))
}

struct GridReplay {
    run: GridRun,
    /// Jobs of each cluster, in the order of their submission to it.
    jobs_by_cluster: Vec<Vec<u64>>,
    jobs: Jobs,
    /// Number of cores of each job, and the first cluster whose queue it left without starting.
    needs: BTreeMap<u64, (u32, Option<u32>)>,
}

impl GridReplay {
    fn begin(first: &Record<'_>) -> Result<GridReplay, EventsLineError> {
        match first {
            Record::Run { format, .. } if *format != FORMAT_VERSION => Err(EventsLineError::Format(*format)),
            Record::Run { local, clusters, .. } => {
                let cores: Vec<u32> = clusters.iter().map(|cluster| cluster.cores).collect();
                let numbers = vec![Vec::new(); cores.len()];
                let run = GridRun { local: local.clone().into_owned(), cores };
                Ok(GridReplay {
                    run,
                    jobs_by_cluster: numbers,
                    jobs: Jobs::default(),
                    needs: BTreeMap::new(),
                })
            }
            _ => Err(EventsLineError::NoRun),
        }
    }

    fn record(&mut self, record: &Record<'_>, watch: &mut dyn Observer) -> Result<(), EventsLineError> {
        self.jobs.check_open()?;
        match *record {
            Record::Run { .. } => Err(EventsLineError::SecondRun),
            Record::Summary { .. } => {
                self.jobs.complete();
                Ok(())
            }
            Record::Arrive { at_us, job, id, width, run_us, .. } => {
                self.needs.insert(job, (width, None));
                let of = JobAttributes { tasks: width, ..JobAttributes::default() };
                self.jobs.submit(Job::new(id, job, at_us, run_us, Share::ONE, of), watch)
            }
            Record::Skip { at_us, job } => self.jobs.remove(at_us, job, Change::Reject, watch),
            Record::Submit { at_us, job, cluster, .. } => {
                self.jobs_by_cluster
                    .get_mut(cluster as usize)
                    .ok_or(EventsLineError::Cores { cluster })?
                    .push(job);
                watch.job_queued(at_us, self.jobs.find(at_us, job)?, cluster);
                Ok(())
            }
            Record::Cancel { at_us, job, cluster, .. } => {
                self.jobs.find(at_us, job)?;
                self.record_departure(job, cluster);
                Ok(())
            }
            Record::Fail { at_us, .. } | Record::Repair { at_us, .. } | Record::Publish { at_us } => {
                self.jobs.advance(at_us)
            }
            Record::Local { cluster, ref record } => match **record {
                event::Record::Interrupt { at_us, job, .. } | event::Record::Pause { at_us, job } => {
                    let number = self.job_at(cluster, job)?;
                    self.requeue(at_us, number, cluster, watch)
                }
                event::Record::Resume { at_us, job, ref on, .. } => {
                    let number = self.job_at(cluster, job)?;
                    self.start(at_us, number, cluster, on, watch)
                }
                _ => Ok(()),
            },
            Record::Lose { at_us, job, cluster } => self.requeue(at_us, job, cluster, watch),
            Record::Start { at_us, job, cluster, ref on, .. } => self.start(at_us, job, cluster, on, watch),
            Record::Complete { at_us, job, .. } => self.jobs.remove(at_us, job, Change::Complete, watch),
        }
    }

    /// Records that a job left the queue or the cores of a cluster.
    fn record_departure(&mut self, number: u64, cluster: u32) {
        if let Some((_, left)) = self.needs.get_mut(&number) {
            left.get_or_insert(cluster);
        }
    }

    /// Lets a running job wait for another start.
    fn requeue(
        &mut self,
        at: u64,
        number: u64,
        cluster: u32,
        watch: &mut dyn Observer,
    ) -> Result<(), EventsLineError> {
        self.record_departure(number, cluster);
        self.jobs.change(at, number, Change::Pause, |job| job.stop(Phase::Waiting), watch)
    }

    /// Finds the job with this index in the order of submission to a cluster.
    fn job_at(&self, cluster: u32, place: u64) -> Result<u64, EventsLineError> {
        let numbers = self.jobs_by_cluster.get(cluster as usize).ok_or(EventsLineError::Cores { cluster })?;
        numbers.get(place as usize).copied().ok_or(EventsLineError::UnknownJob(place))
    }

    /// Starts a job on these cores of a cluster.
    fn start(
        &mut self,
        at: u64,
        number: u64,
        cluster: u32,
        on: &[(u32, u32)],
        watch: &mut dyn Observer,
    ) -> Result<(), EventsLineError> {
        let waits = self.jobs.find(at, number)?.check_phase(Change::Start);
        let (width, left) = self.needs[&number];
        let cores = &self.run.cores;
        let last = on.iter().map(|&(node, _)| node).max().unwrap_or(0);
        let tasks: u32 = on.iter().map(|&(_, tasks)| tasks).sum();
        if tasks != width || cores.get(cluster as usize).is_none_or(|&cores| last >= cores) {
            return Err(EventsLineError::Cores { cluster });
        }
        let first: u32 = cores[..cluster as usize].iter().sum();
        waits?;
        let change = if left.is_some_and(|left| left != cluster) { Change::Migrate } else { Change::Start };
        let on = on.iter().map(|&(node, tasks)| (first + node, tasks)).collect();
        self.jobs.apply(number, change, |job| job.run_on(on, Yield::ONE), watch)
    }
}
