//! Published values (source: `README.md`).

use dfrsim_lab::{Reference, rank_correlation};

/// Mean, standard deviation, minimum and maximum of each property of the nodes.
pub(crate) const TABLE_1: Reference = Reference(include_str!("../reference/table_1.csv"));
/// Values of the [`COUNTS`](crate::pairs::COUNTS) for each size, and for `all` sizes.
pub(crate) const TABLE_2: Reference = Reference(include_str!("../reference/table_2.csv"));
/// Values of [`OPTIMUM_COLUMNS`](crate::pairs::OPTIMUM_COLUMNS) for each kind, for 5 nodes.
pub(crate) const TABLE_3: Reference = Reference(include_str!("../reference/table_3.csv"));
/// Statistics of the search times for 5 nodes, in milliseconds.
pub(crate) const TABLE_4: Reference = Reference(include_str!("../reference/table_4.csv"));
/// Shares of the phases in the search time (section 4.5, in words).
pub(crate) const PHASE_SHARES: Reference = Reference(include_str!("../reference/phase_shares.csv"));

/// Number of test cases of each size in the text.
pub(crate) const CASES: usize = 90;

/// Computes the rank correlation between the size and the number of cases that requests of a kind
/// solve (table 2).
pub(crate) fn correlation_of_size(kind: &str) -> Option<f64> {
    let sizes = dfrsim_coallocation::planetlab::SIZES;
    let place = usize::from(kind == crate::COLLECTIVE);
    let pairs = sizes
        .iter()
        .filter_map(|size| Some((*size as f64, TABLE_2.find::<1, 6>([&size.to_string()])?[place])));
    rank_correlation(&pairs.collect::<Vec<_>>())
}

#[cfg(test)]
mod tests {
    use super::*;
    use dfrsim_coallocation::planetlab::{PROPERTIES, SIZES};

    /// Checks that the last line of table 2 is the sum of the others, and that the generator has the
    /// values of table 1.
    #[test]
    fn all_values_are_there() {
        let mut sums = [0.0; 6];
        for size in SIZES {
            let line = TABLE_2.find::<1, 6>([&size.to_string()]).unwrap();
            sums.iter_mut().zip(line).for_each(|(sum, value)| *sum += value);
        }
        assert_eq!(TABLE_2.find(["all"]).unwrap(), sums);
        for property in &PROPERTIES {
            let values = [property.mean, property.deviation, property.least, property.most];
            assert_eq!(TABLE_1.find([property.name]), Some(values));
        }
        assert_eq!(TABLE_3.find::<1, 5>(["simple"]).map(|line| line[3]), Some(0.84));
        assert_eq!(TABLE_4.find(["max"]), Some([9.167]));
        let shares = ["II", "III", "IV and V"].map(|phases| PHASE_SHARES.find::<1, 1>([phases]).unwrap()[0]);
        assert_eq!(shares.iter().sum::<f64>(), 1.0);
        assert_eq!(TABLE_2.find::<1, 6>(["7"]), None);
    }
}
