//! Exact parsing of the numbers of a line, without floating point.

use super::kilobytes::{Kilobytes, MILLION};
use super::word::Word;
use dfrsim_model::{SimSpan, SimTime};

/// Longest time that is accepted in a log, in seconds: 500 years.
pub const MAX_SECONDS: u64 = 16_000_000_000;

/// A number of a field: a sign, a whole part and six decimals; further decimals are truncated.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Number {
    negative: bool,
    whole: u64,
    millionths: u32,
}

/// Returns whether a byte separates fields. A carriage return does, so that Windows line ends are
/// accepted.
pub(crate) const fn is_blank(byte: u8) -> bool {
    matches!(byte, b' ' | b'\t' | b'\r')
}

impl Number {
    /// Parses the number at the start of `bytes`, up to a blank or the end, and returns it with its
    /// length in bytes; `None` if the text is not a number or exceeds 64 bits.
    #[inline(always)]
    #[expect(clippy::inline_always, reason = "a call costs 8 % of the instructions of reading a log")]
    pub(crate) fn scan(bytes: &[u8]) -> Option<(Number, usize)> {
        // Most fields of most logs are unknown.
        if Word::at(bytes, 0).is_minus_one() {
            return Some((Number { negative: true, whole: 1, millionths: 0 }, 2));
        }
        let negative = bytes.first() == Some(&b'-');
        let start = usize::from(negative);
        let (count, whole) = Word::at(bytes, start).leading_digits();
        let end = start + count;
        let is_short = (1..Word::BYTES).contains(&count);
        if is_short && bytes.get(end).is_none_or(|&byte| is_blank(byte)) {
            return Some((Number { negative, whole, millionths: 0 }, end));
        }
        Number::scan_any(bytes)
    }

    /// Parses a number of any length, with or without decimals, byte by byte. Kept apart so that
    /// only the fast path is inlined.
    #[inline(never)]
    fn scan_any(bytes: &[u8]) -> Option<(Number, usize)> {
        let digit = |at: usize| {
            bytes.get(at).map(|byte| u64::from(byte.wrapping_sub(b'0'))).filter(|&digit| digit <= 9)
        };
        let negative = bytes.first() == Some(&b'-');
        let start = usize::from(negative);
        let mut at = start;
        let mut whole = 0_u64;
        while let Some(digit) = digit(at) {
            whole = whole.wrapping_mul(10).wrapping_add(digit);
            at += 1;
        }
        match at - start {
            0 => return None,
            1..=19 => {}
            // Only numbers of 20 or more digits may have wrapped around.
            _ => whole = str::from_utf8(&bytes[start..at]).ok()?.parse().ok()?,
        }
        let mut millionths = 0;
        if bytes.get(at) == Some(&b'.') {
            at += 1;
            let mut weight = 100_000;
            while let Some(digit) = digit(at) {
                millionths += weight * digit as u32;
                weight /= 10;
                at += 1;
            }
        }
        bytes
            .get(at)
            .is_none_or(|&byte| is_blank(byte))
            .then_some((Number { negative, whole, millionths }, at))
    }

    /// Returns whether the number is -1, which means "unknown" in every field.
    #[inline]
    const fn is_unknown(self) -> bool {
        self.negative && self.whole == 1 && self.millionths == 0
    }
    #[inline]
    fn unless_unknown<T>(self, value: impl FnOnce(Number) -> Option<T>) -> Option<Option<T>> {
        if self.is_unknown() { Some(None) } else { value(self).map(Some) }
    }
    #[inline]
    fn in_millionths(self) -> Option<u64> {
        if self.negative {
            return None;
        }
        self.whole.checked_mul(MILLION)?.checked_add(u64::from(self.millionths))
    }
    #[inline]
    fn micros(self) -> Option<u64> {
        (self.whole <= MAX_SECONDS).then(|| self.in_millionths()).flatten()
    }

