//! Power that nodes draw.
//!
//! A node that is up draws its idle power, and each task adds a part of the difference to the power of
//! a busy node: its CPU need times its yield. Units of other resources, such as GPUs, have an idle and a
//! busy power each. All powers are whole milliwatts; the part of a task is rounded up.
//!
//! Devices and CPU sockets may instead draw all of their power [once they are used](UsedPower), at any
//! yield.

use super::levels::SpeedLevel;
use super::series::EnergySeries;
use crate::{SimSpan, SimTime, Yield};
use dfrsim_input::ParseError;
use std::fmt;
use std::str::FromStr;
use std::sync::Arc;

/// Power of the nodes of a class, in milliwatts.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NodePower {
    /// Power of a node without tasks, without the units of other resources.
    pub idle: u64,
    /// Power of a node whose CPU is busy, without the units of other resources.
    pub busy: u64,
    /// Idle and busy power of a unit of each other resource.
    pub units: Vec<(u64, u64)>,
    /// True if a device draws all of its power once a task holds a part of it.
    pub whole_devices: bool,
    /// Sockets of the CPU, if each of them draws all of its power once a core is used; then the idle and
    /// the busy power are both that of the rest of the node.
    pub sockets: Option<Sockets>,
    /// Rule by which a node without tasks falls asleep; `None` if it stays awake.
    pub sleep: Option<SleepRule>,
    /// Each level of the cluster below full speed; a level that these nodes have not is full speed.
    pub levels: Vec<SpeedLevel>,
}

/// Rule by which nodes without tasks fall asleep, as Slurm's power saving: a node falls asleep after
/// some time without tasks, and wakes up when a job starts on it, which makes no progress until then.
///
/// ```
/// use dfrsim_model::platform::power::SleepRule;
/// use dfrsim_model::{SimSpan, SimTime};
/// let [after, falls, wakes] = [600, 30, 90].map(SimSpan::from_secs);
/// let rule = SleepRule { asleep: 12_000, after, falls, wakes };
/// let ready = |now| rule.ready_at(SimTime::from_secs(100), SimTime::from_secs(now)).micros() / 1_000_000;
/// // It is awake until 700 s, falls asleep until 730 s, and then sleeps.
/// assert_eq!([ready(699), ready(700), ready(729), ready(730)], [699, 820, 820, 820]);
/// assert_eq!(ready(1000), 1090);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SleepRule {
    /// Power of a node that is asleep, with all its units, in milliwatts.
    pub asleep: u64,
    /// Time without tasks after which a node begins to fall asleep; above zero.
    pub after: SimSpan,
    /// Time in which it falls asleep and cannot wake up.
    pub falls: SimSpan,
    /// Time in which it wakes up.
    pub wakes: SimSpan,
}

impl SleepRule {
    /// Returns the time from which a node is asleep that has had no tasks since a time.
    #[must_use]
    pub fn asleep_from(&self, since: SimTime) -> SimTime {
        since.saturating_add(self.after).saturating_add(self.falls)
    }
    /// Returns whether a node that has had no tasks since a time falls asleep or is asleep.
    #[must_use]
    pub fn is_resting(&self, since: SimTime, now: SimTime) -> bool {
        now >= since.saturating_add(self.after)
    }
    /// Returns the time at which a node is awake if a job starts on it now, and it has had no tasks since
    /// a time. A time in the future is the end of its last wake-up.
    #[must_use]
    pub fn ready_at(&self, since: SimTime, now: SimTime) -> SimTime {
        if !self.is_resting(since, now) {
            return now.max(since);
        }
        now.max(self.asleep_from(since)).saturating_add(self.wakes)
    }
    /// Returns the longest time for which a job may have to wait for a node.
    #[must_use]
    pub fn longest_wake(&self) -> SimSpan {
        self.falls.saturating_add(self.wakes)
    }
}

/// Sockets of the CPU of a node, each of which draws all of its power once one of its cores is used.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Sockets {
    /// Number of sockets; at least one.
    pub count: u32,
    /// Number of cores of a socket; the last one may have fewer.
    pub cores_each: u32,
    /// Power of a socket without tasks, in milliwatts.
    pub idle: u64,
    /// Power of a socket of which a core is used, in milliwatts.
    pub busy: u64,
}

