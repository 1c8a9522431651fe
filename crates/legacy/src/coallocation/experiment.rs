//! The study as cells, rows and tables.

use super::case::{KINDS, Repeated};
use super::file::File;
use super::row::Row;
use super::scenario::{Scenario, StreamScenario};
use super::{findings, tables};
use crate::experiment::{Experiment, NamedTable};
use crate::key::Digest;
use dfrsim_audit::coallocation::check_reservations;
use dfrsim_coallocation::Stream;
use dfrsim_coallocation::planetlab::Kind;
use dfrsim_model::SimSpan;
use dfrsim_model::coallocation::Reservation;

/// What is computed at once, on one grid at one level of use.
#[derive(Clone, Copy, Debug)]
pub(super) struct Cell {
    usage: f64,
    grid: u32,
    part: Part,
}

#[derive(Clone, Copy, Debug)]
enum Part {
    /// All test cases of a size.
    Cases(usize),
    /// The parameter study.
    Variations,
    /// A stream of requests of a kind.
    Stream(Kind, &'static str),
}

/// The day of the test cases.
const DAY: SimSpan = SimSpan::from_secs(86_400);

impl Experiment for Scenario {
    type Cell = Cell;
    type Row = Row;
    const STUDY: &'static str = "coallocation";
    const CELLS: &'static str = "parts";

    fn title(&self) -> &str {
        &self.title
    }
    fn seed(&self) -> u64 {
        self.seed
    }
    fn to_toml(&self) -> String {
        toml::to_string(&File::of(self)).expect("a scenario can be written as TOML")
    }
    fn inputs(&self) -> Vec<(String, Digest)> {
        self.node_list.iter().map(|list| (list.file.clone(), list.digest)).collect()
    }
    fn cells(&self) -> Vec<Cell> {
        let mut cells = Vec::new();
        for (place, &usage) in self.usage.iter().enumerate() {
            for grid in 0..self.grids {
                let cases = self.sizes.iter().map(|&size| Part::Cases(size));
                let mut parts: Vec<Part> = cases.collect();
                // The parameter study is of the first level only.
                parts.extend((place == 0 && self.variations.is_some()).then_some(Part::Variations));
                if self.stream.is_some() {
                    parts.extend(KINDS.map(|(kind, name)| Part::Stream(kind, name)));
                }
                cells.extend(parts.into_iter().map(|part| Cell { usage, grid, part }));
            }
        }
        cells
    }
    fn determinants(&self, cell: &Cell) -> String {
        let Scenario { seed, nodes, usage_deviation, usage_correlation, parameters, cases, .. } = self;
        let listed = self.node_list.as_ref().map_or(String::new(), |list| format!("{} ", list.digest));
        let grid = format!(
            "{seed} {listed}{nodes} {usage_deviation} {usage_correlation} {cell:?} {parameters:?} {}",
            self.times
        );
        match cell.part {
            Part::Cases(size) => format!(
                "{grid} {cases} {} {} {}",
                self.repetitions,
                self.sample_anew,
                self.optimum.contains(&size)
            ),
            Part::Variations => format!("{grid} {cases} {} {:?}", self.sample_anew, self.variations),
            Part::Stream(..) => format!("{grid} {:?}", self.stream),
        }
    }
    fn weight(&self, cell: &Cell) -> u64 {
        match cell.part {
            Part::Cases(size) => u64::from(self.cases) * u64::from(self.repetitions) * size as u64,
            Part::Variations => self.variations.as_ref().map_or(0, |it| {
                let settings = it.settings(self.parameters).len() as u64;
                u64::from(self.cases) * u64::from(it.repetitions) * settings * it.size as u64
            }),
            Part::Stream(..) => self.stream.map_or(0, |it| 100 * it.span.micros() / it.mean_gap.micros()),
        }
    }
    fn compute(&self, cell: &Cell) -> Result<Vec<Row>, String> {
        match cell.part {
            Part::Cases(size) => self.cases_of(cell, size),
            Part::Variations => self.variations_of(cell),
            Part::Stream(kind, name) => self.stream_of(cell, kind, name),
        }
        .map_err(|fault| format!("{cell:?}: {fault}"))
    }
    fn tables(&self, rows: &[Row]) -> Vec<NamedTable> {
        let mut all = tables::tables(self, rows);
        let findings = findings::table(self, rows);
        all.push(NamedTable::short("findings", "What sections 4.3 to 4.5 say of the results", findings));
        all
    }
}

impl Scenario {
    fn cases_of(&self, cell: &Cell, size: usize) -> Result<Vec<Row>, String> {
        let on = self.grid_in_use(cell.grid, cell.usage, DAY)?;
        let how = Repeated {
            parameters: self.parameters,
            repetitions: self.repetitions,
            sample_anew: self.sample_anew,
            times: self.times,
        };
        let mut rows = Vec::new();
        for number in 0..self.cases {
            let case = on.case(size, number);
            let looked_for = self.optimum.contains(&size);
            let best = looked_for.then(|| case.optimum(&on.grid, self.parameters.initial_multiple)).flatten();
            for (kind, name) in KINDS {
                let mut row = Row {
                    size: Some(size),
                    case: Some(number),
                    optimum_start: best.map(|best| best.0),
                    optimum_factor: best.map(|best| best.1),
                    ..row(cell, "case", name)
                };
                case.search(&on, kind, &how, &mut row)?;
                rows.push(row);
            }
        }
        Ok(rows)
    }

