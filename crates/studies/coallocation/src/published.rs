//! Published values (source: `README.md`).

use dfrsim_lab::{Reference, rank_correlation};

const TABLE_1: Reference = Reference(include_str!("../reference/table_1.csv"));
const TABLE_2: Reference = Reference(include_str!("../reference/table_2.csv"));
const TABLE_3: Reference = Reference(include_str!("../reference/table_3.csv"));
const TABLE_4: Reference = Reference(include_str!("../reference/table_4.csv"));
const PHASE_SHARES: Reference = Reference(include_str!("../reference/phase_shares.csv"));

/// How many test cases of each size there are in the text.
pub(crate) const CASES: usize = 90;

/// Average, standard deviation, minimum and maximum of a property of the nodes (table 1).
pub(crate) fn node_statistics(property: &str) -> Option<[f64; 4]> {
    TABLE_1.find([property])
}

/// The [`COUNTS`](crate::pairs::COUNTS) of a size, or of `all` sizes (table 2).
pub(crate) fn counts(size: &str) -> Option<[f64; 6]> {
    TABLE_2.find([size])
}

/// The counts of all sizes together.
pub(crate) fn all_counts() -> [f64; 6] {
    counts("all").expect("table 2 has a line for all sizes")
}

/// The rank correlation of the size and the cases that requests of a kind solve (table 2).
pub(crate) fn correlation_of_size(kind: &str) -> Option<f64> {
    let sizes = dfrsim_coallocation::planetlab::SIZES;
    let place = usize::from(kind == crate::COLLECTIVE);
    let pairs = sizes.iter().filter_map(|size| Some((*size as f64, counts(&size.to_string())?[place])));
    rank_correlation(&pairs.collect::<Vec<_>>())
}

/// For a kind: the values of [`BESIDE_OPTIMUM`](crate::pairs::BESIDE_OPTIMUM), for 5 nodes (table 3).
pub(crate) fn beside_optimum(kind: &str) -> Option<[f64; 5]> {
    TABLE_3.find([kind])
}

/// A statistic of the search times for 5 nodes, in milliseconds (table 4).
pub(crate) fn search_ms(statistic: &str) -> Option<f64> {
    TABLE_4.find([statistic]).map(|[time]| time)
}

/// The part of the search time that these phases take (section 4.5, in words).
pub(crate) fn phase_share(phases: &str) -> Option<f64> {
    PHASE_SHARES.find([phases]).map(|[share]| share)
}

#[cfg(test)]
mod tests {
    use super::*;
    use dfrsim_coallocation::planetlab::{PROPERTIES, SIZES};

    /// The last line of table 2 is the sum of the others, and the generator has the values of table 1.
    #[test]
    fn all_values_are_there() {
        let mut sums = [0.0; 6];
        for size in SIZES {
            let line = counts(&size.to_string()).unwrap();
            sums.iter_mut().zip(line).for_each(|(sum, value)| *sum += value);
        }
        assert_eq!(all_counts(), sums);
        for property in &PROPERTIES {
            let values = [property.mean, property.deviation, property.least, property.most];
            assert_eq!(node_statistics(property.name), Some(values));
        }
        assert_eq!(beside_optimum("simple").map(|line| line[3]), Some(0.84));
        assert_eq!(search_ms("max"), Some(9.167));
        let shares = ["II", "III", "IV and V"].map(|phases| phase_share(phases).unwrap());
        assert_eq!(shares.iter().sum::<f64>(), 1.0);
        assert_eq!(counts("7"), None);
    }
}
