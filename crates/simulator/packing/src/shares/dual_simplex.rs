//! Dense dual simplex method with bounds; rows are added as they are violated.

use super::contested::Contested;

/// Threshold for zero, in yields and in sums of them relative to a node's CPU: far above the errors
/// of floating point, far below a unit of a yield.
const EPSILON: f64 = 1e-11;

/// Solver that maximises the sum of weight * yield between floors and ceilings, with no node above
/// its CPU.
///
/// It starts with all jobs at their ceilings, the optimum without any node. While a node is
/// overloaded, its row is added to the dictionary, and dual steps restore the bounds without losing
/// optimality. A dictionary contains basic variables, expressed by as many columns as there are free
/// jobs. Only jobs are basic: the slack of a node is either a column (the node is full) or not in
/// the dictionary at all, so that there are as many rows as full nodes.
///
/// Each choice is determined by the order of jobs and nodes, and all arithmetic is IEEE 754,
/// operation by operation, so that the solution is the same on every machine.
#[derive(Clone, Debug, Default)]
pub(super) struct DualSimplex {
    yields: Vec<f64>,
    positions: Vec<JobPosition>,
    columns: Vec<Column>,
    /// Reduced cost of each column: growth of the objective per unit of its variable.
    reduced_costs: Vec<f64>,
    /// Rows of the dictionary, one number per column: decrease of the basic variable per unit of the
    /// column's variable.
    rows: Vec<f64>,
    /// Basic job of each row.
    basics: Vec<u32>,
    /// Columns that can move the leaving variable in the right direction, each with the loss of the
    /// objective per unit.
    candidates: Vec<(f64, u32)>,
    pivot_row: Vec<f64>,
}

/// Position of a job in the dictionary.
#[derive(Clone, Copy, Debug)]
enum JobPosition {
    /// Floor and ceiling are equal, or no node limits the job.
    Fixed,
    Column(u32),
    Row(u32),
}

/// Nonbasic variable, at one of its bounds.
#[derive(Clone, Copy, Debug)]
enum Column {
    JobAtFloor(u32),
    JobAtCeiling(u32),
    /// Unused CPU of a node, which is 0.
    Slack,
}

/// Leaving variable: the variable of a row that violates a bound and becomes a column at that bound.
struct Leaving {
    row: usize,
    column: Column,
    /// Signed distance that it must move.
    change: f64,
}

/// Input of the solver.
struct Problem<'a> {
    contested: &'a Contested,
    nodes: &'a [u32],
    floors: &'a [f64],
    ceilings: &'a [f64],
}

impl DualSimplex {
    /// Computes the yields. If the method does not converge, because of extreme numbers, some nodes
    /// may be left overloaded.
    pub(super) fn solve(
        &mut self,
        contested: &Contested,
        nodes: &[u32],
        floors: &[f64],
        ceilings: &[f64],
        weights: &[f64],
    ) -> &[f64] {
        let problem = Problem { contested, nodes, floors, ceilings };
        self.start(&problem, weights);
        // A few steps per node are usual.
        let mut steps = 100 * (nodes.len() + self.columns.len());
        let (mut node, mut satisfied) = (0, 0);
        while satisfied < nodes.len() && steps > 0 {
            satisfied += 1;
            if let Some(leaving) = self.add_violated_row(&problem, nodes[node]) {
                satisfied = 0;
                let mut next = Some(leaving);
                while let Some(leaving) = next.filter(|_| steps > 0) {
                    steps -= 1;
                    let moved = self.step(&problem, &leaving);
                    next = if moved { self.most_violated(&problem) } else { None };
                }
            }
            node = (node + 1) % nodes.len();
        }
        &self.yields
    }

