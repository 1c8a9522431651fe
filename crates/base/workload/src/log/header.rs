//! Header of a log: its leading comment lines.

use dfrsim_model::JobTexts;
use dfrsim_model::platform::series::offset_of_place;
use std::sync::Arc;

/// The header of a log: its comment lines in order and unchanged.
///
/// A line `; Name: value` is a directive. The comment lines after it, up to the next directive,
/// continue it.
///
/// ```
/// use dfrsim_workload::log::Header;
/// let mut header = Header::default();
/// header.push("MaxProcs", "338 (batch partition; 512 total)");
/// header.push("Note", "cleaned");
/// header.comment("      twice");
/// assert_eq!(header.max_procs(), Some(338));
/// assert_eq!(header.text("Note").as_deref(), Some("cleaned\ntwice"));
/// let mut smaller = header.clone();
/// smaller.replace("MaxProcs", "16");
/// assert_eq!((smaller.max_procs(), smaller.lines().count()), (Some(16), 3));
/// assert_eq!(header.to_string(), "; MaxProcs: 338 (batch partition; 512 total)\n; Note: cleaned\n;      twice\n");
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Header {
    /// Text of each line after the semicolon.
    lines: Vec<String>,
    /// Names that are known but not in any line.
    unwritten: Vec<(Naming, u32, String)>,
    /// Textual properties of jobs that are not in any line; only Batsim workloads have them.
    pub texts: Option<Arc<JobTexts>>,
}

/// The field of a record to which a name belongs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Naming {
    /// Field 12, the user.
    User,
    /// Field 13, the group; the account in Slurm.
    Group,
    /// Field 15, the queue; the QOS in Slurm.
    Queue,
    /// Field 16, the partition.
    Partition,
}

impl Naming {
    /// Returns the directive that lists the names, if the format has one.
    const fn directive(self) -> Option<&'static str> {
        match self {
            Naming::Queue => Some("Queue"),
            Naming::Partition => Some("Partition"),
            Naming::User | Naming::Group => None,
        }
    }
}

impl Header {
    /// Appends a directive. Line ends in it are replaced by blanks.
    pub fn push(&mut self, name: &str, value: &str) {
        self.comment(&format!(" {name}: {value}"));
    }
    /// Replaces the value of the first directive of this name; without one, the header is unchanged.
    pub fn replace(&mut self, name: &str, value: &str) {
        let is_it = |line: &String| directive(line).is_some_and(|(found, _)| found == name);
        if let Some(place) = self.lines.iter().position(is_it) {
            let mut replaced = Header::default();
            replaced.push(name, value);
            self.lines.splice(place..=place, replaced.lines);
        }
    }
    /// Appends a comment line, given without its semicolon. Line ends in it are replaced by blanks.
    pub fn comment(&mut self, text: &str) {
        self.lines.push(text.replace(['\n', '\r'], " "));
    }
    /// Iterates over the lines without their semicolons.
    pub fn lines(&self) -> impl Iterator<Item = &str> {
        self.lines.iter().map(String::as_str)
    }
    /// Iterates over the directives in order, as names and values on the same line. Names may repeat
    /// (`Queue`, `Note`).
    pub fn directives(&self) -> impl Iterator<Item = (&str, &str)> {
        self.lines().filter_map(directive)
    }
    /// Adds the name of a user, group, queue or partition. Names of queues and partitions become
    /// lines (`Queue: 1 normal`). Names of users and groups are not written to files.
    pub fn name(&mut self, of: Naming, number: u32, name: &str) {
        match of.directive() {
            Some(directive) => self.push(directive, &format!("{number} {name}")),
            None => self.unwritten.push((of, number, name.to_owned())),
        }
    }
    /// Iterates over the numbers that have names.
    pub fn names(&self, of: Naming) -> impl Iterator<Item = (u32, &str)> {
        let is_written = move |name: &str| of.directive() == Some(name);
        let written = self.directives().filter(move |(name, _)| is_written(name)).filter_map(|(_, text)| {
            let (number, name) = text.split_once(char::is_whitespace)?;
            Some((number.parse().ok()?, name.trim()))
        });
        let unwritten = self.unwritten.iter().filter(move |(what, ..)| *what == of);
        written.chain(unwritten.map(|(_, number, name)| (*number, name.as_str())))
    }
    /// Returns the value of the first directive of this name.
    pub fn value(&self, name: &str) -> Option<&str> {
        self.directives().find(|(found, _)| *found == name).map(|(_, value)| value)
    }
    /// Returns the value of the first directive of this name, including its continuation lines.
    pub fn text(&self, name: &str) -> Option<String> {
        let mut lines =
            self.lines().skip_while(|line| directive(line).is_none_or(|(found, _)| found != name));
        let mut text = directive(lines.next()?)?.1.to_owned();
        for line in lines.take_while(|line| directive(line).is_none() && !line.trim().is_empty()) {
            text.push('\n');
            text.push_str(line.trim());
        }
        Some(text)
    }
    /// Parses the whole number at the start of a value: 338 in `338 (batch partition; 512 total)`.
    fn number(&self, name: &str) -> Option<i64> {
        let value = self.value(name)?;
        let digits = value.strip_prefix('-').unwrap_or(value);
        let length = value.len() - digits.trim_start_matches(|letter: char| letter.is_ascii_digit()).len();
        value[..length].parse().ok()
    }
    fn count(&self, name: &str) -> Option<u64> {
        self.number(name)?.try_into().ok()
    }

