//! Accounts and QOS of Slurm's database, from the listings of `sacctmgr`.

use super::ConfError;
use super::lines::Location;
use super::names::identifier;
use super::parameters::preempt_mode;
use super::tables::Row;
use dfrsim_model::site::{Account, JobClass, Limits, Tres};
use rustc_hash::{FxHashMap, FxHashSet};

/// Contents of a listing.
#[derive(Clone, Debug)]
pub(super) struct ParsedListing<T> {
    pub(super) all: Vec<T>,
    /// Columns or settings with values that are not simulated, without duplicates.
    pub(super) ignored: Vec<String>,
    /// Names of QOS that the listing refers to, with their locations.
    pub(super) qos: Vec<(Location, String)>,
}

impl<T> Default for ParsedListing<T> {
    fn default() -> ParsedListing<T> {
        ParsedListing { all: Vec::new(), ignored: Vec::new(), qos: Vec::new() }
    }
}

impl<T> ParsedListing<T> {
    fn ignore(&mut self, name: String) {
        if !self.ignored.contains(&name) {
            self.ignored.push(name);
        }
    }
}

/// Field that a column of limits sets.
#[derive(Clone, Copy)]
enum LimitField {
    Jobs(fn(&mut Limits) -> &mut Option<u32>),
    Amounts(fn(&mut Limits) -> &mut Tres),
    NotSimulated,
}

/// Columns of limits that accounts, users and QOS have, spelled as by `sacctmgr`.
const LIMITS: [(&str, LimitField); 31] = [
    ("GrpJobs", LimitField::Jobs(|it| &mut it.jobs)),
    ("GrpTRES", LimitField::Amounts(|it| &mut it.total)),
    ("GrpSubmit", LimitField::Jobs(|it| &mut it.submitted)),
    ("GrpWall", LimitField::NotSimulated),
    ("GrpTRESMins", LimitField::NotSimulated),
    ("GrpTRESRunMins", LimitField::Amounts(|it| &mut it.minutes)),
    ("MaxJobs", LimitField::Jobs(|it| &mut it.jobs_per_user)),
    ("MaxTRES", LimitField::Amounts(|it| &mut it.per_job)),
    ("MaxTRESPerNode", LimitField::NotSimulated),
    ("MaxSubmit", LimitField::Jobs(|it| &mut it.submitted_per_user)),
    ("MaxWall", LimitField::NotSimulated),
    ("MaxTRESMins", LimitField::NotSimulated),
    ("MaxJobsPU", LimitField::Jobs(|it| &mut it.jobs_per_user)),
    ("MaxTRESPU", LimitField::Amounts(|it| &mut it.per_user)),
    ("MaxSubmitPU", LimitField::Jobs(|it| &mut it.submitted_per_user)),
    ("MaxJobsPA", LimitField::Jobs(|it| &mut it.jobs_per_account)),
    ("MaxTRESPA", LimitField::Amounts(|it| &mut it.per_account)),
    ("MaxSubmitPA", LimitField::NotSimulated),
    ("MinTRES", LimitField::NotSimulated),
    ("MaxTRESRunMinsPU", LimitField::NotSimulated),
    ("MaxTRESRunMinsPA", LimitField::NotSimulated),
    ("GraceTime", LimitField::NotSimulated),
    ("UsageFactor", LimitField::NotSimulated),
    ("Flags", LimitField::NotSimulated),
    ("MaxJobsAccruePU", LimitField::NotSimulated),
    ("MaxJobsAccruePA", LimitField::NotSimulated),
    ("MaxJobsAccrue", LimitField::NotSimulated),
    ("GrpJobsAccrue", LimitField::NotSimulated),
    ("LimitFactor", LimitField::NotSimulated),
    ("MinPrioThresh", LimitField::NotSimulated),
    ("UsageThres", LimitField::NotSimulated),
];

