//! The lines of values in JSON.

/// The line, from 1, on which the value at a path such as `jobs[3].needs[0]` begins, or the last part of the path that is there;
/// the text is known to be JSON.
pub(crate) fn line_of(text: &str, path: &str) -> usize {
    let mut cursor = Cursor { text, at: 0 };
    cursor.skip_space();
    for step in path.split(['.', '[']).filter(|step| !step.is_empty()) {
        let before = cursor.at;
        let found = match step.strip_suffix(']') {
            Some(index) => index.parse().is_ok_and(|index| cursor.enter_list(index)),
            None => cursor.enter_object(step),
        };
        if !found {
            cursor.at = before;
            break;
        }
    }
    1 + text[..cursor.at].bytes().filter(|&byte| byte == b'\n').count()
}

/// A place in a text, at the first letter of a value.
struct Cursor<'a> {
    text: &'a str,
    at: usize,
}

impl Cursor<'_> {
    fn next(&self) -> Option<u8> {
        self.text.as_bytes().get(self.at).copied()
    }

    fn skip_space(&mut self) {
        while self.next().is_some_and(|byte| byte.is_ascii_whitespace()) {
            self.at += 1;
        }
    }

    /// To the value of a field; says whether there is one.
    fn enter_object(&mut self, name: &str) -> bool {
        self.enter(b'{', |cursor, _| {
            let begin = cursor.at + 1;
            cursor.skip_string();
            let is_it = cursor.text.get(begin..cursor.at - 1) == Some(name);
            cursor.skip_space();
            cursor.at += 1;
            is_it
        })
    }

    /// To an item; says whether there is one.
    fn enter_list(&mut self, index: usize) -> bool {
        self.enter(b'[', |_, number| number == index)
    }

    /// To the first entry that is wanted, by what comes before its value and how many entries come before it.
    fn enter(&mut self, bracket: u8, mut is_wanted: impl FnMut(&mut Self, usize) -> bool) -> bool {
        if self.next() != Some(bracket) {
            return false;
        }
        for number in 0.. {
            // Past the bracket or a comma.
            self.at += 1;
            self.skip_space();
            if self.next().is_none_or(|byte| matches!(byte, b'}' | b']')) {
                return false;
            }
            let is_wanted = is_wanted(self, number);
            self.skip_space();
            if is_wanted {
                return true;
            }
            self.skip_value();
            self.skip_space();
            if self.next() != Some(b',') {
                return false;
            }
        }
        false
    }

    fn skip_string(&mut self) {
        self.at += 1;
        while let Some(byte) = self.next() {
            self.at += if byte == b'\\' { 2 } else { 1 };
            if byte == b'"' {
                return;
            }
        }
    }

    fn skip_value(&mut self) {
        let mut depth = 0;
        while let Some(byte) = self.next() {
            match byte {
                b'"' => {
                    self.skip_string();
                    continue;
                }
                b'{' | b'[' => depth += 1,
                b',' | b'}' | b']' if depth == 0 => return,
                b'}' | b']' => depth -= 1,
                _ => {}
            }
            self.at += 1;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_are_found_by_their_paths() {
        let text = "{\n\"a\": [1, {\"b\": \"]},\\\"\",\n\"c\": 2}],\n\"d\": {\n\"e\":\n[3]}\n}";
        let paths = ["", "a", "a[0]", "a[1].b", "a[1].c", "d", "d.e", "d.e[0]"];
        assert_eq!(paths.map(|path| line_of(text, path)), [1, 2, 2, 2, 3, 4, 6, 6]);
        // What is not there is missing where it should be.
        assert_eq!(["a[7]", "a[1].z", "z", "d.e[0].f"].map(|path| line_of(text, path)), [2, 2, 1, 6]);
        assert_eq!(line_of("", "a[0]"), 1);
    }
}
