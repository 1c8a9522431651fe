//! The grid: resources and their timetables.

use crate::Timetable;
use dfrsim_model::SimTime;
use dfrsim_model::coallocation::{MOST_RESOURCES, MOST_UNITS, Request, Reservation, Resource};

/// Resources with their reservations.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Grid {
    properties: usize,
    resources: Vec<Resource>,
    timetables: Vec<Timetable>,
}

/// Reasons for which a grid, a request or a reservation is rejected.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum GridError {
    /// There are too many resources.
    #[error("expected at most {MOST_RESOURCES} resources, found {0}")]
    TooMany(usize),
    /// A list does not have one entry per property.
    #[error("{what} {found} {kind} properties, but the grid has {expected}")]
    Properties {
        /// Owner of the list, with a verb.
        what: &'static str,
        /// Kind of the properties: quantitative or qualitative.
        kind: &'static str,
        /// Number of entries in the list.
        found: usize,
        /// Number of properties of the grid.
        expected: usize,
    },
    /// An amount exceeds the limit of the model.
    #[error("an amount is larger than 100000000")]
    Amount,
    /// The resource does not exist.
    #[error("there is no resource {0}")]
    NoResource(usize),
    /// Reservations that are made together must have ascending resources without duplicates.
    #[error("resource {0} is named twice or out of order")]
    Order(usize),
    /// A reservation or a request has an empty interval, or ends after the last representable time.
    #[error("the interval must end after its start, and before the last time that can be represented")]
    Empty,
    /// A request asks for no resources.
    #[error("the request asks for no resources; expected at least 1")]
    NoResources,
    /// The latest start of a request is before its earliest start.
    #[error("the latest start of the request is before its earliest start")]
    Window,
    /// The total of a request is below the sum of its minima, or exceeds the limit of the model.
    #[error("the total of property {0} is below the sum of the minima, or above 100000000 per resource")]
    Total(usize),
    /// A minimum or a total is not a multiple of the step.
    #[error("the minimum and the total of property {0} must be multiples of its step")]
    Step(usize),
    /// The amount is not free: another job has reserved it.
    #[error("resource {resource} does not have enough of property {property} free in this interval")]
    Taken {
        /// Index of the resource, from 0.
        resource: usize,
        /// Index of the quantitative property, from 0.
        property: usize,
    },
}

impl Grid {
    /// Creates a grid without reservations.
    ///
    /// # Errors
    ///
    /// The resources differ in the number of their properties, or a limit of the model is exceeded.
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

    /// Creates a grid with reservations, all made at once.
    ///
    /// # Errors
    ///
    /// Those of [`Grid::new`], a malformed reservation, or reservations that exceed the capacity of
    /// a resource.
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
            grid.check_free(resource, SimTime::ZERO, SimTime::MAX, &none)?;
        }
        Ok(grid)
    }

    /// Returns the number of quantitative properties.
    pub fn properties(&self) -> usize {
        self.properties
    }
    /// Returns the resources.
    pub fn resources(&self) -> &[Resource] {
        &self.resources
    }
    /// Returns the reservations of a resource.
    ///
    /// # Panics
    ///
    /// If there is no such resource.
    pub fn timetable(&self, resource: usize) -> &Timetable {
        &self.timetables[resource]
    }

    /// Reserves the whole allocation, or nothing if a part of it is not free.
    ///
    /// # Errors
    ///
    /// [`GridError::Taken`] if a resource does not have enough free, other errors if a reservation
    /// is malformed. The grid is then unchanged.
    pub fn reserve(&mut self, reservations: &[Reservation]) -> Result<(), GridError> {
        let mut before = None;
        for each in reservations {
            self.check_form(each)?;
            if before.replace(each.resource).is_some_and(|before| before >= each.resource) {
                return Err(GridError::Order(each.resource));
            }
            self.check_free(each.resource, each.from, each.until, &each.amounts)?;
        }
        for each in reservations {
            self.timetables[each.resource].add(each.from, each.until, &each.amounts);
        }
        Ok(())
    }

    /// Checks that a request is valid for this grid.
    ///
    /// # Errors
    ///
    /// The request has other properties than the grid, an empty window, or totals that contradict
    /// its minima.
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

    fn check_free(
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
