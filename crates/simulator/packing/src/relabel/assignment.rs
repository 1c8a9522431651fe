//! Assignment problem.

/// Computes the assignment of rows to columns with the largest sum of weights: for each row its
/// column, no column twice.
///
/// `weights` contains the rows one after the other, each with `columns` weights; there must be no
/// more rows than columns. Sums of all weights must not overflow. The algorithm is the Hungarian one
/// (Kuhn, 1955; Munkres, 1957) with potentials: each row is added by a cheapest augmenting path, in
/// O(rows^2 x columns).
pub(crate) fn heaviest_assignment(weights: &[i128], columns: usize) -> Vec<usize> {
    let rows = weights.len().checked_div(columns).unwrap_or(0);
    debug_assert!(rows <= columns && rows * columns == weights.len());
    // The reduced cost of an edge, row potential + column potential - weight, is never negative for
    // assigned rows, and zero on the edges of the assignment.
    let (mut row_potential, mut column_potential) = (vec![0; rows], vec![0; columns]);
    let (mut column_of, mut row_of) = (vec![None; rows], vec![None; columns]);
    for root in 0..rows {
        // Tree of alternating paths from the root: for each column, the least reduced cost of an
        // edge from the tree to it, and the row at which that edge begins.
        let mut slack = vec![i128::MAX; columns];
        let mut reached_from = vec![root; columns];
        let mut in_tree = vec![false; columns];
        let mut row = root;
        let free = loop {
            for column in (0..columns).filter(|&column| !in_tree[column]) {
                let reduced = row_potential[row] + column_potential[column] - weights[row * columns + column];
                if reduced < slack[column] {
                    (slack[column], reached_from[column]) = (reduced, row);
                }
            }
            let outside = (0..columns).filter(|&column| !in_tree[column]);
            let nearest = outside.min_by_key(|&column| slack[column]);
            let nearest = nearest.expect("there must be no more rows than columns");
            let step = slack[nearest];
            row_potential[root] -= step;
            for column in 0..columns {
                match row_of[column] {
                    Some(row) if in_tree[column] => {
                        row_potential[row] -= step;
                        column_potential[column] += step;
                    }
                    _ => slack[column] -= step,
                }
            }
            in_tree[nearest] = true;
            match row_of[nearest] {
                Some(next) => row = next,
                None => break nearest,
            }
        };
        // Augment along the path from the free column to the root: each row takes the column that it
        // reached.
        let mut column = free;
        loop {
            let row = reached_from[column];
            row_of[column] = Some(row);
            match column_of[row].replace(column) {
                Some(before) => column = before,
                None => break,
            }
        }
    }
    column_of.into_iter().map(|column| column.expect("every row must have been assigned")).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn weight(weights: &[i128], columns: usize, assignment: &[usize]) -> i128 {
        assignment.iter().enumerate().map(|(row, column)| weights[row * columns + column]).sum()
    }

    /// Computes the largest weight of all assignments of the rows from `row` on to free columns.
    fn largest(weights: &[i128], columns: usize, row: usize, free: &mut [bool]) -> i128 {
        if row * columns == weights.len() {
            return 0;
        }
        let mut best = i128::MIN;
        for column in 0..columns {
            if std::mem::take(&mut free[column]) {
                best = best.max(weights[row * columns + column] + largest(weights, columns, row + 1, free));
                free[column] = true;
            }
        }
        best
    }

    #[test]
    fn an_assignment_by_hand() {
        // Each row has its largest weight in the first column.
        assert_eq!(heaviest_assignment(&[9, 5, 2, 9, 8, 1, 9, 4, 4], 3), [0, 1, 2]);
        assert_eq!(heaviest_assignment(&[9, 8, 9, 3], 2), [1, 0]);
        assert!(heaviest_assignment(&[], 0).is_empty());
    }

    proptest! {
        #[test]
        fn no_assignment_is_heavier(
            (rows, columns, weights) in (0_usize..6, 0_usize..3).prop_flat_map(|(rows, more)| {
                let columns = rows + more;
                (Just(rows), Just(columns), prop::collection::vec(-6_i128..7, rows * columns))
            }),
        ) {
            let assignment = heaviest_assignment(&weights, columns);
            prop_assert_eq!(assignment.len(), rows);
            let mut sorted = assignment.clone();
            sorted.sort_unstable();
            sorted.dedup();
            prop_assert_eq!(sorted.len(), rows, "no column twice: {:?}", assignment);
            let best = largest(&weights, columns, 0, &mut vec![true; columns]);
            prop_assert_eq!(weight(&weights, columns, &assignment), best);
        }
    }
}
