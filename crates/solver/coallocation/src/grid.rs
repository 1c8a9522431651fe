//! Resources and their timetables.

use crate::Timetable;
use dfrsim_model::SimTime;
use dfrsim_model::coallocation::{MOST_RESOURCES, MOST_UNITS, Request, Reservation, Resource};

/// What can be reserved, and what is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Grid {
    properties: usize,
    resources: Vec<Resource>,
    timetables: Vec<Timetable>,
}

/// Why a grid, a request or a reservation is refused.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum GridError {
    /// There are too many resources.
    #[error("expected at most {MOST_RESOURCES} resources, found {0}")]
    TooMany(usize),
    /// A list has other than one entry a property.
    #[error("{what} {found} {kind} properties, but the grid has {expected}")]
    Properties {
        /// Whose list it is.
        what: &'static str,
        /// Quantitative or qualitative.
        kind: &'static str,
        /// How many entries it has.
        found: usize,
        /// How many properties there are.
        expected: usize,
    },
    /// An amount is beyond all that is meant.
    #[error("an amount is larger than a hundred million")]
    Amount,
    /// The resource does not exist.
    #[error("there is no resource {0}")]
    NoResource(usize),
    /// Reservations that are made together do not name each resource once, in rising order.
    #[error("resource {0} is named twice or out of order")]
    Order(usize),
    /// A reservation or a request takes no time.
    #[error("it must end after it begins, and not beyond the last time that can be represented")]
    Empty,
    /// A request for no resources.
    #[error("it asks for no resources")]
    NoResources,
    /// The latest start of a request is before the earliest.
    #[error("its latest start is before its earliest")]
    Window,
    /// The total of a request is below what the minima come to, or beyond all that is meant.
    #[error(
        "the total of property {0} is below the sum of the minima, or above a hundred million per resource"
    )]
    Total(usize),
    /// A minimum or a total cannot be given in steps.
    #[error("the minimum and the total of property {0} must be multiples of its step")]
    Step(usize),
    /// The amount is not free: another job has it.
    #[error("resource {resource} does not have enough of property {property} free")]
    Taken {
        /// The resource, from 0.
        resource: usize,
        /// The quantitative property, from 0.
        property: usize,
    },
}

impl Grid {
    /// A grid without reservations.
    ///
    /// # Errors
    ///
    /// If the resources differ in the number of their properties, or there is more than the model allows.
    pub fn new(resources: Vec<Resource>) -> Result<Grid, GridError> {
        if resources.len() > MOST_RESOURCES {
            return Err(GridError::TooMany(resources.len()));
        }
        let (properties, labels) =
            resources.first().map_or((0, 0), |it| (it.capacity.len(), it.labels.len()));
        for resource in &resources {
            expect_properties("a resource has", "quantitative", resource.capacity.len(), properties)?;
            expect_properties("a resource has", "qualitative", resource.labels.len(), labels)?;
            check_amounts(&resource.capacity)?;
        }
        let timetables = vec![Timetable::new(properties); resources.len()];
        Ok(Grid { properties, resources, timetables })
    }

    /// A grid with reservations, which are made all at once.
    ///
    /// # Errors
    ///
    /// As for [`Grid::new`], and if a reservation is malformed or a resource has less than is reserved of it.
    pub fn with_reservations(
        resources: Vec<Resource>,
        reservations: &[Reservation],
    ) -> Result<Grid, GridError> {
        let mut grid = Grid::new(resources)?;
        let mut of_resource = vec![Vec::new(); grid.resources.len()];
        for each in reservations {
            grid.check_form(each)?;
            of_resource[each.resource].push(each);
        }
        let none = vec![0; grid.properties];
        for (resource, reservations) in of_resource.into_iter().enumerate() {
            grid.timetables[resource] = Timetable::with_reservations(grid.properties, reservations);
            grid.check_room(resource, SimTime::ZERO, SimTime::MAX, &none)?;
        }
        Ok(grid)
    }

