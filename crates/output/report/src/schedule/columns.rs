//! The numbers of a schedule as text for a page: columns of differences, compressed.
//!
//! Each number is written in groups of seven bits, the lowest first, the eighth bit set in all groups but the last; signed
//! numbers as 2n, or -2n - 1 below 0. The columns follow each other without a gap (their lengths are in the head), are
//! compressed with DEFLATE and written in base 64. `data.js` reads them.

use super::life::{Down, Life, Queued, Run, Stay};
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use dfrsim_plots::replay::Change;
use flate2::Compression;
use flate2::write::DeflateEncoder;
use std::io::Write as _;

/// The columns of a schedule.
#[derive(Debug)]
pub(super) struct Columns {
    pub(super) counts: Counts,
    /// The largest time, in microseconds, of which all times are multiples.
    pub(super) unit: u64,
    /// What is shown, in units.
    pub(super) from: u64,
    pub(super) to: u64,
    pub(super) tau: u64,
    pub(super) data: String,
}

/// How many of each there are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Counts {
    pub(super) jobs: usize,
    pub(super) stays: usize,
    pub(super) pieces: usize,
    pub(super) runs: usize,
    pub(super) queued: usize,
    pub(super) downs: usize,
}

impl Columns {
    /// Those of lives, stays and times in which nodes are down, the latter two in the order of their begins.
    pub(super) fn new(
        jobs: &[Life],
        stays: &[Stay],
        queued: &[Queued],
        downs: &[Down],
        (from, to): (u64, u64),
        tau: u64,
    ) -> Columns {
        let unit = unit(jobs, stays, queued, downs, [from, to, tau]);
        let pieces: Vec<(u64, u32)> = stays
            .iter()
            .flat_map(|stay| stay.pieces.iter().map(|&(at, job_yield)| (at - stay.from, job_yield)))
            .collect();
        let runs: Vec<Run> = stays.iter().flat_map(|stay| stay.runs.iter().copied()).collect();
        let mut bytes = Bytes::default();

        bytes.differences(jobs.iter().map(|job| job.id));
        bytes.differences(jobs.iter().map(|job| job.submit / unit));
        bytes.plain(jobs.iter().map(|job| (job.end - job.submit) / unit));
        bytes.plain(jobs.iter().map(|job| job.run / unit));
        bytes.plain(jobs.iter().map(|job| job.cpu_need.into()));
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

        bytes.differences(queued.iter().map(|one| one.job as u64));
        bytes.differences(queued.iter().map(|one| one.at / unit));
        bytes.plain(queued.iter().map(|one| one.cluster.into()));

        bytes.differences(downs.iter().map(|one| one.first.into()));
        bytes.plain(downs.iter().map(|one| one.nodes.into()));
        bytes.differences(downs.iter().map(|one| one.from / unit));
        bytes.plain(downs.iter().map(|one| (one.to - one.from) / unit));

        let counts = Counts {
            jobs: jobs.len(),
            stays: stays.len(),
            pieces: pieces.len(),
            runs: runs.len(),
            queued: queued.len(),
            downs: downs.len(),
        };
        Columns { counts, unit, from: from / unit, to: to / unit, tau: tau / unit, data: bytes.text() }
    }
}

/// The number of a change in the page; 0 is none.
const fn code(change: Change) -> u64 {
    match change {
        Change::Submit => 1,
        Change::Start => 2,
        Change::Pause => 3,
        Change::Resume => 4,
        Change::Migrate => 5,
        Change::Yield => 6,
        Change::Reject => 7,
        Change::Kill => 8,
        Change::Complete => 9,
        Change::Interrupt => 10,
        Change::Lose => 11,
    }
}

/// The greatest common divisor of all times: a second for most whole-node schedules.
fn unit(jobs: &[Life], stays: &[Stay], queued: &[Queued], downs: &[Down], others: [u64; 3]) -> u64 {
    let of_jobs = jobs.iter().flat_map(|job| [job.submit, job.end, job.run]);
    let of_stays = stays.iter().flat_map(|stay| [stay.from, stay.to]);
    let of_pieces = stays.iter().flat_map(|stay| stay.pieces.iter().map(|piece| piece.0));
    let of_downs = downs.iter().flat_map(|down| [down.from, down.to]);
    let of_others = queued.iter().map(|one| one.at).chain(of_downs).chain(others);
    let times = of_jobs.chain(of_stays).chain(of_pieces).chain(of_others);
    times.fold(0, divisor).max(1)
}

fn divisor(a: u64, b: u64) -> u64 {
    if b == 0 { a } else { divisor(b, a % b) }
}

/// Numbers one after the other.
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
    /// Each number's difference to the one before.
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
        STANDARD.encode(packed.expect("memory can be written"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use flate2::read::DeflateDecoder;
    use proptest::prelude::*;
    use std::io::Read as _;

    /// As `data.js` reads them.
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
    fn bytes_are_as_documented() {
        let mut bytes = Bytes::default();
        bytes.plain([5, 300].into_iter());
        bytes.differences([3, 1].into_iter());
        assert_eq!(bytes.0, [5, 0xac, 2, 6, 3]);
    }

    #[test]
    fn columns_are_in_their_order_and_times_in_the_largest_unit() {
        let job = Life {
            id: 7,
            submit: 2_000_000,
            run: 500_000,
            cpu_need: 9,
            end: 4_000_000,
            fate: Some(Change::Complete),
        };
        let stay = Stay {
            job: 0,
            from: 2_500_000,
            to: 4_000_000,
            begin: Change::Start,
            end: Some(Change::Complete),
            pieces: vec![(2_500_000, 77), (3_000_000, 99)],
            runs: vec![Run { first: 4, nodes: 2, tasks: 1 }],
        };
        let queued = Queued { job: 0, at: 2_000_000, cluster: 1 };
        let down = Down { first: 2, nodes: 3, from: 1_000_000, to: 4_000_000 };
        let columns = Columns::new(&[job], &[stay], &[queued], &[down], (0, 4_000_000), 10_000_000);
        assert_eq!((columns.unit, columns.from, columns.to, columns.tau), (500_000, 0, 8, 20));
        assert_eq!(columns.counts, Counts { jobs: 1, stays: 1, pieces: 2, runs: 1, queued: 1, downs: 1 });
        let mut reader = Reader::new(&columns.data);
        // Differences to 0 are twice the number.
        assert_eq!(
            reader.plain(6),
            [14, 8, 4, 1, 9, 9],
            "id, submit, time in the system, run time, need, fate"
        );
        assert_eq!(reader.plain(7), [0, 10, 3, 2, 9, 2, 1], "job, from, length, begin, end, pieces, runs");
        assert_eq!(reader.plain(4), [0, 1, 77, 99], "when, yield");
        assert_eq!(reader.plain(3), [8, 2, 1], "first, nodes, tasks");
        assert_eq!(reader.plain(3), [0, 8, 1], "job, moment, cluster");
        assert_eq!(reader.plain(4), [4, 3, 4, 6], "first, nodes, from, length");
        assert_eq!(reader.1, reader.0.len());
    }
}
