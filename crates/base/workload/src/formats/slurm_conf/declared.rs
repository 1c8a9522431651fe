//! Parameters that set one declared setting each.

use super::ConfError;
use super::lines::Location;
use dfrsim_model::site::{
    BackfillSettings, MainSettings, PriorityWeights, Setting, SettingType, SettingVisitor, Settings,
    SiteSettings, SlurmForm, SlurmParameter,
};
use serde_json::Value;

/// Sets the setting that is declared for a parameter, and returns whether there is one.
pub(super) fn set(
    settings: &mut SiteSettings,
    name: &str,
    value: &str,
    at: &Location,
) -> Result<bool, ConfError> {
    fn set_in<S: Settings>(table: &mut S, name: &str, value: &str, at: &Location) -> Result<bool, ConfError> {
        let mut setter = Setter { table, name, value, at, is_set: Ok(false) };
        S::visit(&mut setter);
        setter.is_set
    }

    Ok(set_in(settings, name, value, at)?
        || set_in(&mut settings.weights, name, value, at)?
        || set_in(&mut settings.backfill, name, value, at)?
        || set_in(&mut settings.main, name, value, at)?)
}

struct Setter<'a, S> {
    table: &'a mut S,
    name: &'a str,
    value: &'a str,
    at: &'a Location,
    is_set: Result<bool, ConfError>,
}

impl<S> SettingVisitor<S> for Setter<'_, S> {
    fn setting<T: SettingType>(&mut self, setting: &Setting<S, T>) {
        let Some(SlurmParameter { names, form }) = setting.slurm else { return };
        if names.iter().any(|name| name.eq_ignore_ascii_case(self.name)) {
            self.is_set = self.at.value(form, self.value).map(|value| {
                let value =
                    serde_json::from_value(value).expect("the form of the parameter fits the setting");
                *(setting.get_mut)(self.table) = value;
                true
            });
        }
    }
}

/// Returns the names of all declared parameters; those of `SchedulerParameters` alone, without this
/// prefix.
pub(super) fn names() -> Vec<&'static str> {
    struct NameCollector(Vec<&'static str>);

    impl<S> SettingVisitor<S> for NameCollector {
        fn setting<T: SettingType>(&mut self, setting: &Setting<S, T>) {
            let names = setting.slurm.iter().flat_map(|parameter| parameter.names);
            self.0.extend(names.map(|name| name.strip_prefix("SchedulerParameters=").unwrap_or(name)));
        }
    }

    let mut names = NameCollector(Vec::new());
    SiteSettings::visit(&mut names);
    PriorityWeights::visit(&mut names);
    BackfillSettings::visit(&mut names);
    MainSettings::visit(&mut names);
    names.0
}

impl Location {
    /// Parses a value into that of the setting.
    fn value(&self, form: SlurmForm, text: &str) -> Result<Value, ConfError> {
        Ok(match form {
            SlurmForm::Number => self.number(text)?.into(),
            SlurmForm::AtLeastOne => self.number(text)?.max(1).into(),
            SlurmForm::Limit => Some(self.number(text)?).filter(|most| *most > 0).into(),
            SlurmForm::Minutes => (60 * u64::from(self.number(text)?)).into(),
            SlurmForm::Time => self.time(text)?.into(),
            SlurmForm::Switch => self.yes_or_no(text)?.into(),
        })
    }
}