    /// Returns `Version`, the version of the format.
    pub fn version(&self) -> Option<&str> {
        self.value("Version")
    }
    /// Returns `Computer`, the make and model of the machine.
    pub fn computer(&self) -> Option<&str> {
        self.value("Computer")
    }
    /// Returns `Installation`, the place and owner of the machine.
    pub fn installation(&self) -> Option<&str> {
        self.value("Installation")
    }
    /// Returns `UnixStartTime`: second 0 of the log in seconds since 1970 (UTC).
    pub fn unix_start_time(&self) -> Option<i64> {
        self.number("UnixStartTime")
    }
    /// Returns the time of day at second 0 of the log, in seconds since midnight, and a statement on where
    /// it is from: `UnixStartTime` in the time zone of `TimeZone` or `TimeZoneString`. Midnight is second 0
    /// of a log that does not say when it begins. Clocks keep the offset that they have at its start.
    pub fn time_of_day(&self) -> (u64, String) {
        let Some(start) = self.unix_start_time().filter(|&start| start > 0) else {
            let none = "midnight is second 0, as the log does not say when it begins (`UnixStartTime` in its header)";
            return (0, none.to_owned());
        };
        let place = self.value("TimeZoneString");
        let of_number = self.number("TimeZone").filter(|offset| offset.abs() <= LARGEST_OFFSET);
        let of_place = place.and_then(|place| Some((offset_of_place(place, start)?, place)));
        let (offset, zone) = match (of_number, of_place, place) {
            (Some(offset), ..) => (offset, "in the `TimeZone` of its header".to_owned()),
            (None, Some((offset, place)), _) => (offset, format!("in its time zone `{place}`")),
            (None, None, Some(place)) => (
                0,
                format!(
                    "UTC, as its time zone `{place}` is not known here; `TimeZone: SECONDS` in its header says how far clocks are ahead of UTC"
                ),
            ),
            (None, None, None) => (0, "UTC, as its header names no time zone".to_owned()),
        };
        let time = (start + offset).rem_euclid(86_400).unsigned_abs();
        let [hours, minutes, seconds] = [time / 3600, time / 60 % 60, time % 60];
        (time, format!("the log begins at {hours:02}:{minutes:02}:{seconds:02} {zone}"))
    }
    /// Returns `MaxNodes`, the number of nodes of the machine.
    pub fn max_nodes(&self) -> Option<u64> {
        self.count("MaxNodes")
    }
    /// Returns `MaxProcs`, the number of processors of the machine.
    pub fn max_procs(&self) -> Option<u64> {
        self.count("MaxProcs")
    }
    /// Returns `MaxMemory`, the maximum memory of a job in kilobytes.
    pub fn max_memory(&self) -> Option<u64> {
        self.count("MaxMemory")
    }
}

