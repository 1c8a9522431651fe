//! Generalisation of logs until each job looks like those of several users.

use super::identified::{count_users, quasi_identifiers};
use crate::log::{Record, Status};
use dfrsim_model::{SimSpan, SimTime};

/// Ratios of consecutive buckets to which run times, sizes and requested times are rounded, from
/// fine to coarse. Jobs that are too rare at one ratio are tried at the next, and dropped after the
/// last.
const FACTORS: [f64; 4] = [1.5, 2.0, 4.0, 16.0];
/// Period to multiples of which [`coarsen`] rounds submit times down.
pub const COARSE_SUBMISSION: SimSpan = SimSpan::from_secs(900);

/// Jobs and users that were lost by generalising a log.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct CoarseningLosses {
    /// Jobs that were dropped because too few users have similar ones.
    pub dropped: usize,
    /// Users who have no jobs left.
    pub lost_users: usize,
}

/// The log has too few users to hide one among `k`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the log has {users} users, but hiding each among {k} needs at least that many")]
pub struct TooFewUsers {
    /// Number of users of the log.
    pub users: usize,
    /// Smallest sufficient number of users.
    pub k: usize,
}

/// Generalises a log to groups of similar jobs of at least `k` users, and drops the jobs that fit in
/// no such group.
///
/// The jobs of a group get its mean run time and mean size, so that the load hardly changes, and its
/// mean requested time. Submit times are rounded down to 15 minutes. Fields that the simulation does
/// not need are removed: wait times, memory, CPU times, applications, groups, queues, partitions,
/// preceding jobs, and exit states.
///
/// A user may still be identified by anyone who knows several of the user's jobs, or the submit time
/// of one.
///
/// # Errors
///
/// The log has fewer than `k` users.
pub fn coarsen(records: &mut Vec<Record>, k: usize) -> Result<CoarseningLosses, TooFewUsers> {
    let users = count_users(&mut records.iter().map(|record| record.user));
    if users < k {
        return Err(TooFewUsers { users, k });
    }
    let mut left: Vec<usize> = (0..records.len()).collect();
    for factor in FACTORS {
        let step = |(rank, &place): (usize, &usize)| (buckets_of(&records[place], factor), rank, place);
        let mut steps: Vec<([Option<i64>; 3], usize, usize)> = left.iter().enumerate().map(step).collect();
        steps.sort_unstable();
        left.clear();
        for group in steps.chunk_by(|a, b| a.0 == b.0) {
            let places: Vec<usize> = group.iter().map(|(.., place)| *place).collect();
            match count_users(&mut places.iter().map(|&place| records[place].user)) >= k {
                true => make_alike(records, &places),
                false => left.extend(places),
            }
        }
    }
    left.sort_unstable();
    let mut place = 0..;
    records.retain(|_| left.binary_search(&place.next().unwrap_or(0)).is_err());
    let lost_users = users - count_users(&mut records.iter().map(|record| record.user));
    Ok(CoarseningLosses { dropped: left.len(), lost_users })
}

/// Returns the buckets of a job's run time, size and requested time, on a logarithmic scale.
fn buckets_of(record: &Record, factor: f64) -> [Option<i64>; 3] {
    let (run, width, request) = quasi_identifiers(record);
    let step = |value: f64| (value.max(1.0).ln() / factor.ln()).round() as i64;
    let of_time = |span: SimSpan| if span.is_zero() { -1 } else { step(span.as_secs_f64()) };
    [run.map(of_time), width.map(|width| step(width.into())), request.map(of_time)]
}

/// Sets run time, size and requested time of the jobs of a group to the group's means.
fn make_alike(records: &mut [Record], group: &[usize]) {
    let mean = |value: &dyn Fn(&Record) -> Option<f64>| {
        let values: Vec<f64> = group.iter().filter_map(|&place| value(&records[place])).collect();
        (!values.is_empty()).then(|| (values.iter().sum::<f64>() / values.len() as f64).round())
    };
    let seconds = |span: SimSpan| span.as_secs_f64();
    let span = |seconds: f64| SimSpan::from_secs(seconds as u64);
    let run_time = mean(&|record| record.run_time.map(seconds)).map(span);
    let width = mean(&|record| quasi_identifiers(record).1.map(f64::from)).map(|width| width as u32);
    let requested_time = mean(&|record| record.requested_time.map(seconds)).map(span);
    // The job would be killed if its requested time were below its run time.
    let requested_time = requested_time.map(|request| request.max(run_time.unwrap_or_default()));
    for &place in group {
        let (record, step) = (&records[place], COARSE_SUBMISSION.micros());
        let submit =
            SimTime::ZERO + SimSpan::from_micros(record.submit.since(SimTime::ZERO).micros() / step * step);
        records[place] = Record {
            job: record.job,
            submit,
            run_time,
            allocated_processors: width,
            requested_processors: width,
            requested_time,
            status: Status::Completed,
            user: record.user,
            ..Record::default()
        };
    }
}

#[cfg(test)]
mod tests {
    use super::super::identified;
    use super::*;

    fn job(user: u32, run: u64, width: u32) -> Record {
        Record {
            user: Some(user),
            run_time: Some(SimSpan::from_secs(run)),
            requested_processors: Some(width),
            requested_time: Some(SimSpan::from_secs(2 * run)),
            submit: SimTime::from_secs(1_000 + run),
            ..Record::default()
        }
    }

    #[test]
    fn each_job_is_hidden_among_those_of_k_users_or_left_out() {
        // Four users have jobs of about 1,000 s, and one of them also has a unique job.
        let mut records: Vec<Record> = (0..4).map(|user| job(user, 1_000 + u64::from(user), 4)).collect();
        records.push(job(3, 9_000_000, 64));
        let one_job = |by_one_job, k| super::super::Identified { users: 4, by_one_job, k };
        assert_eq!(identified(&records), one_job(4, 1));
        let done = coarsen(&mut records, 3).unwrap();
        assert_eq!(done, CoarseningLosses { dropped: 1, lost_users: 0 });
        assert_eq!(identified(&records), one_job(0, 4));
        assert!(records.iter().all(|it| it.run_time == Some(SimSpan::from_secs(1_002))));
        assert!(records.iter().all(|it| it.submit == SimTime::from_secs(1_800)));
        assert_eq!(coarsen(&mut records, 5), Err(TooFewUsers { users: 4, k: 5 }));
    }

    /// Any log with enough users is k-anonymous afterwards.
    #[test]
    fn k_holds_for_random_logs() {
        let mut state = 7_u64;
        let mut draw = |most: u64| {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            (state >> 33) % most
        };
        for k in 1..8 {
            let mut records: Vec<Record> =
                (0..500).map(|_| job(draw(20) as u32, draw(100_000), 1 + draw(64) as u32)).collect();
            coarsen(&mut records, k).unwrap();
            assert!(identified(&records).k >= k && records.len() > 300, "{k}");
        }
    }
}