/// Power that devices and sockets of a node add once they are used, at any yield.
///
/// Tasks fill the sockets one after the other: as many are used as have the cores of all tasks of the
/// node.
///
/// ```
/// use dfrsim_model::platform::power::UsedPower;
/// let power = UsedPower { device: 225_000, socket: 145_000, socket_parts: 48, sockets: 2 };
/// assert_eq!([0, 1, 48, 49, 200].map(|parts| power.of(0, parts) / 1000), [0, 145, 145, 290, 290]);
/// assert_eq!(power.of(3, 1), 820_000);
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct UsedPower {
    /// Power that a used device adds, in milliwatts.
    pub device: u64,
    /// Power that a used socket adds, in milliwatts.
    pub socket: u64,
    /// Number of parts of cores of a socket; 0 if the node has no sockets.
    pub socket_parts: u64,
    /// Number of sockets.
    pub sockets: u64,
}

impl UsedPower {
    /// Returns the number of sockets that are used if the tasks of a node have this many parts of cores.
    #[must_use]
    pub fn used_sockets(&self, parts: u64) -> u64 {
        parts
            .checked_div(self.socket_parts)
            .map_or(0, |_| parts.div_ceil(self.socket_parts).min(self.sockets))
    }
    /// Returns the power that the used devices and sockets of a node add, in milliwatts, given the number
    /// of these devices and the parts of cores of all tasks.
    #[must_use]
    pub fn of(&self, devices: u64, parts: u64) -> u64 {
        self.device * devices + self.socket * self.used_sockets(parts)
    }
}

/// Settings of the power of a cluster.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ClusterPower {
    /// Power usage effectiveness: all power of the site as thousandths of that of its nodes; at least
    /// 1000.
    pub effectiveness: u32,
    /// Carbon intensity and price of energy over time, if they are known.
    pub series: Option<Arc<EnergySeries>>,
}

/// Unit of sums of energy: milliwatts times microseconds (nanojoules) divided by this. It is that of
/// yields, so that sums are exact at any yield.
pub const ENERGY_PARTS: u128 = 1 << Yield::BITS;

/// Power cap of a cluster over time.
///
/// The text form is a power such as `38000`, `38000W`, `38kW` or `1.5MW`, a percentage of the largest power
/// of all nodes such as `80%`, or steps of these such as `0h:38kW,18h:30kW`, which start at hours (`h`), days
/// (`d`) or seconds (`s`) from the origin of the log. `daily` before steps lets them repeat each day, from
/// midnight on; times of day may then be written as on a clock, before an equals sign: `daily
/// 0:00=38kW,8:30=30kW`.
///
/// ```
/// use dfrsim_model::platform::power::PowerCap;
/// let cap: PowerCap = "0h:38kW,18h:30.5kW".parse().unwrap();
/// assert_eq!(cap.to_string(), "0s:38000W,64800s:30500W");
/// assert_eq!(cap.resolve(0)[1].1, 30_500_000);
/// let cap: PowerCap = "daily 0:00=100%,8:30=60%".parse().unwrap();
/// assert_eq!(cap.to_string(), "daily 0s:100%,30600s:60%");
/// assert_eq!(cap.resolve(50_000)[1].1, 30_000);
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PowerCap {
    /// Start and power of each step, in ascending order; the first begins at time zero.
    pub steps: Vec<(SimTime, CapAmount)>,
    /// True if the steps repeat each day, whose midnight is time zero.
    pub is_daily: bool,
}

/// Power that a cap allows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CapAmount {
    /// Power in milliwatts.
    Milliwatts(u64),
    /// Part of the largest power of all nodes, in millionths.
    Millionths(u64),
}

impl PowerCap {
    /// Returns the steps in milliwatts, given the largest power of all nodes; parts are rounded down.
    #[must_use]
    pub fn resolve(&self, largest: u64) -> Vec<(SimTime, u64)> {
        self.steps.iter().map(|&(from, amount)| (from, amount.milliwatts(largest))).collect()
    }
    /// Returns whether a step is a percentage.
    #[must_use]
    pub fn has_percentages(&self) -> bool {
        self.steps.iter().any(|(_, amount)| matches!(amount, CapAmount::Millionths(_)))
    }
    /// Finds the reason for which its steps cannot repeat daily.
    fn daily_problem(&self) -> Option<String> {
        let late = self.steps.iter().find(|(from, _)| *from >= SimTime::ZERO.saturating_add(DAY))?;
        Some(format!("the step from {} s begins after the end of the day", late.0))
    }
}

impl CapAmount {
    /// Returns the power in milliwatts, given the largest power of all nodes.
    #[must_use]
    pub fn milliwatts(self, largest: u64) -> u64 {
        match self {
            CapAmount::Milliwatts(power) => power,
            CapAmount::Millionths(part) => {
                u64::try_from(u128::from(largest) * u128::from(part) / 1_000_000).unwrap_or(u64::MAX)
            }
        }
    }
}

