//! Published figures, to stand beside our own (sources: `reference/offline/README.md`).

use crate::table_file;

/// A published table.
#[derive(Clone, Copy, Debug)]
pub(super) struct Published(&'static str);

macro_rules! published {
    ($file:literal) => {
        Published(include_str!(concat!("../../reference/offline/", $file)))
    };
}

pub(super) const TABLE_4_1: Published = published!("dissertation_table_4_1.csv");
pub(super) const TABLE_4_3: Published = published!("dissertation_table_4_3.csv");
pub(super) const TABLE_4_4: Published = published!("dissertation_table_4_4.csv");
pub(super) const TABLE_4_5: Published = published!("dissertation_table_4_5.csv");
pub(super) const TABLE_4_6: Published = published!("dissertation_table_4_6.csv");
pub(super) const TABLE_4_7: Published = published!("dissertation_table_4_7.csv");
pub(super) const FIGURES: Published = published!("dissertation_figures.csv");
pub(super) const RR_TABLE_1: Published = published!("rr6692_table_1.csv");
pub(super) const RR_FIGURE_7: Published = published!("rr6692_figure_7.csv");

impl Published {
    /// Its lines: so many texts, then so many numbers.
    pub(super) fn lines<const TEXTS: usize, const NUMBERS: usize>(
        self,
    ) -> impl Iterator<Item = ([String; TEXTS], [f64; NUMBERS])> {
        table_file::records(self.0).skip(1).map(|record| {
            let field = |at: usize| record.get(at).unwrap_or_default();
            let number = |at: usize| field(TEXTS + at).parse().unwrap_or(f64::NAN);
            (std::array::from_fn(|at| field(at).to_owned()), std::array::from_fn(number))
        })
    }
    /// The numbers of the line that begins with these texts.
    pub(super) fn find<const TEXTS: usize, const NUMBERS: usize>(
        self,
        texts: [&str; TEXTS],
    ) -> Option<[f64; NUMBERS]> {
        self.lines::<TEXTS, NUMBERS>()
            .find(|(line, _)| line.each_ref().map(String::as_str) == texts)
            .map(|line| line.1)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use dfrsim_offline::Algorithm;

    #[test]
    fn all_published_figures_are_numbers_and_all_algorithms_are_known() {
        let figures = |table: Published, lines: usize| {
            let read: Vec<([String; 1], [f64; 2])> = table.lines().collect();
            assert_eq!(read.len(), lines);
            for ([name], numbers) in read {
                assert!(name.parse::<Algorithm>().is_ok(), "{name}");
                assert!(numbers.iter().all(|number| number.is_finite()));
            }
        };
        for (table, lines) in
            [(TABLE_4_1, 5), (TABLE_4_3, 2), (TABLE_4_4, 16), (RR_TABLE_1, 8), (RR_FIGURE_7, 8)]
        {
            figures(table, lines);
        }
        assert_eq!(TABLE_4_4.find::<1, 5>(["VP_FFSUM"]), Some([0.04, 10.95, 0.10, 28.40, 7.91]));
        assert_eq!(TABLE_4_5.find(["Y", "GREEDY", "VP_CPSUM"]), Some([-22.34]));
        assert_eq!(TABLE_4_6.lines::<2, 5>().filter(|line| line.1.iter().all(|n| n.is_finite())).count(), 24);
        assert_eq!(TABLE_4_7.lines::<2, 2>().count(), 9);
        assert_eq!(FIGURES.find(["4.3", "OPT below LPBOUND", "p90"]), Some([0.1, 45.91]));
    }
}