    /// Initialises the dictionary: all jobs at their ceilings, and no rows.
    fn start(&mut self, problem: &Problem<'_>, weights: &[f64]) {
        self.yields.clear();
        self.yields.extend_from_slice(problem.ceilings);
        self.positions.clear();
        self.positions.resize(weights.len(), JobPosition::Fixed);
        for &node in problem.nodes {
            for part in problem.contested.node(node as usize).0 {
                let job = part.job as usize;
                if problem.floors[job] < problem.ceilings[job] {
                    self.positions[job] = JobPosition::Column(0);
                }
            }
        }
        self.columns.clear();
        self.reduced_costs.clear();
        for (job, place) in self.positions.iter_mut().enumerate() {
            if let JobPosition::Column(column) = place {
                *column = self.columns.len() as u32;
                self.columns.push(Column::JobAtCeiling(job as u32));
                self.reduced_costs.push(weights[job]);
            }
        }
        self.rows.clear();
        self.basics.clear();
    }

    /// Adds the row of a node if it is overloaded. The row is the last one and has no basic job: its
    /// slack is the leaving variable.
    fn add_violated_row(&mut self, problem: &Problem<'_>, node: u32) -> Option<Leaving> {
        let (parts, capacity) = problem.contested.node(node as usize);
        let scale = 1.0 / capacity as f64;
        let used: f64 = parts.iter().map(|part| part.load as f64 * self.yields[part.job as usize]).sum();
        let excess = used * scale - 1.0;
        if excess <= EPSILON {
            return None;
        }
        let width = self.columns.len();
        let end = self.rows.len();
        self.rows.resize(end + width, 0.0);
        let (rows, new) = self.rows.split_at_mut(end);
        for part in parts {
            let load = part.load as f64 * scale;
            match self.positions[part.job as usize] {
                JobPosition::Fixed => {}
                JobPosition::Column(column) => new[column as usize] += load,
                JobPosition::Row(row) => subtract(new, load, &rows[row as usize * width..][..width]),
            }
        }
        Some(Leaving { row: self.basics.len(), column: Column::Slack, change: excess })
    }

    /// Finds the basic job that violates a bound the most.
    fn most_violated(&self, problem: &Problem<'_>) -> Option<Leaving> {
        let mut farthest: Option<Leaving> = None;
        for (row, &job) in self.basics.iter().enumerate() {
            let at = self.yields[job as usize];
            let (floor, ceiling) = (problem.floors[job as usize], problem.ceilings[job as usize]);
            let (column, change) = if at < floor {
                (Column::JobAtFloor(job), floor - at)
            } else {
                (Column::JobAtCeiling(job), ceiling - at)
            };
            let beyond = at < floor - EPSILON || at > ceiling + EPSILON;
            if beyond && farthest.as_ref().is_none_or(|farthest| change.abs() > farthest.change.abs()) {
                farthest = Some(Leaving { row, column, change });
            }
        }
        farthest
    }

