//! Tables as LaTeX, for the packages booktabs and siunitx.

use super::plain::{Cell, Table, decimals};
use std::fmt::Write as _;

/// Letters and gaps of a line that fits the column of a paper in two columns, at 10 pt.
const NARROW: usize = 45;

/// Measure a table: one that is wider than the line has smaller letters, and is scaled if that is not
/// enough.
const FIT: [&str; 2] = [
    "\\begingroup\n\\def\\fitted{%\n",
    "}%\n\
     \\sbox0{\\fitted}%\n\
     \\ifdim\\wd0>\\linewidth\\footnotesize\\setlength{\\tabcolsep}{3pt}\\sbox0{\\fitted}\\fi\n\
     \\ifdim\\wd0>1.4\\linewidth\\PackageWarningNoLine{dfrsim}\
     {A table with small letters: use table* or landscape}\\fi\n\
     \\ifdim\\wd0>\\linewidth\\resizebox{\\linewidth}{!}{\\usebox0}\\else\\usebox0\\fi\n\
     \\endgroup\n",
];

impl Table {
    /// Formats the table as a LaTeX `tabular`, with the rounding of [`Table::markdown`]. Columns of
    /// numbers are aligned at the decimal point. Columns that are constant, and the notes, are
    /// comments. A table that may be wider than a line has smaller letters, and TeX scales it to
    /// the line if it is still too wide. The first line names the packages that a document needs.
    pub fn latex(&self) -> String {
        let (same, different) = self.constant_columns();
        let columns: Vec<LatexColumn<'_>> =
            different.into_iter().map(|at| LatexColumn::new(self, at)).collect();
        let is_wide = columns.iter().map(LatexColumn::width).sum::<usize>() > NARROW;
        let packages = if is_wide { "booktabs,graphicx,siunitx" } else { "booktabs,siunitx" };
        let mut text = format!("% \\usepackage{{{packages}}}\n");
        for (name, value) in same {
            _ = writeln!(text, "% {}: {}", comment(&name), comment(&value));
        }
        let [before, after] = if is_wide { FIT } else { ["", "\n"] };
        text += before;
        let kinds: Vec<String> = columns.iter().map(|column| column.kind.specification()).collect();
        _ = writeln!(text, "\\begin{{tabular}}{{{}}}\n\\toprule", kinds.join(" "));
        let names = columns.iter().map(LatexColumn::heading);
        _ = writeln!(text, "{} \\\\\n\\midrule", names.collect::<Vec<_>>().join(" & "));
        for line in 0..self.lines().len() {
            let cells: Vec<String> = columns.iter().map(|column| column.format(line)).collect();
            _ = writeln!(text, "{} \\\\", cells.join(" & "));
        }
        text += "\\bottomrule\n\\end{tabular}";
        text += after;
        for note in self.notes() {
            _ = writeln!(text, "% {}", comment(note));
        }
        text
    }
}

/// Alignment of a column.
enum ColumnKind {
    /// Texts, to the left.
    Left,
    /// Formatted numbers, such as intervals, to the right.
    Right,
    /// Numbers, at the decimal point: digits before and after it, and whether some are negative.
    Numbers { whole: usize, decimals: usize, is_signed: bool },
}

impl ColumnKind {
    fn specification(&self) -> String {
        match self {
            ColumnKind::Left => "l".to_owned(),
            ColumnKind::Right => "r".to_owned(),
            ColumnKind::Numbers { whole, decimals, is_signed } => {
                let sign = if *is_signed { "-" } else { "" };
                format!("S[table-format={sign}{whole}.{decimals}]")
            }
        }
    }
}

impl LatexColumn<'_> {
    /// Returns the width in letters, with the gap to the next column.
    fn width(&self) -> usize {
        let heading = self.name.split('_').map(|word| word.chars().count()).max().unwrap_or(0);
        let cells = self.cells.iter().map(|cell| cell.rounded().chars().count()).max().unwrap_or(0);
        heading.max(cells) + 2
    }

    /// Returns the heading, with a line for each word: names of columns are wider than their numbers.
    fn heading(&self) -> String {
        let words: Vec<String> = self.name.split('_').filter(|word| !word.is_empty()).map(escape).collect();
        match words.as_slice() {
            [_, _, ..] => {
                let side = if matches!(self.kind, ColumnKind::Left) { "l" } else { "r" };
                // Struts keep the lines of all columns at the same heights.
                format!("{{\\shortstack[{side}]{{{}\\strut}}}}", words.join("\\strut\\\\"))
            }
            _ => format!("{{{}}}", escape(self.name)),
        }
    }
}

/// A column with its cells.
struct LatexColumn<'t> {
    name: &'t str,
    cells: Vec<&'t Cell>,
    kind: ColumnKind,
}

