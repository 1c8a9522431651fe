//! Earliest deadline first with resident jobs.

use super::free_nodes::Place;
use super::seen::{Decided, SeenJob, Situation, State};
use crate::Phase;
use dfrsim_model::Yield;

/// Shortest estimate that counts, in microseconds.
const SHORTEST: u64 = 10_000_000;

/// Job in memory, and its share of the CPU.
struct Resident {
    number: u64,
    on: Place,
    /// True if it runs; jobs whose turn has not come do not.
    runs: bool,
    level: u32,
}

/// Recomputes a decision. Jobs are served by their deadline, submission + stretch * estimate.
pub(super) fn decide(stretch: u32, situation: &Situation<'_>) -> Decided {
    let Situation { now, jobs, .. } = *situation;
    let due = |job: &SeenJob| {
        (now - job.flow).saturating_add(job.estimate.max(SHORTEST).saturating_mul(stretch.into()))
    };
    let mut waits_for_service: Vec<u64> = jobs.keys().copied().collect();
    waits_for_service.sort_by_key(|number| (due(&jobs[number]), *number));
    let on_nodes = waits_for_service.iter().copied().filter(|number| jobs[number].is_running());
    let mut residents: Vec<Resident> = on_nodes
        .map(|number| Resident {
            number,
            on: jobs[&number].state.place.clone(),
            runs: false,
            level: jobs[&number].state.level,
        })
        .collect();
    let mut decided = Decided::default();
    let free = |residents: &[Resident]| {
        let mut free = situation.nodes();
        for Resident { number, on, runs, level } in residents {
            free.take_memory(jobs[number].size(), on);
            if *runs {
                free.take_cpu(jobs[number].at(*level), on);
            }
        }
        free
    };
    while !waits_for_service.is_empty() {
        let number = waits_for_service.remove(0);
        let job = &jobs[&number];
        if job.is_running() {
            let left = free(&residents);
            let Some(own) = residents.iter_mut().find(|it| it.number == number) else { continue };
            let level = job.first_level(|size| left.has_cpu(size, &own.on));
            own.runs = level.is_some();
            own.level = level.unwrap_or(own.level);
            let job_yield = if own.runs { Yield::ONE.units() } else { 0 };
            let (phase, place, level) = (Phase::Running, own.on.clone(), own.level);
            decided.changed.insert(number, State { phase, place, job_yield, level });
            continue;
        }
        // Jobs in memory that are due later, the last one first.
        let later: Vec<u64> =
            waits_for_service.iter().rev().copied().filter(|it| has(&residents, *it)).collect();
        let room = (0..=later.len()).find_map(|count| {
            let stay = residents.iter().filter(|it| !later[..count].contains(&it.number));
            let copy = |it: &Resident| Resident { on: it.on.clone(), ..*it };
            let mut free = free(&stay.map(copy).collect::<Vec<Resident>>());
            // Others are paused for full speed only.
            let level = match count {
                0 => job.first_level(|size| free.fits(size, job.tasks))?,
                _ => 0,
            };
            Some((count, level, free.place(job.at(level), job.tasks)?))
        });
        if let Some((count, level, on)) = room {
            for leaving in &later[..count] {
                residents.retain(|it| it.number != *leaving);
                decided.changed.insert(*leaving, State { phase: Phase::Paused, ..State::default() });
                waits_for_service.retain(|it| it != leaving);
            }
            let (place, job_yield) = (on.clone(), Yield::ONE.units());
            decided.changed.insert(number, State { phase: Phase::Running, place, job_yield, level });
            residents.push(Resident { number, on, runs: true, level });
        }
    }
    decided.wake = situation.next_step.filter(|_| !jobs.is_empty());
    decided
}

/// Returns whether a job is in memory.
fn has(residents: &[Resident], number: u64) -> bool {
    residents.iter().any(|it| it.number == number)
}
