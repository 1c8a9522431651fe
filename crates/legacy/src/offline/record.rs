//! What became of one instance: a line of `instances.csv`.

use super::scenario::Scenario;
use crate::Key;
use csv::StringRecord;
use dfrsim_model::Yield;
use std::collections::BTreeMap;

/// The file of the instances in a folder of results.
pub(super) const INSTANCES: &str = "instances.csv";

/// What became of an algorithm on an instance.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Cell {
    /// It did not run.
    Skipped,
    /// Its packing allows this minimum yield.
    Solved(Yield),
    /// It found no packing.
    Failed,
    /// It proved that there is none.
    Infeasible,
    /// A limit came first.
    TimedOut,
    /// Its packing did not pass the checker.
    Invalid,
}

/// What the second phase makes of a packing.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Raised {
    /// The greatest average yield, if it was computed.
    pub(crate) average: Option<f64>,
    /// The average yield by the dissertation's rule, for serial jobs.
    pub(crate) average_by_rule: Option<f64>,
    /// The used part of the fluid resources at the minimum yield.
    pub(crate) utilisation: f64,
    /// The same with yields raised by the dissertation's rule; for parallel jobs, by the program.
    pub(crate) raised_utilisation: Option<f64>,
}

/// One instance.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Record {
    pub(crate) key: Key,
    /// Its group, by its place in the scenario.
    pub(crate) group: u32,
    /// Its scenario within the group.
    pub(crate) scenario: u32,
    /// Its number within that.
    pub(crate) sample: u32,
    /// LPBOUND; nothing if sums alone show that there is no packing.
    pub(crate) bound: Option<Yield>,
    /// One for each algorithm.
    pub(crate) cells: Box<[Cell]>,
    /// One for each algorithm that goes through the second phase; nothing if the instance is not solved.
    pub(crate) raised: Box<[Option<Raised>]>,
}

const FIRST_COLUMNS: [&str; 5] = ["key", "instances", "scenario", "sample", "bound"];
const RAISED_COLUMNS: [&str; 4] = ["average", "average_by_rule", "utilisation", "raised_utilisation"];

/// The columns of a scenario's records.
pub(super) fn columns(scenario: &Scenario) -> Vec<String> {
    let raised = scenario.second.algorithms.iter();
    let first = FIRST_COLUMNS.map(str::to_owned).into_iter();
    first
        .chain(scenario.algorithms.iter().map(ToString::to_string))
        .chain(raised.flat_map(|algorithm| RAISED_COLUMNS.map(|column| format!("{algorithm}:{column}"))))
        .collect()
}

impl Cell {
    fn write(self) -> String {
        match self {
            Cell::Skipped => String::new(),
            Cell::Solved(minimum) => minimum.units().to_string(),
            Cell::Failed => "failed".to_owned(),
            Cell::Infeasible => "infeasible".to_owned(),
            Cell::TimedOut => "timed-out".to_owned(),
            Cell::Invalid => "invalid".to_owned(),
        }
    }
    fn read(text: &str) -> Option<Cell> {
        Some(match text {
            "" => Cell::Skipped,
            "failed" => Cell::Failed,
            "infeasible" => Cell::Infeasible,
            "timed-out" => Cell::TimedOut,
            "invalid" => Cell::Invalid,
            units => Cell::Solved(Yield::try_from_units(units.parse().ok()?)?),
        })
    }
    /// The minimum yield, if the instance is solved.
    pub(crate) fn solved(self) -> Option<Yield> {
        match self {
            Cell::Solved(minimum) => Some(minimum),
            _ => None,
        }
    }
}

impl Raised {
    fn write(raised: Option<&Raised>) -> [String; RAISED_COLUMNS.len()] {
        let text = |value: Option<f64>| value.map(|value| value.to_string()).unwrap_or_default();
        [
            text(raised.and_then(|raised| raised.average)),
            text(raised.and_then(|raised| raised.average_by_rule)),
            text(raised.map(|raised| raised.utilisation)),
            text(raised.and_then(|raised| raised.raised_utilisation)),
        ]
    }
}

impl Record {
    /// The fields in the order of [`columns`].
    pub(super) fn write(&self, scenario: &Scenario) -> Vec<String> {
        let first = [
            self.key.to_string(),
            scenario.instances[self.group as usize].name.clone(),
            self.scenario.to_string(),
            self.sample.to_string(),
            self.bound.map(|bound| bound.units().to_string()).unwrap_or_default(),
        ];
        let raised = self.raised.iter().flat_map(|raised| Raised::write(raised.as_ref()));
        first.into_iter().chain(self.cells.iter().map(|cell| cell.write())).chain(raised).collect()
    }
}

/// What earlier runs found, by the key of the instance; only what the present scenario asks for.
#[derive(Debug, Default)]
pub(super) struct Earlier {
    instances: BTreeMap<Key, Found>,
}

/// What is known of an instance: cells and second phases, in the order of the scenario's.
#[derive(Clone, Debug)]
pub(super) struct Found {
    pub(super) cells: Box<[Cell]>,
    pub(super) raised: Box<[Option<Raised>]>,
}

impl Earlier {
    /// Takes in records with these columns, wherever those of the scenario stand among them. How many could not be
    /// read.
    pub(super) fn take<'a>(
        &mut self,
        scenario: &Scenario,
        columns: &[String],
        records: impl IntoIterator<Item = &'a StringRecord>,
    ) -> usize {
        let place = |name: &str| columns.iter().position(|column| column == name);
        let algorithms: Vec<Option<usize>> =
            scenario.algorithms.iter().map(|algorithm| place(&algorithm.to_string())).collect();
        let raised: Vec<[Option<usize>; 4]> = (scenario.second.algorithms.iter())
            .map(|algorithm| RAISED_COLUMNS.map(|column| place(&format!("{algorithm}:{column}"))))
            .collect();
        let mut unreadable = 0;
        for record in records {
            let found =
                (record.len() == columns.len()).then(|| found(record, &algorithms, &raised)).flatten();
            let key = record.get(0).and_then(|key| key.parse().ok());
            match key.zip(found) {
                Some((key, found)) => _ = self.instances.insert(key, found),
                None => unreadable += 1,
            }
        }
        unreadable
    }
    pub(super) fn get(&self, key: Key) -> Option<&Found> {
        self.instances.get(&key)
    }
}

fn found(
    record: &StringRecord,
    algorithms: &[Option<usize>],
    second: &[[Option<usize>; 4]],
) -> Option<Found> {
    let cell = |place: &Option<usize>| match place {
        Some(place) => Cell::read(record.get(*place)?),
        None => Some(Cell::Skipped),
    };
    let number = |place: Option<usize>| match place.and_then(|place| record.get(place)).unwrap_or_default() {
        "" => Some(None),
        text => text.parse::<f64>().ok().map(Some),
    };
    let raised = |places: &[Option<usize>; 4]| {
        let [average, average_by_rule, utilisation, raised_utilisation] = places.map(number);
        let (average, average_by_rule) = (average?, average_by_rule?);
        let raised_utilisation = raised_utilisation?;
        Some(utilisation?.map(|utilisation| Raised {
            average,
            average_by_rule,
            utilisation,
            raised_utilisation,
        }))
    };
    Some(Found {
        cells: algorithms.iter().map(cell).collect::<Option<_>>()?,
        raised: second.iter().map(raised).collect::<Option<_>>()?,
    })
}