/// Iterates over the columns that can be changed.
pub(super) fn columns() -> impl Iterator<Item = &'static str> {
    ["Share", "Priority", "Preempt", "PreemptMode", "PreemptExemptTime"]
        .into_iter()
        .chain(LIMITS.map(|it| it.0))
}

/// Returns the column of this name, ignoring case; `Fairshare` is an alias of `Share`.
pub(super) fn column(name: &str) -> Option<&'static str> {
    let name = if name.eq_ignore_ascii_case("Fairshare") { "Share" } else { name };
    columns().find(|column| column.eq_ignore_ascii_case(name))
}

fn limit_text(row: &Row, limit: &str) -> Option<String> {
    Some(row.get(&super::tables::key(limit)).trim().to_owned()).filter(|text| !text.is_empty())
}

/// Limits of associations that accounts and users without a value inherit from their parent account.
const INHERITED: [&str; 3] = ["MaxJobs", "MaxTRES", "MaxSubmit"];

impl LimitField {
    /// Sets the limit of a column; returns whether all of it is simulated.
    fn set(self, limits: &mut Limits, text: &str, at: &Location) -> Result<bool, ConfError> {
        match self {
            LimitField::Jobs(of) => at.limit(text).map(|jobs| *of(limits) = jobs).map(|()| true),
            LimitField::Amounts(of) => set_amounts(of(limits), text, at),
            LimitField::NotSimulated => Ok(false),
        }
    }
}

/// Sets amounts such as `cpu=100,gres/gpu=4`; returns whether all of them are simulated. Memory is
/// not, because the memory of jobs is a fraction of that of a reference node, not a whole number.
fn set_amounts(amounts: &mut Tres, text: &str, at: &Location) -> Result<bool, ConfError> {
    let mut is_all = true;
    for part in text.split(',').map(str::trim).filter(|part| !part.is_empty()) {
        let Some((name, most)) = part.split_once('=') else {
            return Err(at.unexpected(part, "TRES amounts such as cpu=100,gres/gpu=4"));
        };
        let name = name.trim().to_ascii_lowercase();
        let name = match name.strip_prefix("gres/") {
            Some(resource) => identifier(&resource.replace(':', "_")),
            None if matches!(name.as_str(), "cpu" | "node") => name,
            None => {
                is_all = false;
                continue;
            }
        };
        if let Some(most) = at.limit(most.trim())? {
            amounts.insert(name, most.into());
        }
    }
    Ok(is_all)
}

