//! Tables of the study, compared with the published ones where there are any.

pub(crate) mod domination;
mod eject;
pub(crate) mod gaps;
pub(crate) mod mcb;
pub(crate) mod parameters;
pub(crate) mod series;
pub(crate) mod slack;
mod status;
mod utilisation;

use crate::results::Results;
use dfrsim_lab::{NamedTable, Table};

/// Name and title of a table, true if it is printed, and the function that builds it, which returns
/// `None` if the scenario lacks instances or algorithms.
type Entry = (&'static str, &'static str, bool, fn(&Results<'_>) -> Option<Table>);

const ALL: [Entry; 20] = [
    ("status", "What became of the instances, algorithm by algorithm", false, status::table),
    ("optimum", "What became of the search for the optimum", true, status::of_optimum),
    ("gaps", "Gaps to LPBOUND and failure rates, all groups", false, gaps::all),
    ("table_4_1", "Dissertation, table 4.1: linear programs", true, gaps::table_4_1),
    ("table_4_3", "Dissertation, table 4.3: genetic algorithm", true, gaps::table_4_3),
    ("table_4_4", "Dissertation, table 4.4: vector packing", true, gaps::table_4_4),
    ("table_4_5", "Dissertation, table 4.5: S and Y of VP_CPSUM", true, domination::table_4_5),
    ("domination", "Dissertation, section 4.4.4: who dominates whom", false, domination::table),
    ("table_4_6", "Dissertation, table 4.6: VP_CPSUM by parameter", true, parameters::table_4_6),
    ("table_4_7", "Dissertation, table 4.7: utilisation with VP_CPSUM", true, utilisation::table_4_7),
    ("second_phase", "Average yields after the second phase", false, utilisation::second_phase),
    ("figure_4_1", "Dissertation, figure 4.1: the greedy algorithms", false, gaps::figure_4_1),
    ("figure_4_2", "Dissertation, figure 4.2: VP_CPSUM by slack", true, slack::figure_4_2),
    ("figure_4_3", "Dissertation, figure 4.3: VP_CPSUM and OPT by slack", true, slack::figure_4_3),
    ("rr6692_table_1", "RR-6692, table 1: MCB on small instances", true, mcb::table_1),
    ("rr6692_figure_7", "RR-6692, figure 7: MCB on large instances", true, mcb::figure_7),
    ("rr6692_by_slack", "RR-6692, figures against slack", false, series::by_slack),
    ("rr6692_by_tasks", "RR-6692, failures and yields against tasks", false, series::by_tasks),
    ("eject", "Beyond the texts: VP_EJECT beside VP_CPSUM", true, eject::table),
    ("parameters", "Every scenario of every group", false, parameters::table),
];

/// Builds all tables; those for which the scenario lacks instances or algorithms are empty.
pub(crate) fn all(results: &Results<'_>) -> Vec<NamedTable> {
    let named = |(name, title, is_printed, make): Entry| {
        let named =
            NamedTable { is_printed, ..NamedTable::new(name, title, make(results).unwrap_or_default()) };
        match name {
            "parameters" => named.with_summary(parameters::summary(results)),
            _ => named,
        }
    };
    ALL.into_iter().map(named).collect()
}
