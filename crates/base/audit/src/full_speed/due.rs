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
        .map(|number| Resident { number, on: jobs[&number].state.place.clone(), runs: false })
        .collect();
    let mut decided = Decided::default();
    let free = |residents: &[Resident]| {
        let mut free = situation.nodes();
        for Resident { number, on, runs } in residents {
            free.take_memory(&jobs[number].size, on);
            if *runs {
                free.take_cpu(&jobs[number].size, on);
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
            own.runs = left.has_cpu(&job.size, &own.on);
            let job_yield = if own.runs { Yield::ONE.units() } else { 0 };
            decided.changed.insert(number, State { phase: Phase::Running, place: own.on.clone(), job_yield });
            continue;
        }
        // Jobs in memory that are due later, the last one first.
        let later: Vec<u64> =
            waits_for_service.iter().rev().copied().filter(|it| has(&residents, *it)).collect();
        let room = (0..=later.len()).find_map(|count| {
            let stay = residents.iter().filter(|it| !later[..count].contains(&it.number));
            let stay: Vec<Resident> =
                stay.map(|it| Resident { number: it.number, on: it.on.clone(), runs: it.runs }).collect();
            Some((count, free(&stay).place(&job.size, job.tasks)?))
        });
        if let Some((count, on)) = room {
            for leaving in &later[..count] {
                residents.retain(|it| it.number != *leaving);
                decided.changed.insert(*leaving, State { phase: Phase::Paused, ..State::default() });
                waits_for_service.retain(|it| it != leaving);
            }
            let state = State { phase: Phase::Running, place: on.clone(), job_yield: Yield::ONE.units() };
            decided.changed.insert(number, state);
            residents.push(Resident { number, on, runs: true });
        }
    }
    decided.wake = situation.next_step.filter(|_| !jobs.is_empty());
    decided
}

/// Returns whether a job is in memory.
fn has(residents: &[Resident], number: u64) -> bool {
    residents.iter().any(|it| it.number == number)
}