/// Parses the accounts of associations, parents first. `cluster` is that of the `slurm.conf`;
/// associations of other clusters are ignored.
pub(super) fn accounts(rows: &[Row], cluster: Option<&str>) -> Result<ParsedListing<Account>, ConfError> {
    let mut listed = ParsedListing::<Account>::default();
    let clusters: FxHashSet<&str> = rows.iter().map(|row| row.get("cluster")).collect();
    let only = cluster.filter(|cluster| clusters.len() > 1 && clusters.contains(cluster));
    let is_indented = rows.iter().any(|row| row.get("account").starts_with(' '));
    let has_parents = is_indented || rows.iter().any(|row| !row.get("parent").is_empty());
    // Names of the ancestors of the current row, by depth.
    let mut above: Vec<String> = Vec::new();
    let (mut inherited, mut with_users, mut of_root) =
        (FxHashMap::default(), FxHashSet::default(), Limits::default());
    for row in rows.iter().filter(|row| only.is_none_or(|only| row.get("cluster") == only)) {
        let text = row.get("account");
        let name = text.trim();
        if name.is_empty() {
            return Err(row.at.for_parameter("Account").unexpected(name, "the name of an account"));
        }
        let given = row.get("qos").split(',').chain([row.get("defqos")]);
        let given =
            given.map(|name| name.trim().trim_start_matches(['+', '-'])).filter(|name| !name.is_empty());
        listed.qos.extend(given.map(|name| (row.at.for_parameter("QOS"), name.to_owned())));
        let is_user = !row.get("user").is_empty();
        let what = if is_user { "users" } else { "accounts" };
        let mut limits = Limits::default();
        for (limit, of) in LIMITS {
            let Some(text) = limit_text(row, limit) else { continue };
            let is_of_account = INHERITED.contains(&limit) && inherited.get(&(name, limit)) == Some(&text);
            let is_used = match is_user {
                // Listings show inherited limits of users as if they were their own.
                true => is_of_account || of.set(&mut limits, &text, &row.at.for_parameter(limit))?,
                // Limits of the root account are used only if its descendants inherit them.
                false => {
                    of.set(&mut limits, &text, &row.at.for_parameter(limit))?
                        && (name != "root" || INHERITED.contains(&limit))
                }
            };
            if !is_used {
                listed.ignore(format!("{limit} of {what}"));
            }
            if !is_user && INHERITED.contains(&limit) {
                inherited.insert((name, limit), text);
            }
        }
        if is_user {
            with_users.insert(name);
        }
        if !row.get("partition").trim().is_empty() {
            listed.ignore("associations with a partition".to_owned());
            continue;
        }
        let at = row.at.for_parameter("Share");
        let shares = match row.get("share").trim() {
            "" => 1,
            "parent" => {
                listed.ignore(format!("Share=parent of {what}"));
                1
            }
            number => at.number(number)?,
        };
        if is_user {
            // Account names do not contain slashes, so this name is unique.
            let (parent, user) = (Some(name).filter(|name| *name != "root"), row.get("user").trim());
            let name = parent.map_or_else(|| user.to_owned(), |parent| format!("{parent}/{user}"));
            listed.all.push(Account { limits, ..Account::user(&name, parent, shares) });
            continue;
        }
        let depth = text.len() - text.trim_start().len();
        above.truncate(depth);
        let parent = if is_indented { above.last().cloned() } else { Some(row.get("parent").to_owned()) };
        above.push(name.to_owned());
        if name == "root" {
            of_root = limits;
            continue;
        }
        if listed.all.iter().any(|other| other.name == name) {
            return Err(row.at.for_parameter("Account").error(format!("account `{name}` is listed twice")));
        }
        let parent = parent.filter(|parent| !matches!(parent.as_str(), "" | "root"));
        let account = Account::user(name, parent.as_deref(), shares);
        listed.all.push(Account { is_user: false, limits, ..account });
    }
    if !has_parents && super::account_names(&listed.all).len() > 1 {
        listed.ignore(
            "the tree of accounts (no column ParentName: add `tree` or format=...,ParentName)".to_owned(),
        );
    }
    let mut names = super::account_names(&listed.all);
    names.sort_unstable();
    for account in &listed.all {
        if let Some(parent) = account.parent.as_deref().filter(|parent| names.binary_search(parent).is_err())
        {
            let (own, column) =
                if account.is_user { (parent, "Account") } else { (&*account.name, "ParentName") };
            let row = rows.iter().find(|row| row.get("account").trim() == own).unwrap_or(&rows[0]);
            let reason = super::unknown("account", parent, &mut names.iter().copied());
            return Err(row.at.for_parameter(column).error(reason));
        }
    }
    inherit(&mut listed.all, &of_root, &with_users);
    Ok(listed)
}

