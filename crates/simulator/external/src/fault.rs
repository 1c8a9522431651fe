//! Error messages about the process of an external policy.

use std::time::Duration;

/// Formats the message about a missing answer, followed by the last output of the process.
pub(crate) fn no_answer(limit: Duration, last_words: &str) -> String {
    format!("its process did not answer within {} s{last_words}", limit.as_secs_f64())
}

/// Formats the message about an answer that is not the expected JSON.
pub(crate) fn invalid_answer(error: &serde_json::Error, answer: &str) -> String {
    const SHOWN: usize = 200;
    let mut shown: String = answer.trim_end().chars().take(SHOWN).collect();
    if shown.len() < answer.trim_end().len() {
        shown.push('…');
    }
    format!("its answer cannot be read: {error}: `{shown}`")
}
