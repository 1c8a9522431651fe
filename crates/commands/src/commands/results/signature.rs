//! Signatures of archives, made and checked by OpenSSH's `ssh-keygen`: who has a key of SSH can sign.

use crate::failure::Failure;
use std::fs::File;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

/// What the signatures are for, so that one made for something else does not count.
const NAMESPACE: &str = "dfrsim-results";

/// Signs an archive with a private key, or a public one whose private one an agent has: `ARCHIVE.sig` appears beside it.
pub(super) fn sign(archive: &Path, key: &Path) -> Result<PathBuf, Failure> {
    let signature = archive.with_added_extension("sig");
    // It asks before it replaces a file.
    match std::fs::remove_file(&signature) {
        Err(error) if error.kind() != std::io::ErrorKind::NotFound => {
            return Err(Failure::output(signature.display(), &error));
        }
        _ => {}
    }
    let mut command = keygen("sign");
    command.arg("-f").arg(key).args(["-n", NAMESPACE]).arg("--").arg(archive);
    done(command.stdin(Stdio::null()), key)?;
    Ok(signature)
}

/// Checks the signature beside an archive: the name of the signer, who is one of these.
pub(super) fn verify(archive: &Path, signers: &Path) -> Result<String, Failure> {
    let signature = archive.with_added_extension("sig");
    let mut command = keygen("find-principals");
    command.arg("-s").arg(&signature).arg("-f").arg(signers);
    let found = done(&mut command, &signature)?;
    let names = String::from_utf8_lossy(&found.stdout).into_owned();
    let name = names.lines().next().unwrap_or_default().to_owned();
    let mut command = keygen("verify");
    command.arg("-f").arg(signers).args(["-n", NAMESPACE, "-I", &name]).arg("-s").arg(&signature);
    let content = File::open(archive).map_err(|error| Failure::of(archive, error))?;
    done(command.stdin(content), &signature)?;
    Ok(name)
}

fn keygen(action: &str) -> Command {
    let mut command = Command::new("ssh-keygen");
    command.args(["-Y", action]);
    command
}

/// Its output, if it succeeds.
fn done(command: &mut Command, about: &Path) -> Result<Output, Failure> {
    let about = about.display();
    match command.output() {
        Ok(output) if output.status.success() => Ok(output),
        Ok(output) => {
            let said = [&output.stderr[..], &output.stdout].concat();
            let said = String::from_utf8_lossy(&said).trim().replace('\n', "; ");
            Err(Failure::input(format!("{about}: ssh-keygen refuses it: {said}")))
        }
        Err(error) => {
            Err(Failure::input(format!("{about}: ssh-keygen, which signs and checks, does not run: {error}")))
        }
    }
}
