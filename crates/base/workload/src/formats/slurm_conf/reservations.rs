//! Reservations, from the output of `scontrol show reservation`
//! (<https://slurm.schedmd.com/reservations.html>) or of `sacctmgr show reservation --parsable2`,
//! which also lists those of the past.

use super::ConfError;
use super::lines::{ConfLine, Location, parse_lines};
use super::names::{expand_hosts, identifier};
use super::tables;
use crate::formats::times::timestamp;
use dfrsim_model::site::Reservation;
use std::path::Path;

/// A reservation of nodes for certain users and accounts.
#[derive(Clone, Debug, Default)]
pub(super) struct NodeReservation {
    pub(super) at: Location,
    pub(super) name: String,
    /// Start in seconds since 1970.
    from: i64,
    until: i64,
    pub(super) nodes: Vec<String>,
    /// Users who may run jobs in the reservation; with a prefix `-`, those who may not. All users
    /// may if the list is empty.
    users: Vec<String>,
    accounts: Vec<String>,
    /// Settings that are not simulated.
    pub(super) ignored: Vec<String>,
}

/// Flags that are not simulated: recurring reservations, and those that attract jobs that do not
/// name them.
const IGNORED_FLAGS: [&str; 6] = ["DAILY", "HOURLY", "WEEKLY", "WEEKDAY", "WEEKEND", "MAGNETIC"];

/// Answer of `scontrol` if there are none.
const NONE: &str = "No reservations in the system";

/// Reads the reservations; those of licences alone have no nodes.
pub(super) fn read(path: &Path) -> Result<Vec<NodeReservation>, ConfError> {
    let file = path.display().to_string();
    let whole = Location { file: file.as_str().into(), ..Location::default() };
    let text = dfrsim_model::read_text_file(path).map_err(|error| whole.error(error.to_string()))?;
    let first = text.lines().map(str::trim).find(|line| !line.is_empty()).unwrap_or_default();
    if first.starts_with(NONE) {
        return Ok(Vec::new());
    }
    if first.contains('|') && !first.starts_with("ReservationName=") {
        let rows = tables::read(path, "Name")?;
        // By default, sacctmgr does not print the nodes.
        if let Some(row) = rows.first().filter(|row| !row.has("nodenames")) {
            let expected = "expected this column; list with `format=Cluster,Name,Start,End,NodeNames,Flags`";
            return Err(row.at.for_parameter("NodeNames").error(expected));
        }
        return from_table(&rows);
    }
    from_lines(&parse_lines(&text, &file))
}

/// Parses a listing of `sacctmgr`, in which each change of a reservation has a row of its own.
fn from_table(rows: &[tables::Row]) -> Result<Vec<NodeReservation>, ConfError> {
    let mut all: Vec<NodeReservation> = Vec::new();
    for row in rows {
        let name = row.get("name").trim();
        let at = row.at.for_parameter(format!("ReservationName={name}"));
        let time = |column: &str, key: &str| {
            let expected = "a time such as 2026-03-01T09:00:00";
            let text = row.get(key).trim();
            timestamp(text).ok_or_else(|| row.at.for_parameter(column).unexpected(text, expected))
        };
        let (from, until) = (time("TimeStart", "timestart")?, time("TimeEnd", "timeend")?);
        let nodes = row.get("nodenames").trim();
        if from >= until {
            continue;
        }
        let known =
            all.iter().filter(|other| other.name == name || other.name.starts_with(&format!("{name}_")));
        let count = known.count();
        let own = if count == 0 { name.to_owned() } else { format!("{name}_{}", count + 1) };
        let mut ignored: Vec<String> = flags_ignored(name, row.get("flags")).collect();
        if count > 0 {
            ignored.push(format!("reservations: jobs in the later times of {name}"));
        }
        if nodes.is_empty() {
            ignored.push(format!("reservations: {name} without nodes"));
        }
        let nodes = match nodes {
            "" => Vec::new(),
            nodes => expand_hosts(nodes, &row.at.for_parameter("NodeNames"))?,
        };
        let (users, accounts) = (Vec::new(), Vec::new());
        all.push(NodeReservation { at, name: own, from, until, nodes, users, accounts, ignored });
    }
    Ok(all)
}

