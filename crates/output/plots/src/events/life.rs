//! Histories of jobs and nodes. Times are in microseconds.

use super::attributes::JobAttributes;
use super::replay::Change;
use dfrsim_model::{Share, Yield};
use std::collections::BTreeMap;

/// A job from its submission to its end.
#[derive(Clone, Debug, PartialEq)]
pub struct JobHistory {
    /// Job number in the log.
    pub id: u64,
    /// Index in the order of submission, from 0.
    pub sequence: u64,
    /// Submit time.
    pub submit: u64,
    /// Run time.
    pub run: u64,
    /// CPU need of a task.
    pub cpu_need: Share,
    /// Size and origin.
    pub of: JobAttributes,
    /// Time of the job's last event.
    pub end: u64,
    /// Last event of the job; `None` if it is still in the system at the end of the recorded time.
    pub fate: Option<Change>,
}

/// A period during which a job is on the same nodes.
#[derive(Clone, Debug, PartialEq)]
pub struct Stay {
    /// Index of the [`JobHistory`].
    pub job: usize,
    /// Start of the stay.
    pub from: u64,
    /// End of the stay.
    pub to: u64,
    /// Event at the start.
    pub begin: Change,
    /// Event at the end; `None` if the recorded time ends earlier.
    pub end: Option<Change>,
    /// Yield changes as (time, yield), starting at the start of the stay.
    pub pieces: Vec<(u64, Yield)>,
    /// Nodes of the stay, in order.
    pub runs: Vec<NodeRun>,
}

/// Consecutive nodes with the same number of tasks of a job, and the job in the same row of each.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct NodeRun {
    /// First node.
    pub first: u32,
    /// Number of nodes.
    pub nodes: u32,
    /// Number of tasks on each node.
    pub tasks: u32,
    /// Row within the nodes; stays in the same row do not overlap. All rows are 0 before
    /// [`assign_rows`].
    pub row: u32,
}

/// Submission of a job of a grid to the queue of a cluster.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Queued {
    /// Index of the [`JobHistory`].
    pub job: usize,
    /// Time of the submission.
    pub at: u64,
    /// The cluster, from 0.
    pub cluster: u32,
}

/// Consecutive nodes that are down during the same period.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Down {
    /// First node.
    pub first: u32,
    /// Number of nodes.
    pub nodes: u32,
    /// Start of the down time.
    pub from: u64,
    /// End of the down time.
    pub to: u64,
}

/// Merges consecutive nodes with equal tasks and rows. The input is in node order.
pub(crate) fn merge_nodes(on: impl Iterator<Item = (u32, u32, u32)>) -> Vec<NodeRun> {
    let mut runs: Vec<NodeRun> = Vec::new();
    for (node, tasks, row) in on {
        match runs.last_mut() {
            Some(run) if (run.first + run.nodes, run.tasks, run.row) == (node, tasks, row) => run.nodes += 1,
            _ => runs.push(NodeRun { first: node, nodes: 1, tasks, row }),
        }
    }
    runs
}

/// Assigns each stay the first free row on each of its nodes. The stays are in the order of their
/// begins.
pub fn assign_rows(stays: &mut [Stay]) {
    // Time at which each row of a node becomes free.
    let mut free: BTreeMap<u32, Vec<u64>> = BTreeMap::new();
    for Stay { from, to, runs, .. } in stays {
        let on = runs.iter().flat_map(|run| (run.first..run.first + run.nodes).map(|node| (node, run.tasks)));
        *runs = merge_nodes(on.map(|(node, tasks)| {
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
        let run = |first, nodes, tasks, row| NodeRun { first, nodes, tasks, row };
        let on = [(1, 1, 0), (2, 1, 0), (3, 1, 0), (4, 2, 0), (5, 2, 1), (7, 2, 1)];
        let expected = [run(1, 3, 1, 0), run(4, 1, 2, 0), run(5, 1, 2, 1), run(7, 1, 2, 1)];
        assert_eq!(merge_nodes(on.into_iter()), expected);
        assert_eq!(merge_nodes([].into_iter()), []);
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
            runs: merge_nodes((first..first + nodes).map(|node| (node, 1, 0))),
        };
        let mut stays = [stay(0, 0, 3, 0, 2), stay(1, 1, 5, 1, 1), stay(2, 3, 5, 0, 2), stay(3, 4, 5, 0, 2)];
        assign_rows(&mut stays);
        let rows = stays.map(|stay| stay.runs.iter().map(|run| (run.nodes, run.row)).collect::<Vec<_>>());
        assert_eq!(rows, [vec![(2, 0)], vec![(1, 1)], vec![(2, 0)], vec![(1, 1), (1, 2)]]);
    }
}
