//! Commands of other systems that carry out a plan.

use super::reasons::Reasons;
use super::switch::Switch;
use dfrsim_context_switch::{Kind, NodeSwitch, Place, TimedAction};
use dfrsim_model::named;
use std::fmt::Write;

named! {
    /// Systems for which commands are written, by their names on the command line.
    pub enum TargetSystem as "system" {
        /// The command-line client of OpenStack.
        OpenStack = "openstack",
        /// The API of Proxmox VE on one of its nodes.
        Proxmox = "proxmox",
        /// PowerCLI of vSphere.
        VSphere = "vsphere",
        /// `virsh` of libvirt, with access by SSH.
        Libvirt = "libvirt",
        /// `kubectl` of Kubernetes, whose own scheduler chooses the nodes.
        Kubernetes = "kubernetes",
    }
}

/// Formats the commands, pool by pool: those of a pool may run at the same time, and each pool needs
/// the end of the one before. A comment gives the reason of each. Returns an error for an action that
/// the system does not have.
pub(super) fn commands(
    target: TargetSystem,
    switch: &Switch,
    reasons: &Reasons<'_>,
    drained: &[String],
) -> Result<String, String> {
    let powershell = target == TargetSystem::VSphere;
    let mut text = if powershell { String::new() } else { "#!/bin/sh\nset -e\n".to_owned() };
    let mut line = |line: &str| writeln!(text, "{line}").expect("writing to a text succeeds");
    if target == TargetSystem::Kubernetes {
        line(
            "# The scheduler of the cluster chooses the nodes of pods that start again; the plan's choice is in the comments.",
        );
        drained.iter().for_each(|node| line(&format!("kubectl cordon {}", quoted(node))));
    }
    let cluster = &switch.cluster;
    let node = |place: Place| place.node().map(|node| cluster.node(node).name.as_str());
    let switched = |is_on: bool| switch.timetable.switches.iter().filter(move |switch| switch.is_on == is_on);
    for NodeSwitch { node, .. } in switched(true) {
        line(&format!("# switch on {}", cluster.node(*node).name));
    }
    for (number, pool) in (1..).zip(&switch.timetable.pools) {
        line(&format!("# pool {number}"));
        for TimedAction { action, .. } in pool {
            let vm = &cluster.vm(action.vm()).name;
            let (from, to) = (node(action.from()), node(action.to()));
            let found = command(target, action.kind(), vm, from, to).ok_or_else(|| {
                format!("{} has no command to {} `{vm}`", target.name(), action.kind().name())
            })?;
            let mark = if found.contains("  # ") { ": " } else { "  # " };
            line(&format!("{found}{mark}{}", reasons.of(action)));
        }
    }
    for NodeSwitch { node, .. } in switched(false) {
        line(&format!("# switch off {}", cluster.node(*node).name));
    }
    Ok(text)
}

