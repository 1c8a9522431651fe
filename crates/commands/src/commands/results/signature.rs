//! Signatures of archives, made and verified by OpenSSH's `ssh-keygen`, so that any SSH key can
//! sign.

use crate::failure::Failure;
use std::fs::File;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

/// Purpose of the signatures, so that a signature made for something else is not accepted.
const NAMESPACE: &str = "dfrsim-results";

/// Signs an archive with a private key, or with a public one if an agent has the private key, and
/// writes the signature to `ARCHIVE.sig` next to it.
pub(super) fn sign(archive: &Path, key: &Path) -> Result<PathBuf, Failure> {
    let signature = archive.with_added_extension("sig");
    // `ssh-keygen` would ask before replacing an existing file.
    match std::fs::remove_file(&signature) {
        Err(error) if error.kind() != std::io::ErrorKind::NotFound => {
            return Err(Failure::output(signature.display(), &error));
        }
        _ => {}
    }
    let mut command = keygen("sign");
    command.arg("-f").arg(key).args(["-n", NAMESPACE]).arg("--").arg(archive);
    run_keygen(command.stdin(Stdio::null()), key)?;
    Ok(signature)
}

/// Checks the signature next to an archive and returns the name of the signer, who must be one of
/// `signers`.
pub(super) fn verify(archive: &Path, signers: &Path) -> Result<String, Failure> {
    let signature = archive.with_added_extension("sig");
    let mut command = keygen("find-principals");
    command.arg("-s").arg(&signature).arg("-f").arg(signers);
    let found = run_keygen(&mut command, &signature)?;
    let names = String::from_utf8_lossy(&found.stdout).into_owned();
    let name = names.lines().next().unwrap_or_default().to_owned();
    let mut command = keygen("verify");
    command.arg("-f").arg(signers).args(["-n", NAMESPACE, "-I", &name]).arg("-s").arg(&signature);
    let content = File::open(archive).map_err(|error| Failure::in_file(archive, error))?;
    run_keygen(command.stdin(content), &signature)?;
    Ok(name)
}

fn keygen(action: &str) -> Command {
    let mut command = Command::new("ssh-keygen");
    command.args(["-Y", action]);
    command
}

/// Runs a command and returns its output; a failure names the file `about`.
fn run_keygen(command: &mut Command, about: &Path) -> Result<Output, Failure> {
    let about = about.display();
    match command.output() {
        Ok(output) if output.status.success() => Ok(output),
        Ok(output) => {
            let said = [&output.stderr[..], &output.stdout].concat();
            let said = String::from_utf8_lossy(&said).trim().replace('\n', "; ");
            Err(Failure::input(format!("{about}: ssh-keygen failed: {said}")))
        }
        Err(error) => Err(Failure::input(format!(
            "{about}: cannot run ssh-keygen, which signs and verifies archives: {error}"
        ))),
    }
}
