//! Tests the generated documentation of fields.

use crate::example::Everything;
use dfrsim_lab::fields::document_fields;

#[test]
fn every_table_has_one() {
    let markdown = document_fields::<Everything>();
    for line in [
        "| field | value | if absent | meaning |",
        "| `seed` | a seed from 0 | `1` | Seed of all random numbers. |",
        "| `sizes` | a number of resources from 1 to 100 or a list of them | `[2, 3]` | Sizes, which may be none. |",
        "| `time_limit` | a number of seconds above 0 | none | For so long. |",
        "### `[simulation]`",
        "What simulations have in common.",
        "### `[[workloads]]`",
        "| `nodes` | a number of nodes from 1 to 4294967295 | required | Nodes. |",
        "| `equal` | a number of jobs from 1 to 1000000 | one of them is required | Equal jobs. |",
        "### `[workloads.log]`",
        "### `[clusters.NAME]`",
    ] {
        assert!(markdown.lines().any(|each| each == line), "{line} is not in\n{markdown}");
    }
}
