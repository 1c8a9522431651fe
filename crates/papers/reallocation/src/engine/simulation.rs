//! Main loop of a grid simulation.

use crate::engine::cluster::Cluster;
use crate::engine::grid::{Due, Event, Grid};
use crate::engine::mapping::Mapper;
use crate::engine::reallocation::Reallocator;
use crate::engine::{GridError, GridJob, Observer, Options, Outcome, Platform};
use dfrsim_model::grid_event::{self, FORMAT_VERSION, Record};
use dfrsim_model::{JobId, SimSpan, SimTime};
use dfrsim_policies::batch::guarantees_start_times;
use std::borrow::Cow;

/// Simulates the jobs, which must be in their [order](GridJob::order), on the platform.
///
/// The order at one time is: jobs end; clusters fail or are repaired; local schedulers start jobs;
/// states are published; unassigned jobs are mapped; jobs arrive; waiting jobs are reallocated.
/// Local schedulers react immediately, after each submission and after each move.
///
/// # Errors
/// If options or jobs are invalid, or a job fits nowhere, before the simulation starts; or if the
/// simulation of a cluster fails.
pub fn simulate(
    platform: &Platform,
    jobs: &[GridJob],
    options: &Options,
    mut observer: impl Observer,
) -> Result<Outcome, GridError> {
    run(platform, jobs, options, &mut observer)
}

/// Runs the simulation for an observer behind a trait object, so that it is compiled once.
fn run(
    platform: &Platform,
    jobs: &[GridJob],
    options: &Options,
    observer: &mut dyn Observer,
) -> Result<Outcome, GridError> {
    check(platform, jobs, options)?;
    let clusters = platform.clusters();
    let local = platform.local();
    let listens = observer.listens();
    let cluster = |at: usize| {
        Cluster::new(platform, at, jobs, options.publication_period.is_some(), listens)
            .map_err(|error| GridError::of_cluster(&clusters[at].name, &error))
    };
    let own = (0..clusters.len()).map(cluster).collect::<Result<_, _>>()?;
    let mut grid = Grid::new(own, jobs, options.transfer, observer);
    let is_possible = |job: &usize| (0..clusters.len()).any(|at| grid.could_run(at, *job));
    if let Some(job) = (0..jobs.len()).find(|job| !is_possible(job)).filter(|_| !options.skip_too_wide) {
        return Err(format!(
            "job {} cannot run on any cluster: none has the nodes or allows the limits that it requests",
            jobs[job].id
        )
        .into());
    }
    grid.record(|| Record::Run {
        format: FORMAT_VERSION,
        local: Cow::Owned(local.to_string()),
        promises: guarantees_start_times(local),
        copies: u32::try_from(options.copies).unwrap_or(u32::MAX),
        threshold_us: options.reallocation.and_then(|each| each.moves_for_more_than()).map(SimSpan::micros),
        transfer_us: options.transfer.fixed.micros(),
        transfer_per_core_us: options.transfer.per_core.micros(),
        publication_us: options.publication_period.map(SimSpan::micros),
        clusters: clusters
            .iter()
            .map(|spec| grid_event::Cluster {
                cores: spec.cores,
                speed: spec.speed.thousandths(),
                local: spec.local.map(|local| local.to_string()),
            })
            .collect(),
    });
    for (cluster, spec) in (0..).zip(clusters) {
        for record in spec.conditions.records() {
            grid.record(|| Record::Local { cluster, record: Box::new(record) });
        }
    }
    let mut mapper = Mapper::new(*options);
    let mut reallocator = options.reallocation.map(Reallocator::new);
    if let (Some(first), Some(reallocator)) = (jobs.first(), &reallocator) {
        grid.schedule(first.submit + reallocator.options.period, &Event::Tick);
    }
    if let (Some(first), Some(period)) = (jobs.first(), options.publication_period) {
        grid.schedule(first.submit + period, &Event::Publication);
    }
    (0..clusters.len()).for_each(|at| grid.process_and_schedule(at));
    grid.schedule_changes();
    grid.schedule_arrival();
    while let Some(Due { change, publication, arrival, tick }) = grid.advance() {
        if grid.is_stuck() {
            break;
        }
        if let Some(period) = options.publication_period.filter(|_| publication) {
            grid.publish();
            grid.schedule(grid.now() + period, &Event::Publication);
        }
        if change {
            for job in grid.take_unassigned() {
                mapper.map_job(&mut grid, job);
            }
        }
        if arrival {
            while let Some(job) = grid.next_arrival() {
                mapper.map_job(&mut grid, job);
            }
            grid.schedule_arrival();
        }
        if let Some(reallocator) = reallocator.as_mut().filter(|_| tick) {
            reallocator.reallocate(&mut grid);
            if let Some(next) = next_tick(&grid, reallocator.options.period) {
                grid.schedule(next, &Event::Tick);
            }
        }
    }
    grid.finish()
}

/// Returns the next time of reallocation at which a job may be moved; `None` if there is none.
fn next_tick(grid: &Grid<'_>, period: SimSpan) -> Option<SimTime> {
    let next = grid.now() + period;
    if grid.waiting() > 0 || grid.may_change() {
        return Some(next);
    }
    // Ticks before the next arrival would find empty queues.
    let idle = grid.next_submission()?.saturating_since(next).micros();
    let period = period.micros();
    Some(SimTime::from_micros(next.micros() + idle.div_ceil(period) * period))
}

fn check(platform: &Platform, jobs: &[GridJob], options: &Options) -> Result<(), GridError> {
    if options.copies > 1 && options.reallocation.is_some() {
        return Err(
            "jobs submitted to several clusters cannot be reallocated as well; use one of the two".into()
        );
    }
    if options.copies > 1 && !options.transfer.is_zero() {
        return Err(
            "jobs submitted to several clusters cannot have data transfers; use one of the two".into()
        );
    }
    let mut periods =
        options.reallocation.map(|each| each.period).into_iter().chain(options.publication_period);
    if periods.any(SimSpan::is_zero) {
        return Err("the periods of reallocation and publication must be above 0".into());
    }
    if let Some(pair) = jobs.windows(2).find(|pair| pair[1].order() < pair[0].order()) {
        let job = pair[1].id;
        return Err(
            format!("job {job} is out of order: expected jobs by time of submission, then by id").into()
        );
    }
    let is_empty = |job: &&GridJob| job.width == 0 || job.run.is_zero() || job.walltime.is_zero();
    if let Some(job) = jobs.iter().find(is_empty) {
        return Err(format!("job {}: cores, run time and walltime must be above 0", job.id).into());
    }
    let cores_at = |home: u32| platform.clusters().get(home as usize).map_or(0, |cluster| cluster.cores);
    let at_home = |job: &GridJob| Some((job.id, job.width, cores_at(job.home?)));
    let too_wide =
        |&(_, width, cores): &(JobId, u32, u32)| cores == 0 || width > cores && !options.skip_too_wide;
    if let Some((job, width, cores)) = jobs.iter().filter_map(at_home).find(too_wide) {
        return Err(format!("local job {job} needs {width} cores, but its cluster has {cores}").into());
    }
    let widest = platform.widest();
    match jobs.iter().find(|job| job.width > widest) {
        Some(&GridJob { id, width, .. }) if !options.skip_too_wide => {
            Err(format!("job {id} needs {width} cores, but the largest cluster has {widest}").into())
        }
        _ => Ok(()),
    }
}
