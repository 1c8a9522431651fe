//! Changes to the configuration of a site for what-if studies.

use super::lines::{self, ConfLine, Location};
use super::names::MAX_NODES;
use super::{ConfErrors, SlurmSite, database, declared, parameters, power_saving, tables, unknown};

/// Parameters that can be changed in addition to those that set one setting each, for suggestions
/// in messages.
const CHANGEABLE: [&str; 18] = [
    "SchedulerType",
    "SelectType",
    "SelectTypeParameters",
    "AccountingStorageEnforce",
    "PriorityFlags",
    "PriorityType",
    "PreemptType",
    "PreemptMode",
    "PreemptExemptTime",
    "preemption",
    "Epilog",
    "SuspendTime",
    "SuspendTimeout",
    "SuspendExcNodes",
    "SuspendExcParts",
    "SuspendExcStates",
    "ResumeTimeout",
    "SchedulerParameters",
];

impl SlurmSite {
    /// Applies a change in the syntax of `--what-if`:
    ///
    /// * a parameter of `slurm.conf` or of its `SchedulerParameters` (`PriorityWeightAge=1000`,
    ///   `bf_interval=60`),
    /// * a parameter of a partition (`partition.gpu.MaxTime=1-0`),
    /// * a column of a QOS or an account (`qos.normal.MaxJobsPU=20`, `account.physics.Share=10`),
    /// * the number of nodes of a partition, or of nodes identical to one (`nodes.gpu=+20`,
    ///   `nodes.gpu=-4`),
    /// * `preemption=on` or `off`,
    /// * the time that jobs keep their nodes after their end, in seconds (`Epilog=30`),
    /// * power saving (`SuspendTime=600`, `partition.gpu.SuspendTime=600`), also at a site that has none.
    ///
    /// # Errors
    ///
    /// The object does not exist, the value is invalid, or the change has no effect.
    pub fn change(&mut self, change: &str) -> Result<(), ConfErrors> {
        let at = Location { file: "--what-if".into(), line: 0, parameter: change.to_owned() };
        let Some((key, value)) = change.split_once('=') else {
            return Err(at.error("expected NAME=VALUE, such as bf_interval=60 or nodes.gpu=+20").into());
        };
        let (key, value) = (key.trim(), value.trim());
        let words: Vec<&str> = key.split('.').collect();
        match words[..] {
            ["nodes", of] => self.change_nodes(of, value, &at)?,
            ["partition", name, parameter] => self.change_partition(name, parameter, value, &at)?,
            ["qos", name, column] => change_row(self.qos.as_mut(), "name", name, (column, value), &at)?,
            ["account", name, column] => {
                change_row(self.associations.as_mut(), "account", name, (column, value), &at)?;
            }
            [_] if key.eq_ignore_ascii_case("preemption") => self.change_preemption(value, &at)?,
            [name] => self.change_parameter(name, value, &at)?,
            _ => {
                let expected = "expected nodes.NAME, partition.NAME.PARAMETER, qos.NAME.COLUMN, account.NAME.COLUMN or the name of a parameter";
                return Err(at.error(expected).into());
            }
        }
        let is_of_sleep = words.last().is_some_and(|name| name.eq_ignore_ascii_case("SuspendTime"));
        if is_of_sleep && !lines::is_unlimited(value) {
            power_saving::add_programs(&mut self.lines, &at);
        }
        let parts = self.parts().map_err(|errors| at.relocate(errors))?;
        let (ignored, name) = match words[..] {
            ["partition", name, key] => (parts.parameters.ignored, format!("PartitionName={name} {key}")),
            ["qos", name, column] => (parts.qos.unwrap_or_default().ignored, format!("QOS {name} {column}")),
            ["account", _, column] => {
                (parts.accounts.unwrap_or_default().ignored, format!("{column} of accounts"))
            }
            _ => return Ok(()),
        };
        if ignored.iter().any(|it| it.eq_ignore_ascii_case(&name)) {
            return Err(at
                .error("this parameter is not simulated, so the change would have no effect")
                .into());
        }
        Ok(())
    }

    fn change_nodes(&mut self, of: &str, value: &str, at: &Location) -> Result<(), ConfErrors> {
        let is_signed = value.starts_with(['+', '-']);
        let more = value.parse::<i64>().ok().filter(|&more| is_signed && more != 0);
        let more = more.ok_or_else(|| at.unexpected(value, "a signed number of nodes, such as +20 or -4"))?;
        let nodes = self.parts()?.nodes;
        if nodes.clone().change(of, more).is_some() {
            self.node_changes.push((of.to_owned(), more));
            return Ok(());
        }
        let is_there = nodes.names().any(|name| name == of);
        let reason = if is_there && more < 0 {
            format!("cannot remove so many nodes: at least one node of {of} must remain")
        } else if is_there {
            format!("expected a change by at most {MAX_NODES} nodes")
        } else {
            unknown("partition or node", of, &mut nodes.names())
        };
        Err(at.error(reason).into())
    }

