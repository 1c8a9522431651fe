//! Platforms of named machines, with the power of their nodes. Each file names the source of each
//! number.

/// Names and texts of the platforms.
const MACHINES: &[(&str, &str)] = &[
    ("cirrus", include_str!("machines/cirrus.toml")),
    ("dgx-a100-pod", include_str!("machines/dgx-a100-pod.toml")),
    ("frontier", include_str!("machines/frontier.toml")),
    ("fugaku", include_str!("machines/fugaku.toml")),
    ("hpc2n-2002", include_str!("machines/hpc2n-2002.toml")),
    ("lumi-g", include_str!("machines/lumi-g.toml")),
    ("marconi100", include_str!("machines/marconi100.toml")),
    ("perlmutter", include_str!("machines/perlmutter.toml")),
];

/// Iterates over the names of the machines.
pub fn names() -> impl Iterator<Item = &'static str> {
    MACHINES.iter().map(|(name, _)| *name)
}

/// Returns the platform file of a machine; `None` if there is no such machine.
pub fn text(name: &str) -> Option<&'static str> {
    MACHINES.iter().find(|(known, _)| *known == name).map(|(_, text)| *text)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::platform::classes::PlatformFields;

    #[test]
    fn all_machines_are_platforms_with_power() {
        let mut watts = Vec::new();
        for name in names() {
            let classes = PlatformFields::parse(name, text(name).unwrap()).unwrap().classes().unwrap();
            assert!(classes.power().is_some(), "{name}");
            watts.push((name, classes.nodes(), classes.idle_power() / 1_000_000));
        }
        assert_eq!(watts[0], ("cirrus", 354, 77), "kilowatts without jobs");
        assert_eq!(watts[2], ("frontier", 9472, 5931), "626.26 W a node");
        assert!(names().is_sorted() && text("hal").is_none());
    }
}
