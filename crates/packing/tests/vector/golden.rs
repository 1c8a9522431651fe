//! Cases small enough to derive by hand.
