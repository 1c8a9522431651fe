//! Reservations of nodes, as `scontrol show reservation` prints them (<https://slurm.schedmd.com/reservations.html>).

use super::ConfError;
use super::lines::{self, At, ConfLine};
use super::names::{names, word};
use crate::formats::slurm::moment;
use dfrsim_model::priority::Reservation;
use std::path::Path;

/// Nodes that only some jobs may have for a time.
#[derive(Clone, Debug, Default)]
pub(super) struct Reserved {
    pub(super) at: At,
    pub(super) name: String,
    /// In seconds since 1970.
    from: i64,
    until: i64,
    pub(super) nodes: Vec<String>,
    /// Whose jobs may be there, with `-` those of others; all if there are none.
    users: Vec<String>,
    accounts: Vec<String>,
    /// What is not used.
    pub(super) ignored: Vec<String>,
}

/// Flags of a reservation that comes again, or draws jobs that do not name it.
const IGNORED: [&str; 6] = ["DAILY", "HOURLY", "WEEKLY", "WEEKDAY", "WEEKEND", "MAGNETIC"];

/// Reads the reservations of a file that have nodes.
pub(super) fn read(path: &Path) -> Result<Vec<Reserved>, ConfError> {
    of_lines(&lines::read(path)?)
}

fn of_lines(lines: &[ConfLine]) -> Result<Vec<Reserved>, ConfError> {
    let mut all: Vec<Reserved> = Vec::new();
    for (at, (key, value)) in lines.iter().flat_map(|line| line.pairs.iter().map(|pair| (&line.at, pair))) {
        let key = key.to_ascii_lowercase();
        if key == "reservationname" {
            if all.iter().any(|other| other.name == *value) {
                let reason = format!("the reservation `{value}` is there already");
                return Err(at.of("ReservationName").fault(reason));
            }
            let at = at.of(format!("ReservationName={value}"));
            all.push(Reserved { at, name: value.clone(), ..Reserved::default() });
            continue;
        }
        let Some(last) = all.last_mut() else {
            return Err(at.of("").found(&key, "a list of reservations, which begins with ReservationName"));
        };
        let at = last.at.of(format!("ReservationName={} {key}", last.name));
        let time = || moment(value).ok_or_else(|| at.found(value, "a time such as 2026-03-01T09:00:00"));
        let list = || value.split(',').map(str::to_owned).collect::<Vec<_>>();
        match key.as_str() {
            "starttime" => last.from = time()?,
            "endtime" => last.until = time()?,
            _ if value == "(null)" => {}
            "nodes" => last.nodes = names(value, &at)?,
            "users" => last.users = list(),
            "accounts" => last.accounts = list(),
            "flags" => {
                let ignored = value.split(',').filter(|flag| IGNORED.contains(flag));
                last.ignored.extend(ignored.map(|flag| format!("reservations: {} Flags={flag}", last.name)));
            }
            "groups" | "licenses" => last.ignored.push(format!("reservations: {} {key}", last.name)),
            _ => {}
        }
    }
    for it in &all {
        if it.from >= it.until {
            let at = it.at.of(format!("ReservationName={} EndTime", it.name));
            return Err(at.fault("expected a time behind StartTime"));
        }
    }
    all.retain(|it| !it.nodes.is_empty());
    Ok(all)
}

impl Reserved {
    /// The same in seconds from a moment on, if it has not passed then.
    pub(super) fn since(&self, first: i64) -> Option<Reservation> {
        let [from_s, until_s] = [self.from, self.until].map(|at| u64::try_from(at - first).unwrap_or(0));
        (until_s > 0).then(|| Reservation { name: word(&self.name), from_s, until_s })
    }

    /// Whether it is for jobs of this user and account.
    pub(super) fn admits(&self, user: Option<&str>, account: Option<&str>) -> bool {
        [(&self.users, user), (&self.accounts, account)].into_iter().all(|(list, name)| {
            let has = |sign: &str| list.iter().any(|it| it.strip_prefix(sign) == name);
            if list.iter().any(|it| it.starts_with('-')) { !has("-") } else { list.is_empty() || has("") }
        })
    }
}

#[cfg(test)]
mod tests {
    use super::super::lines::of_text;
    use super::*;

    const TEXT: &str = "\
ReservationName=course StartTime=2026-03-02T10:00:00 EndTime=2026-03-02T12:00:00 Duration=02:00:00
   Nodes=n[1-2] NodeCnt=2 CoreCnt=16 Features=(null) PartitionName=cpu Flags=SPEC_NODES,DAILY
   Users=anna,ben Groups=(null) Accounts=-physics Licenses=(null) State=INACTIVE

ReservationName=matlab StartTime=2026-03-02T10:00:00 EndTime=2026-03-02T12:00:00 Nodes=(null) Licenses=matlab:2
";

    #[test]
    fn reservations_are_read_as_scontrol_prints_them() {
        let all = of_lines(&of_text(TEXT, "r.txt")).unwrap();
        let [course] = &all[..] else { panic!("{all:?}") };
        assert_eq!(course.nodes, ["n1", "n2"]);
        assert_eq!(course.ignored, ["reservations: course Flags=DAILY"]);
        let nine = moment("2026-03-02T09:00:00").unwrap();
        let expected = |from_s, until_s| Reservation { name: "course".to_owned(), from_s, until_s };
        assert_eq!(course.since(nine), Some(expected(3_600, 10_800)));
        assert_eq!(course.since(nine + 7_200), Some(expected(0, 3_600)));
        assert_eq!(course.since(nine + 10_800), None);
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
                "r.txt: line 1: expected a list of reservations, which begins with ReservationName, found `reservation`",
            ),
            (
                "EndTime=2026-03-02T12",
                "EndTime=2026-03-02T09",
                "r.txt: line 1: ReservationName=course EndTime: expected a time behind StartTime",
            ),
            (
                "n[1-2]",
                "n[1-",
                "r.txt: line 1: ReservationName=course nodes: expected names such as n[1-8,12], found `n[1-`",
            ),
            (
                "=matlab",
                "=course",
                "r.txt: line 5: ReservationName: the reservation `course` is there already",
            ),
        ] {
            let error = of_lines(&of_text(&TEXT.replacen(from, to, 1), "r.txt")).unwrap_err();
            assert_eq!(error.to_string(), message);
        }
    }
}