    fn change_partition(
        &mut self,
        name: &str,
        key: &str,
        value: &str,
        at: &Location,
    ) -> Result<(), ConfErrors> {
        let is_partition = |line: &&mut ConfLine| {
            line.pairs[0].0.eq_ignore_ascii_case("PartitionName") && line.pairs[0].1 == name
        };
        if let Some(line) = self.lines.iter_mut().find(is_partition) {
            line.pairs.retain(|(other, _)| !other.eq_ignore_ascii_case(key));
            line.pairs.push((key.to_owned(), value.to_owned()));
            return Ok(());
        }
        let all = self.parts()?.parameters.settings.partitions;
        Err(at.error(unknown("partition", name, &mut all.iter().map(|it| it.name.as_str()))).into())
    }

    /// Changes a top-level parameter, or one of `SchedulerParameters`.
    fn change_parameter(&mut self, name: &str, value: &str, at: &Location) -> Result<(), ConfErrors> {
        let of_scheduler =
            if matches!(value, "yes" | "on") { name.into() } else { format!("{name}={value}") };
        for (key, value) in [(name, value), ("SchedulerParameters", &*of_scheduler)] {
            let line = ConfLine::of_pair(at, key, value);
            let alone =
                parameters::read(std::slice::from_ref(&line)).map_err(|errors| at.relocate(errors))?;
            if alone.ignored.is_empty() || name.eq_ignore_ascii_case("PreemptType") {
                self.lines.push(line);
                return Ok(());
            }
        }
        let mut known = declared::names().into_iter().chain(CHANGEABLE);
        if known.clone().any(|known| known.eq_ignore_ascii_case(name)) {
            return Err(at.error(format!("this parameter is not simulated with the value `{value}`")).into());
        }
        Err(at.error(unknown("simulated parameter", name, &mut known)).into())
    }

    /// Switches preemption on (by partition tiers, or by the `Preempt` lists of QOS) or off.
    fn change_preemption(&mut self, value: &str, at: &Location) -> Result<(), ConfErrors> {
        let by = match value.to_ascii_lowercase().as_str() {
            "off" => "preempt/none",
            "on" => {
                let partitions = self.parts()?.parameters.settings.partitions;
                let has_tiers = partitions.windows(2).any(|pair| pair[0].tier() != pair[1].tier());
                let has_lists = self.qos.iter().flatten().any(|row| !row.get("preempt").trim().is_empty());
                match (has_tiers, has_lists) {
                    (_, true) => "preempt/qos",
                    (true, false) => "preempt/partition_prio",
                    (false, false) => {
                        let reason =
                            "no partition has a higher PriorityTier, and no QOS lists others in Preempt";
                        return Err(at.error(reason).into());
                    }
                }
            }
            _ => return Err(at.unexpected(value, "on or off").into()),
        };
        self.lines.push(ConfLine::of_pair(at, "PreemptType", by));
        let pairs = self.lines.iter().flat_map(|line| &line.pairs);
        let mode = lines::values(pairs, "PreemptMode").next_back().and_then(parameters::preempt_mode);
        let is_off = mode.is_none_or(|mode| mode == dfrsim_model::site::PreemptMode::Off);
        if by != "preempt/none" && is_off {
            self.lines.push(ConfLine::of_pair(at, "PreemptMode", "REQUEUE"));
        }
        Ok(())
    }
}

/// Sets a column of a row of a listing.
fn change_row(
    rows: Option<&mut Vec<tables::Row>>,
    key: &'static str,
    name: &str,
    (column, value): (&str, &str),
    at: &Location,
) -> Result<(), ConfErrors> {
    let (what, option) = if key == "name" { ("QOS", "--qos") } else { ("account", "--sacctmgr") };
    let rows = rows.ok_or_else(|| at.error(format!("this change needs a listing ({option})")))?;
    let is_it = |row: &tables::Row| row.get(key).trim() == name && row.get("user").is_empty();
    let Some(place) = rows.iter().position(is_it) else {
        return Err(at.error(unknown(what, name, &mut rows.iter().map(|row| row.get(key).trim()))).into());
    };
    let column = database::column(column)
        .ok_or_else(|| at.error(unknown("column", column, &mut database::columns())))?;
    rows[place].set(column, value);
    Ok(())
}
