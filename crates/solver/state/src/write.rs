//! Output of states as JSON and CSV.

use super::parts::{LABEL, VM_COLUMNS};
use super::{Amounts, Node, State, UNITS, Vm};
use dfrsim_input::Located;
use dfrsim_model::Yield;
use serde::Serialize;
use serde_json::{Map, Value, json};
use std::collections::BTreeSet;

/// Converts an amount to a number that is read back exactly.
fn amount_number(amount: u64) -> Value {
    if amount.is_multiple_of(UNITS) { (amount / UNITS).into() } else { (amount as f64 / UNITS as f64).into() }
}

/// Converts a yield to a number with as few decimals as are needed to read it back exactly.
fn yield_number(part: Yield) -> f64 {
    let rounded = |digits: f64| (part.as_f64() * digits).round() / digits;
    [1e3, 1e6].map(rounded).into_iter().find(|&it| Yield::nearest(it) == part).unwrap_or(part.as_f64())
}

fn add_amounts(object: &mut Value, amounts: &Amounts) {
    let mut others = Map::new();
    for (name, amount) in amounts {
        match name.as_str() {
            "cpu" | "memory" => object[name] = amount_number(*amount),
            _ => drop(others.insert(name.clone(), amount_number(*amount))),
        }
    }
    if !others.is_empty() {
        object["resources"] = others.into();
    }
}

/// Formats a list as JSON, with one line per item.
///
/// # Panics
///
/// If an item cannot be represented in JSON, such as a map whose keys are not texts.
pub fn json_lines<T: Serialize>(items: impl Iterator<Item = T>) -> String {
    let line = |item: T| serde_json::to_string(&item).expect("the items are representable in JSON");
    let items: Vec<String> = items.map(line).collect();
    if items.is_empty() { "[]".to_owned() } else { format!("[\n{}\n]", items.join(",\n")) }
}

/// Formats records as comma-separated values.
///
/// # Panics
///
/// If the records have different numbers of cells.
pub fn csv_lines(records: impl Iterator<Item = Vec<String>>) -> String {
    let mut writer = csv::Writer::from_writer(Vec::new());
    for record in records {
        writer.write_record(record).expect("records have equal numbers of cells");
    }
    let bytes = writer.into_inner().expect("writing to memory succeeds");
    String::from_utf8(bytes).expect("texts are UTF-8")
}

impl State<'_> {
    fn node(&self, number: usize) -> &str {
        &self.nodes[number].name
    }

    /// Formats the state as JSON that is read back as an equal state, with one line for each node,
    /// vjob, constraint and reservation.
    pub fn to_json(&self) -> String {
        let nodes = json_lines(self.nodes.iter().map(
            |Node { name, capacity: has, labels, is_on, overcommit, .. }| {
                let mut node = json!({ "name": name });
                add_amounts(&mut node, has);
                if !labels.is_empty() {
                    node["labels"] = json!(labels);
                }
                if !is_on {
                    node["state"] = "offline".into();
                }
                if !overcommit.is_empty() {
                    node["overcommit"] = json!(overcommit);
                }
                node
            },
        ));
        let mut vms: Vec<Vec<Value>> = vec![Vec::new(); self.vjobs.len()];
        for Vm { name, vjob, needs, state, node, least_yield, is_pinned, labels, .. } in &self.vms {
            let mut vm = json!({ "name": name });
            add_amounts(&mut vm, needs);
            vm["state"] = json!(state);
            if let Some(node) = node {
                vm["node"] = self.node(*node).into();
            }
            if *least_yield > Yield::ZERO {
                vm["least_yield"] = yield_number(*least_yield).into();
            }
            if *is_pinned {
                vm["pinned"] = true.into();
            }
            if !labels.is_empty() {
                vm["labels"] = json!(labels);
            }
            vms[*vjob].push(vm);
        }
        let vjobs = json_lines(self.vjobs.iter().zip(vms).map(|(vjob, vms)| {
            let mut line = json!({ "name": vjob.name });
            if vjob.priority != 0 {
                line["priority"] = vjob.priority.into();
            }
            line["vms"] = vms.into();
            line
        }));
        let mut text = format!("{{\n\"nodes\": {nodes},\n\"vjobs\": {vjobs}");
        let constraints = self.constraints.iter().map(Located::to_value);
        let constraints: Vec<_> = constraints.chain(self.further_constraints.iter().cloned()).collect();
        if !constraints.is_empty() {
            text += &format!(",\n\"constraints\": {}", json_lines(constraints.into_iter()));
        }
        if !self.reservations.is_empty() {
            let reservations = self.reservations.iter().map(|reserved| {
                let (from, until) = (reserved.from.as_secs_f64(), reserved.until.as_secs_f64());
                let mut line = json!({ "node": self.node(reserved.node), "from": from, "until": until });
                add_amounts(&mut line, &reserved.amounts);
                line
            });
            text += &format!(",\n\"reservations\": {}", json_lines(reservations));
        }
        text + "\n}\n"
    }

    /// Formats the VMs as CSV.
    pub fn vms_to_csv(&self) -> String {
        let labels: BTreeSet<&String> = self.vms.iter().flat_map(|vm| vm.labels.keys()).collect();
        let records = self.vms.iter().map(|vm| {
            let vjob = &self.vjobs[vm.vjob];
            let node = vm.node.map_or("", |node| self.node(node)).to_owned();
            let (priority, state) = (vjob.priority.to_string(), vm.state.to_string());
            let (least, pinned) = (yield_number(vm.least_yield).to_string(), vm.is_pinned.to_string());
            let mut cells = vec![vm.name.clone(), vjob.name.clone(), priority, state, node, least, pinned];
            cells.extend(labels.iter().map(|name| vm.labels.get(*name).cloned().unwrap_or_default()));
            (cells, &vm.needs)
        });
        let labels: Vec<String> = labels.iter().map(|name| format!("{LABEL}{name}")).collect();
        let columns: Vec<&str> = VM_COLUMNS.into_iter().chain(labels.iter().map(String::as_str)).collect();
        self.csv(&columns, records)
    }

    /// Formats the reservations as CSV.
    pub fn reservations_to_csv(&self) -> String {
        let records = self.reservations.iter().map(|it| {
            (vec![self.node(it.node).to_owned(), it.from.to_string(), it.until.to_string()], &it.amounts)
        });
        self.csv(&["node", "from", "until"], records)
    }

    /// Formats records with these columns and the amounts of each resource. An absent amount is an
    /// empty cell.
    fn csv<'a>(&self, columns: &[&str], records: impl Iterator<Item = (Vec<String>, &'a Amounts)>) -> String {
        let header = columns.iter().map(|&name| name.to_owned()).chain(self.resources.iter().cloned());
        let records = records.map(|(cells, amounts)| {
            let amount = |name: &String| amounts.get(name).map(|amount| amount_number(*amount).to_string());
            let amounts = self.resources.iter().map(|name| amount(name).unwrap_or_default());
            cells.into_iter().chain(amounts).collect()
        });
        csv_lines([header.collect()].into_iter().chain(records))
    }
}
