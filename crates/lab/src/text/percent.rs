//! Fractions written as percentages or as numbers.

/// Parses a fraction such as `2%` or `0.02`.
pub(crate) fn parse_fraction(text: &str) -> Option<f64> {
    match text.strip_suffix('%') {
        Some(percent) => percent.trim_end().parse::<f64>().ok().map(|percent| percent / 100.0),
        None => text.parse().ok(),
    }
}

/// Formats a fraction as a percentage: `2 %`.
pub(crate) fn percent(part: f64) -> String {
    // Twelve significant digits hide that 0.07 * 100 is not exactly 7.
    let percent: f64 = format!("{:.11e}", part * 100.0).parse().unwrap_or(part * 100.0);
    format!("{percent} %")
}

#[cfg(test)]
mod tests {
    #[test]
    fn percents_and_parts_are_the_same() {
        for (text, part, shown) in [
            ("2%", 0.02, "2 %"),
            ("0.02", 0.02, "2 %"),
            ("7 %", 0.07, "7 %"),
            ("0", 0.0, "0 %"),
            ("1.5%", 0.015, "1.5 %"),
        ] {
            let read = super::parse_fraction(text).unwrap();
            assert_eq!((read, super::percent(read).as_str()), (part, shown), "{text}");
        }
        for text in ["", "%", "2 percent", "2%%"] {
            assert_eq!(super::parse_fraction(text), None, "{text}");
        }
    }
}
