//! Accounts and qualities of service of Slurm's database, as `sacctmgr` lists them.

use super::ConfError;
use super::lines::At;
use super::parameters::preempt_mode;
use super::tables::Row;
use dfrsim_model::priority::{Account, JobClass, Limits};
use std::collections::BTreeSet;

/// What a listing says.
#[derive(Clone, Debug)]
pub(super) struct Listed<T> {
    pub(super) all: Vec<T>,
    /// What it says beside that is not used, each once.
    pub(super) ignored: Vec<String>,
    /// The names of qualities of service in it, with their places.
    pub(super) qos: Vec<(At, String)>,
}

impl<T> Default for Listed<T> {
    fn default() -> Listed<T> {
        Listed { all: Vec::new(), ignored: Vec::new(), qos: Vec::new() }
    }
}

impl<T> Listed<T> {
    fn ignore(&mut self, name: String) {
        if !self.ignored.contains(&name) {
            self.ignored.push(name);
        }
    }
}

/// The columns of limits that accounts, users and qualities of service have, in the letters of `sacctmgr`.
const LIMITS: [&str; 24] = [
    "GrpJobs",
    "GrpTRES",
    "GrpSubmit",
    "GrpWall",
    "GrpTRESMins",
    "GrpTRESRunMins",
    "MaxJobs",
    "MaxTRES",
    "MaxTRESPerNode",
    "MaxSubmit",
    "MaxWall",
    "MaxTRESMins",
    "MaxJobsPU",
    "MaxTRESPU",
    "MaxSubmitPU",
    "MaxJobsPA",
    "MaxTRESPA",
    "MaxSubmitPA",
    "MinTRES",
    "MaxTRESRunMinsPU",
    "MaxTRESRunMinsPA",
    "GraceTime",
    "UsageFactor",
    "Flags",
];

/// The columns that may be changed.
pub(super) fn columns() -> impl Iterator<Item = &'static str> {
    ["Share", "Priority", "Preempt", "PreemptMode", "PreemptExemptTime"].into_iter().chain(LIMITS)
}

/// The column of this name, in any letters; `Fairshare` is `Share`.
pub(super) fn column(name: &str) -> Option<&'static str> {
    let name = if name.eq_ignore_ascii_case("Fairshare") { "Share" } else { name };
    columns().find(|column| column.eq_ignore_ascii_case(name))
}

fn limit_of(row: &Row, limit: &str) -> Option<String> {
    Some(row.get(&super::tables::key(limit)).trim().to_owned()).filter(|text| !text.is_empty())
}

/// The accounts of associations, those above first. `cluster` is that of the `slurm.conf`; associations of others do not count.
pub(super) fn accounts(rows: &[Row], cluster: Option<&str>) -> Result<Listed<Account>, ConfError> {
    let mut listed = Listed::<Account>::default();
    let clusters: BTreeSet<&str> = rows.iter().map(|row| row.get("cluster")).collect();
    let only = cluster.filter(|cluster| clusters.len() > 1 && clusters.contains(cluster));
    let is_indented = rows.iter().any(|row| row.get("account").starts_with(' '));
    let has_parents = is_indented || rows.iter().any(|row| !row.get("parent").is_empty());
    // The accounts above the present line, by their depth.
    let mut above: Vec<String> = Vec::new();
    for row in rows.iter().filter(|row| only.is_none_or(|only| row.get("cluster") == only)) {
        let text = row.get("account");
        let name = text.trim();
        if name.is_empty() {
            return Err(row.at.of("Account").found(name, "the name of an account"));
        }
        let given = row.get("qos").split(',').chain([row.get("defqos")]);
        let given =
            given.map(|name| name.trim().trim_start_matches(['+', '-'])).filter(|name| !name.is_empty());
        listed.qos.extend(given.map(|name| (row.at.of("QOS"), name.to_owned())));
        let is_user = !row.get("user").is_empty();
        let what = if is_user { "users" } else { "accounts" };
        for limit in LIMITS.iter().filter(|limit| limit_of(row, limit).is_some()) {
            listed.ignore(format!("{limit} of {what}"));
        }
        let shares = row.get("share").trim();
        if is_user {
            if !matches!(shares, "" | "1" | "parent") {
                listed.ignore("Share of users".to_owned());
            }
            continue;
        }
        if !row.get("partition").trim().is_empty() {
            listed.ignore("associations with a partition".to_owned());
            continue;
        }
        let depth = text.len() - text.trim_start().len();
        above.truncate(depth);
        let parent = if is_indented { above.last().cloned() } else { Some(row.get("parent").to_owned()) };
        above.push(name.to_owned());
        if name == "root" {
            continue;
        }
        let at = row.at.of("Share");
        let shares = match shares {
            "" => 1,
            "parent" => {
                listed.ignore("Share=parent of accounts".to_owned());
                1
            }
            number => at.number(number)?,
        };
        if listed.all.iter().any(|other| other.name == name) {
            return Err(row.at.of("Account").fault(format!("the account `{name}` is there already")));
        }
        let parent = parent.filter(|parent| !matches!(parent.as_str(), "" | "root"));
        listed.all.push(Account {
            name: name.to_owned(),
            parent,
            shares,
            groups: Vec::new(),
            users: Vec::new(),
            limits: Limits::default(),
        });
    }
    if !has_parents && listed.all.len() > 1 {
        listed.ignore(
            "the tree of accounts (no column ParentName: add `tree` or format=...,ParentName)".to_owned(),
        );
    }
    let names: BTreeSet<&str> = listed.all.iter().map(|account| account.name.as_str()).collect();
    for account in &listed.all {
        if let Some(parent) = account.parent.as_deref().filter(|parent| !names.contains(parent)) {
            let row = rows.iter().find(|row| row.get("account").trim() == account.name);
            let reason = super::unknown("account", parent, names.iter().copied());
            return Err(row.map_or_else(|| rows[0].at.fault(""), |row| row.at.of("ParentName").fault(reason)));
        }
    }
    Ok(listed)
}

