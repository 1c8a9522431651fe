//! What can go wrong with a policy in another process.

use std::time::Duration;

/// It did not answer; its last words, if there are any, follow.
pub(crate) fn silent(limit: Duration, last_words: &str) -> String {
    format!("its process did not answer within {} s{last_words}", limit.as_secs_f64())
}

/// An answer that is not JSON of the kind that was expected.
pub(crate) fn nonsense(error: &serde_json::Error, answer: &str) -> String {
    const SHOWN: usize = 200;
    let mut shown: String = answer.trim_end().chars().take(SHOWN).collect();
    if shown.len() < answer.trim_end().len() {
        shown.push('…');
    }
    format!("its answer cannot be read: {error}: `{shown}`")
}
