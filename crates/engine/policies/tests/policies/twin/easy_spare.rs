//! EASY/SPARE, node by node.

use super::{State, Twin};

pub(crate) struct EasySpare {
    /// The job on each node.
    on: Vec<Option<usize>>,
    /// The waiting job with its nodes.
    reservation: Option<(usize, Vec<usize>)>,
}

impl EasySpare {
    pub(crate) fn new(nodes: u32) -> EasySpare {
        EasySpare { on: vec![None; nodes as usize], reservation: None }
    }

    fn start(&mut self, state: &mut State<'_>, job: usize, nodes: &[usize]) {
        state.start(job);
        for &node in nodes {
            self.on[node] = Some(job);
        }
    }
}

impl Twin for EasySpare {
    fn pass(&mut self, state: &mut State<'_>) -> Option<u64> {
        for on in &mut self.on {
            *on = on.filter(|job| state.running.iter().any(|(other, _)| other == job));
        }
        let is_free = |(_, nodes): &(usize, Vec<usize>)| nodes.iter().all(|&node| self.on[node].is_none());
        if let Some((job, nodes)) = self.reservation.clone().filter(is_free) {
            self.start(state, job, &nodes);
            self.reservation = None;
        }
        for job in state.queue.clone() {
            let width = state.jobs[job].width as usize;
            let reserved = self.reservation.clone().unwrap_or_default();
            if !reserved.1.is_empty() && reserved.0 == job {
                continue;
            }
            let spare: Vec<usize> = (0..self.on.len())
                .filter(|node| self.on[*node].is_none() && !reserved.1.contains(node))
                .collect();
            if width <= spare.len() {
                self.start(state, job, &spare[..width]);
            } else if reserved.1.is_empty() {
                // By the time at which they are free, and among those by the job that they wait for: what counts is which
                // jobs are awaited.
                let free_from = |node: usize| match self.on[node] {
                    Some(job) => {
                        let running = state.running.iter().find(|(other, _)| *other == job);
                        (state.expected_end(*running.unwrap()), job + 1)
                    }
                    None => (0, 0),
                };
                let mut nodes: Vec<usize> = (0..self.on.len()).collect();
                nodes.sort_by_key(|&node| free_from(node));
                let time = free_from(nodes[width - 1]).0;
                let in_time: Vec<usize> =
                    nodes.into_iter().filter(|&node| free_from(node).0 <= time).collect();
                self.reservation = Some((job, in_time[in_time.len() - width..].to_vec()));
            }
        }
        None
    }
}