    fn variations_of(&self, cell: &Cell) -> Result<Vec<Row>, String> {
        let Some(variations) = &self.variations else { return Ok(Vec::new()) };
        let on = self.grid_in_use(cell.grid, cell.usage, DAY)?;
        let mut rows = Vec::new();
        for (setting, parameters) in variations.settings(self.parameters) {
            let how = Repeated {
                parameters,
                repetitions: variations.repetitions,
                sample_anew: self.sample_anew,
                times: self.times,
            };
            for number in 0..self.cases {
                let mut row = Row {
                    size: Some(variations.size),
                    case: Some(number),
                    setting: setting.clone(),
                    ..row(cell, "variation", "collective")
                };
                on.case(variations.size, number).search(&on, Kind::Collective, &how, &mut row)?;
                rows.push(row);
            }
        }
        Ok(rows)
    }

    fn stream_of(&self, cell: &Cell, kind: Kind, name: &str) -> Result<Vec<Row>, String> {
        let Some(StreamScenario { span, mean_gap, patience }) = self.stream else { return Ok(Vec::new()) };
        // Use goes on for as long as the last job may run.
        let mut on = self.grid_in_use(cell.grid, cell.usage, span + patience + DAY)?;
        let stream = Stream { span, mean_gap, patience, kind, parameters: self.parameters };
        let seed = on.seed().fork("stream");
        let outcome = stream.run(&mut on.grid, seed).map_err(|error| error.to_string())?;
        let jobs: Vec<Reservation> =
            outcome.accepted.iter().flat_map(|it| &it.reservations).chain(on.reserved()).cloned().collect();
        if let Some(fault) = check_reservations(on.grid.resources(), &jobs).first() {
            return Err(fault.to_string());
        }
        let properties = outcome.utilisation.len() as f64;
        Ok(vec![Row {
            searches: outcome.requests,
            solved: outcome.accepted.len(),
            start: (!outcome.accepted.is_empty()).then_some(outcome.mean_wait),
            factor: Some(outcome.utilisation.iter().sum::<f64>() / properties),
            setting: format!("every {mean_gap} s"),
            ..row(cell, "stream", name)
        }])
    }
}

/// A row with nothing but its place.
fn row(cell: &Cell, part: &str, kind: &str) -> Row {
    Row {
        part: part.to_owned(),
        usage: cell.usage,
        grid: cell.grid,
        size: None,
        case: None,
        kind: kind.to_owned(),
        setting: String::new(),
        searches: 0,
        solved: 0,
        start: None,
        factor: None,
        factor_before: None,
        without_resources: None,
        without_totals: None,
        optimum_start: None,
        optimum_factor: None,
        milliseconds: None,
        phase_2_ms: None,
        phase_3_ms: None,
        phase_4_ms: None,
        phase_5_ms: None,
    }
}
