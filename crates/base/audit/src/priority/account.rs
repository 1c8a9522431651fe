//! Who pays for the usage of jobs.

/// An account by its name, or by the group or user of which it is.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Account {
    Listed(String),
    Unlisted(Option<u32>),
    /// A user below an account whom no listed one is.
    User(Box<Account>, Option<u32>),
}

#[derive(Debug)]
pub(super) struct Entry {
    pub(super) parent: Option<Account>,
    pub(super) shares: u32,
    pub(super) is_user: bool,
    pub(super) usage: u128,
}