/// Propagates the inherited per-user and per-job limits down the tree. They are not shared with the
/// accounts below, so only accounts with users and leaf accounts keep them.
fn inherit(accounts: &mut [Account], of_root: &Limits, with_users: &FxHashSet<&str>) {
    let known: Vec<Account> = accounts.iter().filter(|account| !account.is_user).cloned().collect();
    for account in accounts.iter_mut().filter(|account| !account.is_user) {
        let above = |name: &Option<String>| known.iter().find(|it| Some(&it.name) == name.as_ref());
        let mut parent = account.parent.clone();
        let mut path = Vec::new();
        while let Some(next) = above(&parent).filter(|_| path.len() < known.len()) {
            path.push(&next.limits);
            parent.clone_from(&next.parent);
        }
        let has_below = known.iter().any(|it| it.parent.as_ref() == Some(&account.name));
        let own = &mut account.limits;
        if has_below && !with_users.contains(account.name.as_str()) {
            (own.jobs_per_user, own.submitted_per_user, own.per_job) = Default::default();
            continue;
        }
        for limits in path.into_iter().chain([of_root]) {
            own.jobs_per_user = own.jobs_per_user.or(limits.jobs_per_user);
            own.submitted_per_user = own.submitted_per_user.or(limits.submitted_per_user);
            for (name, most) in &limits.per_job {
                own.per_job.entry(name.clone()).or_insert(*most);
            }
        }
    }
}

