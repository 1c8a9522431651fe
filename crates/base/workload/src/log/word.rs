//! Processing of eight bytes of a line at once.

/// Eight bytes of a text as an integer, the first byte lowest.
#[derive(Clone, Copy, Debug)]
pub(super) struct Word(u64);

/// Returns a word with the same byte eight times.
const fn repeated(byte: u8) -> u64 {
    u64::from_le_bytes([byte; Word::BYTES])
}

impl Word {
    pub(super) const BYTES: usize = 8;

    /// Loads the bytes at a position; after the end of the text they are blanks.
    #[inline]
    pub(super) fn at(text: &[u8], at: usize) -> Word {
        match text.get(at..).and_then(<[u8]>::first_chunk) {
            Some(bytes) => Word(u64::from_le_bytes(*bytes)),
            None => Word::at_end(text, at),
        }
    }
    /// Loads fewer than eight remaining bytes, padded with blanks.
    fn at_end(text: &[u8], at: usize) -> Word {
        let rest = text.get(at..).unwrap_or_default();
        if let (Some(last), 1..) = (text.last_chunk(), rest.len()) {
            let kept = rest.len() as u32 * u8::BITS;
            return Word(u64::from_le_bytes(*last) >> (u64::BITS - kept) | repeated(b' ') << kept);
        }
        let mut bytes = [b' '; Word::BYTES];
        bytes[..rest.len()].copy_from_slice(rest);
        Word(u64::from_le_bytes(bytes))
    }

    /// Returns whether the word begins with "-1" and a blank.
    #[inline]
    pub(super) const fn is_minus_one(self) -> bool {
        self.0 & 0xff_ffff == u32::from_le_bytes([b'-', b'1', b' ', 0]) as u64
    }

    /// Counts the leading blanks.
    #[inline]
    pub(super) const fn leading_blanks(self) -> usize {
        ((self.0 ^ repeated(b' ')).trailing_zeros() / u8::BITS) as usize
    }

    /// Counts the leading digits, and computes the number that they represent.
    #[inline]
    pub(super) const fn leading_digits(self) -> (usize, u64) {
        // Digits become 0 to 9. Adding 0x76 sets the highest bit of all other bytes where it is not
        // already set; a carry only affects later bytes.
        let values = self.0 ^ repeated(b'0');
        let others = (values.wrapping_add(repeated(0x76)) | values) & repeated(0x80);
        let bits = others.trailing_zeros() / u8::BITS * u8::BITS;
        if bits == 0 {
            return (0, 0);
        }
        // Moves the digits to the end, after zeros. Then neighbours are combined: into two, four,
        // and eight digits.
        let digits = values << (u64::BITS - bits);
        let pairs = (digits.wrapping_mul(10 << 8 | 1) >> 8) & 0x00ff_00ff_00ff_00ff;
        let fours = (pairs.wrapping_mul(100 << 16 | 1) >> 16) & 0x0000_ffff_0000_ffff;
        let number = fours.wrapping_mul(10_000 << 32 | 1) >> 32;
        ((bits / u8::BITS) as usize, number)
    }
}

#[cfg(test)]
mod tests {
    use super::Word;
    use proptest::prelude::*;

    #[test]
    fn a_word_begins_with_digits_or_blanks() {
        let digits = |text: &str| Word::at(text.as_bytes(), 0).leading_digits();
        assert_eq!(digits("12345678"), (8, 12_345_678));
        assert_eq!(digits("00000090 "), (8, 90));
        assert_eq!(digits("7"), (1, 7));
        assert_eq!(digits("42.5 1"), (2, 42));
        for text in ["", " 1", "-1", "/1", ":1", "x", "\u{ff}1"] {
            assert_eq!(digits(text), (0, 0), "{text:?}");
        }
        let blanks = |text: &str, at| Word::at(text.as_bytes(), at).leading_blanks();
        assert_eq!((blanks("1   2", 1), blanks("1 \t ", 1), blanks("1", 1), blanks("1", 9)), (3, 1, 8, 8));
    }

    proptest! {
        #[test]
        fn digits_agree_with_reading_byte_by_byte(
            text in prop::collection::vec(prop_oneof![6 => b'0'..=b'9', 1 => any::<u8>()], 0..12), at in 0_usize..14,
        ) {
            let rest = text.get(at..).unwrap_or_default();
            let count = rest.iter().take(8).take_while(|byte| byte.is_ascii_digit()).count();
            let number = rest[..count].iter().fold(0, |number, byte| number * 10 + u64::from(byte - b'0'));
            prop_assert_eq!(Word::at(&text, at).leading_digits(), (count, number));
        }
    }
}
