//! Usage of accounts and users before the first job, from the output of `sshare -a -l --parsable2`.

use super::{ConfError, ConfErrors, Note, account_names, tables, unknown};
use dfrsim_model::site::{Account, LARGEST_USAGE_S};
use rustc_hash::FxHashMap;
use std::path::Path;

/// Reads the rows of a listing.
pub(super) fn read(path: &Path) -> Result<Vec<tables::Row>, ConfErrors> {
    Ok(tables::read(path, "RawUsage")?)
}

/// Sets the usage of accounts. The usage of an account in the listing includes that of its users
/// and of the accounts below it; that of users without an entry of their own remains with their
/// account. Returns notes on missing entries.
pub(super) fn apply(rows: &[tables::Row], accounts: &mut [Account]) -> Result<Vec<Note>, ConfErrors> {
    let mut errors = Vec::new();
    let mut raw: FxHashMap<String, u64> = FxHashMap::default();
    let mut without_entry = 0;
    for row in rows {
        let (account, user) = (row.get("account").trim(), row.get("user").trim());
        let usage = match usage_of(row) {
            Ok(usage) => usage,
            Err(error) => {
                errors.push(error);
                continue;
            }
        };
        if account.is_empty() || (account == "root" && user.is_empty()) {
            continue;
        }
        let name = match (account, user) {
            (account, "") => account.to_owned(),
            ("root", user) => user.to_owned(),
            (account, user) => format!("{account}/{user}"),
        };
        if accounts.iter().any(|known| known.name == name) {
            raw.insert(name, usage);
        } else if user.is_empty() {
            let reason = unknown("account", account, &mut account_names(accounts).into_iter());
            errors.push(row.at.for_parameter("Account").error(reason));
        } else if usage > 0 {
            without_entry += 1;
        }
    }
    let mut below: FxHashMap<String, u64> = FxHashMap::default();
    for account in accounts.iter() {
        if let (Some(parent), Some(usage)) = (&account.parent, raw.get(&account.name)) {
            *below.entry(parent.clone()).or_default() += usage;
        }
    }
    let mut all = 0_u64;
    for account in accounts.iter_mut() {
        let Some(usage) = raw.get(&account.name) else { continue };
        account.usage_s = usage.saturating_sub(below.get(&account.name).copied().unwrap_or(0));
        all = all.saturating_add(account.usage_s);
    }
    let mut notes = vec![Note::noted(format!("usage before the first submission: {all} s of charged TRES"))];
    if without_entry > 0 {
        notes.push(Note::changed(format!(
            "users with usage and without an association, whose usage is that of their account: {without_entry}"
        )));
    }
    ConfErrors::or(errors, notes)
}

fn usage_of(row: &tables::Row) -> Result<u64, ConfError> {
    let text = row.get("rawusage").trim();
    if text.is_empty() {
        return Ok(0);
    }
    let usage = text.parse::<f64>().ok().filter(|usage| (0.0..=LARGEST_USAGE_S as f64).contains(usage));
    let expected = "a number of seconds up to 1000000000000000";
    usage
        .map(|usage| usage.round() as u64)
        .ok_or_else(|| row.at.for_parameter("RawUsage").unexpected(text, expected))
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;

    #[test]
    fn usage_of_an_account_is_without_that_below_it() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("sshare.txt");
        let text = "\
Account|User|RawShares|NormShares|RawUsage|EffectvUsage|FairShare
root||||1000|1.0|
 root|root|1|0.5|0|0.0|1.0
 science||1|0.5|1000|1.0|
  science|anna|1|0.5|300|0.3|0.5
  science|carl|1|0.5|50|0.3|0.5
  physics||1|0.5|600|0.6|
";
        fs::write(&path, text).unwrap();
        let account = |name: &str, parent: Option<&str>| Account {
            is_user: name.contains('/'),
            ..Account::user(name, parent, 1)
        };
        let mut accounts = vec![
            account("science", None),
            account("science/anna", Some("science")),
            account("physics", Some("science")),
        ];
        let notes = apply(&read(&path).unwrap(), &mut accounts).unwrap();
        assert_eq!(accounts.iter().map(|it| it.usage_s).collect::<Vec<_>>(), [100, 300, 600]);
        assert_eq!(
            notes.iter().map(Note::to_string).collect::<Vec<_>>(),
            [
                "usage before the first submission: 1000 s of charged TRES",
                "users with usage and without an association, whose usage is that of their account: 1"
            ]
        );
        accounts.pop();
        let errors = apply(&read(&path).unwrap(), &mut accounts).unwrap_err().to_string();
        assert!(errors.contains("line 7: Account: unknown account `physics`"), "{errors}");
    }
}
