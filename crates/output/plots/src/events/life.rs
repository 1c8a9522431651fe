//! What is kept of jobs and nodes. Times are in microseconds.

use super::replay::Change;
use dfrsim_model::{Share, Yield};
use std::collections::BTreeMap;

/// A job from its submission to its end.
#[derive(Clone, Debug, PartialEq)]
pub struct Life {
    /// Its number in its log.
    pub id: u64,
    /// Its place in the order of submission, from 0.
    pub sequence: u64,
    /// When it was submitted.
    pub submit: u64,
    /// Its run time.
    pub run: u64,
    /// Of a task.
    pub cpu_need: Share,
    /// Its last event.
    pub end: u64,
    /// How it ended; `None` if it is in the system when the kept time ends.
    pub fate: Option<Change>,
}

/// A job on the same nodes.
#[derive(Clone, Debug, PartialEq)]
pub struct Stay {
    /// The place of the job's [`Life`].
    pub job: usize,
    /// When it begins.
    pub from: u64,
    /// When it ends.
    pub to: u64,
    /// Why it begins.
    pub begin: Change,
    /// Why it ends; `None` if the kept time ends before it.
    pub end: Option<Change>,
    /// Since when the job has had which yield; the first begins with the stay.
    pub pieces: Vec<(u64, Yield)>,
    /// Its nodes, in their order.
    pub runs: Vec<Run>,
}

/// Nodes next to each other with as many tasks of a job each, and the job in the same row of each.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Run {
    /// The first node.
    pub first: u32,
    /// How many nodes.
    pub nodes: u32,
    /// How many tasks each has.
    pub tasks: u32,
    /// The row of the node; no two stays in a row overlap. All are 0 before [`assign_rows`].
    pub row: u32,
}

/// A job of a grid joins the queue of a cluster.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Queued {
    /// The place of the job's [`Life`].
    pub job: usize,
    /// When.
    pub at: u64,
    /// The cluster, from 0.
    pub cluster: u32,
}

/// Nodes next to each other that are down at the same time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Down {
    /// The first node.
    pub first: u32,
    /// How many nodes.
    pub nodes: u32,
    /// When they go down.
    pub from: u64,
    /// When they come up.
    pub to: u64,
}

/// Nodes with their tasks and rows, in order, joined where they are next to each other and alike.
pub(crate) fn joined(on: impl Iterator<Item = (u32, u32, u32)>) -> Vec<Run> {
    let mut runs: Vec<Run> = Vec::new();
    for (node, tasks, row) in on {
        match runs.last_mut() {
            Some(run) if (run.first + run.nodes, run.tasks, run.row) == (node, tasks, row) => run.nodes += 1,
            _ => runs.push(Run { first: node, nodes: 1, tasks, row }),
        }
    }
    runs
}

/// Gives each stay, in the order of their begins, the first row of each of its nodes that is free.
pub fn assign_rows(stays: &mut [Stay]) {
    // When each row of a node is free again.
    let mut free: BTreeMap<u32, Vec<u64>> = BTreeMap::new();
    for Stay { from, to, runs, .. } in stays {
        let on = runs.iter().flat_map(|run| (run.first..run.first + run.nodes).map(|node| (node, run.tasks)));
        *runs = joined(on.map(|(node, tasks)| {
            let rows = free.entry(node).or_default();
            let row = rows.iter().position(|free| free <= from).unwrap_or(rows.len());
            rows.resize(rows.len().max(row + 1), *to);
            rows[row] = *to;
            (node, tasks, row as u32)
        }));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nodes_next_to_each_other_are_one_run() {
        let run = |first, nodes, tasks, row| Run { first, nodes, tasks, row };
        let on = [(1, 1, 0), (2, 1, 0), (3, 1, 0), (4, 2, 0), (5, 2, 1), (7, 2, 1)];
        let expected = [run(1, 3, 1, 0), run(4, 1, 2, 0), run(5, 1, 2, 1), run(7, 1, 2, 1)];
        assert_eq!(joined(on.into_iter()), expected);
        assert_eq!(joined([].into_iter()), []);
    }

    /// ```text
    /// node 1:  bb
    ///         aaacc
    /// node 0: aaacc
    /// ```
    #[test]
    fn rows_are_the_first_that_are_free() {
        let stay = |job, from, to, first, nodes| Stay {
            job,
            from,
            to,
            begin: Change::Start,
            end: Some(Change::Complete),
            pieces: vec![(from, Yield::ONE)],
            runs: joined((first..first + nodes).map(|node| (node, 1, 0))),
        };
        let mut stays = [stay(0, 0, 3, 0, 2), stay(1, 1, 5, 1, 1), stay(2, 3, 5, 0, 2), stay(3, 4, 5, 0, 2)];
        assign_rows(&mut stays);
        let rows = stays.map(|stay| stay.runs.iter().map(|run| (run.nodes, run.row)).collect::<Vec<_>>());
        assert_eq!(rows, [vec![(2, 0)], vec![(1, 1)], vec![(2, 0)], vec![(1, 1), (1, 2)]]);
    }
}
