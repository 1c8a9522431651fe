//! Published numbers to compare ours with (sources: `reference/README.md`).

use dfrsim_lab::Reference;

macro_rules! published {
    ($($name:ident = $file:literal,)+) => {
        $(pub(crate) const $name: Reference = Reference(include_str!(concat!("../reference/", $file, ".csv")));)+
    };
}
published!(
    TABLE_4_1 = "dissertation_table_4_1",
    TABLE_4_3 = "dissertation_table_4_3",
    TABLE_4_4 = "dissertation_table_4_4",
    TABLE_4_5 = "dissertation_table_4_5",
    TABLE_4_6 = "dissertation_table_4_6",
    TABLE_4_7 = "dissertation_table_4_7",
    FIGURES = "dissertation_figures",
    RR_TABLE_1 = "rr6692_table_1",
    RR_FIGURE_7 = "rr6692_figure_7",
);

#[cfg(test)]
mod tests {
    use super::*;
    use crate::algorithms::Algorithm;

    #[test]
    fn everything_published_is_a_number_and_all_algorithms_are_known() {
        for (table, lines) in
            [(TABLE_4_1, 5), (TABLE_4_3, 2), (TABLE_4_4, 16), (RR_TABLE_1, 8), (RR_FIGURE_7, 8)]
        {
            let read: Vec<([&str; 1], [f64; 2])> = table.lines().collect();
            assert_eq!(read.len(), lines);
            for ([name], numbers) in read {
                assert!(name.parse::<Algorithm>().is_ok(), "{name}");
                assert!(numbers.iter().all(|number| number.is_finite()));
            }
        }
        assert_eq!(TABLE_4_4.find(["VP_FFSUM"]), Some([0.04, 10.95, 0.10, 28.40, 7.91]));
        assert_eq!(TABLE_4_5.find(["Y", "GREEDY", "VP_CPSUM"]), Some([-22.34]));
        assert_eq!(TABLE_4_6.lines::<2, 5>().filter(|line| line.1.iter().all(|n| n.is_finite())).count(), 24);
        assert_eq!(TABLE_4_7.lines::<2, 2>().count(), 9);
        assert_eq!(FIGURES.find(["4.3", "OPT below LPBOUND", "p90"]), Some([0.1, 45.91]));
    }
}
