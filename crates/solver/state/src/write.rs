//! States as files.

use super::parts::OF_VM;
use super::{Amounts, Node, State, UNITS, Vm};
use dfrsim_input::Located;
use dfrsim_model::Yield;
use serde::Serialize;
use serde_json::{Map, Value, json};

/// An amount as a number that reads back.
fn number(amount: u64) -> Value {
    if amount.is_multiple_of(UNITS) { (amount / UNITS).into() } else { (amount as f64 / UNITS as f64).into() }
}

/// A yield with as few decimals as read back.
fn part(part: Yield) -> f64 {
    let rounded = |digits: f64| (part.as_f64() * digits).round() / digits;
    [1e3, 1e6].map(rounded).into_iter().find(|&it| Yield::nearest(it) == part).unwrap_or(part.as_f64())
}

fn add_amounts(object: &mut Value, amounts: &Amounts) {
    let mut others = Map::new();
    for (name, amount) in amounts {
        match name.as_str() {
            "cpu" | "memory" => object[name] = number(*amount),
            _ => drop(others.insert(name.clone(), number(*amount))),
        }
    }
    if !others.is_empty() {
        object["resources"] = others.into();
    }
}

/// Returns a list as JSON, with a line for each item.
///
/// # Panics
/// If an item is no JSON, as a map whose keys are no texts.
pub fn json_lines<T: Serialize>(items: impl Iterator<Item = T>) -> String {
    let line = |item: T| serde_json::to_string(&item).expect("names and numbers are JSON");
    let items: Vec<String> = items.map(line).collect();
    if items.is_empty() { "[]".to_owned() } else { format!("[\n{}\n]", items.join(",\n")) }
}

/// Returns records as comma-separated values.
///
/// # Panics
/// If records have different numbers of cells.
pub fn csv_lines(records: impl Iterator<Item = Vec<String>>) -> String {
    let mut writer = csv::Writer::from_writer(Vec::new());
    for record in records {
        writer.write_record(record).expect("memory takes any record");
    }
    let bytes = writer.into_inner().expect("memory takes any record");
    String::from_utf8(bytes).expect("texts are UTF-8")
}

impl State<'_> {
    fn node(&self, number: usize) -> &str {
        &self.nodes[number].name
    }

    /// Returns the state as JSON that reads back as the same, with a line for each node, vjob, constraint and reservation.
    pub fn to_json(&self) -> String {
        let nodes = json_lines(self.nodes.iter().map(|Node { name, has, labels, is_on, .. }| {
            let mut node = json!({ "name": name });
            add_amounts(&mut node, has);
            if !labels.is_empty() {
                node["labels"] = json!(labels);
            }
            if !is_on {
                node["state"] = "offline".into();
            }
            node
        }));
        let mut vms: Vec<Vec<Value>> = vec![Vec::new(); self.vjobs.len()];
        for Vm { name, vjob, needs, state, node, least_yield, is_pinned, .. } in &self.vms {
            let mut vm = json!({ "name": name });
            add_amounts(&mut vm, needs);
            vm["state"] = json!(state);
            if let Some(node) = node {
                vm["node"] = self.node(*node).into();
            }
            if *least_yield > Yield::ZERO {
                vm["least_yield"] = part(*least_yield).into();
            }
            if *is_pinned {
                vm["pinned"] = true.into();
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
        if !self.constraints.is_empty() {
            text += &format!(
                ",\n\"constraints\": {}",
                json_lines(self.constraints.iter().map(Located::to_value))
            );
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

    /// Returns the VMs as CSV.
    pub fn vms_to_csv(&self) -> String {
        let records = self.vms.iter().map(|vm| {
            let vjob = &self.vjobs[vm.vjob];
            let node = vm.node.map_or("", |node| self.node(node)).to_owned();
            let (priority, state) = (vjob.priority.to_string(), vm.state.to_string());
            let (least, pinned) = (part(vm.least_yield).to_string(), vm.is_pinned.to_string());
            (vec![vm.name.clone(), vjob.name.clone(), priority, state, node, least, pinned], &vm.needs)
        });
        self.csv(&OF_VM, records)
    }

    /// Returns the reservations as CSV.
    pub fn reservations_to_csv(&self) -> String {
        let records = self.reservations.iter().map(|it| {
            (vec![self.node(it.node).to_owned(), it.from.to_string(), it.until.to_string()], &it.amounts)
        });
        self.csv(&["node", "from", "until"], records)
    }

    /// Returns records of these columns and the amounts of each resource, of which none is an empty cell.
    fn csv<'a>(&self, columns: &[&str], records: impl Iterator<Item = (Vec<String>, &'a Amounts)>) -> String {
        let header = columns.iter().map(|&name| name.to_owned()).chain(self.resources.iter().cloned());
        let records = records.map(|(cells, amounts)| {
            let amount = |name: &String| amounts.get(name).map(|amount| number(*amount).to_string());
            let amounts = self.resources.iter().map(|name| amount(name).unwrap_or_default());
            cells.into_iter().chain(amounts).collect()
        });
        csv_lines([header.collect()].into_iter().chain(records))
    }
}