    /// How many quantitative properties there are.
    pub fn properties(&self) -> usize {
        self.properties
    }
    /// The resources.
    pub fn resources(&self) -> &[Resource] {
        &self.resources
    }
    /// The reservations of a resource.
    ///
    /// # Panics
    ///
    /// If there is no such resource.
    pub fn timetable(&self, resource: usize) -> &Timetable {
        &self.timetables[resource]
    }

    /// Reserves the whole allocation or, if a part of it is not free, none of it.
    ///
    /// # Errors
    ///
    /// [`GridError::Taken`] if a resource has not enough free, others if a reservation is malformed. The grid is then
    /// unchanged.
    pub fn reserve(&mut self, reservations: &[Reservation]) -> Result<(), GridError> {
        let mut before = None;
        for each in reservations {
            self.check_form(each)?;
            if before.replace(each.resource).is_some_and(|before| before >= each.resource) {
                return Err(GridError::Order(each.resource));
            }
            self.check_room(each.resource, each.from, each.until, &each.amounts)?;
        }
        for each in reservations {
            self.timetables[each.resource].add(each.from, each.until, &each.amounts);
        }
        Ok(())
    }

    /// The faults of a request to this grid.
    ///
    /// # Errors
    ///
    /// If it has other properties than the grid, an empty window, or totals that contradict its minima.
    pub fn check_request(&self, request: &Request) -> Result<(), GridError> {
        let labels = self.resources.first().map_or(0, |resource| resource.labels.len());
        expect_properties(
            "the request has minima of",
            "quantitative",
            request.minimum.len(),
            self.properties,
        )?;
        expect_properties("the request has totals of", "quantitative", request.total.len(), self.properties)?;
        expect_properties("the request has labels of", "qualitative", request.labels.len(), labels)?;
        expect_properties("the request has steps of", "quantitative", request.step.len(), self.properties)?;
        check_amounts(&request.minimum)?;
        if request.resources == 0 {
            return Err(GridError::NoResources);
        }
        if request.resources > MOST_RESOURCES {
            return Err(GridError::TooMany(request.resources));
        }
        if request.duration.is_zero() || request.latest.saturating_add(request.duration) == SimTime::MAX {
            return Err(GridError::Empty);
        }
        if request.latest < request.earliest {
            return Err(GridError::Window);
        }
        let count = request.resources as u64;
        for (property, (&minimum, &total)) in request.minimum.iter().zip(&request.total).enumerate() {
            if total < count * minimum || total > count * MOST_UNITS {
                return Err(GridError::Total(property));
            }
            let step = request.step[property];
            if step == 0 || minimum % step != 0 || total % step != 0 {
                return Err(GridError::Step(property));
            }
        }
        Ok(())
    }

    fn check_form(&self, reservation: &Reservation) -> Result<(), GridError> {
        if reservation.resource >= self.resources.len() {
            return Err(GridError::NoResource(reservation.resource));
        }
        if reservation.from >= reservation.until {
            return Err(GridError::Empty);
        }
        expect_properties("a reservation has", "quantitative", reservation.amounts.len(), self.properties)?;
        check_amounts(&reservation.amounts)
    }

    fn check_room(
        &self,
        resource: usize,
        from: SimTime,
        until: SimTime,
        amounts: &[u64],
    ) -> Result<(), GridError> {
        let capacity = &self.resources[resource].capacity;
        let timetable = &self.timetables[resource];
        let full = |property: &usize| {
            timetable.maximum(*property, from, until).saturating_add(amounts[*property]) > capacity[*property]
        };
        match (0..self.properties).find(full) {
            Some(property) => Err(GridError::Taken { resource, property }),
            None => Ok(()),
        }
    }
}

fn expect_properties(
    what: &'static str,
    kind: &'static str,
    found: usize,
    expected: usize,
) -> Result<(), GridError> {
    if found == expected { Ok(()) } else { Err(GridError::Properties { what, kind, found, expected }) }
}

fn check_amounts(amounts: &[u64]) -> Result<(), GridError> {
    if amounts.iter().all(|&amount| amount <= MOST_UNITS) { Ok(()) } else { Err(GridError::Amount) }
}
