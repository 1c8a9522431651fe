//! Whether files fit together.

use super::fault::{Faults, Problem};
use super::{FileErrors, Resources, format_amount};
use crate::{Grid, GridError, Timetable};
use dfrsim_model::SimTime;
use dfrsim_model::coallocation::{Request, Reservation};

/// The grid of these resources with the reservations of a file; `file` is what messages call that.
///
/// # Errors
///
/// With each property of a node of which more is reserved than there is.
pub fn grid(file: &str, resources: &Resources, reserved: &[Reservation]) -> Result<Grid, FileErrors> {
    let error = match Grid::with_reservations(resources.resources.clone(), reserved) {
        Ok(grid) => return Ok(grid),
        Err(error) => error,
    };
    let mut faults = Faults::of(file);
    if !matches!(error, GridError::Taken { .. }) {
        return faults.end(None, error.into());
    }
    for (resource, (name, node)) in resources.names.iter().zip(&resources.resources).enumerate() {
        let of_node = reserved.iter().filter(|it| it.resource == resource);
        let timetable = Timetable::with_reservations(node.capacity.len(), of_node);
        for (property, (quantity, &capacity)) in resources.quantities.iter().zip(&node.capacity).enumerate() {
            let most = timetable.maximum(property, SimTime::ZERO, SimTime::MAX);
            if most > capacity {
                let (node, reserved) = (name.clone(), format_amount(most));
                let problem = Problem::OverReserved { node, reserved, capacity: format_amount(capacity) };
                faults.push(None, Some(quantity), problem);
            }
        }
    }
    faults.end(None, error.into())
}

/// Whether the request of a file can be made to a grid of these resources.
///
/// # Errors
///
/// With what is wrong with it.
pub fn check_request(
    file: &str,
    grid: &Grid,
    resources: &Resources,
    request: &Request,
) -> Result<(), FileErrors> {
    let Err(error) = grid.check_request(request) else { return Ok(()) };
    let field = match &error {
        GridError::Empty => Some("duration".to_owned()),
        GridError::NoResources | GridError::TooMany(_) => Some("resources".to_owned()),
        GridError::Window => Some("latest".to_owned()),
        GridError::Total(property) => Some(format!("total.{}", resources.quantities[*property])),
        _ => None,
    };
    let mut faults = Faults::of(file);
    faults.push(None, field.as_deref(), error.into());
    faults.none(())
}
