//! The fields of a scenario, each declared once: TOML shape, default, range, documentation and the way back.
