//! Slurm sites, as the commands `site` and `simulate` read them: configuration files and the log.

mod arguments;
mod nodes;
mod read;
mod summary;

pub(crate) use arguments::SiteArguments;
pub(crate) use nodes::{largest_node, platform};
pub(crate) use read::SiteAndLog;
