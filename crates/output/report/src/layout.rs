//! Layout of the whole page.

use crate::answer;
use crate::instances::Part;
use crate::names::words;
use crate::picture::Picture;
use crate::schedule::{self, Schedule};
use crate::table::Table;
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use dfrsim_lab::{InputSection, Manifest, Ranking, Results, Status, Verdict};
use dfrsim_model::account::AccountSummary;
use maud::{DOCTYPE, Markup, PreEscaped, html};
use sha2::{Digest as _, Sha256};

const STYLE: &str = include_str!("page.css");
const SCRIPT: &str = include_str!("page.js");

/// Tables with more lines than this are collapsed in print, too.
const MAX_PRINTED_LINES: usize = 200;

/// Content of a page.
pub(crate) struct Content<'a> {
    pub(crate) results: &'a Results<'a>,
    pub(crate) warnings: Vec<String>,
    pub(crate) rankings: Vec<Ranking>,
    pub(crate) claims: Option<Table>,
    /// Table about the objective of the scenario, which comes first.
    pub(crate) lead: Option<Table>,
    pub(crate) tables: Vec<Table>,
    pub(crate) pictures: &'a [Picture],
    pub(crate) schedules: &'a [Schedule],
    pub(crate) parts: Vec<Part>,
}

impl Content<'_> {
    fn manifest(&self) -> &Manifest {
        &self.results.manifest
    }
    fn title(&self) -> &str {
        let title = self.manifest().title.as_str();
        if title.is_empty() { self.results.study.title } else { title }
    }
}

pub(crate) fn page(content: &Content<'_>) -> Markup {
    let manifest = content.manifest();
    let generator = format!("{} {}", manifest.program, manifest.version);
    let sections = sections(content);
    let body = html! {
        a.skip href="#main" { "Skip to the results" }
        header {
            h1 { (content.title()) }
            (facts(content))
            nav aria-label="Parts of this page" { ul {
                @for Section { id, name, .. } in &sections { li { a href={ "#" (id) } { (name) } } }
            } }
        }
        main id="main" {
            @for Section { id, name, body } in &sections { section id=(id) aria-label=(name) { (body) } }
        }
        script { (PreEscaped(SCRIPT)) }
    };
    document(content.title(), &generator, &body, !content.schedules.is_empty())
}

/// A section of the page.
struct Section {
    id: &'static str,
    name: &'static str,
    body: Markup,
}

/// Builds the sections that have content.
fn sections(content: &Content<'_>) -> Vec<Section> {
    let manifest = content.manifest();
    let sections = [
        ("warnings", "Warnings", if_any(&content.warnings, warnings)),
        ("lead", "First table", content.lead.as_ref().map(lead)),
        ("answer", "Answer", if_any(&content.rankings, answer::answers)),
        ("figures", "Figures", if_any(content.pictures, pictures)),
        ("schedules", "Schedules", if_any(content.schedules, schedules)),
        ("claims", "Claims", content.claims.as_ref().map(claims)),
        ("tables", "Tables", if_any(&content.tables, tables)),
        ("instances", "Instances", if_any(&content.parts, instances)),
        ("scenario", "Scenario", Some(scenario(&content.results.scenario))),
        ("inputs", "Inputs", if_any(&manifest.inputs, inputs)),
        ("manifest", "Manifest", Some(versions(manifest))),
    ];
    sections.into_iter().filter_map(|(id, name, body)| Some(Section { id, name, body: body? })).collect()
}

fn if_any<T>(all: &[T], body: impl FnOnce(&[T]) -> Markup) -> Option<Markup> {
    (!all.is_empty()).then(|| body(all))
}

/// Builds the page of one schedule.
pub(crate) fn page_of_schedule(one: &Schedule) -> Markup {
    let body = html! {
        header { h1 { (one.title()) } }
        main { (schedule::figure(one)) }
    };
    document(one.title(), concat!("dfrsim ", env!("CARGO_PKG_VERSION")), &body, true)
}

/// Returns the content security policy of a page: it may run its own scripts, identified by their
/// digests, and load no files. A text from a file that slipped through as markup would have no
/// effect.
fn security_policy() -> String {
    let digest = |script: &str| format!("'sha256-{}'", STANDARD.encode(Sha256::digest(script)));
    let scripts = [SCRIPT, schedule::SCRIPT].map(digest).join(" ");
    format!("default-src 'none'; style-src 'unsafe-inline'; img-src data:; script-src {scripts}")
}

fn document(title: &str, generator: &str, body: &Markup, has_schedules: bool) -> Markup {
    html! {
        (DOCTYPE)
        html lang="en" {
            head {
                meta charset="utf-8";
                meta http-equiv="Content-Security-Policy" content=(security_policy());
                meta name="viewport" content="width=device-width, initial-scale=1";
                meta name="generator" content=(generator);
                title { (title) }
                style { (PreEscaped(STYLE)) @if has_schedules { (PreEscaped(schedule::STYLE)) } }
            }
            body {
                (body)
                @if has_schedules { script { (PreEscaped(schedule::SCRIPT)) } }
            }
        }
    }
}

/// Builds the charts of single simulations; the first one is expanded.
fn schedules(schedules: &[Schedule]) -> Markup {
    html! {
        h2 { "Schedules" }
        @for (place, one) in schedules.iter().enumerate() {
            // Collapsed charts are not printed.
            details open[place == 0] data-long {
                summary { (one.title()) }
                (schedule::figure(one))
            }
        }
    }
}

