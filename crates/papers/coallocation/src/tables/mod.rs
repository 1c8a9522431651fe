//! Tables 1 to 4 and figure 2, and tables for results that the text gives without a table.

mod comparison;
mod searches;
mod times;

pub(crate) use times::{SERIES, series_ms};

use crate::pairs::Data;
use crate::published;
use dfrsim_coallocation::planetlab::PROPERTIES;
use dfrsim_lab::{NamedTable, Statistics, Table, TableLine, average, comparison_cells};
use dfrsim_model::coallocation::{Resource, UNITS_PER_ONE};

/// Builds all tables; those without data in the scenario are empty.
pub(crate) fn tables(data: &Data<'_>, nodes: &[Vec<Resource>]) -> Vec<NamedTable> {
    vec![
        NamedTable::printed("table_1", "Table 1: the nodes", table_1(data, nodes)),
        comparison::table_2(data),
        comparison::table_3(data),
        times::table_4(data),
        times::figure_2(data),
        searches::phases(data),
        times::phase_times(data),
        searches::parameters(data),
        searches::stream(data),
    ]
}

/// Adds our value, the published one and their ratio.
fn with_published(line: TableLine, ours: Option<f64>, published: Option<f64>) -> TableLine {
    line.with_all(["ours", "published", "ratio"].into_iter().zip(comparison_cells(ours, published)))
}

/// Builds table 1: the properties of the nodes, averaged over the grids.
fn table_1(data: &Data<'_>, grids: &[Vec<Resource>]) -> Table {
    let mut lines = Vec::new();
    for (place, name) in PROPERTIES.iter().map(|it| it.name).enumerate() {
        let of_grid = |grid: &Vec<Resource>| {
            let amounts: Vec<f64> =
                grid.iter().map(|it| it.capacity[place] as f64 / UNITS_PER_ONE as f64).collect();
            let min = amounts.iter().copied().fold(f64::INFINITY, f64::min);
            Statistics::from_values(&amounts).map(|it| [it.mean, it.deviation.unwrap_or(0.0), min, it.max])
        };
        let all: Vec<[f64; 4]> = grids.iter().filter_map(of_grid).collect();
        let published = published::TABLE_1.find::<1, 4>([name]);
        for (at, statistic) in ["mean", "deviation", "min", "max"].into_iter().enumerate() {
            let ours = average(all.iter().map(|it| it[at]));
            let line = TableLine::new().with("property", name).with("statistic", statistic);
            lines.push(with_published(line, ours, published.map(|it| it[at])));
        }
    }
    let note = match &data.fields.node_list {
        Some(list) => format!("The nodes are those of {}; their use is assumed.", list.given),
        None => {
            "The data of the experiments are not public: nodes are drawn from the published values (a normal \
                 distribution, of which the range is taken), and their use is assumed."
                .to_owned()
        }
    };
    lines.into_iter().collect::<Table>().with_notes(vec![note])
}