/// Returns the flags that are not simulated.
fn flags_ignored(name: &str, flags: &str) -> impl Iterator<Item = String> {
    let ignored = flags.split(',').map(str::trim).filter(|flag| IGNORED_FLAGS.contains(flag));
    ignored.map(move |flag| format!("reservations: {name} Flags={flag}"))
}

fn from_lines(lines: &[ConfLine]) -> Result<Vec<NodeReservation>, ConfError> {
    let mut all: Vec<NodeReservation> = Vec::new();
    for (at, (key, value)) in lines.iter().flat_map(|line| line.pairs.iter().map(|pair| (&line.at, pair))) {
        let key = key.to_ascii_lowercase();
        if key == "reservationname" {
            if all.iter().any(|other| other.name == *value) {
                let reason = format!("reservation `{value}` is listed twice");
                return Err(at.for_parameter("ReservationName").error(reason));
            }
            let at = at.for_parameter(format!("ReservationName={value}"));
            all.push(NodeReservation { at, name: value.clone(), ..NodeReservation::default() });
            continue;
        }
        let Some(last) = all.last_mut() else {
            return Err(at
                .for_parameter("")
                .unexpected(&key, "a list of reservations, beginning with ReservationName"));
        };
        let at = last.at.for_parameter(format!("ReservationName={} {key}", last.name));
        let time =
            || timestamp(value).ok_or_else(|| at.unexpected(value, "a time such as 2026-03-01T09:00:00"));
        let list = || value.split(',').map(str::to_owned).collect::<Vec<_>>();
        match key.as_str() {
            "starttime" => last.from = time()?,
            "endtime" => last.until = time()?,
            _ if value == "(null)" => {}
            "nodes" => last.nodes = expand_hosts(value, &at)?,
            "users" => last.users = list(),
            "accounts" => last.accounts = list(),
            "flags" => {
                let ignored: Vec<String> = flags_ignored(&last.name, value).collect();
                last.ignored.extend(ignored);
            }
            "groups" | "licenses" => last.ignored.push(format!("reservations: {} {key}", last.name)),
            _ => {}
        }
    }
    for it in &all {
        if it.from >= it.until {
            let at = it.at.for_parameter(format!("ReservationName={} EndTime", it.name));
            return Err(at.error("expected a time after StartTime"));
        }
    }
    Ok(all)
}

impl NodeReservation {
    /// Returns the reservation in seconds relative to `first`; `None` if it has ended by then, or has no
    /// nodes.
    pub(super) fn relative_to(&self, first: i64) -> Option<Reservation> {
        if self.nodes.is_empty() {
            return None;
        }
        let [from_s, until_s] = [self.from, self.until].map(|at| u64::try_from(at - first).unwrap_or(0));
        (until_s > 0).then(|| Reservation { name: identifier(&self.name), from_s, until_s })
    }