    /// Moves the leaving variable to its bound, by the bound-flipping ratio test. Columns with the
    /// least loss of the objective move first: those that cover only a part of the distance flip to
    /// their other bounds, and the one that covers the rest becomes basic. Returns false if no
    /// column can move the variable, which only rounding errors can cause.
    fn step(&mut self, problem: &Problem<'_>, leaving: &Leaving) -> bool {
        let width = self.columns.len();
        self.pivot_row.clear();
        self.pivot_row.extend_from_slice(&self.rows[leaving.row * width..][..width]);
        let direction = leaving.change.signum();
        self.candidates.clear();
        for (index, &column) in self.columns.iter().enumerate() {
            let rise = -self.pivot_row[index] * direction;
            let helps = match column {
                Column::JobAtCeiling(_) => rise < -EPSILON,
                Column::JobAtFloor(_) | Column::Slack => rise > EPSILON,
            };
            if helps {
                self.candidates.push((self.reduced_costs[index].abs() / rise.abs(), index as u32));
            }
        }
        self.candidates.sort_unstable_by(|a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)));
        let Some((&(_, last), others)) = self.candidates.split_last() else {
            if leaving.row == self.basics.len() {
                self.rows.truncate(leaving.row * width);
            }
            return false;
        };
        let (mut change, mut entering) = (leaving.change, last as usize);
        let mut flips = 0;
        for &(_, column) in others {
            let reached = -self.pivot_row[column as usize] * self.range(problem, column as usize);
            if reached.abs() >= change.abs() {
                entering = column as usize;
                break;
            }
            change -= reached;
            flips += 1;
        }
        for place in 0..flips {
            let column = self.candidates[place].1 as usize;
            self.shift(column, self.range(problem, column));
            self.columns[column] = match self.columns[column] {
                Column::JobAtFloor(job) => Column::JobAtCeiling(job),
                Column::JobAtCeiling(job) => Column::JobAtFloor(job),
                Column::Slack => Column::Slack,
            };
        }
        self.shift(entering, -change / self.pivot_row[entering]);
        self.pivot(leaving, entering);
        match leaving.column {
            Column::JobAtFloor(job) => self.yields[job as usize] = problem.floors[job as usize],
            Column::JobAtCeiling(job) => self.yields[job as usize] = problem.ceilings[job as usize],
            Column::Slack => {}
        }
        true
    }

    /// Returns the distance from the current bound of a column's variable to the other bound.
    fn range(&self, problem: &Problem<'_>, column: usize) -> f64 {
        let height = |job: u32| problem.ceilings[job as usize] - problem.floors[job as usize];
        match self.columns[column] {
            Column::JobAtFloor(job) => height(job),
            Column::JobAtCeiling(job) => -height(job),
            Column::Slack => f64::INFINITY,
        }
    }

    /// Shifts the variable of a column, and adjusts all basic jobs.
    fn shift(&mut self, column: usize, by: f64) {
        if let Column::JobAtFloor(job) | Column::JobAtCeiling(job) = self.columns[column] {
            self.yields[job as usize] += by;
        }
        let width = self.columns.len();
        for (row, &job) in self.rows.chunks_exact(width).zip(&self.basics) {
            self.yields[job as usize] -= row[column] * by;
        }
    }

    /// Exchanges the variable of a row with that of a column.
    fn pivot(&mut self, leaving: &Leaving, column: usize) {
        let width = self.columns.len();
        let pivot = self.pivot_row[column];
        for number in &mut self.pivot_row {
            *number /= pivot;
        }
        self.pivot_row[column] = 1.0 / pivot;
        for (index, row) in self.rows.chunks_exact_mut(width).enumerate() {
            let factor = std::mem::take(&mut row[column]);
            if index == leaving.row {
                row.copy_from_slice(&self.pivot_row);
            } else if factor != 0.0 {
                subtract(row, factor, &self.pivot_row);
            }
        }
        let gain = std::mem::take(&mut self.reduced_costs[column]);
        subtract(&mut self.reduced_costs, gain, &self.pivot_row);

        let entering = std::mem::replace(&mut self.columns[column], leaving.column);
        if let Column::JobAtFloor(job) | Column::JobAtCeiling(job) = leaving.column {
            self.positions[job as usize] = JobPosition::Column(column as u32);
        }
        match entering {
            Column::JobAtFloor(job) | Column::JobAtCeiling(job) => {
                if leaving.row == self.basics.len() {
                    self.basics.push(job);
                } else {
                    self.basics[leaving.row] = job;
                }
                self.positions[job as usize] = JobPosition::Row(leaving.row as u32);
            }
            Column::Slack => self.remove_row(leaving.row),
        }
    }

    /// Removes a row whose variable is a slack: its node is no longer full.
    fn remove_row(&mut self, row: usize) {
        let width = self.columns.len();
        let last = self.rows.len() / width - 1;
        self.rows.copy_within(last * width.., row * width);
        self.rows.truncate(last * width);
        if row < self.basics.len() {
            self.basics.swap_remove(row);
            if let Some(&job) = self.basics.get(row) {
                self.positions[job as usize] = JobPosition::Row(row as u32);
            }
        }
    }
}

/// Computes `row -= factor * other`.
fn subtract(row: &mut [f64], factor: f64, other: &[f64]) {
    for (number, other) in row.iter_mut().zip(other) {
        *number -= factor * other;
    }
}
