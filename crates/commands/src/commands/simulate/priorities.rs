//! Site policy read from a file.

use crate::failure::Failure;
use crate::output::notice;
use dfrsim_input::{Faults, Input, Object, Reader, read_text};
use dfrsim_model::site::{SettingError, SiteSettings};
use dfrsim_policies::{Policy, PolicySetting};
use dfrsim_workload::by_name::ByName;
use dfrsim_workload::formats::slurm_conf;
use dfrsim_workload::log::Header;
use serde::Serialize;
use serde::de::DeserializeOwned;
use std::path::Path;
use std::sync::Arc;

/// Reads the settings of a file, for a log with this header. Fails if the policy does not support
/// them; returns `None` if they do not change the schedule. Unsupported settings of the file are
/// reported.
pub(super) fn read(
    file: &Path,
    policy: Policy,
    header: &Header,
) -> Result<Option<Arc<SiteSettings>>, Failure> {
    let name = file.display();
    let settings = if file.extension().is_some_and(|ending| ending == "conf") {
        let read = slurm_conf::read_file(file).map_err(Failure::input)?.of_log(header);
        read.notices().iter().for_each(|text| notice!("{name}: {text}"));
        read.settings
    } else {
        by_names(file, header).map_err(Failure::input)?
    };
    checked(file, settings, policy)
}

/// Checks the settings of a file; returns `None` if they do not change the schedule of the policy.
///
/// Fails if the settings are invalid or the policy does not support them.
pub(super) fn checked(
    file: &Path,
    settings: SiteSettings,
    policy: Policy,
) -> Result<Option<Arc<SiteSettings>>, Failure> {
    settings.check().map_err(|error| Failure::in_file(file, error))?;
    if !policy.reads(PolicySetting::Site) {
        return Err(Failure::in_file(
            file,
            format_args!(
                "the policy {policy} does not read the settings of a site; expected a policy such as SLURM"
            ),
        ));
    }
    Ok(Some(settings).filter(|settings| policy.depends_on(settings)).map(Arc::new))
}

/// Reads settings in TOML, in which accounts and classes may be given by their names in the log.
fn by_names(file: &Path, header: &Header) -> Result<SiteSettings, Faults> {
    let input = Input::toml(&file.display().to_string(), &read_text(file)?)?;
    let (mut reader, root) = (Reader::default(), input.root());
    let others: Option<SiteSettings> = reader.parsed_without(&root, &["accounts", "qos", "partitions"]);
    let read = reader.any_object(&root).and_then(|root| {
        let accounts = numbered(&mut reader, &root, "accounts", header);
        let qos = numbered(&mut reader, &root, "qos", header);
        let partitions = numbered(&mut reader, &root, "partitions", header);
        Some(SiteSettings { accounts: accounts?, qos: qos?, partitions: partitions?, ..others? })
    });
    if let Some(Err(SettingError { place, reason })) = read.as_ref().map(SiteSettings::check) {
        reader.fault_below(&root, &place, reason);
    }
    reader.finish(read)
}

fn numbered<T: Serialize + DeserializeOwned>(
    reader: &mut Reader,
    settings: &Object<'_>,
    list: &str,
    header: &Header,
) -> Option<Vec<T>> {
    reader.each_of(settings, list, |reader, at| {
        let named: ByName<T> = reader.parsed(at)?;
        named.numbered(header).map_err(|unknown| reader.fault(at, unknown)).ok()
    })
}
