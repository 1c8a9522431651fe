//! Priorities as a file says them.

use crate::failure::Failure;
use crate::output::notice;
use dfrsim_model::priority::{Account, JobClass, Priorities};
use dfrsim_policies::{Policy, PolicySetting};
use dfrsim_workload::by_name::ByName;
use dfrsim_workload::formats::slurm_conf;
use dfrsim_workload::log::Header;
use std::path::Path;
use std::sync::Arc;

/// The settings of a file for a log with this header and a policy, which must be able to keep to them; `None` if they change no
/// schedule. What a file has beside is reported.
pub(super) fn read(file: &Path, policy: Policy, header: &Header) -> Result<Option<Arc<Priorities>>, Failure> {
    let name = file.display();
    let fault = |error: &dyn std::fmt::Display| Failure::input(format!("{name}: {error}"));
    let settings = if file.extension().is_some_and(|ending| ending == "conf") {
        let read = slurm_conf::read_file(file).map_err(Failure::input)?.of_log(header);
        read.notices().iter().for_each(|text| notice!("{name}: {text}"));
        read.settings
    } else {
        let text = dfrsim_model::read_text(file).map_err(|error| fault(&error))?;
        by_names(&text, header).map_err(|error| fault(&error))?
    };
    checked(file, settings, policy)
}

/// The settings of a file, if they change a schedule of the policy, which must be able to keep to them.
pub(super) fn checked(
    file: &Path,
    settings: Priorities,
    policy: Policy,
) -> Result<Option<Arc<Priorities>>, Failure> {
    let fault = |error: &dyn std::fmt::Display| Failure::input(format!("{}: {error}", file.display()));
    settings.check().map_err(|error| fault(&error))?;
    if !policy.reads(PolicySetting::Site) {
        return Err(fault(&format!("{policy} does not read the settings of a site")));
    }
    Ok(Some(settings).filter(|settings| policy.depends_on(settings)).map(Arc::new))
}

/// Settings in TOML, in which accounts and classes may name what the log has.
fn by_names(text: &str, header: &Header) -> Result<Priorities, String> {
    #[derive(Default, serde::Deserialize)]
    #[serde(default)]
    struct Named {
        accounts: Vec<ByName<Account>>,
        qos: Vec<ByName<JobClass>>,
        partitions: Vec<ByName<JobClass>>,
    }
    let mut fields: toml::Table = toml::from_str(text).map_err(|error| error.to_string())?;
    let named: Named = toml::from_str(text).map_err(|error| error.to_string())?;
    ["accounts", "qos", "partitions"].iter().for_each(|list| _ = fields.remove(*list));
    let settings: Priorities = fields.try_into().map_err(|error: toml::de::Error| error.to_string())?;
    let numbered =
        |list: Vec<ByName<JobClass>>| list.iter().map(|it| it.numbered(header)).collect::<Result<_, _>>();
    Ok(Priorities {
        accounts: named
            .accounts
            .iter()
            .map(|it| it.numbered(header))
            .collect::<Result<_, _>>()
            .map_err(|error| error.to_string())?,
        qos: numbered(named.qos).map_err(|error| error.to_string())?,
        partitions: numbered(named.partitions).map_err(|error| error.to_string())?,
        ..settings
    })
}