/// Returns the command for an action; `None` if the system does not have it.
fn command(
    target: TargetSystem,
    kind: Kind,
    vm: &str,
    from: Option<&str>,
    to: Option<&str>,
) -> Option<String> {
    let to_node = to.unwrap_or_default();
    match target {
        TargetSystem::OpenStack => {
            // Where names repeat, the import adds the identifier.
            let server = quoted(in_parentheses(vm).unwrap_or(vm));
            let host = quoted(to_node);
            Some(match kind {
                Kind::Migrate => {
                    format!("openstack server migrate --live-migration --host {host} --wait {server}")
                }
                Kind::Stop => format!("openstack server stop {server}"),
                Kind::Suspend => format!("openstack server suspend {server}"),
                Kind::Resume if from == to => format!("openstack server resume {server}"),
                Kind::Doze => format!("openstack server pause {server}"),
                Kind::Wake if from == to => format!("openstack server unpause {server}"),
                _ => return None,
            })
        }
        TargetSystem::Proxmox => {
            let guest = vm.split(' ').next().unwrap_or(vm);
            let at = |node: Option<&str>, verb: &str| {
                format!(
                    "pvesh create {}",
                    quoted(&format!("/nodes/{}/{guest}/{verb}", node.unwrap_or_default()))
                )
            };
            let online = if guest.starts_with("lxc/") { "--restart 1" } else { "--online 1" };
            Some(match kind {
                Kind::Migrate => format!("{} --target {} {online}", at(from, "migrate"), quoted(to_node)),
                Kind::Run => at(to, "status/start"),
                Kind::Stop => at(from, "status/shutdown"),
                Kind::Suspend => format!("{} --todisk 1", at(from, "status/suspend")),
                Kind::Resume if from == to => at(from, "status/start"),
                Kind::Transfer => format!("{} --target {}", at(from, "migrate"), quoted(to_node)),
                Kind::Doze => at(from, "status/suspend"),
                Kind::Wake if from == to => at(from, "status/resume"),
                _ => return None,
            })
        }
        TargetSystem::VSphere => {
            let vm = format!("-VM (Get-VM {})", in_powershell(vm));
            let host = in_powershell(to_node);
            Some(match kind {
                Kind::Migrate | Kind::Transfer => {
                    format!("Move-VM {vm} -Destination (Get-VMHost {host}) | Out-Null")
                }
                Kind::Run | Kind::Resume if from == to || from.is_none() => {
                    format!("Start-VM {vm} | Out-Null")
                }
                Kind::Stop => format!("Stop-VMGuest {vm} -Confirm:$false | Out-Null"),
                Kind::Suspend => format!("Suspend-VM {vm} -Confirm:$false | Out-Null"),
                _ => return None,
            })
        }
        TargetSystem::Libvirt => {
            let uri = |node: Option<&str>| quoted(&format!("qemu+ssh://{}/system", node.unwrap_or_default()));
            let virsh =
                |node: Option<&str>, verb: &str| format!("virsh -c {} {verb} {}", uri(node), quoted(vm));
            Some(match kind {
                Kind::Migrate => format!("{} {}", virsh(from, "migrate --live --persistent"), uri(to)),
                Kind::Run => virsh(to, "start"),
                Kind::Stop => virsh(from, "shutdown"),
                Kind::Suspend => virsh(from, "managedsave"),
                Kind::Resume if from == to => virsh(from, "start"),
                Kind::Doze => virsh(from, "suspend"),
                Kind::Wake if from == to => virsh(from, "resume"),
                _ => return None,
            })
        }
        TargetSystem::Kubernetes => {
            let (namespace, name) = vm.split_once('/').unwrap_or(("default", vm));
            match kind {
                Kind::Migrate => Some(format!(
                    "kubectl --namespace {} delete pod {}  # to {to_node}",
                    quoted(namespace),
                    quoted(name)
                )),
                // The scheduler starts pending pods.
                Kind::Run => Some(format!("# {vm} starts on {to_node}")),
                _ => None,
            }
        }
    }
}

/// Returns the text in parentheses at the end of a name.
fn in_parentheses(name: &str) -> Option<&str> {
    name.strip_suffix(')')?.rsplit_once(" (").map(|(_, inner)| inner)
}

/// Quotes a text for a POSIX shell. Names with a line break or a NUL cannot occur in a state.
fn quoted(text: &str) -> String {
    shlex::try_quote(text).map_or_else(|_| "''".to_owned(), std::borrow::Cow::into_owned)
}

/// Quotes a text for PowerShell.
fn in_powershell(text: &str) -> String {
    format!("'{}'", text.replace('\'', "''"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_quoted_for_their_shell() {
        let of = |target, vm| command(target, Kind::Migrate, vm, Some("a"), Some("b")).unwrap();
        assert_eq!(
            of(TargetSystem::OpenStack, "web (1f; rm)"),
            "openstack server migrate --live-migration --host b --wait '1f; rm'"
        );
        assert_eq!(
            of(TargetSystem::Proxmox, "lxc/103 (dns)"),
            "pvesh create /nodes/a/lxc/103/migrate --target b --restart 1"
        );
        assert_eq!(
            of(TargetSystem::VSphere, "o'x"),
            "Move-VM -VM (Get-VM 'o''x') -Destination (Get-VMHost 'b') | Out-Null"
        );
        assert_eq!(
            of(TargetSystem::Libvirt, "web"),
            "virsh -c qemu+ssh://a/system migrate --live --persistent web qemu+ssh://b/system"
        );
        assert_eq!(
            of(TargetSystem::Kubernetes, "shop/web-1"),
            "kubectl --namespace shop delete pod web-1  # to b"
        );
        assert_eq!(
            command(TargetSystem::Kubernetes, Kind::Suspend, "shop/web-1", Some("a"), Some("a")),
            None
        );
    }
}
