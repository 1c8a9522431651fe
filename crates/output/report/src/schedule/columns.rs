//! Numbers of a schedule as text for a page: compressed columns of differences.
//!
//! Each number is written in groups of seven bits, lowest first, with the eighth bit set in all
//! groups but the last. Signed numbers are written as 2n, or as -2n - 1 if negative. The columns
//! follow each other without separators (their lengths are in the head), and are compressed with
//! DEFLATE and encoded in base 64. `data.js` reads them.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use dfrsim_model::greatest_common_divisor;
use dfrsim_plots::lives::{Change, JobHistories, NodeRun};
use flate2::Compression;
use flate2::write::DeflateEncoder;
use std::io::Write as _;

/// Encodes all columns, with times in this unit.
pub(super) fn encode(JobHistories { jobs, stays, queued, downs, .. }: &JobHistories, unit: u64) -> String {
    let pieces: Vec<(u64, u32)> = stays
        .iter()
        .flat_map(|stay| stay.pieces.iter().map(|(at, part)| (at - stay.from, part.units())))
        .collect();
    let runs: Vec<NodeRun> = stays.iter().flat_map(|stay| stay.runs.iter().copied()).collect();
    let mut bytes = Bytes::default();

    bytes.differences(jobs.iter().map(|job| job.id));
    bytes.differences(jobs.iter().map(|job| job.submit / unit));
    bytes.plain(jobs.iter().map(|job| (job.end - job.submit) / unit));
    bytes.plain(jobs.iter().map(|job| job.run / unit));
    bytes.plain(jobs.iter().map(|job| job.cpu_need.units().into()));
    bytes.plain(jobs.iter().map(|job| job.fate.map_or(0, code)));

    bytes.differences(stays.iter().map(|stay| stay.job as u64));
    bytes.differences(stays.iter().map(|stay| stay.from / unit));
    bytes.plain(stays.iter().map(|stay| (stay.to - stay.from) / unit));
    bytes.plain(stays.iter().map(|stay| code(stay.begin)));
    bytes.plain(stays.iter().map(|stay| stay.end.map_or(0, code)));
    bytes.plain(stays.iter().map(|stay| stay.pieces.len() as u64));
    bytes.plain(stays.iter().map(|stay| stay.runs.len() as u64));

    bytes.plain(pieces.iter().map(|(at, _)| at / unit));
    bytes.plain(pieces.iter().map(|&(_, job_yield)| job_yield.into()));

    bytes.differences(runs.iter().map(|run| run.first.into()));
    bytes.plain(runs.iter().map(|run| run.nodes.into()));
    bytes.plain(runs.iter().map(|run| run.tasks.into()));
    bytes.plain(runs.iter().map(|run| run.row.into()));

    bytes.differences(queued.iter().map(|one| one.job as u64));
    bytes.differences(queued.iter().map(|one| one.at / unit));
    bytes.plain(queued.iter().map(|one| one.cluster.into()));

    bytes.differences(downs.iter().map(|one| one.first.into()));
    bytes.plain(downs.iter().map(|one| one.nodes.into()));
    bytes.differences(downs.iter().map(|one| one.from / unit));
    bytes.plain(downs.iter().map(|one| (one.to - one.from) / unit));
    bytes.text()
}

/// Returns the number of a change in the page; 0 stands for none.
fn code(change: Change) -> u64 {
    change as u64 + 1
}

/// Removes everything outside the time window.
pub(super) fn clip(lives: &mut JobHistories) {
    let (from, to) = lives.shown;
    for life in lives.jobs.iter_mut().filter(|life| life.end > to) {
        (life.end, life.fate) = (to, None);
    }
    lives.stays.retain(|stay| stay.from < to || stay.to <= to);
    for stay in lives.stays.iter_mut().filter(|stay| stay.to > to) {
        (stay.to, stay.end) = (to, None);
        stay.pieces.retain(|piece| piece.0 <= to);
    }
    for down in &mut lives.downs {
        (down.from, down.to) = (down.from.max(from), down.to.min(to));
    }
    lives.downs.retain(|down| down.from < down.to);
    lives.downs.sort_by_key(|down| (down.from, down.first));
}

/// Returns the largest unit, in microseconds, of which all times are multiples: one second for most
/// schedules of whole nodes.
pub(super) fn common_unit(JobHistories { jobs, stays, queued, downs, shown, tau, .. }: &JobHistories) -> u64 {
    let of_jobs = jobs.iter().flat_map(|job| [job.submit, job.end, job.run]);
    let of_stays = stays.iter().flat_map(|stay| [stay.from, stay.to]);
    let of_pieces = stays.iter().flat_map(|stay| stay.pieces.iter().map(|piece| piece.0));
    let of_downs = downs.iter().flat_map(|down| [down.from, down.to]);
    let of_others = queued.iter().map(|one| one.at).chain(of_downs).chain([shown.0, shown.1, *tau]);
    let times = of_jobs.chain(of_stays).chain(of_pieces).chain(of_others);
    times.fold(0, greatest_common_divisor).max(1)
}

/// Buffer of encoded numbers.
#[derive(Default)]
struct Bytes(Vec<u8>);