impl<'t> LatexColumn<'t> {
    fn new(table: &'t Table, at: usize) -> LatexColumn<'t> {
        let cells: Vec<&Cell> = table.lines().iter().map(|line| &line[at]).collect();
        let is_number = |cell: &&Cell| match cell {
            Cell::Number(number) => number.is_finite(),
            Cell::Count(_) | Cell::Span(_) | Cell::Missing => true,
            Cell::Text(_) | Cell::Formatted(_) => false,
        };
        let mut kind = match () {
            () if cells.iter().any(|cell| cell.is_text()) => ColumnKind::Left,
            () if cells.iter().all(is_number) => {
                ColumnKind::Numbers { whole: 1, decimals: 0, is_signed: false }
            }
            () => ColumnKind::Right,
        };
        if let ColumnKind::Numbers { whole, decimals, is_signed } = &mut kind {
            for text in cells.iter().map(|cell| cell.rounded()) {
                let digits = text.trim_start_matches('-');
                let (before, after) = digits.split_once('.').unwrap_or((digits, ""));
                (*whole, *decimals) = ((*whole).max(before.len()), (*decimals).max(after.len()));
                *is_signed |= text.starts_with('-');
            }
        }
        let name = table.header().nth(at).unwrap_or_default();
        LatexColumn { name, cells, kind }
    }

    fn format(&self, line: usize) -> String {
        match self.cells[line] {
            // Braces keep siunitx from parsing the cell.
            Cell::Missing => "{--}".to_owned(),
            Cell::Text(text) | Cell::Formatted(text) => escape(text),
            Cell::Number(number) if number.is_finite() => format!("{number:.*}", decimals(number.abs())),
            Cell::Number(number) => format!("{{{number}}}"),
            other => other.rounded(),
        }
    }
}

/// Escapes a text so that LaTeX sets it as it is, with any engine and font encoding. Characters that
/// pdfLaTeX cannot set are named by their number.
fn escape(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    let mut last = ' ';
    for letter in text.chars() {
        match letter {
            '\\' => escaped += "\\textbackslash{}",
            '{' | '}' | '$' | '&' | '#' | '_' | '%' => escaped.extend(['\\', letter]),
            '~' => escaped += "\\textasciitilde{}",
            '^' => escaped += "\\textasciicircum{}",
            '<' => escaped += "\\textless{}",
            '>' => escaped += "\\textgreater{}",
            '|' => escaped += "\\textbar{}",
            '"' => escaped += "{\\ttfamily\\char34}",
            '`' => escaped += "{\\ttfamily\\char96}",
            // In a first cell a bracket would be taken for an argument of the line break before it.
            '[' => escaped += "{[}",
            // Two hyphens would become a dash.
            '-' if last == '-' => escaped += "{}-",
            '\u{d7}' => escaped += "$\\times$",
            '\u{b1}' => escaped += "$\\pm$",
            '\u{b7}' => escaped += "$\\cdot$",
            '\u{2264}' => escaped += "$\\le$",
            '\u{2265}' => escaped += "$\\ge$",
            '\u{3c4}' => escaped += "$\\tau$",
            '\u{2013}' => escaped += "--",
            '\u{2026}' => escaped += "\\dots{}",
            ' '..='~' | '\u{c0}'..='\u{137}' | '\u{139}'..='\u{148}' | '\u{14a}'..='\u{17e}' => {
                escaped.push(letter);
            }
            other => _ = write!(escaped, "\\texttt{{U+{:04X}}}", u32::from(other)),
        }
        last = letter;
    }
    escaped
}

/// Returns a text as part of a comment, on one line.
fn comment(text: &str) -> String {
    text.chars().map(|letter| if letter.is_control() { ' ' } else { letter }).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use dfrsim_model::SimSpan;

    #[test]
    fn numbers_are_aligned_and_texts_escaped() {
        let text = |text: &str| Cell::Text(text.to_owned());
        let tau = || Cell::Span(SimSpan::from_secs(10));
        let table = Table::new(
            vec!["policy", "mean_wait", "n", "interval", "tau_s"],
            vec![
                vec![
                    text("100%_\\ {x}"),
                    Cell::Number(-1_767.125),
                    Cell::Count(182),
                    Cell::Formatted("[1, 2]".into()),
                    tau(),
                ],
                vec![
                    text("[a--b] \"\u{3042}\n"),
                    Cell::Number(0.1),
                    Cell::Missing,
                    Cell::Formatted("[3, 4]".into()),
                    tau(),
                ],
            ],
        )
        .with_notes(vec!["a note\nin lines".to_owned()]);
        assert_eq!(
            table.latex(),
            "% \\usepackage{booktabs,siunitx}\n\
             % tau_s: 10\n\
             \\begin{tabular}{l S[table-format=-4.4] S[table-format=3.0] r}\n\
             \\toprule\n\
             {policy} & {\\shortstack[r]{mean\\strut\\\\wait\\strut}} & {n} & {interval} \\\\\n\
             \\midrule\n\
             100\\%\\_\\textbackslash{} \\{x\\} & -1767.1 & 182 & {[}1, 2] \\\\\n\
             {[}a-{}-b] {\\ttfamily\\char34}\\texttt{U+3042}\\texttt{U+000A} & 0.1000 & {--} & {[}3, 4] \\\\\n\
             \\bottomrule\n\
             \\end{tabular}\n\
             % a note in lines\n"
        );
    }

    #[test]
    fn wide_tables_fit_the_line() {
        let narrow =
            Table::new(vec!["policy", "mean"], vec![vec![Cell::Text("EASY".into()), Cell::Number(1.5)]]);
        assert!(!narrow.latex().contains("\\linewidth"));
        let text = "a policy with a name that is wider than a column";
        let wide = Table::new(
            vec!["policy", "mean"],
            vec![
                vec![Cell::Text(text.into()), Cell::Number(1.5)],
                vec![Cell::Text("EASY".into()), Cell::Number(2.5)],
            ],
        )
        .latex();
        assert!(wide.starts_with("% \\usepackage{booktabs,graphicx,siunitx}\n\\begingroup\n"), "{wide}");
        assert!(wide.contains("\\resizebox{\\linewidth}{!}{\\usebox0}"), "{wide}");
        assert_eq!(wide.matches('{').count(), wide.matches('}').count(), "{wide}");
    }
}
