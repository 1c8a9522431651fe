//! Logs in which each job looks like those of several users.

use super::identified::{count, known};
use crate::log::{Record, Status};
use dfrsim_model::{SimSpan, SimTime};

/// The factors between the steps to which run times, widths and requests are rounded, one after the other: jobs that are too
/// rare at one step are tried at the next, and left out after the last.
const FACTORS: [f64; 4] = [1.5, 2.0, 4.0, 16.0];
/// Submissions are rounded down to this many seconds.
const SUBMISSION_STEP: u64 = 900;

/// What was done to a log.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Coarse {
    /// The jobs that were left out, because too few users have similar ones.
    pub dropped: usize,
    /// The users of whom no job is left.
    pub lost_users: usize,
}

/// A log has too few users to hide one among others.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the log has {users} users, fewer than the {k} among whom each is to be hidden")]
pub struct TooFewUsers {
    /// Its users.
    pub users: usize,
    /// How many there should be at least.
    pub k: usize,
}

/// Makes run time, width and requested time of each job those of a group of similar jobs of at least `k` users, and leaves out
/// jobs for which there is no such group. A group has the mean run time and width of its jobs, so that the load stays about the
/// same. Submissions are rounded down to a quarter of an hour. What the simulation does not need goes: waits, memory, CPU times,
/// applications, groups, queues, partitions, preceding jobs, and how jobs ended.
///
/// Who knows several jobs of a user, or when one was submitted, may still find them.
///
/// # Errors
/// The log has fewer than `k` users.
pub fn coarse(records: &mut Vec<Record>, k: usize) -> Result<Coarse, TooFewUsers> {
    let users = count(&mut records.iter().map(|record| record.user));
    if users < k {
        return Err(TooFewUsers { users, k });
    }
    let mut left: Vec<usize> = (0..records.len()).collect();
    for factor in FACTORS {
        let step = |(rank, &place): (usize, &usize)| (rounded(&records[place], factor), rank, place);
        let mut steps: Vec<([Option<i64>; 3], usize, usize)> = left.iter().enumerate().map(step).collect();
        steps.sort_unstable();
        left.clear();
        for group in steps.chunk_by(|a, b| a.0 == b.0) {
            let places: Vec<usize> = group.iter().map(|(.., place)| *place).collect();
            match count(&mut places.iter().map(|&place| records[place].user)) >= k {
                true => make_alike(records, &places),
                false => left.extend(places),
            }
        }
    }
    left.sort_unstable();
    let mut place = 0..;
    records.retain(|_| left.binary_search(&place.next().unwrap_or(0)).is_err());
    let lost_users = users - count(&mut records.iter().map(|record| record.user));
    Ok(Coarse { dropped: left.len(), lost_users })
}

/// The steps on which a job is.
fn rounded(record: &Record, factor: f64) -> [Option<i64>; 3] {
    let (run, width, request) = known(record);
    let step = |value: f64| (value.max(1.0).ln() / factor.ln()).round() as i64;
    let of_time = |span: SimSpan| if span.is_zero() { -1 } else { step(span.as_secs_f64()) };
    [run.map(of_time), width.map(|width| step(width.into())), request.map(of_time)]
}

/// Gives the jobs of a group the same run time, width and request.
fn make_alike(records: &mut [Record], group: &[usize]) {
    let mean = |value: &dyn Fn(&Record) -> Option<f64>| {
        let values: Vec<f64> = group.iter().filter_map(|&place| value(&records[place])).collect();
        (!values.is_empty()).then(|| (values.iter().sum::<f64>() / values.len() as f64).round())
    };
    let seconds = |span: SimSpan| span.as_secs_f64();
    let span = |seconds: f64| SimSpan::from_secs(seconds as u64);
    let run_time = mean(&|record| record.run_time.map(seconds)).map(span);
    let width = mean(&|record| known(record).1.map(f64::from)).map(|width| width as u32);
    let requested_time = mean(&|record| record.requested_time.map(seconds)).map(span);
    // A request below the run time would end the job.
    let requested_time = requested_time.map(|request| request.max(run_time.unwrap_or_default()));
    for &place in group {
        let (record, step) = (&records[place], SUBMISSION_STEP * 1_000_000);
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
        // Four users with jobs of about 1,000 s, one of them with a job like no other.
        let mut records: Vec<Record> = (0..4).map(|user| job(user, 1_000 + u64::from(user), 4)).collect();
        records.push(job(3, 9_000_000, 64));
        let one_job = |by_one_job, k| super::super::Identified { users: 4, by_one_job, k };
        assert_eq!(identified(&records), one_job(4, 1));
        let done = coarse(&mut records, 3).unwrap();
        assert_eq!(done, Coarse { dropped: 1, lost_users: 0 });
        assert_eq!(identified(&records), one_job(0, 4));
        assert!(records.iter().all(|it| it.run_time == Some(SimSpan::from_secs(1_002))));
        assert!(records.iter().all(|it| it.submit == SimTime::from_secs(1_800)));
        assert_eq!(coarse(&mut records, 5), Err(TooFewUsers { users: 4, k: 5 }));
    }

    /// Any log of enough users is k-anonymous afterwards.
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
            coarse(&mut records, k).unwrap();
            assert!(identified(&records).k >= k && records.len() > 300, "{k}");
        }
    }
}
