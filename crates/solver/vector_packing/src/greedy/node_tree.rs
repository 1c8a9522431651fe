//! A search tree over the nodes of a cluster.

/// Complete binary tree over the nodes that finds the cheapest node for a task.
///
/// A leaf has a row of numbers: for each resource the *excess*, load minus capacity, which is 0 for
/// a full node, and then some *costs*. The row of an inner node is the elementwise minimum of its
/// children's rows, so it bounds from below the excess and the cost in its subtree. Rows are stored
/// contiguously, since a search or an update accesses whole rows.
pub(super) struct NodeTree {
    resources: usize,
    stride: usize,
    leaves: usize,
    /// Rows of the tree. The row of tree node `t` starts at `t * stride`; 1 is the root, `2 t` and
    /// `2 t + 1` are the children of `t`, and the leaves start at tree node `leaves`.
    rows: Vec<i64>,
}

/// Excess of unused leaves. No task fits there, and adding a demand does not overflow.
const NOWHERE: i64 = i64::MAX / 2;

/// Parameters of a search.
struct Query<'a> {
    demand: &'a [i64],
    /// Index of the cost in a row.
    cost: Option<usize>,
}

impl NodeTree {
    /// Creates a tree with a node for each of the capacities, and with loads and costs of 0.
    pub(super) fn new<'a>(
        capacities: impl ExactSizeIterator<Item = &'a [i64]>,
        resources: usize,
        costs: usize,
    ) -> NodeTree {
        let leaves = capacities.len().next_power_of_two();
        let stride = resources + costs;
        let mut rows = vec![NOWHERE; 2 * leaves * stride];
        for (row, capacity) in rows[leaves * stride..].chunks_exact_mut(stride).zip(capacities) {
            let (excess, costs) = row.split_at_mut(resources);
            for (excess, capacity) in excess.iter_mut().zip(capacity) {
                *excess = -capacity;
            }
            costs.fill(0);
        }
        let mut tree = NodeTree { resources, stride, leaves, rows };
        for inner in (1..leaves).rev() {
            tree.summarise(inner);
        }
        tree
    }

    /// Finds the node of least cost in this column that can hold the demand, or the first such node
    /// if `column` is `None`; ties are broken by the lowest index.
    pub(super) fn cheapest(&self, demand: &[i64], column: Option<usize>) -> Option<usize> {
        let query = Query { demand, cost: column.map(|column| self.resources + column) };
        let mut best = (i64::MAX, usize::MAX);
        self.search(1, 0, self.leaves, &query, &mut best);
        (best.1 != usize::MAX).then_some(best.1)
    }

    /// Adds a demand to a node's load and updates its costs with `recost`.
    pub(super) fn add(&mut self, node: usize, demand: &[i64], recost: impl FnOnce(&mut [i64])) {
        let leaf = self.leaves + node;
        let (excess, costs) = self.rows[leaf * self.stride..][..self.stride].split_at_mut(self.resources);
        for (excess, demand) in excess.iter_mut().zip(demand) {
            *excess += demand;
        }
        recost(costs);
        let mut inner = leaf / 2;
        while inner > 0 {
            self.summarise(inner);
            inner /= 2;
        }
    }

    /// Searches depth first, the cheaper child first, below the tree node `at`, which covers the
    /// nodes `first..first + width`. Prunes subtrees that cannot contain anything better than `best`
    /// (cost, node).
    fn search(&self, at: usize, first: usize, width: usize, query: &Query<'_>, best: &mut (i64, usize)) {
        let row = self.row(at);
        if (query.cost_in(row), first) >= *best || !query.fits(row) {
            return;
        }
        if width == 1 {
            *best = (query.cost_in(row), first);
            return;
        }
        let (left, right, half) = (2 * at, 2 * at + 1, width / 2);
        if query.cost_in(self.row(right)) < query.cost_in(self.row(left)) {
            self.search(right, first + half, half, query, best);
            self.search(left, first, half, query, best);
        } else {
            self.search(left, first, half, query, best);
            self.search(right, first + half, half, query, best);
        }
    }

    fn row(&self, at: usize) -> &[i64] {
        &self.rows[at * self.stride..][..self.stride]
    }

    /// Computes an inner node's row from those of its children.
    fn summarise(&mut self, at: usize) {
        let (above, below) = self.rows.split_at_mut(2 * at * self.stride);
        let (left, right) = below[..2 * self.stride].split_at(self.stride);
        let row = &mut above[at * self.stride..][..self.stride];
        for ((cell, left), right) in row.iter_mut().zip(left).zip(right) {
            *cell = *left.min(right);
        }
    }
}

impl Query<'_> {
    fn cost_in(&self, row: &[i64]) -> i64 {
        self.cost.map_or(0, |at| row[at])
    }
    fn fits(&self, row: &[i64]) -> bool {
        self.demand.iter().zip(row).all(|(demand, excess)| demand + excess <= 0)
    }
}
