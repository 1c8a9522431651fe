//! Published tables, as data.

/// A published table as CSV with a header and without quotation marks.
#[derive(Clone, Copy, Debug)]
pub struct Reference(pub &'static str);

impl Reference {
    /// Iterates over the lines: `TEXTS` texts, then `NUMBERS` numbers; NaN if a number is missing.
    pub fn lines<const TEXTS: usize, const NUMBERS: usize>(
        self,
    ) -> impl Iterator<Item = ([&'static str; TEXTS], [f64; NUMBERS])> {
        self.0.lines().skip(1).map(|line| {
            let fields: Vec<&str> = line.split(',').collect();
            let field = |at: usize| fields.get(at).copied().unwrap_or_default();
            let number = |at: usize| field(TEXTS + at).parse().unwrap_or(f64::NAN);
            (std::array::from_fn(field), std::array::from_fn(number))
        })
    }
    /// Finds the numbers of the line that begins with these texts.
    pub fn find<const TEXTS: usize, const NUMBERS: usize>(
        self,
        texts: [&str; TEXTS],
    ) -> Option<[f64; NUMBERS]> {
        self.lines().find(|(line, _)| *line == texts).map(|line| line.1)
    }
}
