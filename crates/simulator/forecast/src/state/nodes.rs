//! Nodes that are down or drained, from the output of `scontrol show node` or `sinfo`.

use super::Fault;
use dfrsim_model::named::UnknownName;
use dfrsim_model::platform::{NodeSpan, Outage, Outages, hosts};
use dfrsim_model::site::LONGEST_SETTING_S;
use dfrsim_model::{SimSpan, SimTime};
use dfrsim_workload::formats::slurm_conf::effect_of;
use rustc_hash::FxHashMap;

/// Line with the names of nodes and their state.
struct Line<'a> {
    place: usize,
    names: &'a str,
    state: &'a str,
}

/// Nodes that accept no jobs.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct NodeStates {
    /// Numbers of the nodes that are down.
    pub down: Vec<u32>,
    /// Numbers of the drained nodes: the jobs that run there end as they would otherwise.
    pub drained: Vec<u32>,
}

/// Returns the lines of a text: blocks of `NodeName=... State=...`, or a table with the columns
/// NODELIST and STATE.
fn lines(text: &str) -> Result<Vec<Line<'_>>, Fault> {
    let mut found = Vec::new();
    if text.trim_start().starts_with("NodeName=") {
        let mut names = None;
        for (place, line) in (1..).zip(text.lines()) {
            for (name, value) in line.split_whitespace().filter_map(|word| word.split_once('=')) {
                match name {
                    "NodeName" => names = Some((place, value)),
                    "State" => {
                        let block = names.take();
                        found.extend(block.map(|(place, names)| Line { place, names, state: value }));
                    }
                    _ => {}
                }
            }
        }
        return Ok(found);
    }
    let mut rows = (1..).zip(text.lines()).filter(|(_, line)| !line.trim().is_empty());
    let (place, heading) = rows.next().unwrap_or((1, ""));
    let delimiter = |letter: char| if heading.contains('|') { letter == '|' } else { letter.is_whitespace() };
    let cells = |line| str::split(line, delimiter).filter(|cell| !cell.is_empty()).collect::<Vec<&str>>();
    let columns = cells(heading);
    let column = |name: &str| columns.iter().position(|column| column.eq_ignore_ascii_case(name));
    let (Some(names), Some(state)) = (column("NODELIST"), column("STATE")) else {
        let message =
            "expected the columns NODELIST and STATE of `sinfo`, or the blocks of `scontrol show node`";
        return Err(Fault { place, job: None, message: message.to_owned() });
    };
    for (place, line) in rows {
        let cells = cells(line);
        let (Some(names), Some(state)) = (cells.get(names), cells.get(state)) else {
            let message = format!("expected {} columns, found {}", columns.len(), cells.len());
            return Err(Fault { place, job: None, message });
        };
        found.push(Line { place, names: names.trim(), state: state.trim() });
    }
    Ok(found)
}

impl NodeStates {
    /// Reads the states of the nodes with these names.
    ///
    /// # Errors
    /// A fault for each node without a name, in place of all others if the text is of another form.
    pub fn read(text: &str, names: &[String]) -> Result<NodeStates, Vec<Fault>> {
        let numbers: FxHashMap<&str, u32> =
            (0..).zip(names).map(|(number, name)| (name.as_str(), number)).collect();
        let (mut found, mut faults) = (NodeStates::default(), Vec::new());
        for Line { place, names: list, state } in lines(text).map_err(|fault| vec![fault])? {
            let Some(is_drain) = effect_of(state) else { continue };
            let Some(hosts) = hosts::expand(list) else {
                let message = format!("NodeName: expected names of nodes such as n[1-3], found `{list}`");
                faults.push(Fault { place, job: None, message });
                continue;
            };
            for host in hosts {
                match numbers.get(host.as_str()) {
                    None => {
                        let unknown = UnknownName::new("node", &host, names);
                        faults.push(Fault { place, job: None, message: format!("NodeName: {unknown}") });
                    }
                    Some(&number) if is_drain => found.drained.push(number),
                    Some(&number) => found.down.push(number),
                }
            }
        }
        // A node is listed once for each of its partitions.
        for nodes in [&mut found.down, &mut found.drained] {
            nodes.sort_unstable();
            nodes.dedup();
        }
        if faults.is_empty() { Ok(found) } else { Err(faults) }
    }

    /// Adds the outages and the drains from a time on to others; they do not end.
    #[must_use]
    pub fn outages(&self, at: SimTime, others: Option<&Outages>) -> Outages {
        let mut all = others.cloned().unwrap_or_default();
        let until = at.saturating_add(SimSpan::from_secs(LONGEST_SETTING_S));
        let of = |&first: &u32| Outage { from: at, until, nodes: NodeSpan { first, nodes: 1 } };
        all.failures.extend(self.down.iter().map(of));
        all.drains.extend(self.drained.iter().map(of));
        all
    }
}
