//! Our values next to published ones, in three columns.

use super::Cell;

/// Returns the names of the columns of [`comparison_cells`]: `mean`, `mean_published`, `mean_ratio`.
pub fn comparison_header(name: &str) -> [String; 3] {
    [name.to_owned(), format!("{name}_published"), format!("{name}_ratio")]
}

/// Returns our value, the published one, and the ratio ours / published if both exist and the
/// published one is not 0.
pub fn comparison_cells(ours: Option<f64>, published: Option<f64>) -> [Cell; 3] {
    let ratio = ours.zip(published).filter(|(_, published)| *published != 0.0);
    [ours, published, ratio.map(|(ours, published)| ours / published)].map(Cell::optional)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn there_is_no_ratio_to_zero() {
        let number = Cell::Number;
        assert_eq!(comparison_cells(Some(3.0), Some(2.0)), [number(3.0), number(2.0), number(1.5)]);
        assert_eq!(comparison_cells(Some(3.0), Some(0.0)), [number(3.0), number(0.0), Cell::Missing]);
        assert_eq!(comparison_cells(None, Some(2.0)), [Cell::Missing, number(2.0), Cell::Missing]);
        assert_eq!(comparison_header("mean")[2], "mean_ratio");
    }
}
