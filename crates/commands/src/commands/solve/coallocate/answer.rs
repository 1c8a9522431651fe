//! Allocation of a job: its start, and the amounts reserved on each node.

use crate::output::Answer;
use dfrsim_coallocation::file::{Resources, format_amount, reservation_lines};
use dfrsim_coallocation::{Grid, Solution};
use dfrsim_model::coallocation::{Reservation, UNITS_PER_ONE};
use schemars::JsonSchema;
use serde::Serialize;
use std::collections::BTreeMap;

/// Start of the job, and the amounts reserved on each node.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct CoallocateAnswer {
    start_s: f64,
    reservations: Vec<Reserved>,
    /// Each property of nodes, in the order of the file.
    properties: Vec<Property>,
    /// The product of the utilisations.
    utilisation_factor: f64,
    /// The reservations as lines of the reservation file.
    #[serde(skip)]
    lines: String,
}

#[derive(Debug, Serialize, JsonSchema)]
struct Reserved {
    node: String,
    from_s: f64,
    until_s: f64,
    /// The amounts by property, each in its own unit.
    amounts: BTreeMap<String, f64>,
}

#[derive(Debug, Serialize, JsonSchema)]
struct Property {
    name: String,
    /// The total of all nodes, in the property's own unit.
    reserved: f64,
    /// The largest reserved fraction of the chosen nodes at any time of the job.
    utilisation: f64,
    #[serde(skip)]
    exact: String,
}

impl CoallocateAnswer {
    pub(super) fn new(grid: &Grid, resources: &Resources, solution: &Solution) -> CoallocateAnswer {
        let Solution { allocation, factor, .. } = solution;
        let amount = |units: u64| units as f64 / UNITS_PER_ONE as f64;
        let property = |(property, name): (usize, &String)| {
            let sum = |amount: &dyn Fn(&Reservation) -> u64| {
                allocation.reservations.iter().map(amount).sum::<u64>()
            };
            let given = sum(&|it| it.amounts[property]);
            let capacity = sum(&|it| grid.resources()[it.resource].capacity[property]);
            let others = sum(&|it| grid.timetable(it.resource).maximum(property, it.from, it.until));
            Property {
                name: name.clone(),
                reserved: amount(given),
                utilisation: if capacity == 0 { 1.0 } else { (given + others) as f64 / capacity as f64 },
                exact: format_amount(given),
            }
        };
        let reserved = |it: &Reservation| Reserved {
            node: resources.names[it.resource].clone(),
            from_s: it.from.as_secs_f64(),
            until_s: it.until.as_secs_f64(),
            amounts: resources
                .quantities
                .iter()
                .cloned()
                .zip(it.amounts.iter().map(|&it| amount(it)))
                .collect(),
        };
        CoallocateAnswer {
            start_s: allocation.start.as_secs_f64(),
            reservations: allocation.reservations.iter().map(reserved).collect(),
            properties: resources.quantities.iter().enumerate().map(property).collect(),
            utilisation_factor: *factor,
            lines: reservation_lines(resources, &allocation.reservations, true),
        }
    }
}

impl Answer for CoallocateAnswer {
    fn text(&self) -> String {
        let mut text = format!("start {}\n\n{}\n", self.start_s, self.lines);
        for Property { name, exact, utilisation, .. } in &self.properties {
            text += &format!("{name}: {exact} reserved, utilisation {utilisation:.4}\n");
        }
        let factor = format_factor(self.utilisation_factor);
        text += &format!("utilisation factor {factor}\n");
        text
    }
}

/// Formats the factor with six decimals, or with six significant digits where these would hide a
/// small factor: for a property that is not requested it is of the order of 1e-6.
fn format_factor(factor: f64) -> String {
    if factor == 0.0 || factor >= 0.001 { format!("{factor:.6}") } else { format!("{factor:.5e}") }
}

#[cfg(test)]
mod tests {
    use super::format_factor;

    #[test]
    fn small_factors_are_not_printed_as_zero() {
        let printed = [0.25, 0.001, 0.000_000_3, 0.0].map(format_factor);
        assert_eq!(printed, ["0.250000", "0.001000", "3.00000e-7", "0.000000"]);
    }
}