    /// Converts to a time in seconds, or unknown; `None` if out of range.
    #[inline]
    pub(crate) fn time(self) -> Option<Option<SimTime>> {
        self.unless_unknown(|number| number.micros().map(SimTime::from_micros))
    }
    /// Converts to a duration in seconds, or unknown; `None` if out of range.
    #[inline]
    pub(crate) fn span(self) -> Option<Option<SimSpan>> {
        self.unless_unknown(|number| number.micros().map(SimSpan::from_micros))
    }
    /// Converts to an amount of memory, or unknown; `None` if out of range.
    #[inline]
    pub(crate) fn kilobytes(self) -> Option<Option<Kilobytes>> {
        self.unless_unknown(|number| number.in_millionths().map(Kilobytes::from_millionths))
    }
    /// Converts to a whole number, which cannot be unknown; decimals must be zero.
    #[inline]
    pub(crate) fn whole(self) -> Option<u64> {
        (!self.negative && self.millionths == 0).then_some(self.whole)
    }
    /// Converts to a whole number of either sign; decimals must be zero.
    #[inline]
    pub(crate) fn signed(self) -> Option<i32> {
        let number = i64::try_from(self.whole).ok().filter(|_| self.millionths == 0)?;
        i32::try_from(if self.negative { -number } else { number }).ok()
    }
    /// Converts to a whole number that fits `T`, or unknown.
    #[inline]
    pub(crate) fn count<T: TryFrom<u64>>(self) -> Option<Option<T>> {
        self.unless_unknown(|number| T::try_from(number.whole()?).ok())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn scan(text: &str) -> Option<Number> {
        Number::scan(text.as_bytes()).map(|(number, _)| number)
    }

    proptest! {
        /// Short whole numbers take the fast path, others are parsed byte by byte.
        #[test]
        fn both_ways_to_read_agree(text in "-?[0-9]{0,12}[ .x\t\r]?[0-9 ]{0,9}") {
            prop_assert_eq!(Number::scan(text.as_bytes()), Number::scan_any(text.as_bytes()), "{:?}", text);
        }
    }

    #[test]
    fn numbers_end_at_a_blank() {
        assert_eq!(Number::scan(b"142.50 7").unwrap().1, 6);
        assert_eq!(scan("142.50\t").unwrap().span(), Some(Some(SimSpan::from_micros(142_500_000))));
        assert_eq!(scan("7\r").unwrap().whole(), Some(7));
        for text in ["", "-", "x", "1x", "1e3", "+1", ".5", "1.2.3", "--1", "1-", "١"] {
            assert!(scan(text).is_none(), "{text}");
        }
    }

    #[test]
    fn only_minus_one_is_unknown() {
        assert_eq!(scan("-1").unwrap().span(), Some(None));
        assert_eq!(scan("-1.00").unwrap().count::<u32>(), Some(None));
        for text in ["-2", "-0.5", "-1.5", "-0"] {
            assert_eq!(scan(text).unwrap().span(), None, "{text}");
        }
        assert_eq!(scan("-1").unwrap().time(), Some(None));
        assert_eq!(scan("-2").unwrap().time(), None);
    }

    #[test]
    fn signed_numbers_fit_32_bits() {
        for (text, number) in [("-1", Some(-1)), ("265", Some(265)), ("-265.0", Some(-265)), ("1.5", None)] {
            assert_eq!(scan(text).unwrap().signed(), number, "{text}");
        }
        assert_eq!(scan("-2147483648").unwrap().signed(), Some(i32::MIN));
        assert_eq!(scan("2147483648").unwrap().signed(), None);
    }

    #[test]
    fn what_does_not_fit_is_refused() {
        assert_eq!(scan("4294967295").unwrap().count(), Some(Some(u32::MAX)));
        assert_eq!(scan("4294967296").unwrap().count::<u32>(), None);
        assert_eq!(scan("18446744073709551615").unwrap().whole(), Some(u64::MAX));
        assert!(scan("18446744073709551616").is_none());
        assert_eq!(scan("00000000000000000000001").unwrap().whole(), Some(1));
        assert_eq!(scan("16000000001").unwrap().time(), None);
        assert_eq!(scan("18446744073709551615").unwrap().kilobytes(), None);
        assert_eq!(scan("32.5").unwrap().count::<u32>(), None);
        assert_eq!(scan("32.00").unwrap().count::<u32>(), Some(Some(32)));
    }
}