/// The qualities of service. With `preempts` they preempt each other as their lists say.
pub(super) fn qos(rows: &[Row], preempts: bool) -> Result<Listed<JobClass>, ConfError> {
    let mut listed = Listed::<JobClass>::default();
    for row in rows {
        let name = row.get("name").trim();
        if name.is_empty() {
            return Err(row.at.of("Name").found(name, "the name of a quality of service"));
        }
        if listed.all.iter().any(|other| other.name == name) {
            return Err(row.at.of("Name").fault(format!("the quality of service `{name}` is there already")));
        }
        let at = |column: &str| row.at.of(format!("QOS {name} {column}"));
        let priority = match row.get("priority").trim() {
            "" => 0,
            number => at("Priority").number(number)?,
        };
        let mut class = JobClass { name: name.to_owned(), priority, ..JobClass::default() };
        for limit in LIMITS {
            let Some(text) = limit_of(row, limit) else { continue };
            match limit {
                "MaxWall" => class.max_time_s = at(limit).time_limit(&text)?,
                "MaxJobsPU" => class.max_running_per_user = at(limit).limit(&text)?,
                "MaxTRES" | "GrpTRES" => {
                    let nodes = nodes_of(&text, &at(limit))?;
                    let field =
                        if limit == "MaxTRES" { &mut class.max_nodes } else { &mut class.total_nodes };
                    *field = nodes;
                    if text.split(',').any(|part| !part.starts_with("node=")) {
                        listed.ignore(format!("QOS {name} {limit}"));
                    }
                }
                "GraceTime" if matches!(text.as_str(), "00:00:00" | "0") => {}
                "UsageFactor" if text.parse() == Ok(1.0) => {}
                _ => listed.ignore(format!("QOS {name} {limit}")),
            }
        }
        let lists = row.get("preempt").split(',').map(str::trim).filter(|name| !name.is_empty());
        listed.qos.extend(lists.clone().map(|other| (at("Preempt"), other.to_owned())));
        let mode = row.get("preemptmode").trim();
        if preempts {
            class.preempt = lists.map(str::to_owned).collect();
            class.preempt_mode = match mode {
                "" | "cluster" => None,
                mode => {
                    let expected = "cluster, OFF, CANCEL, REQUEUE or SUSPEND";
                    Some(preempt_mode(mode).ok_or_else(|| at("PreemptMode").found(mode, expected))?)
                }
            };
            let exempt = row.get("preemptexempttime").trim();
            class.preempt_exempt_time_s = at("PreemptExemptTime").time_limit(exempt)?;
        } else if !class.preempt.is_empty() {
            listed.ignore(format!("QOS {name} Preempt"));
        }
        listed.all.push(class);
    }
    // Those of the least priority make room first.
    let priorities: Vec<(String, u32)> = listed.all.iter().map(|it| (it.name.clone(), it.priority)).collect();
    let priority = |name: &String| priorities.iter().find(|(other, _)| other == name).map(|it| it.1);
    listed.all.iter_mut().for_each(|class| class.preempt.sort_by_key(priority));
    Ok(listed)
}

/// The number of `node=4` in a list of limits.
fn nodes_of(list: &str, at: &At) -> Result<Option<u32>, ConfError> {
    let nodes = list.split(',').find_map(|part| part.strip_prefix("node="));
    nodes.map_or(Ok(None), |nodes| at.limit(nodes))
}

#[cfg(test)]
mod tests {
    use super::super::tables;
    use super::*;
    use std::fs;

