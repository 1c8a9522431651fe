//! Nodes and their reservations as parts of a cluster state.

use super::format_amount;
use crate::{Grid, Timetable};
use dfrsim_input::{Faults, Input, Reader};
use dfrsim_model::SimTime;
use dfrsim_model::coallocation::{MOST_UNITS, Reservation, Resource};
use dfrsim_model::named::UnknownName;
use dfrsim_state::{Amounts, State, csv_lines};

/// Prefix of the columns that hold labels.
const LABEL: &str = "label.";

/// Nodes of a state as resources.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Resources {
    /// Names of the resources.
    pub names: Vec<String>,
    /// Names of the quantitative properties.
    pub quantities: Vec<String>,
    /// Names of the qualitative properties, without `label.`.
    pub qualities: Vec<String>,
    /// Resources, in the order of the file.
    pub resources: Vec<Resource>,
}

impl Resources {
    /// Reads resources from CSV; `file` names the text in messages.
    ///
    /// # Errors
    /// All errors in the text.
    pub fn parse(file: &str, text: &str) -> Result<Resources, Faults> {
        let input = Input::csv(file, text);
        let mut reader = Reader::default();
        let resources =
            State::read(&mut reader, [&input]).and_then(|state| Resources::of(&mut reader, &state));
        reader.finish(resources)
    }

    /// Builds the resources from the nodes of a state, or adds the errors to the reader.
    pub fn of(reader: &mut Reader, state: &State<'_>) -> Option<Resources> {
        let quantities = state.resources.clone();
        let mut qualities: Vec<String> =
            state.nodes.iter().flat_map(|node| node.labels.keys().cloned()).collect();
        qualities.sort();
        qualities.dedup();
        let mut resources = Vec::with_capacity(state.nodes.len());
        for node in &state.nodes {
            for (name, amount) in node.capacity.iter().filter(|(_, amount)| **amount > MOST_UNITS) {
                let amount = format_amount(*amount);
                reader.fault_below(
                    &node.at,
                    name,
                    format!("expected an amount from 0 to 100000000, found {amount}"),
                );
            }
            let labels = qualities.iter().map(|name| node.labels.get(name).cloned().unwrap_or_default());
            resources
                .push(Resource { capacity: amounts(&node.capacity, &quantities), labels: labels.collect() });
        }
        let names = state.nodes.iter().map(|node| node.name.clone()).collect();
        reader.is_clean().then_some(Resources { names, quantities, qualities, resources })
    }

    /// Formats the resources as CSV that [`Resources::parse`] reads back.
    pub fn to_csv(&self) -> String {
        let labels = self.qualities.iter().map(|name| format!("{LABEL}{name}"));
        let header = ["node".to_owned()].into_iter().chain(self.quantities.iter().cloned()).chain(labels);
        let line = |(name, it): (&String, &Resource)| {
            let amounts = it.capacity.iter().map(|&amount| format_amount(amount));
            [name.clone()].into_iter().chain(amounts).chain(it.labels.iter().cloned()).collect()
        };
        csv_lines([header.collect()].into_iter().chain(self.names.iter().zip(&self.resources).map(line)))
    }
}

fn amounts(amounts: &Amounts, quantities: &[String]) -> Box<[u64]> {
    quantities.iter().map(|name| amounts.get(name).copied().unwrap_or(0)).collect()
}

/// Returns the reservations of a state; reports amounts of properties that no node has as errors.
pub fn reservations_of(reader: &mut Reader, state: &State<'_>, resources: &Resources) -> Vec<Reservation> {
    let mut reservations = Vec::with_capacity(state.reservations.len());
    for reserved in &state.reservations {
        let known = state.nodes.iter().flat_map(|node| node.capacity.keys());
        for name in reserved.amounts.keys().filter(|name| !known.clone().any(|known| known == *name)) {
            let unknown = UnknownName::new("property", name, &resources.quantities);
            reader.fault(&reserved.at, unknown);
        }
        let (resource, from, until) = (reserved.node, reserved.from, reserved.until);
        let amounts = amounts(&reserved.amounts, &resources.quantities);
        reservations.push(Reservation { resource, from, until, amounts });
    }
    reservations
}

/// Reads reservations of these resources from CSV; `file` names the text in messages.
///
/// # Errors
/// All errors in the text.
pub fn reservations(file: &str, text: &str, resources: &Resources) -> Result<Vec<Reservation>, Faults> {
    let inputs = [Input::csv("nodes", &resources.to_csv()), Input::csv(file, text)];
    let mut reader = Reader::default();
    let state = State::read(&mut reader, &inputs);
    let reserved = state.map(|state| reservations_of(&mut reader, &state, resources));
    reader.finish(reserved)
}

/// Builds the grid of these resources with reservations; `file` names the file of the reservations
/// in messages.
///
/// # Errors
/// Each property of a node for which the reservations exceed the capacity.
pub fn grid(file: &str, resources: &Resources, reserved: &[Reservation]) -> Result<Grid, Faults> {
    let error = match Grid::with_reservations(resources.resources.clone(), reserved) {
        Ok(grid) => return Ok(grid),
        Err(error) => error,
    };
    let mut reader = Reader::default();
    for (resource, (name, node)) in resources.names.iter().zip(&resources.resources).enumerate() {
        let of_node = reserved.iter().filter(|it| it.resource == resource);
        let timetable = Timetable::with_reservations(node.capacity.len(), of_node);
        for (property, (quantity, &capacity)) in resources.quantities.iter().zip(&node.capacity).enumerate() {
            let most = timetable.maximum(property, SimTime::ZERO, SimTime::MAX);
            if most > capacity {
                let (most, has) = (format_amount(most), format_amount(capacity));
                let message = format!(
                    "{quantity}: {most} of node `{name}` are reserved at the same time, but it has {has}"
                );
                reader.fault_of_file(file, message);
            }
        }
    }
    if reader.is_clean() {
        reader.fault_of_file(file, error);
    }
    reader.finish(None)
}

/// Formats reservations as CSV lines; `with_header` adds the header before them.
pub fn reservation_lines(resources: &Resources, reservations: &[Reservation], with_header: bool) -> String {
    let line = |it: &Reservation| {
        let before = [resources.names[it.resource].clone(), it.from.to_string(), it.until.to_string()];
        before.into_iter().chain(it.amounts.iter().map(|&amount| format_amount(amount))).collect()
    };
    let header =
        ["node", "from", "until"].map(str::to_owned).into_iter().chain(resources.quantities.iter().cloned());
    let header = with_header.then(|| header.collect());
    csv_lines(header.into_iter().chain(reservations.iter().map(line)))
}
