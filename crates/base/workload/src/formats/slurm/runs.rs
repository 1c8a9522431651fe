//! Runs of requeued jobs.

use super::job::Run;
use super::state::State;
use crate::log::{Account, AccountingJob, Fate, Reason, Record};
use dfrsim_model::SimSpan;
use rustc_hash::FxHashMap;

/// Runs that are parts of a job with a later run.
const EARLIER_RUN: Reason =
    Reason { fate: Fate::LeftOut, text: "earlier runs of requeued jobs, whose last run is simulated" };
/// Run time of these.
const LOST: &str = "seconds of earlier runs of requeued jobs";

/// Merges the runs of each requeued job into one job, and counts them. It was submitted with its
/// first run; its nodes, its run time and its end are those of its last run that started. Its wait
/// is the time from its submission to that start.
pub(super) fn merge_runs(runs: Vec<Run>, account: &mut Account) -> Vec<AccountingJob> {
    let mut first_places: FxHashMap<&str, usize> = FxHashMap::default();
    first_places.reserve(runs.len());
    let mut places: FxHashMap<&str, Vec<usize>> = FxHashMap::default();
    for (place, run) in runs.iter().enumerate() {
        let id = run.job.id.as_str();
        let first = *first_places.entry(id).or_insert(place);
        if first < place {
            places.entry(id).or_insert_with(|| vec![first]).push(place);
        }
    }
    if places.is_empty() {
        for run in &runs {
            account.count_if(Reason::REQUEUED, run.state == State::Requeued);
        }
        return runs.into_iter().map(|run| run.job).collect();
    }
    // Place of the next run of the same job.
    let mut next: Vec<Option<usize>> = vec![None; runs.len()];
    for mut places in places.into_values() {
        places.sort_by_key(|&place| (runs[place].job.submit, place));
        for pair in places.windows(2) {
            if is_continued(&runs[pair[0]], &runs[pair[1]].job) {
                next[pair[0]] = Some(pair[1]);
            }
        }
    }
    let is_alone: Vec<bool> = {
        let mut has_previous = vec![false; runs.len()];
        next.iter().flatten().for_each(|&place| has_previous[place] = true);
        has_previous.iter().zip(&next).map(|(previous, next)| !previous && next.is_none()).collect()
    };
    for (run, is_alone) in runs.iter().zip(&is_alone) {
        account.count_if(Reason::REQUEUED, *is_alone && run.state == State::Requeued);
    }
    let mut jobs: Vec<Option<AccountingJob>> = runs.into_iter().map(|run| Some(run.job)).collect();
    // The first runs come before those that continue them, by submit time.
    let mut order: Vec<usize> = (0..jobs.len()).filter(|&place| next[place].is_some()).collect();
    order.sort_by_key(|&place| (jobs[place].as_ref().map(|job| job.submit), place));
    let mut lost = 0;
    for place in order {
        let Some(at) = next[place] else { continue };
        if let (Some(earlier), Some(later)) = (jobs[place].take(), jobs[at].take()) {
            account.count(EARLIER_RUN);
            let (job, seconds) = merged(earlier, later);
            lost += seconds;
            jobs[at] = Some(job);
        }
    }
    account.add_text(Fate::Noted, LOST, lost);
    jobs.into_iter().flatten().collect()
}

/// Returns whether a job is the continuation of a run with the same number. Other jobs may
/// have the same number, if the database was set up anew.
fn is_continued(run: &Run, job: &AccountingJob) -> bool {
    let is_same =
        run.job.record.user == job.record.user && run.job.record.executable == job.record.executable;
    let at_once = run.job.end.is_some_and(|end| (0..=1).contains(&(job.submit - end)));
    is_same && (matches!(run.state, State::Interrupted | State::Requeued) || at_once)
}

/// Merges a run into the next one; returns the seconds that it ran in vain.
fn merged(earlier: AccountingJob, later: AccountingJob) -> (AccountingJob, u64) {
    let (submit, eligible) = (earlier.submit, earlier.eligible);
    let run_time = earlier.record.run_time.map_or(0, |run| run.micros() / 1_000_000);
    let (mut job, lost) = match later.end {
        Some(_) => (later, run_time),
        // The job did not start again.
        None => {
            let record = Record { status: later.record.status, ..earlier.record };
            (AccountingJob { record, ..earlier }, 0)
        }
    };
    let since = job.submit.abs_diff(submit);
    job.record.wait = job.record.wait.map(|wait| wait + SimSpan::from_secs(since));
    (job.submit, job.eligible) = (submit, eligible);
    (job, lost)
}
