//! Priorities as a file says them.

use crate::failure::Failure;
use crate::output::notice;
use dfrsim_model::priority::Priorities;
use dfrsim_policies::{Policy, PolicySetting};
use dfrsim_workload::formats::slurm_conf;
use dfrsim_workload::log::Header;
use std::path::Path;
use std::sync::Arc;

/// The settings of a file for a log with this header and a policy, which must be able to keep to them; `None` if they change no
/// schedule. What a file has beside is reported.
pub(super) fn read(file: &Path, policy: Policy, header: &Header) -> Result<Option<Arc<Priorities>>, Failure> {
    let name = file.display();
    let fault = |error: &dyn std::fmt::Display| Failure::input(format!("{name}: {error}"));
    let text = dfrsim_model::read_text(file).map_err(|error| fault(&error))?;
    let settings = if file.extension().is_some_and(|ending| ending == "conf") {
        let read = slurm_conf::read(&text).map_err(|error| fault(&error))?.of_log(header);
        read.notices().iter().for_each(|text| notice!("{name}: {text}"));
        read.settings
    } else {
        toml::from_str(&text).map_err(|error| fault(&error))?
    };
    settings.check().map_err(|error| fault(&error))?;
    if !policy.reads(PolicySetting::Site) {
        return Err(fault(&format!("{policy} does not read the settings of a site")));
    }
    Ok(Some(settings).filter(|settings| policy.depends_on(settings)).map(Arc::new))
}
