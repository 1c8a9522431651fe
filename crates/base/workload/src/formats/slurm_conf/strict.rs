//! Refusal, with `--strict`, of settings that are not simulated and of assumptions, which are
//! otherwise only reported.

use super::consequence::consequence_of;
use super::lines::{ConfLine, Location};
use super::{ConfErrors, SimulatedSite, SlurmSite};
use crate::log::{Effect, FieldUse};

impl SlurmSite {
    /// Checks that everything in the files that concerns jobs of the log is simulated as it is
    /// written.
    ///
    /// # Errors
    ///
    /// Each line with a setting that is not simulated and may change results, and each value that was
    /// assumed or replaced.
    pub fn check_strictly(&self, of_log: &SimulatedSite) -> Result<(), ConfErrors> {
        let mut errors = Vec::new();
        for FieldUse { name, effect } in &of_log.fields {
            let Effect::WouldChange(jobs) = effect else { continue };
            let consequence = consequence_of(name);
            let mut places = self.places(name);
            if places.is_empty() {
                places.push(self.whole_file());
            }
            errors.extend(places.into_iter().map(|at| {
                let at = at.for_parameter(name.as_str());
                at.error(format!(
                    "this is not simulated and may change {consequence}; jobs concerned: {jobs}"
                ))
            }));
        }
        errors.sort_by(|a, b| (&a.file, a.line).cmp(&(&b.file, b.line)));
        for note in of_log.notes.iter().filter(|note| !note.is_exact()) {
            errors.push(self.whole_file().error(note.text.as_str()));
        }
        ConfErrors::or(errors, ())
    }

    fn whole_file(&self) -> Location {
        Location { file: self.conf.as_str().into(), ..Location::default() }
    }

    /// Returns the places of a setting that is not simulated, by its name in the list of these.
    fn places(&self, name: &str) -> Vec<Location> {
        let words: Vec<&str> = name.split(' ').collect();
        let with = |lines: &[ConfLine], is_it: &dyn Fn(&ConfLine) -> bool, key: &str| {
            let has = |line: &&ConfLine| {
                is_it(line) && line.pairs.iter().any(|(name, _)| name.eq_ignore_ascii_case(key))
            };
            lines.iter().filter(has).map(|line| line.at.clone()).collect::<Vec<_>>()
        };
        match words[..] {
            ["QOS", qos, column] => {
                let rows = self.qos.iter().flatten();
                let own = rows.filter(|row| {
                    row.get("name").trim() == qos && !row.get(&super::tables::key(column)).trim().is_empty()
                });
                own.map(|row| row.at.clone()).collect()
            }
            [column, "of", whose @ ("users" | "accounts")] => {
                let column = super::tables::key(column.trim_end_matches("=parent"));
                let has = |row: &&super::Row| {
                    !row.get(&column).trim().is_empty() && row.get("user").is_empty() == (whose == "accounts")
                };
                self.associations.iter().flatten().filter(has).map(|row| row.at.clone()).collect()
            }
            ["reservations:", reservation, ..] => {
                let own = self.reservations.iter().flatten().filter(|it| it.name == reservation);
                own.map(|it| it.at.clone()).collect()
            }
            ["gres.conf", key] => with(&self.gres, &|_| true, key),
            ["NodeName", key] => with(&self.lines, &|line| line.is_of("NodeName"), key),
            [first, key, ..] if first.starts_with("PartitionName=") => {
                let is_it = |line: &ConfLine| {
                    line.is_of("PartitionName") && first.ends_with(&format!("={}", line.pairs[0].1))
                };
                // A parameter of the defaults has the name of the partition that takes it.
                let own = with(&self.lines, &is_it, key);
                let is_default = |line: &ConfLine| {
                    line.is_of("PartitionName") && line.pairs[0].1.eq_ignore_ascii_case("DEFAULT")
                };
                if own.is_empty() { with(&self.lines, &is_default, key) } else { own }
            }
            [name] => {
                let (key, flag) = name.split_once('=').map_or((name, None), |(key, flag)| (key, Some(flag)));
                let has = |(name, value): &(String, String)| {
                    let mut flags = value.split(',').map(|flag| flag.split('=').next().unwrap_or_default());
                    name.eq_ignore_ascii_case(key)
                        && flag.is_none_or(|flag| flags.any(|it| it.trim().eq_ignore_ascii_case(flag)))
                };
                let own = self.lines.iter().filter(|line| line.pairs.iter().any(has));
                own.map(|line| line.at.clone()).collect()
            }
            _ => Vec::new(),
        }
    }
}
