//! Accounts to which the usage of jobs is charged.

/// Account, identified by its name, or by its group or user.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Account {
    Listed(String),
    Unlisted(Option<u32>),
    /// User below an account without a listed entry.
    User(Box<Account>, Option<u32>),
}

#[derive(Debug)]
pub(super) struct Entry {
    pub(super) parent: Option<Account>,
    pub(super) shares: u32,
    pub(super) is_user: bool,
    pub(super) usage: u128,
}
