//! The tables of the off-line study, each beside what is published.

mod distances;
mod domination;
mod eject;
mod findings;
mod mcb;
mod parameters;
mod series;
mod slack;
mod status;
mod utilisation;

use super::study::Study;
use crate::experiment::NamedTable;
use crate::folder::Folder;
use crate::{RunError, Table};

/// The tables of an off-line run; those to which the scenario has nothing to say are left out.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Tables(Vec<NamedTable>);

impl Tables {
    pub(super) fn of(study: &Study<'_>) -> Tables {
        let (short, long) = (NamedTable::short, NamedTable::long);
        let all = [
            long("status", "What became of the instances, algorithm by algorithm", status::table(study)),
            short("optimum", "What became of the search for the optimum", status::of_optimum(study)),
            long("distances", "Distances from LPBOUND and failure rates, all groups", distances::all(study)),
            short("table_4_1", "Dissertation, table 4.1: linear programs", distances::table_4_1(study)),
            short("table_4_3", "Dissertation, table 4.3: genetic algorithm", distances::table_4_3(study)),
            short("table_4_4", "Dissertation, table 4.4: vector packing", distances::table_4_4(study)),
            short("table_4_5", "Dissertation, table 4.5: S and Y of VP_CPSUM", domination::table_4_5(study)),
            long("domination", "Dissertation, section 4.4.4: who dominates whom", domination::table(study)),
            short("table_4_6", "Dissertation, table 4.6: VP_CPSUM by parameter", parameters::table(study)),
            short(
                "table_4_7",
                "Dissertation, table 4.7: utilisation with VP_CPSUM",
                utilisation::table(study),
            ),
            long("second_phase", "Average yields after the second phase", utilisation::second_phase(study)),
            long(
                "figure_4_1",
                "Dissertation, figure 4.1: the greedy algorithms",
                distances::figure_4_1(study),
            ),
            short("figure_4_2", "Dissertation, figure 4.2: VP_CPSUM by slack", slack::figure_4_2(study)),
            short(
                "figure_4_3",
                "Dissertation, figure 4.3: VP_CPSUM and OPT by slack",
                slack::figure_4_3(study),
            ),
            short("rr6692_table_1", "RR-6692, table 1: MCB on small instances", mcb::table_1(study)),
            short("rr6692_figure_7", "RR-6692, figure 7: MCB on large instances", mcb::figure_7(study)),
            long("rr6692_by_slack", "RR-6692, figures against slack", series::by_slack(study)),
            long("rr6692_by_tasks", "RR-6692, failures and yields against tasks", series::by_tasks(study)),
            short("eject", "Beyond the texts: VP_EJECT beside VP_CPSUM", eject::table(study)),
            short("findings", "What was published about the results", findings::table(study)),
        ];
        Tables(all.into_iter().filter(|named| !named.table.is_empty()).collect())
    }

    /// All of them.
    pub fn iter(&self) -> impl Iterator<Item = &NamedTable> {
        self.0.iter()
    }
    /// The one of this name, if there is one.
    #[must_use]
    pub fn get(&self, name: &str) -> Option<&Table> {
        self.iter().find(|named| named.name == name).map(|named| &named.table)
    }
}

/// Writes the tables into the folder.
pub(super) fn write(tables: &Tables, folder: &mut Folder) -> Result<(), RunError> {
    tables.iter().try_for_each(|named| folder.write_table(named.name, &named.table))
}
