//! Parts of devices that tasks held, and free parts that were useless.

use crate::groups::Group;
use crate::rows::SimulationRow;
use dfrsim_lab::{Table, average};

/// Builds the table of the means of the columns on devices, for each group with devices.
pub(super) fn table(groups: &[Group<'_>]) -> Table {
    let has_devices = |group: &&Group<'_>| group.rows().any(|row| row.held_devices.is_some());
    let line = |group: &Group<'_>| {
        let mean = |of: fn(&SimulationRow) -> Option<f64>| average(group.rows().filter_map(of));
        group.line().with_all([
            ("held_devices", mean(|row| row.held_devices)),
            ("last_held_devices", mean(|row| row.last_held_devices)),
            ("useless_devices", mean(|row| row.useless_devices)),
            ("last_useless_devices", mean(|row| row.last_useless_devices)),
        ])
    };
    groups.iter().filter(has_devices).map(line).collect()
}
