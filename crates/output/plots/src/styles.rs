//! Styles of series: a policy has the same colour, dashes and marker in all figures of its results.

use crate::palette::STYLES;

/// Names of the policies of results, in the order of their styles.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Styles {
    names: Vec<String>,
}

impl Styles {
    /// Creates the styles of these policies.
    pub fn new(names: Vec<String>) -> Styles {
        Styles { names }
    }

    /// Returns the number of the style of each series of a figure. A series has the style of the policy
    /// after which it is named (`EASY`, or `EASY, penalty 300 s`); a second series of the same policy
    /// has its colour, with other dashes. All other series take the styles that are left, in order.
    pub(crate) fn of<'a>(&self, series: impl IntoIterator<Item = &'a str>) -> Vec<usize> {
        let mut numbers: Vec<Option<usize>> = Vec::new();
        for series in series {
            let number = self.place(series).map(|place| {
                let candidates = (0..STYLES).map(|round| (place + round * COLOURS_STEP) % STYLES);
                let is_free = |number: &usize| !numbers.contains(&Some(*number));
                { candidates }.find(is_free).unwrap_or(place % STYLES)
            });
            numbers.push(number);
        }
        let taken: Vec<usize> = numbers.iter().flatten().copied().collect();
        let mut free = (0..).filter(|number| !taken.contains(number));
        let mut next = || free.next().expect("numbers do not end");
        numbers.into_iter().map(|number| number.unwrap_or_else(&mut next)).collect()
    }

    /// Returns the place of the policy after which a series is named.
    fn place(&self, series: &str) -> Option<usize> {
        let is_of = |name: &str| {
            series.strip_prefix(name).is_some_and(|rest| rest.is_empty() || rest.starts_with(", "))
        };
        let named = self.names.iter().enumerate().filter(|(_, name)| is_of(name));
        named.max_by_key(|(_, name)| name.len()).map(|(place, _)| place)
    }
}

/// Distance between two styles with the same colour.
const COLOURS_STEP: usize = crate::palette::COLOUR_COUNT;

#[cfg(test)]
mod tests {
    use super::Styles;
    use crate::palette::{colour, dash};

    fn styles() -> Styles {
        Styles::new(["FCFS", "EASY", "EASY/ORDER=SJF"].map(str::to_owned).to_vec())
    }

    #[test]
    fn a_policy_keeps_its_colour_where_others_are_missing() {
        assert_eq!(styles().of(["FCFS", "EASY"]), [0, 1]);
        assert_eq!(styles().of(["EASY/ORDER=SJF", "EASY"]), [2, 1]);
    }

    #[test]
    fn series_of_one_policy_differ_in_their_dashes() {
        let numbers = styles().of(["EASY, penalty 0 s", "EASY, penalty 300 s", "FCFS"]);
        assert_eq!(colour(numbers[0]), colour(numbers[1]));
        assert_ne!(dash(numbers[0]), dash(numbers[1]));
        assert_eq!(numbers[2], 0);
    }

    #[test]
    fn other_series_take_the_styles_that_are_left() {
        assert_eq!(styles().of(["load 0.5", "EASY", "load 0.7", "EASYX"]), [0, 1, 2, 3]);
        assert_eq!(Styles::default().of(["a", "b"]), [0, 1]);
    }
}