    /// Returns whether jobs of this user and account may use the reservation.
    pub(super) fn admits(&self, user: Option<&str>, account: Option<&str>) -> bool {
        [(&self.users, user), (&self.accounts, account)].into_iter().all(|(list, name)| {
            let has = |sign: &str| list.iter().any(|it| it.strip_prefix(sign) == name);
            if list.iter().any(|it| it.starts_with('-')) { !has("-") } else { list.is_empty() || has("") }
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXT: &str = "\
ReservationName=course StartTime=2026-03-02T10:00:00 EndTime=2026-03-02T12:00:00 Duration=02:00:00
   Nodes=n[1-2] NodeCnt=2 CoreCnt=16 Features=(null) PartitionName=cpu Flags=SPEC_NODES,DAILY
   Users=anna,ben Groups=(null) Accounts=-physics Licenses=(null) State=INACTIVE

ReservationName=matlab StartTime=2026-03-02T10:00:00 EndTime=2026-03-02T12:00:00 Nodes=(null) Licenses=matlab:2
";

    #[test]
    fn listings_without_nodes_are_refused() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("past.txt");
        let text = "Cluster|Name|TRES|TimeStart|TimeEnd|UnusedWall\nc|r|cpu=8|2026-03-01T09:00:00|2026-03-01T10:00:00|0\n";
        std::fs::write(&path, text).unwrap();
        let error = read(&path).unwrap_err().to_string();
        assert!(error.contains("line 2: NodeNames: expected this column; list with `format="), "{error}");
    }

    #[test]
    fn listings_of_the_database_and_empty_ones_are_read() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("r.txt");
        let read = |text: &str| {
            std::fs::write(&path, text).unwrap();
            read(&path).map(|all| all.into_iter().map(|it| (it.name, it.nodes.len())).collect::<Vec<_>>())
        };
        assert_eq!(read("No reservations in the system\n").unwrap(), []);
        let listing = "\
Cluster|Name|TRES|TimeStart|TimeEnd|UnusedWall|NodeNames|Flags
c|course|cpu=16|2026-03-02T10:00:00|2026-03-02T12:00:00|0|n[1-2]|SPEC_NODES
c|course|cpu=8|2026-03-03T10:00:00|2026-03-03T12:00:00|0|n1|SPEC_NODES
c|licences||2026-03-03T10:00:00|2026-03-03T12:00:00|0||
";
        let name = str::to_owned;
        assert_eq!(
            read(listing).unwrap(),
            [(name("course"), 2), (name("course_2"), 1), (name("licences"), 0)]
        );
        let error = read(&listing.replace("2026-03-02T10:00:00", "x")).unwrap_err().to_string();
        assert!(error.contains("line 2: TimeStart: expected a time"), "{error}");
    }

    #[test]
    fn reservations_are_read_as_scontrol_prints_them() {
        let all = from_lines(&parse_lines(TEXT, "r.txt")).unwrap();
        let [course, licences] = &all[..] else { panic!("{all:?}") };
        assert_eq!(licences.ignored, ["reservations: matlab licenses"]);
        assert_eq!(licences.relative_to(0), None);
        assert_eq!(course.nodes, ["n1", "n2"]);
        assert_eq!(course.ignored, ["reservations: course Flags=DAILY"]);
        let nine = timestamp("2026-03-02T09:00:00").unwrap();
        let expected = |from_s, until_s| Reservation { name: "course".to_owned(), from_s, until_s };
        assert_eq!(course.relative_to(nine), Some(expected(3_600, 10_800)));
        assert_eq!(course.relative_to(nine + 7_200), Some(expected(0, 3_600)));
        assert_eq!(course.relative_to(nine + 10_800), None);
        let admits = |user, account| course.admits(Some(user), Some(account));
        assert_eq!(
            [
                admits("anna", "biology"),
                admits("anna", "physics"),
                admits("carl", "biology"),
                course.admits(None, None)
            ],
            [true, false, false, false]
        );
        for (from, to, message) in [
            (
                "ReservationName",
                "Reservation",
                "r.txt: line 1: expected a list of reservations, beginning with ReservationName, found `reservation`",
            ),
            (
                "EndTime=2026-03-02T12",
                "EndTime=2026-03-02T09",
                "r.txt: line 1: ReservationName=course EndTime: expected a time after StartTime",
            ),
            (
                "n[1-2]",
                "n[1-",
                "r.txt: line 1: ReservationName=course nodes: expected host names such as n[1-8,12], found `n[1-`",
            ),
            ("=matlab", "=course", "r.txt: line 5: ReservationName: reservation `course` is listed twice"),
        ] {
            let error = from_lines(&parse_lines(&TEXT.replacen(from, to, 1), "r.txt")).unwrap_err();
            assert_eq!(error.to_string(), message);
        }
    }
}
