//! The yields of a mapping to unequal nodes of which the smallest is as large as possible, then the second smallest, and so on.

use super::{TaskSize, UnequalCluster};
use dfrsim_model::{NodeTasks, Yield};

/// Binary digits of a level behind those of a yield.
const FINE: u32 = 40;
/// The yield 1.
const ONE: u128 = (Yield::ONE.units() as u128) << FINE;

/// A node in a dimension in which all of its jobs at a yield of 1 are more than it has.
struct Contested {
    capacity: u128,
    /// Jobs and their loads.
    parts: Vec<(usize, u128)>,
}

impl Contested {
    /// The level at which it is full if no other node is so before; `None` if it never is.
    fn full_at(&self, levels: &[Option<u128>]) -> Option<u128> {
        let (mut free, mut rising) = (self.capacity * ONE, 0);
        for &(job, load) in &self.parts {
            match levels[job] {
                None => rising += load,
                Some(level) => free -= load * level,
            }
        }
        free.checked_div(rising).filter(|&level| level < ONE)
    }
}

impl UnequalCluster {
    /// Max-min fair yields: all jobs rise together until a node is full in a dimension, which stops its jobs, and so on. Jobs are in the
    /// order of submission, with the nodes of their tasks.
    #[must_use]
    pub fn max_min(&self, jobs: &[(&TaskSize, &[NodeTasks])]) -> Vec<Yield> {
        let contested = self.contested(jobs);
        let mut levels: Vec<Option<u128>> = vec![None; jobs.len()];
        let full = |levels: &[Option<u128>]| {
            let all = contested.iter().enumerate();
            all.filter_map(|(place, it)| Some((it.full_at(levels)?, place))).min()
        };
        while let Some((level, place)) = full(&levels) {
            for &(job, _) in &contested[place].parts {
                levels[job].get_or_insert(level);
            }
        }
        let load = |it: &Contested| it.parts.iter().map(|(_, load)| load).sum::<u128>();
        let largest = contested.iter().map(load).max().unwrap_or(0);
        // A level that is less than this below a unit of yields is meant to be that unit: all jobs of a node together cannot gain a
        // whole one of the units in which its use is counted.
        let meant = (1 << FINE) / (largest + 1).max(1 << 10);
        let coarse = |level: &Option<u128>| {
            let level = (level.unwrap_or(ONE) + meant).min(ONE);
            Yield::try_from_units((level >> FINE) as u32).expect("at most 1")
        };
        levels.iter().map(coarse).collect()
    }

    /// The contested nodes, with loads in the largest unit that divides all needs and capacities.
    fn contested(&self, jobs: &[(&TaskSize, &[NodeTasks])]) -> Vec<Contested> {
        let is_fluid = |dimension: usize| jobs.iter().any(|(size, _)| size.fluid[dimension] > 0);
        let fluid: Vec<usize> = (0..self.wholes.len()).filter(|&dimension| is_fluid(dimension)).collect();
        let capacities = self.capacities.iter().flat_map(|all| fluid.iter().map(|&dimension| all[dimension]));
        let needs = jobs.iter().flat_map(|(size, _)| size.fluid.iter().copied());
        let unit = u128::from(capacities.chain(needs).fold(0, common_divisor).max(1));
        let dimensions = self.wholes.len();
        let mut parts: Vec<Vec<(usize, u128)>> = vec![Vec::new(); self.nodes() * dimensions];
        for (job, (size, placement)) in jobs.iter().enumerate() {
            for part in *placement {
                for (dimension, &need) in size.fluid.iter().enumerate().filter(|(_, need)| **need > 0) {
                    let load = u128::from(need) / unit * u128::from(part.tasks);
                    parts[part.node.index() * dimensions + dimension].push((job, load));
                }
            }
        }
        let whole = |place: usize| u128::from(self.capacity(place / dimensions)[place % dimensions]) / unit;
        let all =
            parts.into_iter().enumerate().map(|(place, parts)| Contested { capacity: whole(place), parts });
        all.filter(|it| it.parts.iter().map(|(_, load)| load).sum::<u128>() > it.capacity).collect()
    }
}

fn common_divisor(a: u64, b: u64) -> u64 {
    if b == 0 { a } else { common_divisor(b, a % b) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use dfrsim_model::NodeId;

    /// CPU 4 and 1 GPU on node 0, CPU 2 on node 1. Jobs 0 and 1 ask for the whole GPU: half of it each, with which they use 1/2 + 1 of the
    /// CPU. Job 2, with need 4 there, rises until that is full: (4 - 3/2) / 4. Job 3 with need 3 has node 1 alone: 2/3.
    #[test]
    fn each_dimension_of_each_node_can_stop_jobs() {
        let cluster = UnequalCluster::new(vec![vec![4, 1], vec![2, 0]], vec![4, 1], vec![0, 1]);
        let size = |cpu, gpu| TaskSize { fixed: vec![0, 0], fluid: vec![cpu, gpu] };
        let sizes = [size(1, 1), size(2, 1), size(4, 0), size(3, 0)];
        let on = |node| [NodeTasks { node: NodeId(node), tasks: 1 }];
        let nodes = [on(0), on(0), on(0), on(1)];
        let jobs: Vec<(&TaskSize, &[NodeTasks])> = sizes.iter().zip(nodes.iter().map(|it| &it[..])).collect();
        let yields = cluster.max_min(&jobs);
        let half = Yield::from_ratio(1, 2);
        assert_eq!(yields, [half, half, Yield::from_ratio(5, 8), Yield::from_ratio(2, 3)]);
    }
}