impl Bytes {
    fn number(&mut self, mut number: u64) {
        while number >= 0x80 {
            self.0.push(number as u8 | 0x80);
            number >>= 7;
        }
        self.0.push(number as u8);
    }
    fn plain(&mut self, numbers: impl Iterator<Item = u64>) {
        numbers.for_each(|number| self.number(number));
    }
    /// Appends the difference of each number to its predecessor.
    fn differences(&mut self, numbers: impl Iterator<Item = u64>) {
        let mut last = 0;
        for number in numbers {
            let difference = number.wrapping_sub(last).cast_signed();
            self.number(((difference << 1) ^ (difference >> 63)).cast_unsigned());
            last = number;
        }
    }
    fn text(self) -> String {
        let mut encoder = DeflateEncoder::new(Vec::new(), Compression::best());
        let packed = encoder.write_all(&self.0).and_then(|()| encoder.finish());
        STANDARD.encode(packed.expect("writing to memory cannot fail"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::schedule::Schedule;
    use dfrsim_model::{Share, Yield};
    use dfrsim_plots::lives::{Down, JobAttributes, JobHistory, Queued, Stay};
    use flate2::read::DeflateDecoder;
    use proptest::prelude::*;
    use std::io::Read as _;

    /// Decodes columns in the same way as `data.js`.
    struct Reader(Vec<u8>, usize);

    impl Reader {
        fn new(text: &str) -> Reader {
            let packed = STANDARD.decode(text).unwrap();
            let mut bytes = Vec::new();
            DeflateDecoder::new(&packed[..]).read_to_end(&mut bytes).unwrap();
            Reader(bytes, 0)
        }
        fn number(&mut self) -> u64 {
            let (mut number, mut shift) = (0, 0);
            loop {
                let byte = self.0[self.1];
                self.1 += 1;
                number |= u64::from(byte & 0x7f) << shift;
                shift += 7;
                if byte < 0x80 {
                    return number;
                }
            }
        }
        fn plain(&mut self, count: usize) -> Vec<u64> {
            (0..count).map(|_| self.number()).collect()
        }
        fn differences(&mut self, count: usize) -> Vec<u64> {
            let mut last = 0_i64;
            let next = |_| {
                let number = self.number();
                last += (number >> 1).cast_signed() ^ -(number & 1).cast_signed();
                last.cast_unsigned()
            };
            (0..count).map(next).collect()
        }
    }

    proptest! {
        #[test]
        fn numbers_read_back(plain in prop::collection::vec(0..1_u64 << 53, 0..50), others in prop::collection::vec(0..1_u64 << 53, 0..50)) {
            let mut bytes = Bytes::default();
            bytes.plain(plain.iter().copied());
            bytes.differences(others.iter().copied());
            let mut reader = Reader::new(&bytes.text());
            prop_assert_eq!(reader.plain(plain.len()), plain);
            prop_assert_eq!(reader.differences(others.len()), others);
            prop_assert_eq!(reader.1, reader.0.len());
        }
    }

    #[test]
    fn the_script_knows_changes_by_their_numbers() {
        let numbers = Change::ALL.iter().map(|&change| format!("{change}: {}", code(change)));
        let expected = format!("const CHANGE = {{ {} }};", numbers.collect::<Vec<_>>().join(", "));
        assert!(include_str!("data.js").contains(&expected), "{expected}");
    }

    #[test]
    fn bytes_are_as_documented() {
        let mut bytes = Bytes::default();
        bytes.plain([5, 300].into_iter());
        bytes.differences([3, 1].into_iter());
        assert_eq!(bytes.0, [5, 0xac, 2, 6, 3]);
    }

    #[test]
    fn columns_are_in_their_order_and_times_in_the_largest_unit() {
        let share = |units| Share::try_from_units(units).unwrap();
        let part = |units| Yield::try_from_units(units).unwrap();
        let job = JobHistory {
            id: 7,
            sequence: 0,
            submit: 2_000_000,
            run: 500_000,
            cpu_need: share(9),
            of: JobAttributes::default(),
            end: 4_000_000,
            fate: Some(Change::Complete),
        };
        let stay = Stay {
            job: 0,
            from: 2_500_000,
            to: 4_000_000,
            begin: Change::Start,
            end: Some(Change::Complete),
            pieces: [(2_500_000, 77), (3_000_000, 99)].map(|(at, units)| (at, part(units))).to_vec(),
            runs: vec![NodeRun { first: 4, nodes: 2, tasks: 1, row: 3 }],
        };
        let queued = Queued { job: 0, at: 2_000_000, cluster: 1 };
        let down = Down { first: 2, nodes: 3, from: 1_000_000, to: 4_000_000 };
        let lives = JobHistories {
            clusters: vec![6],
            tau: 10_000_000,
            jobs: vec![job],
            stays: vec![stay],
            queued: vec![queued],
            downs: vec![down],
            shown: (0, 4_000_000),
            ..JobHistories::default()
        };
        let Schedule { head, data, .. } = Schedule::new(lives, None);
        assert_eq!((head.unit_us, head.from, head.to, head.tau), (500_000, 0, 8, 20));
        assert_eq!(
            (head.jobs, head.stays, head.pieces, head.runs, head.queued, head.downs),
            (1, 1, 2, 1, 1, 1)
        );
        let mut reader = Reader::new(&data);
        // Differences to 0 are twice the number.
        assert_eq!(
            reader.plain(6),
            [14, 8, 4, 1, 9, 9],
            "id, submit, time in the system, run time, need, fate"
        );
        assert_eq!(reader.plain(7), [0, 10, 3, 2, 9, 2, 1], "job, from, length, begin, end, pieces, runs");
        assert_eq!(reader.plain(4), [0, 1, 77, 99], "when, yield");
        assert_eq!(reader.plain(4), [8, 2, 1, 3], "first, nodes, tasks, row");
        assert_eq!(reader.plain(3), [0, 8, 1], "job, moment, cluster");
        assert_eq!(reader.plain(4), [4, 3, 4, 6], "first, nodes, from, length");
        assert_eq!(reader.1, reader.0.len());
    }
}
