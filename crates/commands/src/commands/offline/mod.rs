//! `dfrsim offline`: instances of the off-line study.

mod instance;

use crate::context::commands;

commands! {
    /// Write instances of the off-line study to files, for `dfrsim solve pack`
    pub(crate) enum Offline {
        Instance(instance::Instance),
    }
}
