//! Small random grids and requests.

use dfrsim_coallocation::Grid;
use dfrsim_model::coallocation::{Request, Reservation, Resource};
use dfrsim_model::{Rng, Seed, SimSpan, SimTime};
use rand::RngExt as _;

/// Last time at which anything is reserved, in seconds.
const HORIZON: u64 = 30;

pub(crate) struct Instance {
    pub(crate) resources: Vec<Resource>,
    pub(crate) reserved: Vec<Reservation>,
    pub(crate) request: Request,
}

impl Instance {
    /// Draws up to 8 resources with up to 3 properties, reservations on them, and a request for up
    /// to 4 of them.
    pub(crate) fn random(seed: u64) -> Instance {
        let mut rng = Seed::new(seed).fork("instance").rng();
        let properties = rng.random_range(1..=3);
        let resources: Vec<Resource> =
            (0..rng.random_range(1..=8)).map(|_| resource(properties, &mut rng)).collect();
        let mut grid = Grid::new(resources.clone()).unwrap();
        let mut reserved = Vec::new();
        for _ in 0..rng.random_range(0..=30) {
            let part = reservation(&resources, &mut rng);
            if grid.reserve(std::slice::from_ref(&part)).is_ok() {
                reserved.push(part);
            }
        }
        let request = request(properties, &mut rng);
        Instance { resources, reserved, request }
    }

    pub(crate) fn grid(&self) -> Grid {
        Grid::with_reservations(self.resources.clone(), &self.reserved).unwrap()
    }

    /// Returns the maximum reserved amount of a property over the requested duration from `from` on.
    /// Every second is checked, as reservations begin and end at whole seconds.
    pub(crate) fn reserved_over(&self, resource: usize, property: usize, from: SimTime) -> u64 {
        let seconds = (0..self.request.duration.micros()).step_by(1_000_000);
        let at = |offset: u64| -> u64 {
            let time = from + SimSpan::from_micros(offset);
            let holds = |it: &&Reservation| it.resource == resource && it.from <= time && time < it.until;
            self.reserved.iter().filter(holds).map(|it| it.amounts[property]).sum()
        };
        seconds.map(at).max().unwrap()
    }

    /// Returns the free amounts of each property over the window from `from` on, if the request
    /// accepts the resource and its minima are free.
    pub(crate) fn free(&self, resource: usize, from: SimTime) -> Option<Vec<u64>> {
        let it = &self.resources[resource];
        let free: Vec<u64> = (0..it.capacity.len())
            .map(|property| {
                let free = it.capacity[property] - self.reserved_over(resource, property, from);
                free / self.request.step[property] * self.request.step[property]
            })
            .collect();
        let enough = free.iter().zip(&self.request.minimum).all(|(free, minimum)| free >= minimum);
        (enough && self.request.accepts(it)).then_some(free)
    }
}

fn resource(properties: usize, rng: &mut Rng) -> Resource {
    let label = if rng.random_range(0..6) == 0 { "arm" } else { "amd" };
    Resource {
        capacity: (0..properties).map(|_| rng.random_range(1..=9)).collect(),
        labels: [label.to_owned()].into(),
    }
}

pub(crate) fn reservation(resources: &[Resource], rng: &mut Rng) -> Reservation {
    let resource = rng.random_range(0..resources.len());
    let from = rng.random_range(0..HORIZON);
    Reservation {
        resource,
        from: SimTime::from_secs(from),
        until: SimTime::from_secs(rng.random_range(from + 1..=HORIZON)),
        amounts: resources[resource].capacity.iter().map(|&most| rng.random_range(0..=most)).collect(),
    }
}

pub(crate) fn request(properties: usize, rng: &mut Rng) -> Request {
    let resources = rng.random_range(1..=4);
    let earliest = rng.random_range(0..HORIZON);
    let step: Box<[u64]> = (0..properties).map(|_| [1, 1, 2, 3][rng.random_range(0..4)]).collect();
    let minimum: Box<[u64]> = step.iter().map(|step| step * (rng.random_range(0..=2) / step)).collect();
    let total = minimum.iter().zip(&step).map(|(least, step)| {
        let more = rng.random_range(0..=4 * resources as u64);
        least * resources as u64 + more / step * step
    });
    let total = total.collect();
    Request {
        duration: SimSpan::from_secs(rng.random_range(1..=8)),
        resources,
        earliest: SimTime::from_secs(earliest),
        latest: SimTime::from_secs(rng.random_range(earliest..=HORIZON)),
        total,
        minimum,
        step,
        labels: [(rng.random_range(0..2) == 0).then(|| "amd".to_owned())].into(),
    }
}
