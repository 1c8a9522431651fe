//! Something done to a file, as the property tests of the readers do it: a few bytes become others.

use proptest::prelude::*;

/// A few bytes become others.
#[derive(Clone, Debug)]
pub(crate) struct Damage {
    from: prop::sample::Index,
    length: usize,
    patch: Vec<u8>,
}

/// Any bytes, signs of the formats, or numbers at the ends of ranges, in place of up to 19 bytes.
pub(crate) fn damage() -> impl Strategy<Value = Damage> {
    let bytes = prop::collection::vec(any::<u8>(), 0..8);
    let signs = "[-0-9.,:=\"'\\[\\]{}#a-zA-Z\n]{0,8}".prop_map(String::into_bytes);
    let number = prop::sample::select(vec![
        "0",
        "-1",
        "1e-9",
        "1e300",
        "1e400",
        "nan",
        "inf",
        "null",
        "2147483648",
        "4294967295",
        "4294967296",
        "9223372036854775807",
        "18446744073709551615",
    ]);
    let patch = prop_oneof![bytes, signs, number.prop_map(|text| text.as_bytes().to_vec())];
    (any::<prop::sample::Index>(), 0_usize..20, patch).prop_map(|(from, length, patch)| Damage {
        from,
        length,
        patch,
    })
}

impl Damage {
    /// The file after it.
    pub(crate) fn of(&self, bytes: impl AsRef<[u8]>) -> Vec<u8> {
        let bytes = bytes.as_ref();
        let from = self.from.index(bytes.len());
        let to = (from + self.length).min(bytes.len());
        [&bytes[..from], &self.patch, &bytes[to..]].concat()
    }

    /// The text after it.
    #[allow(dead_code, reason = "readers of bytes have no use for it")]
    pub(crate) fn of_text(&self, text: &str) -> String {
        String::from_utf8_lossy(&self.of(text)).into_owned()
    }
}
