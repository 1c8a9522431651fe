//! A dense dual simplex method with bounds, to which the rows are added as they are violated.

use super::contested::Contested;

/// What counts as zero, in yields and in sums of them relative to a node's CPU: far above the errors of
/// floating point, far below a unit of a yield.
const ZERO: f64 = 1e-11;

/// Maximises the sum of weight * yield between floors and ceilings, with no node above its CPU.
///
/// It starts with all jobs at their ceilings, the optimum without any node. While a node has too much, its row
/// is added to the dictionary, and dual steps restore the bounds without losing optimality. A dictionary holds
/// basic variables, expressed by as many columns as there are free jobs. Only jobs are basic: the slack of a
/// node is either a column (the node is full) or not in the dictionary at all, so that there are as many rows as
/// full nodes.
///
/// Each choice is fixed by the order of jobs and nodes, and all arithmetic is that of IEEE 754 operation by
/// operation, so that the solution is the same on every machine.
#[derive(Clone, Debug, Default)]
pub(super) struct DualSimplex {
    yields: Vec<f64>,
    places: Vec<JobPosition>,
    columns: Vec<Column>,
    /// For each column: by how much the objective grows with its variable.
    gains: Vec<f64>,
    /// Row after row, a number for each column: by how much the basic variable falls when the column's grows.
    rows: Vec<f64>,
    /// The basic job of each row.
    basics: Vec<u32>,
    /// Columns that can move the leaving variable the right way, with the loss of the objective for it.
    candidates: Vec<(f64, u32)>,
    pivot_row: Vec<f64>,
}

/// Where a job is found.
#[derive(Clone, Copy, Debug)]
enum JobPosition {
    /// Its floor is its ceiling, or no node matters to it.
    Fixed,
    Column(u32),
    Row(u32),
}

/// A variable that is at one of its bounds.
#[derive(Clone, Copy, Debug)]
enum Column {
    JobAtFloor(u32),
    JobAtCeiling(u32),
    /// The unused CPU of a node, which is 0.
    Slack,
}

/// The variable of a row that is beyond a bound and becomes a column there.
struct Leaving {
    row: usize,
    column: Column,
    /// How far it must move.
    change: f64,
}

/// The problem, as the caller has it.
struct Problem<'a> {
    contested: &'a Contested,
    nodes: &'a [u32],
    floors: &'a [f64],
    ceilings: &'a [f64],
}

