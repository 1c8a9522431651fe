//! Numbers of things in words.

/// A number of things: `1 pool`, `2 pools`.
pub(crate) fn counted(count: usize, thing: &str) -> String {
    format!("{count} {thing}{}", if count == 1 { "" } else { "s" })
}

#[cfg(test)]
mod tests {
    use super::counted;

    #[test]
    fn one_is_singular() {
        assert_eq!(
            [0, 1, 2].map(|count| counted(count, "segment")),
            ["0 segments", "1 segment", "2 segments"]
        );
    }
}