/// Largest number of seconds by which clocks differ from UTC.
const LARGEST_OFFSET: i64 = 15 * 3600;

/// Directives of the format that start with a number. Only these may lack the blank after the colon.
const NUMBERS: [&str; 11] = [
    "MaxJobs",
    "MaxRecords",
    "UnixStartTime",
    "TimeZone",
    "MaxNodes",
    "MaxProcs",
    "MaxRuntime",
    "MaxMemory",
    "MaxQueues",
    "MaxPartitions",
    "Version",
];

/// Parses the name and value of a directive. The name is a single capitalised word, and a blank
/// follows its colon, so that a URL (`http://...`) in a continuation line is not mistaken for a
/// directive. The blank may be missing if the format has a number there (`MaxProcs:64`).
fn directive(line: &str) -> Option<(&str, &str)> {
    let (name, value) = line.split_once(':')?;
    let name = name.trim();
    let is_name = name.starts_with(|letter: char| letter.is_ascii_uppercase())
        && name.bytes().all(|byte| byte.is_ascii_alphanumeric());
    let is_number = || {
        NUMBERS.contains(&name) && value.starts_with(|letter: char| letter == '-' || letter.is_ascii_digit())
    };
    let is_separate = value.is_empty() || value.starts_with(char::is_whitespace) || is_number();
    (is_name && is_separate).then(|| (name, value.trim()))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The log begins at 2024-07-01 06:07:08 UTC.
    #[test]
    fn the_time_of_day_follows_the_zone() {
        let of = |pairs: &[(&str, &str)]| {
            let mut header = Header::default();
            pairs.iter().for_each(|(name, value)| header.push(name, value));
            header.time_of_day()
        };
        let start = ("UnixStartTime", "1719814028");
        let (time, text) = of(&[start, ("TimeZoneString", "Europe/Stockholm")]);
        assert_eq!(time, 8 * 3600 + 7 * 60 + 8);
        assert_eq!(text, "the log begins at 08:07:08 in its time zone `Europe/Stockholm`");
        let zone = ("TimeZone", "-25200");
        assert_eq!(of(&[start, zone, ("TimeZoneString", "US/Pacific")]).0, 23 * 3600 + 7 * 60 + 8);
        let (time, text) = of(&[start, ("TimeZoneString", "US/Pacific")]);
        assert_eq!(time, 6 * 3600 + 7 * 60 + 8);
        assert!(
            text.starts_with(
                "the log begins at 06:07:08 UTC, as its time zone `US/Pacific` is not known here"
            )
        );
        assert!(of(&[start]).1.ends_with("UTC, as its header names no time zone"));
        assert_eq!(of(&[zone]).0, 0);
        assert!(of(&[("UnixStartTime", "0")]).1.starts_with("midnight is second 0"));
    }

    #[test]
    fn directives_are_distinguished_from_continued_lines() {
        let mut header = Header::default();
        header.push("Information", "http://www.cs.example/");
        header.comment("              http://www.parallel.example/");
        header.comment("");
        header.push("UnixStartTime", "-5");
        header.push("MaxProcs", "many");
        header.push("MaxNodes", "99999999999999999999");
        header.comment(" Partition:");
        assert_eq!(
            header.text("Information").unwrap(),
            "http://www.cs.example/\nhttp://www.parallel.example/"
        );
        assert_eq!(header.directives().count(), 5);
        assert_eq!(header.unix_start_time(), Some(-5));
        assert_eq!(header.max_procs(), None);
        assert_eq!(header.max_nodes(), None);
        assert_eq!(header.value("Partition"), Some(""));
        assert_eq!(header.computer(), None);
    }

    #[test]
    fn a_number_may_follow_the_colon_at_once() {
        let mut header = Header::default();
        header.comment(" MaxProcs:64");
        header.comment("UnixStartTime:-5");
        header.comment(" Note:12:30 was wrong");
        header.comment(" MaxNodes:x");
        assert_eq!((header.max_procs(), header.unix_start_time()), (Some(64), Some(-5)));
        assert_eq!(header.directives().count(), 2);
    }
}
