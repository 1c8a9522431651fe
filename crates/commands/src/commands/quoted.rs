//! Quoting for POSIX shells.

/// Returns a shell word that a POSIX shell reads as this text, quoted if necessary.
pub(crate) fn quoted(text: &str) -> String {
    let is_plain = |letter: char| letter.is_ascii_alphanumeric() || "_-./=:,+@%".contains(letter);
    if !text.is_empty() && text.chars().all(is_plain) {
        text.to_owned()
    } else {
        format!("'{}'", text.replace('\'', r"'\''"))
    }
}

#[cfg(test)]
mod tests {
    use super::quoted;
    use std::process::Command;

    #[test]
    fn a_shell_reads_what_was_meant() {
        for text in [
            "plain/path.toml",
            "two words",
            "it's",
            "$HOME `x` \"y\" \\ !",
            "",
            "policies=[\"EASY\"]",
            "a\nb",
            "*",
        ] {
            let output =
                Command::new("sh").arg("-c").arg(format!("printf %s {}", quoted(text))).output().unwrap();
            assert_eq!(String::from_utf8(output.stdout).unwrap(), text);
        }
        assert_eq!(quoted("plain/path.toml"), "plain/path.toml");
    }
}
