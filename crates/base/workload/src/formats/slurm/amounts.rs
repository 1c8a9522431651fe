//! Parsers of durations, memory amounts and trackable resources of `sacct`.

use crate::formats::times::timestamp;
use crate::log::{MAX_SECONDS, clock_seconds};

/// Returns whether the text stands for a time that has not come or never came.
pub(super) fn is_never(text: &str) -> bool {
    matches!(text, "" | "Unknown" | "None" | "N/A")
}

/// Parses a duration into seconds: `[days-]hours:minutes:seconds` or `minutes:seconds`. Decimals are
/// truncated.
pub(super) fn span(text: &str) -> Option<u64> {
    let (days, clock) = match text.split_once('-') {
        Some((days, clock)) => (days.parse::<u64>().ok()?, clock),
        None => (0, text),
    };
    let all = days.checked_mul(86_400)?.checked_add(clock_seconds(clock, 2..=3)?)?;
    (all <= MAX_SECONDS).then_some(all)
}

/// Parses the value of `--begin` of a job that was submitted at this time: a time, or `now` with an
/// interval such as `now+60` or `now+3hours`. Times of day are not supported.
pub(super) fn begin(text: &str, submit: i64) -> Option<i64> {
    let Some(interval) = text.strip_prefix("now") else { return timestamp(text) };
    let interval = interval.strip_prefix('+').unwrap_or(if interval.is_empty() { "0" } else { "" });
    let unit = interval.find(|letter: char| !letter.is_ascii_digit()).unwrap_or(interval.len());
    let (number, unit) = interval.split_at(unit);
    let seconds = match unit {
        "" => 1,
        unit if unit.len() < 3 => return None,
        unit if "seconds".starts_with(unit) => 1,
        unit if "minutes".starts_with(unit) => 60,
        unit if "hours".starts_with(unit) => 3_600,
        unit if "days".starts_with(unit) => 86_400,
        unit if "weeks".starts_with(unit) => 604_800,
        _ => return None,
    };
    let interval = number.parse::<u32>().ok()?;
    Some(submit + i64::from(interval) * seconds)
}

/// The unit for which an amount of memory is requested.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum MemoryScope {
    Job,
    Node,
    Processor,
}

/// Parses an amount of memory into kilobytes and the unit for which it is requested: `300M`, `4Gn`,
/// `1.5Gc`. Some versions of Slurm leave their bit for memory per processor in the number: 2^31 or
/// 2^63 megabytes.
pub(super) fn memory(text: &str) -> Option<(f64, MemoryScope)> {
    let (text, of) = match (text.strip_suffix('n'), text.strip_suffix('c')) {
        (Some(text), _) => (text, MemoryScope::Node),
        (_, Some(text)) => (text, MemoryScope::Processor),
        _ => (text, MemoryScope::Job),
    };
    let units =
        [("K", 1.0), ("M", 1024.0), ("G", 1_048_576.0), ("T", 1_073_741_824.0), ("P", 1_099_511_627_776.0)];
    let with_unit = units.iter().find_map(|(unit, factor)| Some((text.strip_suffix(unit)?, *factor)));
    // Amounts without a unit are in megabytes.
    let (digits, factor) = with_unit.unwrap_or((text, 1024.0));
    if factor == 1024.0
        && let Some(megabytes) = digits.parse::<u64>().ok().filter(|&number| number >= PER_CPU_64)
    {
        return Some(((megabytes - PER_CPU_64) as f64 * 1024.0, MemoryScope::Processor));
    }
    let number = digits.parse::<f64>().ok().filter(|number| (0.0..=1e15).contains(number))?;
    let bit = PER_CPU_32 * 1024.0;
    match number * factor {
        amount if amount >= bit && amount < 2.0 * bit => Some((amount - bit, MemoryScope::Processor)),
        amount => Some((amount, of)),
    }
}

/// Slurm's bits for memory per processor in numbers of megabytes with 32 and 64 bits.
const PER_CPU_32: f64 = 2_147_483_648.0;
const PER_CPU_64: u64 = 1 << 63;

/// Returns the memory in a TRES list, in kilobytes, with the unit for which it is.
pub(super) fn tres_memory(list: &str) -> Option<(f64, MemoryScope)> {
    let amount = list.split(',').find_map(|part| part.strip_prefix("mem="))?;
    memory(amount).filter(|(amount, _)| *amount > 0.0)
}

/// Returns the whole number of the resource `name` in a TRES list such as
/// `billing=4,cpu=4,mem=200M,node=1`.
pub(super) fn tres_count(list: &str, name: &str) -> Option<u32> {
    let values = list.split(',').filter_map(|part| part.split_once('='));
    values.filter(|(resource, _)| *resource == name).find_map(|(_, number)| number.parse().ok())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::log::Kilobytes;

    #[test]
    fn durations_are_those_of_sacct() {
        assert_eq!(span("1-02:03:04"), Some(93_784));
        assert_eq!(
            (span("00:05"), span("02:03.250"), span("300:00:00")),
            (Some(5), Some(123), Some(1_080_000))
        );
        for wrong in ["", "5", "1:2:3:4", "1-", "x:00", "UNLIMITED", "18446744073709551615:00:00"] {
            assert_eq!(span(wrong), None, "{wrong}");
        }
    }

    #[test]
    fn begins_are_those_of_sbatch() {
        let begins = ["now", "now+60", "now+2minutes", "now+1hour", "now+3days", "1970-01-02T00:00:00"];
        let expected = [1_000, 1_060, 1_120, 4_600, 260_200, 86_400];
        assert_eq!(begins.map(|text| begin(text, 1_000)), expected.map(Some));
        for other in ["16:00", "midnight", "now+", "now+x", "now-5", "now+5parsecs", ""] {
            assert_eq!(begin(other, 1_000), None, "{other}");
        }
    }

    #[test]
    fn memory_is_in_kilobytes() {
        assert_eq!(memory("300M"), Some((307_200.0, MemoryScope::Job)));
        assert_eq!(memory("1.5Gc"), Some((1_572_864.0, MemoryScope::Processor)));
        assert_eq!(memory("4000Mn"), Some((4_096_000.0, MemoryScope::Node)));
        assert_eq!(memory("10672K"), Some((10_672.0, MemoryScope::Job)));
        assert_eq!(memory("2147486648Mn"), Some((3_072_000.0, MemoryScope::Processor)), "2^31 + 3000");
        assert_eq!(
            memory("9223372036854779808M"),
            Some((4_096_000.0, MemoryScope::Processor)),
            "2^63 + 4000"
        );
        assert_eq!(tres_memory("cpu=8,mem=24000M,node=1"), Some((24_576_000.0, MemoryScope::Job)));
        assert_eq!((tres_memory("cpu=8,mem=0"), tres_memory("cpu=8,gres/gpumem=4G")), (None, None));
        for wrong in ["", "M", "xM", "-1M", "NaN", "infM"] {
            assert_eq!(memory(wrong), None, "{wrong}");
        }
        assert_eq!(Kilobytes::rounded(0.5).unwrap().to_string(), "0.5");
        assert_eq!(Kilobytes::rounded(1e20), None);
    }

    #[test]
    fn resources_are_found_by_name() {
        let list = "billing=12,cpu=12,gres/gpu=2,mem=300M,node=3";
        assert_eq!(
            (tres_count(list, "cpu"), tres_count(list, "gres/gpu"), tres_count(list, "pu")),
            (Some(12), Some(2), None)
        );
    }
}
