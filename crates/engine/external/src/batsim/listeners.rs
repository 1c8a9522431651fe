//! Who listens at an address of this machine.

use std::fs;

/// Whether a user other than this one and root listens at an address `HOST:PORT` of this machine, where the system says so
/// (Linux does).
pub(super) fn is_anothers(address: &str) -> bool {
    let port = address.rsplit(':').next().and_then(|port| port.parse().ok());
    let (Some(port), Some(ours)) = (port, user()) else { return false };
    let files = ["/proc/net/tcp", "/proc/net/tcp6"].map(|path| fs::read_to_string(path).unwrap_or_default());
    files.iter().flat_map(|text| owners(text, port)).any(|user| user != ours && user != 0)
}

/// The user of this program.
fn user() -> Option<u32> {
    #[cfg(unix)]
    return Some(rustix::process::getuid().as_raw());
    #[cfg(not(unix))]
    None
}

/// The users of the sockets that listen at a port, in the table of the kernel.
fn owners(table: &str, port: u16) -> Vec<u32> {
    const LISTENS: &str = "0A";
    let ending = format!(":{port:04X}");
    let owner = |line: &str| {
        let fields: Vec<&str> = line.split_whitespace().collect();
        let is_it = fields.get(1)?.ends_with(&ending) && *fields.get(3)? == LISTENS;
        fields.get(7)?.parse().ok().filter(|_| is_it)
    };
    table.lines().filter_map(owner).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::net::TcpListener;

    #[cfg(target_os = "linux")]
    #[test]
    fn the_owner_of_a_port_is_found() {
        let table = "  sl  local_address rem_address   st tx_queue rx_queue tr tm->when retrnsmt   uid  timeout inode\n\
             0: 0100007F:1F90 00000000:0000 0A 00000000:00000000 00:00000000 00000000  1001        0 100 1\n\
             1: 0100007F:1F91 00000000:0000 0A 00000000:00000000 00:00000000 00000000     0        0 101 1\n\
             2: 0100007F:1F90 0100007F:9C40 01 00000000:00000000 00:00000000 00000000  1002        0 102 1\n";
        assert_eq!(owners(table, 0x1f90), [1001], "others are connected there");
        assert_eq!(owners(table, 0x1f91), [0]);
        assert_eq!(owners(table, 0x1f92), [] as [u32; 0]);

        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = listener.local_addr().unwrap();
        let table = fs::read_to_string("/proc/net/tcp").unwrap();
        assert_eq!(owners(&table, address.port()), [user().unwrap()]);
        assert!(!is_anothers(&address.to_string()));
    }
}
