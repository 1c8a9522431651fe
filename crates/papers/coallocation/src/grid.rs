//! Grids in use, and their test cases.

use crate::scenario::{CoallocationFields, Sample};
use dfrsim_coallocation::check::check_allocation;
use dfrsim_coallocation::planetlab::{
    Demand, Kind, Usage, correlate_cores_and_ghz, nodes, statistics, test_case, usage,
};
use dfrsim_coallocation::{Grid, Solution};
use dfrsim_lab::Failure;
use dfrsim_model::coallocation::{Request, Reservation, Resource};
use dfrsim_model::{Seed, SimSpan, SimTime};
use rand::RngExt as _;

/// Returns the seed of a grid.
pub(crate) fn grid_seed(seed: u64, replication: u32) -> Seed {
    Seed::new(seed).fork("coallocation").numbered(replication.into())
}

/// Returns the nodes of a grid, which do not depend on its use.
pub(crate) fn grid_nodes(
    fields: &CoallocationFields,
    listed: Option<&[Resource]>,
    seed: Seed,
) -> Vec<Resource> {
    let mut nodes = listed.map_or_else(|| nodes(fields.nodes, seed), <[Resource]>::to_vec);
    if listed.is_none() && fields.core_ghz_correlation != 0.0 {
        correlate_cores_and_ghz(&mut nodes, fields.core_ghz_correlation, seed);
    }
    if let Some(candidates) = &fields.candidates {
        candidates.candidates().mark(&mut nodes);
    }
    nodes
}

/// Grid together with the reservations of its nodes.
#[derive(Debug)]
pub(crate) struct GridInUse {
    pub(crate) grid: Grid,
    /// Reservations of each node.
    reserved: Vec<Vec<Reservation>>,
    /// Label that all requests ask for, by qualitative property.
    pub(crate) labels: Box<[Option<String>]>,
    pub(crate) seed: Seed,
}

impl GridInUse {
    /// Creates a grid of these nodes with reservations for a period of `span`.
    pub(crate) fn new(
        resources: Vec<Resource>,
        course: &Usage,
        span: SimSpan,
        labels: Box<[Option<String>]>,
        seed: Seed,
    ) -> Result<GridInUse, Failure> {
        let all = usage(&resources, course, span, seed);
        let grid = Grid::with_reservations(resources, &all).map_err(Failure::failed)?;
        let mut reserved = vec![Vec::new(); grid.resources().len()];
        for each in all {
            reserved[each.resource].push(each);
        }
        Ok(GridInUse { grid, reserved, labels, seed })
    }

    /// Iterates over the reservations of all nodes.
    pub(crate) fn reservations(&self) -> impl Iterator<Item = &Reservation> {
        self.reserved.iter().flatten()
    }

    /// Generates a test case for `size` nodes. It does not depend on the use of the grid.
    pub(crate) fn case(&self, size: usize, number: u32) -> TestCase {
        let seed = self.seed.fork("case").numbered(size as u64).numbered(number.into());
        let mut rng = seed.fork("request").rng();
        let (demand, earliest, latest) = test_case(size, &statistics(self.grid.resources()), &mut rng);
        let demand = Demand { labels: self.labels.clone(), ..demand };
        let mut order: Vec<usize> = (0..self.grid.resources().len()).collect();
        let mut draws = seed.fork("resources").rng();
        for place in 0..order.len() {
            let drawn = draws.random_range(place..order.len());
            order.swap(place, drawn);
        }
        TestCase { order, demand, earliest, latest, seed }
    }

    /// Returns the reservations of a node.
    pub(crate) fn reservations_of(&self, node: usize) -> &[Reservation] {
        &self.reserved[node]
    }

    /// Checks a solution with the independent checker.
    pub(crate) fn check(&self, request: &Request, solution: &Solution) -> Result<(), Failure> {
        let parts = &solution.allocation.reservations;
        let earlier: Vec<Reservation> =
            parts.iter().flat_map(|part| &self.reserved[part.resource]).cloned().collect();
        match check_allocation(self.grid.resources(), &earlier, request, &solution.allocation).first() {
            Some(fault) => Err(Failure::invalid(fault)),
            None => Ok(()),
        }
    }
}

/// A test case of a grid: its nodes in random order, of which the first are examined, and its
/// demand.
pub(crate) struct TestCase {
    order: Vec<usize>,
    demand: Demand,
    earliest: SimTime,
    latest: SimTime,
    pub(crate) seed: Seed,
}

impl TestCase {
    pub(crate) fn request(&self, kind: Kind) -> Request {
        self.demand.request(kind, self.earliest, self.latest)
    }
    /// Returns the nodes that a search examines: the first `multiple` times the requested number,
    /// either of all nodes with the requested label or of the eligible ones.
    pub(crate) fn sample(&self, how: Sample, grid: &Grid, kind: Kind, multiple: usize) -> Vec<usize> {
        let request = self.request(kind);
        let has_label = |node: &Resource| {
            let mut labels = request.labels.iter().zip(&node.labels);
            labels.all(|(asked, label)| asked.as_ref().is_none_or(|asked| asked == label))
        };
        let is_taken = |node: &&usize| {
            let node = &grid.resources()[**node];
            if how == Sample::Unchecked { has_label(node) } else { request.accepts(node) }
        };
        self.order.iter().filter(is_taken).take(multiple * self.demand.resources).copied().collect()
    }
}
