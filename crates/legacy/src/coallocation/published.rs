//! Published figures, to stand beside our own (source: `reference/coallocation/README.md`).

use crate::table_file;

const TABLE_1: &str = include_str!("../../reference/coallocation/table_1.csv");
const TABLE_2: &str = include_str!("../../reference/coallocation/table_2.csv");
const TABLE_3: &str = include_str!("../../reference/coallocation/table_3.csv");
const TABLE_4: &str = include_str!("../../reference/coallocation/table_4.csv");
const PHASE_SHARES: &str = include_str!("../../reference/coallocation/phase_shares.csv");

/// Average, standard deviation, minimum and maximum of a property of the nodes (table 1).
pub(super) fn node_statistics(property: &str) -> Option<[f64; 4]> {
    line(TABLE_1, property)
}

/// For a size, or `all` of them: cases solved by simple and by collective requests, with an earlier and with an equal start
/// of the collective one, and with a better utilisation of the simple and of the collective one (table 2).
pub(super) fn comparison(size: &str) -> Option<[f64; 6]> {
    line(TABLE_2, size)
}

/// For a kind: cases solved, later starts than the optimum and their mean delay in hours, the mean part of the optimal
/// utilisation factor, and cases with more than 99 % of it (table 3).
pub(super) fn beside_optimum(kind: &str) -> Option<[f64; 5]> {
    line(TABLE_3, kind)
}

/// A statistic of the search times for 5 resources, in milliseconds (table 4).
pub(super) fn search_time(statistic: &str) -> Option<f64> {
    line::<1>(TABLE_4, statistic).map(|[time]| time)
}

/// The part of the search time that these phases take (section 4.5, in words).
pub(super) fn phase_share(phases: &str) -> Option<f64> {
    line::<1>(PHASE_SHARES, phases).map(|[share]| share)
}

/// The figures behind a name.
fn line<const FIGURES: usize>(text: &str, name: &str) -> Option<[f64; FIGURES]> {
    let line = table_file::records(text).skip(1).find(|line| line.get(0) == Some(name))?;
    let mut figures = [0.0; FIGURES];
    for (place, figure) in figures.iter_mut().enumerate() {
        *figure = line.get(place + 1)?.parse().ok()?;
    }
    Some(figures)
}

#[cfg(test)]
mod tests {
    use super::*;
    use dfrsim_coallocation::planetlab::{PROPERTIES, SIZES};

    /// The last line of table 2 is the sum of the others, and the generator has the figures of table 1.
    #[test]
    fn all_figures_are_there() {
        let mut sums = [0.0; 6];
        for size in SIZES {
            let line = comparison(&size.to_string()).unwrap();
            sums.iter_mut().zip(line).for_each(|(sum, figure)| *sum += figure);
        }
        assert_eq!(comparison("all"), Some(sums));
        for property in &PROPERTIES {
            let figures = [property.mean, property.deviation, property.least, property.most];
            assert_eq!(node_statistics(property.name), Some(figures));
        }
        assert_eq!(beside_optimum("simple").map(|line| line[3]), Some(0.84));
        assert_eq!(search_time("max"), Some(9.167));
        let shares = ["II", "III", "IV and V"].map(|phases| phase_share(phases).unwrap());
        assert_eq!(shares.iter().sum::<f64>(), 1.0);
        assert_eq!(comparison("7"), None);
    }
}