fn facts(content: &Content<'_>) -> Markup {
    let (manifest, study) = (content.manifest(), content.results.study);
    let audit = match manifest.audit.as_str() {
        "always" => "always; an independent checker follows every run of this study",
        "on" => "on; an independent checker followed every run",
        "off" => "off; no independent checker followed the runs",
        other => other,
    };
    html! {
        dl.facts {
            div { dt { "Study" } dd { (manifest.study) ": " (study.title) } }
            div { dt { "Rows" } dd { (counts(manifest)) } }
            div { dt { "Audit" } dd { (audit) } }
            div { dt { "Program" } dd { (manifest.program) " " (manifest.version) ", seed " (manifest.seed) } }
        }
    }
}

/// Formats the number of rows by status.
fn counts(manifest: &Manifest) -> String {
    let rows = &manifest.rows;
    let by_status = Status::ALL.iter().map(|&status| (rows.of(status), status));
    let parts: Vec<String> = by_status
        .filter(|(count, _)| *count > 0)
        .map(|(count, status)| format!("{count} {status}"))
        .collect();
    let total = rows.total;
    if parts.is_empty() { total.to_string() } else { format!("{total}: {}", parts.join(", ")) }
}

fn warnings(warnings: &[String]) -> Markup {
    html! {
        h2 { "Warnings" }
        ul { @for warning in warnings { li { (warning) } } }
    }
}

fn claims(table: &Table) -> Markup {
    let count = |verdict| table.count_verdicts(verdict);
    html! {
        h2 { "Claims" }
        p {
            "Published statements, checked on these rows: " (count(Verdict::Holds)) " hold, "
            (count(Verdict::Fails)) " fail, " (count(Verdict::Open)) " open, "
            (count(Verdict::Undecided)) " not decided by the paper's own numbers."
        }
        details { summary { (table.len()) " claims" } (table.html()) }
    }
}

fn lead(table: &Table) -> Markup {
    html! {
        h2 { (words(&table.name)) }
        (table.html())
    }
}

fn tables(tables: &[Table]) -> Markup {
    html! {
        h2 { "Tables" }
        @for table in tables {
            // Long tables are not printed.
            details id={ "table-" (table.name) } data-long[table.len() > MAX_PRINTED_LINES] {
                summary { (words(&table.name)) " " span.size { (table.len()) " lines" } }
                (table.html())
            }
        }
    }
}

fn pictures(pictures: &[Picture]) -> Markup {
    html! {
        h2 { "Figures" }
        div.figures { @for picture in pictures {
            figure {
                img alt=(picture.title) src={ "data:image/svg+xml," (percent_encoded(&picture.svg)) };
                figcaption { (picture.title) }
            }
        } }
    }
}

/// Encodes a picture for a data URL. Each picture is a separate document there, so identifiers in
/// pictures cannot clash.
fn percent_encoded(svg: &str) -> String {
    let mut text = String::with_capacity(svg.len() + svg.len() / 4);
    for character in svg.chars() {
        match character {
            '%' => text.push_str("%25"),
            '#' => text.push_str("%23"),
            '<' => text.push_str("%3C"),
            '>' => text.push_str("%3E"),
            '\n' | '\r' => text.push(' '),
            other => text.push(other),
        }
    }
    text
}

/// Builds the empty elements that the script fills with groups and rows.
fn instances(parts: &[Part]) -> Markup {
    html! {
        h2 { "Instances" }
        p { "Runs with the same labels and variant are a group; each group leads to its instances." }
        noscript { p { "Selecting a group needs JavaScript; the row files of the results contain all values." } }
        @for part in parts {
            div.part {
                @if !part.name.is_empty() { h3 { (words(part.name)) } }
                @if let Some(left_out) = &part.left_out { p.left-out { (left_out) } }
                div.choices {}
                p.count aria-live="polite" {}
                div.scroll tabindex="0" role="region" aria-label="Groups of runs" {
                    table.groups { thead {} tbody {} }
                }
                div.chosen hidden {
                    h3.chosen-title tabindex="-1" {}
                    p.common {}
                    div.scroll tabindex="0" role="region" aria-label="Chosen runs" {
                        table.rows { thead {} tbody {} }
                    }
                }
                script type="application/json" { (PreEscaped(part.json())) }
            }
        }
    }
}

fn scenario(text: &str) -> Markup {
    html! {
        h2 { "Scenario" }
        details {
            summary { "Every field with its value; this file gives the same rows" }
            pre tabindex="0" { (text) }
        }
    }
}

fn inputs(inputs: &[InputSection]) -> Markup {
    html! {
        h2 { "Inputs" }
        dl { @for input in inputs {
            dt { (input.file) }
            dd { (input_counts(input)) }
            @for line in input.account.iter().flat_map(AccountSummary::details) { dd { (line.trim_start()) } }
            dd { "SHA-256 " (input.sha256) @if let Some(path) = &input.path { ", found at " (path) } }
        } }
    }
}

fn versions(manifest: &Manifest) -> Markup {
    html! {
        h2 { "Versions, digests and time" }
        details {
            summary { "manifest.toml" }
            pre tabindex="0" { (toml::to_string(manifest).expect("a manifest can be written as TOML")) }
        }
    }
}

/// Formats the counts of an input's lines, or the counts that the study reported for it, without
/// those that are 0.
fn input_counts(input: &InputSection) -> String {
    if let Some(AccountSummary { lines, jobs, rejected, left_out, .. }) = &input.account {
        return format!("{lines} lines: {jobs} jobs, {rejected} rejected, {left_out} left out");
    }
    let counted = input.counts.iter().filter(|(_, count)| **count > 0);
    let parts: Vec<String> = counted.map(|(name, count)| format!("{count} {}", words(name))).collect();
    parts.join(", ")
}