    fn rows(text: &str, needed: &str) -> Result<Vec<Row>, ConfError> {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("list.txt");
        fs::write(&path, text).unwrap();
        let mut rows = tables::read(&path, needed)
            .map_err(|error| ConfError { file: "list.txt".to_owned(), ..error })?;
        rows.iter_mut().for_each(|row| row.at.file = "list.txt".into());
        Ok(rows)
    }

    fn tree(text: &str) -> Result<String, String> {
        let listed = rows(text, "Account")
            .and_then(|rows| accounts(&rows, None))
            .map_err(|error| error.to_string())?;
        let of = |it: &Account| format!("{}<{}={}", it.name, it.parent.as_deref().unwrap_or("-"), it.shares);
        Ok(listed.all.iter().map(of).chain(listed.ignored.iter().cloned()).collect::<Vec<_>>().join(" "))
    }

    /// The same tree in the three forms in which Slurm prints it.
    #[test]
    fn accounts_are_a_tree() {
        let listing = "\
Cluster|Account|User|Partition|Share|MaxJobs|QOS|Def QOS|Par Name
c|root|||1||normal||
c|science|||3||normal||root
c|physics|||2||normal||science
c|physics|anna||1|5|normal||
";
        assert_eq!(tree(listing).unwrap(), "science<-=3 physics<science=2 MaxJobs of users");
        let indented = "Account|User|Share\nroot||1\n science||3\n  physics||2\n  physics|anna|parent\n";
        assert_eq!(tree(indented).unwrap(), "science<-=3 physics<science=2");
        let dumped = "\
# To edit this file start with a cluster line for the new cluster
Cluster - 'c':Fairshare=1:QOS='normal'
Parent - 'root'
User - 'root':DefaultAccount='root':Fairshare=1
Account - 'science':Description='a: b':Organization='x':Fairshare=3
Parent - 'science'
Account - 'physics':Fairshare=2
Parent - 'physics'
User - 'anna':DefaultAccount='physics':Fairshare=7
";
        assert_eq!(tree(dumped).unwrap(), "science<-=3 physics<science=2 Share of users");
    }

    #[test]
    fn what_is_wrong_with_accounts_has_its_place() {
        for (text, message) in [
            ("", "line 1: Account: expected a listing of `sacctmgr show --parsable2`, found an empty file"),
            (
                "Name|Share\n",
                "line 1: Account: expected a first line with this column, as `sacctmgr show --parsable2` prints it",
            ),
            ("Account|Share\na|1|2\n", "line 2: Account: expected 2 fields, found 3"),
            ("Account|Share\na|much\n", "line 2: Share: expected a whole number, found `much`"),
            ("Account|Share\na|1\na|1\n", "line 3: Account: the account `a` is there already"),
            (
                "Account|Par Name\nphysics|sciences\nscience|root\n",
                "line 2: ParentName: unknown account `sciences`; did you mean `science`?",
            ),
            (
                "Cluster - 'c'\nGroup - 'x'\n",
                "line 2: Account: expected Cluster, Parent, Account or User, found `Group`",
            ),
        ] {
            assert_eq!(tree(text).unwrap_err(), format!("list.txt: {message}"));
        }
    }

    #[test]
    fn qualities_of_service_have_priorities_limits_and_lists() {
        let text = "\
Name|Priority|GraceTime|Preempt|PreemptMode|UsageFactor|GrpTRES|MaxWall|MaxTRESPU|MaxJobsPU
normal|10|00:00:00||cluster|1.000000||2-00:00:00||
low|5|00:00:00||requeue|1.000000|||cpu=8|
high|20|00:01:00|normal,low|cluster|2.000000|cpu=10,node=4|||20
";
        let rows = rows(text, "Name").unwrap();
        let listed = qos(&rows, true).unwrap();
        let found: Vec<_> = listed
            .all
            .iter()
            .map(|it| {
                (
                    it.name.as_str(),
                    it.priority,
                    it.max_time_s,
                    it.total_nodes,
                    it.max_running_per_user,
                    it.preempt.join(" "),
                )
            })
            .collect();
        let expected = [
            ("normal", 10, Some(172_800), None, None, String::new()),
            ("low", 5, None, None, None, String::new()),
            ("high", 20, None, Some(4), Some(20), "low normal".to_owned()),
        ];
        assert_eq!(found, expected);
        assert_eq!(
            listed.ignored,
            ["QOS low MaxTRESPU", "QOS high GrpTRES", "QOS high GraceTime", "QOS high UsageFactor"]
        );
        let wrong = text.replace("requeue", "kill");
        let rows = self::rows(&wrong, "Name").unwrap();
        assert_eq!(
            qos(&rows, true).unwrap_err().to_string(),
            "list.txt: line 3: QOS low PreemptMode: expected cluster, OFF, CANCEL, REQUEUE or SUSPEND, found `kill`"
        );
    }
}