/// Parses the QOS. With `preempts`, each preempts those in its `Preempt` list.
pub(super) fn qos(rows: &[Row], preempts: bool) -> Result<ParsedListing<JobClass>, ConfError> {
    let mut listed = ParsedListing::<JobClass>::default();
    for row in rows {
        let name = row.get("name").trim();
        if name.is_empty() {
            return Err(row.at.for_parameter("Name").unexpected(name, "the name of a QOS"));
        }
        if listed.all.iter().any(|other| other.name == name) {
            return Err(row.at.for_parameter("Name").error(format!("QOS `{name}` is listed twice")));
        }
        let at = |column: &str| row.at.for_parameter(format!("QOS {name} {column}"));
        let priority = match row.get("priority").trim() {
            "" => 0,
            number => at("Priority").number(number)?,
        };
        let mut class = JobClass { name: name.to_owned(), priority, ..JobClass::default() };
        for (limit, of) in LIMITS {
            let Some(text) = limit_text(row, limit) else { continue };
            match limit {
                "MaxWall" => class.max_time_s = at(limit).time_limit(&text)?,
                "MaxJobsPU" => class.max_running_per_user = at(limit).limit(&text)?,
                "GraceTime" if text.contains(':') => class.grace_s = Some(at(limit).time(&text)?),
                "GraceTime" => class.grace_s = Some(u64::from(at(limit).number(&text)?)),
                "UsageFactor" | "LimitFactor" if text.parse() == Ok(1.0) => {}
                _ => {
                    if !of.set(&mut class.limits, &text, &at(limit))? {
                        listed.ignore(format!("QOS {name} {limit}"));
                    }
                }
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
                    Some(preempt_mode(mode).ok_or_else(|| at("PreemptMode").unexpected(mode, expected))?)
                }
            };
            let exempt = row.get("preemptexempttime").trim();
            class.preempt_exempt_time_s = at("PreemptExemptTime").time_limit(exempt)?;
        } else if lists.clone().next().is_some() {
            listed.ignore(format!("QOS {name} Preempt"));
        }
        listed.all.push(class);
    }
    // QOS of the lowest priority are preempted first.
    let priorities: Vec<(String, u32)> = listed.all.iter().map(|it| (it.name.clone(), it.priority)).collect();
    let priority = |name: &String| priorities.iter().find(|(other, _)| other == name).map(|it| it.1);
    listed.all.iter_mut().for_each(|class| class.preempt.sort_by_key(priority));
    Ok(listed)
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

    /// Parses one tree in the three formats of Slurm.
    #[test]
    fn accounts_are_a_tree() {
        let listing = "\
Cluster|Account|User|Partition|Share|MaxJobs|QOS|Def QOS|Par Name
c|root|||1||normal||
c|science|||3||normal||root
c|physics|||2||normal||science
c|physics|anna||1|5|normal||
";
        assert_eq!(tree(listing).unwrap(), "science<-=3 physics<science=2 physics/anna<physics=1");
        let own = listing.replace("|2||normal", "|2|5|normal");
        assert_eq!(tree(&own).unwrap(), "science<-=3 physics<science=2 physics/anna<physics=1");
        let indented = "Account|User|Share\nroot||1\n science||3\n  physics||2\n  physics|anna|parent\n";
        assert_eq!(
            tree(indented).unwrap(),
            "science<-=3 physics<science=2 physics/anna<physics=1 Share=parent of users"
        );
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
        assert_eq!(tree(dumped).unwrap(), "root<-=1 science<-=3 physics<science=2 physics/anna<physics=7");
    }

    /// Per-user limits are inherited by accounts below that have none of their own; limits on all
    /// jobs together are not inherited.
    #[test]
    fn limits_of_accounts_hold_below_them() {
        let listing = "\
Account|User|Par Name|GrpJobs|GrpTRES|MaxJobs|MaxTRES|MaxSubmit
root|||||9|node=4|
science||root|20|gres/gpu=8,gres/gpu:a100=2,mem=1T||cpu=64|
physics||science||||node=2|
chem||science|||3||50
chem|anna||||3||
";
        let listed = accounts(&rows(listing, "Account").unwrap(), None).unwrap();
        let of = |name: &str| &listed.all.iter().find(|it| it.name == name).unwrap().limits;
        let tres = |list: &[(&str, u64)]| -> Tres {
            list.iter().map(|&(name, most)| (name.to_owned(), most)).collect()
        };
        let science =
            Limits { jobs: Some(20), total: tres(&[("gpu", 8), ("gpu_a100", 2)]), ..Limits::default() };
        assert_eq!(of("science"), &science);
        let physics = Limits {
            jobs_per_user: Some(9),
            per_job: tres(&[("cpu", 64), ("node", 2)]),
            ..Limits::default()
        };
        assert_eq!(of("physics"), &physics);
        let chem = Limits {
            jobs_per_user: Some(3),
            submitted_per_user: Some(50),
            per_job: tres(&[("cpu", 64), ("node", 4)]),
            ..Limits::default()
        };
        assert_eq!(of("chem"), &chem);
        assert_eq!(listed.ignored, ["GrpTRES of accounts"]);
        let error = rows("Name|GrpTRES\nhigh|cpu\n", "Name").and_then(|rows| qos(&rows, false)).unwrap_err();
        assert_eq!(
            error.to_string(),
            "list.txt: line 2: QOS high GrpTRES: expected TRES amounts such as cpu=100,gres/gpu=4, found `cpu`"
        );
    }

    #[test]
    fn what_is_wrong_with_accounts_has_its_place() {
        for (text, message) in [
            ("", "line 1: Account: expected a listing of `sacctmgr show --parsable2`, found an empty file"),
            (
                "Name|Share\n",
                "line 1: Account: expected a header line with this column, as printed by `sacctmgr show --parsable2`",
            ),
            ("Account|Share\na|1|2\n", "line 2: Account: expected 2 fields, found 3"),
            ("Account|Share\na|much\n", "line 2: Share: expected a whole number, found `much`"),
            ("Account|Share\na|1\na|1\n", "line 3: Account: account `a` is listed twice"),
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
                    it.limits.total.get("node").copied(),
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
        let amount = |limits: &Tres, name: &str| limits.get(name).copied();
        assert_eq!(amount(&listed.all[1].limits.per_user, "cpu"), Some(8));
        assert_eq!(amount(&listed.all[2].limits.total, "cpu"), Some(10));
        assert_eq!(listed.all[2].grace_s, Some(60));
        assert_eq!(listed.ignored, ["QOS high UsageFactor"]);
        let wrong = text.replace("requeue", "kill");
        let rows = self::rows(&wrong, "Name").unwrap();
        assert_eq!(
            qos(&rows, true).unwrap_err().to_string(),
            "list.txt: line 3: QOS low PreemptMode: expected cluster, OFF, CANCEL, REQUEUE or SUSPEND, found `kill`"
        );
    }
}
