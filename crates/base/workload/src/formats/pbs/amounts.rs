//! Parsers of times, memory amounts and processor counts of PBS.

use crate::log::{MAX_SECONDS, clock_seconds};

/// Parses a duration in seconds: `[[hours:]minutes:]seconds`. Decimals are truncated.
pub(super) fn span(text: &str) -> Option<u64> {
    clock_seconds(text, 1..=3).filter(|&seconds| seconds <= MAX_SECONDS)
}

/// Parses an amount of memory into kilobytes: `2gb`, `1048576kb`, `100mw` (words of eight bytes).
/// Without a unit it is in bytes.
pub(super) fn memory(text: &str) -> Option<f64> {
    let digits = text.trim_end_matches(|letter: char| letter.is_ascii_alphabetic());
    let unit = text[digits.len()..].to_ascii_lowercase();
    let (prefix, bytes) = match unit.strip_suffix('w') {
        Some(prefix) => (prefix.to_owned(), 8.0),
        None => (unit.strip_suffix('b').unwrap_or(&unit).to_owned(), 1.0),
    };
    let power = ["", "k", "m", "g", "t", "p"].iter().position(|it| *it == prefix)?;
    let number = digits.parse::<f64>().ok().filter(|number| (0.0..=1e18).contains(number))?;
    Some(number * bytes * 1024_f64.powi(power as i32 - 1))
}

/// Total resources of a request for nodes or chunks.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct Request {
    pub(super) processors: u64,
    /// Memory in kilobytes; 0 if not specified.
    pub(super) memory: f64,
    pub(super) gpus: u64,
}

/// Parses a specification of nodes (`2:ppn=4+bignode:ppn=8:gpus=1`) or chunks
/// (`2:ncpus=4:mem=8gb:ngpus=1+4:ncpus=1`).
///
/// A part that begins with a name is one node. A part without a number of processors has one
/// processor per node.
pub(super) fn request(text: &str) -> Option<Request> {
    let mut sum = Request::default();
    for part in text.split('+') {
        let mut words = part.split(':');
        let first = words.next()?;
        let count: u64 =
            if first.bytes().all(|byte| byte.is_ascii_digit()) { first.parse().ok()? } else { 1 };
        let (mut processors, mut kilobytes, mut gpus) = (1_u64, 0.0, 0_u64);
        // The first word may already be an attribute such as `ncpus=4`.
        for word in std::iter::once(first).chain(words) {
            match word.split_once('=') {
                Some(("ppn" | "ncpus", number)) => processors = number.parse().ok()?,
                Some(("mem", amount)) => kilobytes = memory(amount)?,
                Some(("gpus" | "ngpus", number)) => gpus = number.split(':').next()?.parse().ok()?,
                _ => {}
            }
        }
        sum.processors = sum.processors.checked_add(count.checked_mul(processors)?)?;
        sum.gpus = sum.gpus.checked_add(count.checked_mul(gpus)?)?;
        sum.memory += count as f64 * kilobytes;
    }
    Some(sum)
}

/// Counts the processors in a list of hosts: `n1/0+n1/1` and `n1/0-3,6` of Torque, `n1/0*4+n2/0*4`
/// of OpenPBS.
pub(super) fn processors_of_hosts(text: &str) -> Option<u64> {
    let processors = |host: &str| -> Option<u64> {
        let (_, places) = host.split_once('/')?;
        if let Some((_, count)) = places.split_once('*') {
            return count.parse().ok();
        }
        let of_range = |range: &str| match range.split_once('-') {
            Some((first, last)) => last
                .parse::<u64>()
                .ok()?
                .checked_sub(first.parse().ok()?)
                .and_then(|more| more.checked_add(1)),
            None => range.parse::<u64>().ok().map(|_| 1),
        };
        places.split(',').map(of_range).try_fold(0_u64, |sum, number| sum.checked_add(number?))
    };
    text.split('+').map(processors).try_fold(0_u64, |sum, number| sum.checked_add(number?))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::log::Kilobytes;

    #[test]
    fn times_and_memory() {
        let spans = ["00:16:40", "100:00:00", "90", "1:30", "00:00:03.7"].map(span);
        assert_eq!(spans, [Some(1_000), Some(360_000), Some(90), Some(90), Some(3)]);
        for wrong in ["", "x", "1:2:3:4", "-5", "99999999999999"] {
            assert_eq!(span(wrong), None, "{wrong}");
        }
        let amounts = ["2gb", "1048576kb", "100mw", "2048b", "2048", "1TB", "3m"].map(memory);
        let expected = [2_097_152.0, 1_048_576.0, 819_200.0, 2.0, 2.0, 1_073_741_824.0, 3_072.0];
        assert_eq!(amounts, expected.map(Some));
        for wrong in ["", "gb", "-1gb", "1xb", "nanb"] {
            assert_eq!(memory(wrong), None, "{wrong}");
        }
        assert_eq!(Kilobytes::rounded(6.0 / 4.0).map(|it| it.to_string()).as_deref(), Some("1.5"));
    }

    #[test]
    fn requests_add_up() {
        let of = |text| request(text).map(|it| (it.processors, it.memory, it.gpus));
        assert_eq!(of("2:ppn=4"), Some((8, 0.0, 0)));
        assert_eq!(of("1"), Some((1, 0.0, 0)));
        assert_eq!(of("node17:ppn=8+2:big:ppn=4:gpus=1"), Some((16, 0.0, 2)));
        assert_eq!(of("2:ncpus=4:mem=8gb+ncpus=1:mem=1gb:ngpus=2"), Some((9, 17.0 * 1_048_576.0, 2)));
        for wrong in ["2:ppn=x", "99999999999999999999:ppn=2", "18446744073709551615:ppn=2"] {
            assert_eq!(request(wrong), None, "{wrong}");
        }
    }

    #[test]
    fn hosts_are_counted_by_processors() {
        let found = ["n1/0", "n1/0+n1/1+n2/0", "n1/0-3,6+n2/0", "n1/0*4+n2/1*2"].map(processors_of_hosts);
        assert_eq!(found, [Some(1), Some(3), Some(6), Some(6)]);
        for wrong in ["", "n1", "n1/x", "n1/5-3", "n1/0-18446744073709551615"] {
            assert_eq!(processors_of_hosts(wrong), None, "{wrong}");
        }
    }
}