impl fmt::Display for CapAmount {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            CapAmount::Milliwatts(power) => write!(f, "{}W", *power as f64 / 1e3),
            CapAmount::Millionths(part) => write!(f, "{}%", *part as f64 / 1e4),
        }
    }
}

/// Length of a day, after which daily steps repeat.
pub const DAY: SimSpan = SimSpan::from_secs(86_400);

impl FromStr for PowerCap {
    type Err = ParseError;
    fn from_str(text: &str) -> Result<PowerCap, ParseError> {
        let wrong = |reason: String| {
            let forms = "expected a power such as 38kW or 80%, or steps such as 0h:38kW,18h:30kW or \
                         daily 0:00=38kW,18:00=30kW";
            ParseError(format!("invalid power cap `{text}`: {reason}; {forms}"))
        };
        let daily = text.trim().strip_prefix("daily").filter(|rest| rest.starts_with([' ', ':']));
        let steps = daily.map_or(text, |rest| rest.trim_start_matches(':').trim());
        if !steps.contains([':', '=']) {
            let amount = amount(steps).map_err(wrong)?;
            return match daily {
                Some(_) => Err(wrong("it has no steps".to_owned())),
                None => Ok(PowerCap { steps: vec![(SimTime::ZERO, amount)], is_daily: false }),
            };
        }
        let steps: Vec<(SimTime, CapAmount)> = { steps.split(',') }
            .map(|text| step(text, daily.is_some()))
            .collect::<Result<_, _>>()
            .map_err(wrong)?;
        if steps[0].0 != SimTime::ZERO {
            return Err(wrong(format!("the first step begins at {} s, not at 0", steps[0].0)));
        }
        if let Some(pair) = steps.windows(2).find(|pair| pair[0].0 >= pair[1].0) {
            let [before, from] = [pair[0].0, pair[1].0];
            return Err(wrong(format!("the step from {from} s follows the one from {before} s")));
        }
        let cap = PowerCap { steps, is_daily: daily.is_some() };
        match cap.daily_problem().filter(|_| cap.is_daily) {
            Some(reason) => Err(wrong(reason)),
            None => Ok(cap),
        }
    }
}

/// Parses a step such as `18h:30kW`, or `18:00=30kW` of a cap that repeats daily.
fn step(text: &str, is_daily: bool) -> Result<(SimTime, CapAmount), String> {
    let Some((from, power)) = text.split_once('=').or_else(|| text.split_once(':')) else {
        return Err(format!("`{text}` has no start, as 18h in 18h:30kW"));
    };
    let from = from.trim();
    if let Some((hours, minutes)) = from.split_once(':') {
        let clock = |text: &str, most: u64| text.parse::<u64>().ok().filter(|it| *it <= most);
        let found = clock(hours, 23).zip(clock(minutes, 59).filter(|_| minutes.len() == 2));
        let Some((hours, minutes)) = found else { return Err(format!("`{from}` is no time of day")) };
        if !is_daily {
            return Err(format!("the time of day `{from}` needs `daily` before the steps"));
        }
        return Ok((SimTime::from_secs(hours * 3600 + minutes * 60), amount(power)?));
    }
    let units = [("h", 3600.0), ("d", 86_400.0), ("s", 1.0)];
    let unit = units.iter().find_map(|(unit, seconds)| Some((from.strip_suffix(unit)?, *seconds)));
    let (digits, seconds) = unit.unwrap_or((from, 1.0));
    let found = digits.trim().parse::<f64>().ok().filter(|from| (0.0..=1e9).contains(from));
    let Some(number) = found else { return Err(format!("`{from}` is no time such as 18h, 1d or 90s")) };
    if unit.is_none() && number > 0.0 {
        return Err(format!("the time `{from}` has no unit: h (hours), d (days) or s (seconds)"));
    }
    Ok((SimTime::from_micros((number * seconds * 1e6).round() as u64), amount(power)?))
}

/// Parses a power such as `38kW`, at most 10 GW, or a percentage, at most 1000.
fn amount(text: &str) -> Result<CapAmount, String> {
    let text = text.trim();
    if let Some(digits) = text.strip_suffix('%') {
        let percent = digits.trim().parse::<f64>().ok().filter(|it| (0.0..=1000.0).contains(it));
        let part = percent.map(|percent| CapAmount::Millionths((percent * 1e4).round() as u64));
        return part.ok_or_else(|| format!("`{text}` is no percentage between 0 and 1000"));
    }
    let units = [("MW", 1e9), ("kW", 1e6), ("KW", 1e6), ("kw", 1e6), ("W", 1e3), ("w", 1e3)];
    let unit = units.iter().find_map(|(unit, factor)| Some((text.strip_suffix(unit)?, *factor)));
    let (digits, factor) = unit.unwrap_or((text, 1e3));
    let power = digits.trim().parse::<f64>().ok().map(|power| power * factor);
    let power = power.filter(|power| (0.0..=1e13).contains(power));
    let power = power.map(|power| CapAmount::Milliwatts(power.round() as u64));
    power.ok_or_else(|| format!("`{text}` is no power in W, kW or MW, and no percentage"))
}

