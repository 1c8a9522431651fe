//! Changes of a site: what if a parameter had another value?

use super::lines::{self, At, ConfLine};
use super::names::MOST_NODES;
use super::{ConfError, Site, database, parameters, tables, unknown};

/// The names of parameters that may be changed, for messages.
const KNOWN: [&str; 22] = [
    "bf_interval",
    "bf_max_job_test",
    "bf_resolution",
    "bf_window",
    "PriorityWeightAge",
    "PriorityWeightFairshare",
    "PriorityWeightJobSize",
    "PriorityWeightPartition",
    "PriorityWeightQOS",
    "PriorityMaxAge",
    "PriorityDecayHalfLife",
    "PriorityCalcPeriod",
    "PriorityFavorSmall",
    "PriorityFlags",
    "PriorityType",
    "FairShareDampeningFactor",
    "PreemptType",
    "PreemptMode",
    "PreemptExemptTime",
    "preemption",
    "Epilog",
    "SchedulerParameters",
];

impl Site {
    /// Changes a parameter, as `--what-if` says it: a parameter of `slurm.conf` or of its `SchedulerParameters`
    /// (`PriorityWeightAge=1000`, `bf_interval=60`), of a partition (`partition.gpu.MaxTime=1-0`), a column of a quality of service or an
    /// account (`qos.normal.MaxJobsPU=20`, `account.physics.Share=10`), nodes of a partition or like a node (`nodes.gpu=+20`,
    /// `nodes.gpu=-4`), `preemption=on` or `off`, or how long jobs keep their nodes once they are done, in seconds (`Epilog=30`).
    ///
    /// # Errors
    /// If there is no such thing, its value cannot be read, or it has no effect.
    pub fn change(&mut self, change: &str) -> Result<(), ConfError> {
        let at = At { file: "--what-if".into(), line: 0, parameter: change.to_owned() };
        let Some((key, value)) = change.split_once('=') else {
            return Err(at.fault("expected NAME=VALUE, such as bf_interval=60 or nodes.gpu=+20"));
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
                let expected = "expected nodes.NAME, partition.NAME.PARAMETER, qos.NAME.COLUMN, account.NAME.COLUMN or a parameter";
                return Err(at.fault(expected));
            }
        }
        let parts = self.parts().map_err(|error| at.fault(error.reason))?;
        let (ignored, name) = match words[..] {
            ["partition", name, key] => (parts.parameters.ignored, format!("PartitionName={name} {key}")),
            ["qos", name, column] => (parts.qos.unwrap_or_default().ignored, format!("QOS {name} {column}")),
            ["account", _, column] => {
                (parts.accounts.unwrap_or_default().ignored, format!("{column} of accounts"))
            }
            _ => return Ok(()),
        };
        if ignored.iter().any(|it| it.eq_ignore_ascii_case(&name)) {
            return Err(at.fault("it is not simulated, and would have no effect"));
        }
        Ok(())
    }

    fn change_nodes(&mut self, of: &str, value: &str, at: &At) -> Result<(), ConfError> {
        let is_signed = value.starts_with(['+', '-']);
        let more = value.parse::<i64>().ok().filter(|&more| is_signed && more != 0);
        let more =
            more.ok_or_else(|| at.found(value, "a number of nodes with its sign, such as +20 or -4"))?;
        let nodes = self.parts()?.nodes;
        if nodes.clone().change(of, more).is_some() {
            self.more_nodes.push((of.to_owned(), more));
            return Ok(());
        }
        let is_there = nodes.names().any(|name| name == of);
        let reason = if is_there && more < 0 {
            format!("{of} has no more nodes than that")
        } else if is_there {
            format!("expected at most {MOST_NODES} more nodes")
        } else {
            unknown("partition or node", of, &mut nodes.names())
        };
        Err(at.fault(reason))
    }

    fn change_partition(&mut self, name: &str, key: &str, value: &str, at: &At) -> Result<(), ConfError> {
        let is_partition = |line: &&mut ConfLine| {
            line.pairs[0].0.eq_ignore_ascii_case("PartitionName") && line.pairs[0].1 == name
        };
        if let Some(line) = self.lines.iter_mut().find(is_partition) {
            line.pairs.retain(|(other, _)| !other.eq_ignore_ascii_case(key));
            line.pairs.push((key.to_owned(), value.to_owned()));
            return Ok(());
        }
        let all = self.parts()?.parameters.settings.partitions;
        Err(at.fault(unknown("partition", name, &mut all.iter().map(|it| it.name.as_str()))))
    }

    /// A parameter of its own, or one of `SchedulerParameters`.
    fn change_parameter(&mut self, name: &str, value: &str, at: &At) -> Result<(), ConfError> {
        let of_scheduler =
            if matches!(value, "yes" | "on") { name.into() } else { format!("{name}={value}") };
        for (key, value) in [(name, value), ("SchedulerParameters", &*of_scheduler)] {
            let line = ConfLine::of_pair(at, key, value);
            let alone =
                parameters::read(std::slice::from_ref(&line)).map_err(|error| at.fault(error.reason))?;
            if alone.ignored.is_empty() || name.eq_ignore_ascii_case("PreemptType") {
                self.lines.push(line);
                return Ok(());
            }
        }
        if KNOWN.iter().any(|known| known.eq_ignore_ascii_case(name)) {
            return Err(at.fault(format!("it is not simulated with the value `{value}`")));
        }
        Err(at.fault(unknown("parameter that is simulated", name, &mut KNOWN.into_iter())))
    }

    /// Preemption by tiers, or by lists of qualities of service.
    fn change_preemption(&mut self, value: &str, at: &At) -> Result<(), ConfError> {
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
                        let reason = "no partition has a higher PriorityTier, and no quality of service lists others in Preempt";
                        return Err(at.fault(reason));
                    }
                }
            }
            _ => return Err(at.found(value, "on or off")),
        };
        self.lines.push(ConfLine::of_pair(at, "PreemptType", by));
        let pairs = self.lines.iter().flat_map(|line| &line.pairs);
        let mode = lines::values(pairs, "PreemptMode").next_back().and_then(parameters::preempt_mode);
        let is_off = mode.is_none_or(|mode| mode == dfrsim_model::priority::PreemptMode::Off);
        if by != "preempt/none" && is_off {
            self.lines.push(ConfLine::of_pair(at, "PreemptMode", "REQUEUE"));
        }
        Ok(())
    }
}

/// Sets a column of a line of a listing.
fn change_row(
    rows: Option<&mut Vec<tables::Row>>,
    key: &'static str,
    name: &str,
    (column, value): (&str, &str),
    at: &At,
) -> Result<(), ConfError> {
    let (what, option) =
        if key == "name" { ("quality of service", "--qos") } else { ("account", "--sacctmgr") };
    let rows = rows.ok_or_else(|| at.fault(format!("expected a listing of them ({option})")))?;
    let is_it = |row: &tables::Row| row.get(key).trim() == name && row.get("user").is_empty();
    let Some(place) = rows.iter().position(is_it) else {
        return Err(at.fault(unknown(what, name, &mut rows.iter().map(|row| row.get(key).trim()))));
    };
    let column = database::column(column)
        .ok_or_else(|| at.fault(unknown("column", column, &mut database::columns())))?;
    rows[place].set(column, value);
    Ok(())
}
