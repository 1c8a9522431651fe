//! Slurm sites: reads the configuration files and the log, for the commands `site` and `simulate`.

mod arguments;
mod nodes;
mod read;
mod summary;

pub(crate) use arguments::SiteArguments;
pub(crate) use nodes::{largest_node, outages_file, platform, report_drains};
pub(crate) use read::SiteAndLog;
