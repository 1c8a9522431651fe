//! The page as a whole.

use super::instances::Instances;
use super::table::{Table, spoken};
use crate::picture::Picture;
use maud::{DOCTYPE, Markup, PreEscaped, html};

const STYLE: &str = include_str!("page.css");
const SCRIPT: &str = include_str!("page.js");

/// Tables of more columns or lines than a reader takes in at once are folded up.
const LONG: usize = 200;

/// What stands in a page.
pub(crate) struct Content<'a> {
    pub(crate) manifest: &'a toml::Table,
    /// How much was computed, in words.
    pub(crate) counts: String,
    pub(crate) warnings: Vec<String>,
    pub(crate) tables: &'a [Table],
    pub(crate) pictures: &'a [Picture],
    pub(crate) instances: Instances,
    pub(crate) scenario: &'a str,
    pub(crate) manifest_text: &'a str,
}

impl Content<'_> {
    fn text(&self, key: &str) -> &str {
        self.manifest.get(key).and_then(toml::Value::as_str).unwrap_or_default()
    }
    fn title(&self) -> &str {
        let title = self.text("title");
        if title.is_empty() { "Results of dfrsim" } else { title }
    }
}

pub(crate) fn page(content: &Content<'_>) -> Markup {
    html! {
        (DOCTYPE)
        html lang="en" {
            head {
                meta charset="utf-8";
                meta name="viewport" content="width=device-width, initial-scale=1";
                meta name="generator" content={ "dfrsim " (content.text("version")) };
                title { (content.title()) }
                style { (PreEscaped(STYLE)) }
            }
            body {
                a.skip href="#main" { "Skip to the results" }
                header {
                    h1 { (content.title()) }
                    p {
                        (content.counts) "; "
                        (content.text("program")) " " (content.text("version")) ", seed "
                        (content.manifest.get("seed").and_then(toml::Value::as_integer).unwrap_or(0))
                    }
                    (navigation(content))
                }
                main id="main" {
                    (warnings(&content.warnings))
                    (tables(content.tables))
                    (pictures(content.pictures))
                    (drill_down(&content.instances))
                    (origin(content))
                }
                script { (PreEscaped(SCRIPT)) }
            }
        }
    }
}

fn navigation(content: &Content<'_>) -> Markup {
    html! {
        nav aria-label="Parts of this page" { ul {
            @if !content.warnings.is_empty() { li { a href="#warnings" { "Warnings" } } }
            @for table in content.tables { li { a href={ "#table-" (table.name) } { (spoken(&table.name)) } } }
            @if !content.pictures.is_empty() { li { a href="#figures" { "Figures" } } }
            @if !content.instances.is_empty() { li { a href="#instances" { "Instances" } } }
            li { a href="#scenario" { "Scenario" } }
            li { a href="#manifest" { "Versions" } }
        } }
    }
}

fn warnings(warnings: &[String]) -> Markup {
    html! {
        @if !warnings.is_empty() {
            section.warnings id="warnings" aria-labelledby="warnings-title" {
                h2 id="warnings-title" { "Warnings" }
                ul { @for warning in warnings { li { (warning) } } }
            }
        }
    }
}

fn tables(tables: &[Table]) -> Markup {
    html! {
        @for (place, table) in tables.iter().enumerate() {
            section id={ "table-" (table.name) } {
                h2 { (spoken(&table.name)) }
                @if place > 0 && table.len() > LONG {
                    details { summary { (table.len()) " lines" } (table.html()) }
                } @else { (table.html()) }
            }
        }
    }
}

fn pictures(pictures: &[Picture]) -> Markup {
    html! {
        @if !pictures.is_empty() {
            section id="figures" {
                h2 { "Figures" }
                div.figures { @for picture in pictures {
                    figure {
                        img alt=(picture.title) src={ "data:image/svg+xml," (percent_encoded(&picture.svg)) };
                        figcaption { (picture.title) }
                    }
                } }
            }
        }
    }
}

/// As a data URL. Each picture is a document of its own there, so that names within pictures cannot clash.
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

fn drill_down(instances: &Instances) -> Markup {
    html! {
        @if !instances.is_empty() {
            section id="instances" {
                h2 { "Instances" }
                noscript { p { "Choosing an instance needs scripts; rows.csv has all figures." } }
                div.choices {
                    label { "Workload " select id="choose-workload" {} }
                    label { "Instance " select id="choose-instance" {} }
                    label { "or where " select id="choose-setting" {} " is worst" }
                }
                p id="instance-facts" aria-live="polite" {}
                div.scroll tabindex="0" role="region" aria-label="Policies on the chosen instance" {
                    table.data id="instance-table" {
                        thead { tr {
                            th scope="col" { button type="button" { "policy" } }
                            th.number scope="col" { button type="button" { "degradation" } }
                            th scope="col" { "relative to the best, logarithmic" }
                        } }
                        tbody {}
                    }
                }
                script id="instance-data" type="application/json" { (PreEscaped(instances.json())) }
            }
        }
    }
}

fn origin(content: &Content<'_>) -> Markup {
    html! {
        section id="scenario" {
            h2 { "Scenario" }
            p { "Every field spelt out; this file gives the same rows." }
            pre tabindex="0" { (content.scenario) }
        }
        section id="manifest" {
            h2 { "Versions, digests and time" }
            details { summary { "manifest.toml" } pre tabindex="0" { (content.manifest_text) } }
        }
    }
}