impl DualSimplex {
    /// The yields. Only if the numbers are so bad that the method does not come to its end are some nodes left
    /// with too much.
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
        // A few steps a node are usual.
        let mut steps = 100 * (nodes.len() + self.columns.len());
        let (mut node, mut satisfied) = (0, 0);
        while satisfied < nodes.len() && steps > 0 {
            satisfied += 1;
            if let Some(leaving) = self.overfull(&problem, nodes[node]) {
                satisfied = 0;
                let mut next = Some(leaving);
                while let Some(leaving) = next.filter(|_| steps > 0) {
                    steps -= 1;
                    let moved = self.step(&problem, &leaving);
                    next = if moved { self.out_of_bounds(&problem) } else { None };
                }
            }
            node = (node + 1) % nodes.len();
        }
        &self.yields
    }

    /// All jobs at their ceilings, and no rows.
    fn start(&mut self, problem: &Problem<'_>, weights: &[f64]) {
        self.yields.clear();
        self.yields.extend_from_slice(problem.ceilings);
        self.places.clear();
        self.places.resize(weights.len(), JobPosition::Fixed);
        for &node in problem.nodes {
            for part in problem.contested.node(node as usize).0 {
                let job = part.job as usize;
                if problem.floors[job] < problem.ceilings[job] {
                    self.places[job] = JobPosition::Column(0);
                }
            }
        }
        self.columns.clear();
        self.gains.clear();
        for (job, place) in self.places.iter_mut().enumerate() {
            if let JobPosition::Column(column) = place {
                *column = self.columns.len() as u32;
                self.columns.push(Column::JobAtCeiling(job as u32));
                self.gains.push(weights[job]);
            }
        }
        self.rows.clear();
        self.basics.clear();
    }

    /// Adds the row of a node that has too much. The row is the last one and has no basic job: its slack leaves.
    fn overfull(&mut self, problem: &Problem<'_>, node: u32) -> Option<Leaving> {
        let (parts, capacity) = problem.contested.node(node as usize);
        let scale = 1.0 / capacity as f64;
        let used: f64 = parts.iter().map(|part| part.load as f64 * self.yields[part.job as usize]).sum();
        let excess = used * scale - 1.0;
        if excess <= ZERO {
            return None;
        }
        let width = self.columns.len();
        let end = self.rows.len();
        self.rows.resize(end + width, 0.0);
        let (rows, new) = self.rows.split_at_mut(end);
        for part in parts {
            let load = part.load as f64 * scale;
            match self.places[part.job as usize] {
                JobPosition::Fixed => {}
                JobPosition::Column(column) => new[column as usize] += load,
                JobPosition::Row(row) => subtract(new, load, &rows[row as usize * width..][..width]),
            }
        }
        Some(Leaving { row: self.basics.len(), column: Column::Slack, change: excess })
    }

    /// The basic job that is farthest beyond a bound.
    fn out_of_bounds(&self, problem: &Problem<'_>) -> Option<Leaving> {
        let mut farthest: Option<Leaving> = None;
        for (row, &job) in self.basics.iter().enumerate() {
            let at = self.yields[job as usize];
            let (floor, ceiling) = (problem.floors[job as usize], problem.ceilings[job as usize]);
            let (column, change) = if at < floor {
                (Column::JobAtFloor(job), floor - at)
            } else {
                (Column::JobAtCeiling(job), ceiling - at)
            };
            let beyond = at < floor - ZERO || at > ceiling + ZERO;
            if beyond && farthest.as_ref().is_none_or(|farthest| change.abs() > farthest.change.abs()) {
                farthest = Some(Leaving { row, column, change });
            }
        }
        farthest
    }

    /// Brings a variable to its bound. The columns that lose the objective the least for it move first: those that
    /// can only do a part of it go to their other bounds, and the one that can do the rest becomes basic. False if no column can move it, which
    /// only an error of rounding can bring about.
    fn step(&mut self, problem: &Problem<'_>, leaving: &Leaving) -> bool {
        let width = self.columns.len();
        self.pivot_row.clear();
        self.pivot_row.extend_from_slice(&self.rows[leaving.row * width..][..width]);
        let direction = leaving.change.signum();
        self.candidates.clear();
        for (index, &column) in self.columns.iter().enumerate() {
            let rise = -self.pivot_row[index] * direction;
            let helps = match column {
                Column::JobAtCeiling(_) => rise < -ZERO,
                Column::JobAtFloor(_) | Column::Slack => rise > ZERO,
            };
            if helps {
                self.candidates.push((self.gains[index].abs() / rise.abs(), index as u32));
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

    /// The distance from the current bound of a column's variable to the other bound.
    fn range(&self, problem: &Problem<'_>, column: usize) -> f64 {
        let height = |job: u32| problem.ceilings[job as usize] - problem.floors[job as usize];
        match self.columns[column] {
            Column::JobAtFloor(job) => height(job),
            Column::JobAtCeiling(job) => -height(job),
            Column::Slack => f64::INFINITY,
        }
    }

    /// Changes the variable of a column, and with it all basic jobs.
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
        let gain = std::mem::take(&mut self.gains[column]);
        subtract(&mut self.gains, gain, &self.pivot_row);

        let entering = std::mem::replace(&mut self.columns[column], leaving.column);
        if let Column::JobAtFloor(job) | Column::JobAtCeiling(job) = leaving.column {
            self.places[job as usize] = JobPosition::Column(column as u32);
        }
        match entering {
            Column::JobAtFloor(job) | Column::JobAtCeiling(job) => {
                if leaving.row == self.basics.len() {
                    self.basics.push(job);
                } else {
                    self.basics[leaving.row] = job;
                }
                self.places[job as usize] = JobPosition::Row(leaving.row as u32);
            }
            Column::Slack => self.remove_row(leaving.row),
        }
    }

    /// Forgets a row whose variable is a slack: its node is not full any more.
    fn remove_row(&mut self, row: usize) {
        let width = self.columns.len();
        let last = self.rows.len() / width - 1;
        self.rows.copy_within(last * width.., row * width);
        self.rows.truncate(last * width);
        if row < self.basics.len() {
            self.basics.swap_remove(row);
            if let Some(&job) = self.basics.get(row) {
                self.places[job as usize] = JobPosition::Row(row as u32);
            }
        }
    }
}

/// `row -= factor * other`.
fn subtract(row: &mut [f64], factor: f64, other: &[f64]) {
    for (number, other) in row.iter_mut().zip(other) {
        *number -= factor * other;
    }
}