impl fmt::Display for PowerCap {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let ([(_, amount)], false) = (&self.steps[..], self.is_daily) {
            return write!(f, "{amount}");
        }
        f.write_str(if self.is_daily { "daily " } else { "" })?;
        for (at, (from, amount)) in self.steps.iter().enumerate() {
            let comma = if at > 0 { "," } else { "" };
            write!(f, "{comma}{from}s:{amount}")?;
        }
        Ok(())
    }
}

/// Computes a part of a power, rounded up.
#[inline]
pub(super) fn part(whole: u64, part: u64, of: u64) -> u64 {
    match whole.checked_mul(part) {
        Some(product) => product.div_ceil(of.max(1)),
        None => (u128::from(whole) * u128::from(part)).div_ceil(u128::from(of.max(1))) as u64,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn caps_are_powers_or_steps() {
        let steps = |text: &str| {
            text.parse::<PowerCap>().map(|cap| cap.resolve(0)).map_err(|error| error.to_string())
        };
        assert_eq!(steps("1.5MW"), Ok(vec![(SimTime::ZERO, 1_500_000_000)]));
        assert_eq!(steps("7"), Ok(vec![(SimTime::ZERO, 7000)]));
        let found = steps("0:5W,30s:2W,1h:4W").unwrap();
        assert_eq!(found.iter().map(|it| it.0.micros() / 1_000_000).collect::<Vec<_>>(), [0, 30, 3600]);
        assert_eq!(steps("3 kw"), Ok(vec![(SimTime::ZERO, 3_000_000)]));
        let daily = |text: &str| text.parse::<PowerCap>().unwrap();
        assert_eq!(daily("daily 0:00=5W, 8:30=4 W"), daily("daily:0h:5W,8.5h:4W"));
        assert_eq!(daily("daily 0s:5W,30600s:4W").to_string().parse(), Ok(daily("daily 0h:5W,8.5h:4W")));
        assert_eq!(daily("80%").resolve(190_001), [(SimTime::ZERO, 152_000)]);
        assert_eq!(daily("62.5%").to_string(), "62.5%");
        assert_eq!(steps("0h:3KW, 1d:2kW").unwrap()[1], (SimTime::from_secs(86_400), 2_000_000));
        for (wrong, reason) in [
            ("", "`` is no power in W, kW or MW, and no percentage"),
            ("5kV", "`5kV` is no power in W, kW or MW, and no percentage"),
            ("5mW", "`5mW` is no power in W, kW or MW, and no percentage"),
            ("-1%", "`-1%` is no percentage between 0 and 1000"),
            ("x%", "`x%` is no percentage between 0 and 1000"),
            ("0h:1%,8:00=2%", "the time of day `8:00` needs `daily` before the steps"),
            ("daily 5W", "it has no steps"),
            ("daily 0:00=5W,8:5=4W", "`8:5` is no time of day"),
            ("daily 0:00=5W,24:00=4W", "`24:00` is no time of day"),
            ("daily 8:00=5W,20:00=4W", "the first step begins at 28800 s, not at 0"),
            ("daily 0h:5W,1d:4W", "the step from 86400 s begins after the end of the day"),
            ("-5", "`-5` is no power in W, kW or MW, and no percentage"),
            ("infW", "`infW` is no power in W, kW or MW, and no percentage"),
            ("0h:nanW", "`nanW` is no power in W, kW or MW, and no percentage"),
            ("1h:5W", "the first step begins at 3600 s, not at 0"),
            ("0h:5W,0h:6W", "the step from 0 s follows the one from 0 s"),
            ("0h:5W,2h", "`2h` has no start, as 18h in 18h:30kW"),
            ("0:5W,8:4W", "the time `8` has no unit: h (hours), d (days) or s (seconds)"),
            ("0:5W,8m:4W", "`8m` is no time such as 18h, 1d or 90s"),
        ] {
            let message = steps(wrong).unwrap_err();
            assert!(message.contains(&format!(": {reason}; expected")), "{message}");
        }
    }
}
