//! Columns of `rows.csv`.

use dfrsim_lab::columns;
use dfrsim_optimum::Status;

columns! {
    /// A change with a budget.
    pub struct Row {
        /// Number of jobs.
        label pub jobs: usize,
        /// Number of the change.
        instance pub replication: u64,
        /// Unit in which moves are counted.
        variant pub cost: String,
        /// Budget, in percent of the cost of moving everything.
        variant("%") pub budget_percent: f64,
        /// Budget: fractions of a node's memory in units of `Share` if moves are counted by bytes,
        /// otherwise moves.
        fact("cost") pub budget: u64,
        /// Status of the exact search: `optimal`, `feasible`, `infeasible`, `unbounded` or
        /// `timed-out`.
        fact pub exact_status: String,
        /// Best minimum yield without a move; missing if there is no mapping.
        fact pub unmoved: Option<f64>,
        /// Best minimum yield within the budget; missing if there is no mapping, or none was found
        /// in time.
        fact pub optimum: Option<f64>,
        /// Cost of the moves of the exact search.
        fact("cost") pub optimum_moved: Option<u64>,
        /// Minimum yield that the heuristic reaches; missing if it finds no mapping.
        metric(more) pub found: Option<f64>,
        /// Cost of the moves of the heuristic.
        metric(less, "cost") pub found_moved: Option<u64>,
        /// Relative gap of the heuristic to the optimum; missing if the change does not count: its
        /// optimum is not proven, is 0 or 1, or needs no move.
        primary(less) pub gap_to_optimum: Option<f64>,
    }
}

impl Row {
    /// Computes the gap from the other columns.
    pub(crate) fn gap(&self) -> Option<f64> {
        let proven = self.optimum.filter(|_| self.exact_status == name(Status::Optimal));
        let optimum = proven.filter(|&best| best > 0.0 && best < 1.0 && Some(best) != self.unmoved)?;
        Some(1.0 - self.found.unwrap_or(0.0) / optimum)
    }
}

/// Returns the status of the exact search as written in rows.
pub(crate) fn name(status: Status) -> &'static str {
    match status {
        Status::Optimal => "optimal",
        Status::Feasible => "feasible",
        Status::Infeasible => "infeasible",
        Status::Unbounded => "unbounded",
        Status::TimedOut => "timed-out",
    }
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;

    /// A row of a change with 8 jobs and a budget of 10 of 100.
    pub(crate) fn row(replication: u64, budget_percent: f64, optimum: f64, found: Option<f64>) -> Row {
        let mut row = Row {
            jobs: 8,
            replication,
            cost: "moves".to_owned(),
            budget_percent,
            budget: budget_percent as u64,
            exact_status: name(Status::Optimal).to_owned(),
            unmoved: Some(0.25),
            optimum: Some(optimum),
            optimum_moved: Some(1),
            found,
            found_moved: found.map(|_| 1),
            gap_to_optimum: None,
        };
        row.gap_to_optimum = row.gap();
        row
    }

    /// Checks that the gap is 1 - 0.375 / 0.5 = 0.25, and 1 without a mapping.
    #[test]
    fn gaps_are_parts_of_the_optimum() {
        let gap = |optimum, found| row(0, 10.0, optimum, found).gap_to_optimum;
        assert_eq!(gap(0.5, Some(0.375)), Some(0.25));
        assert_eq!(gap(0.5, Some(0.5)), Some(0.0));
        assert_eq!(gap(0.5, None), Some(1.0));
        for does_not_count in [0.0, 1.0, 0.25] {
            assert_eq!(gap(does_not_count, Some(0.0)), None, "{does_not_count}");
        }
        let unproven = Row { exact_status: "timed-out".to_owned(), ..row(0, 10.0, 0.5, Some(0.4)) };
        assert_eq!(unproven.gap(), None);
    }
}
