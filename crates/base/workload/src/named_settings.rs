//! Settings of a site with names of users, groups, queues and partitions, until the log with their
//! numbers is known.

use crate::by_name::ByName;
use crate::log::Header;
use dfrsim_model::named::UnknownName;
use dfrsim_model::site::{Account, JobClass, SiteSettings, SiteSettingsOf};
use serde::Serialize;
use serde::de::DeserializeOwned;

/// Settings of a site whose accounts and classes may have names of the log.
pub type NamedSettings = SiteSettingsOf<ByName<Account>, ByName<JobClass>>;

/// Replaces numbers by the names that the header of a log gives them.
pub fn with_names(settings: &SiteSettings, header: &Header) -> NamedSettings {
    fn named<T: Clone + Serialize + DeserializeOwned>(list: &[T], header: &Header) -> Vec<ByName<T>> {
        list.iter().map(|it| ByName::named(it.clone(), header)).collect()
    }

    let (qos, partitions) = (named(&settings.qos, header), named(&settings.partitions, header));
    settings.with_lists(named(&settings.accounts, header), qos, partitions)
}

/// Replaces names by the numbers that the header of a log gives them.
///
/// # Errors
///
/// A list has a name that does not occur in the log; the error suggests the most similar one.
pub fn with_numbers(settings: &NamedSettings, header: &Header) -> Result<SiteSettings, UnknownName> {
    fn numbered<T: Serialize + DeserializeOwned>(
        list: &[ByName<T>],
        header: &Header,
    ) -> Result<Vec<T>, UnknownName> {
        list.iter().map(|it| it.numbered(header)).collect()
    }

    let accounts = numbered(&settings.accounts, header)?;
    let (qos, partitions) = (numbered(&settings.qos, header)?, numbered(&settings.partitions, header)?);
    Ok(settings.with_lists(accounts, qos, partitions))
}

/// Returns the settings with the numbers only, for uses that do not depend on the jobs.
pub fn without_names(settings: &NamedSettings) -> SiteSettings {
    fn numbers<T: Clone + Serialize + DeserializeOwned>(list: &[ByName<T>]) -> Vec<T> {
        list.iter().map(|it| it.without_names().clone()).collect()
    }

    let (qos, partitions) = (numbers(&settings.qos), numbers(&settings.partitions));
    settings.with_lists(numbers(&settings.accounts), qos, partitions)
}
