# shellcheck shell=bash
# Which functions do the shell scripts share? Each script sources this file before anything else.
# Needs: bash, coreutils and cargo.
#
# Sourcing it makes errors fatal, changes to the root of the repository, and sets `script` to the name of the script for
# messages, such as `check/audit`.
# shellcheck disable=SC2034 # some variables are only used by the scripts
set -euo pipefail
started_in=$PWD
script=$(basename "$(dirname "$(realpath "$0")")")/$(basename "$0")
cd "$(dirname "${BASH_SOURCE[0]}")/../.."
# Logs may be in a folder beside the repository.
if [ -z "${DFRSIM_TRACES:-}" ] && [ -d ../shared/traces ]; then
  DFRSIM_TRACES=$(realpath ../shared/traces)
  export DFRSIM_TRACES
fi

fail() { echo "$script: $1" >&2; exit 1; }
fine() { echo "$script: fine${1:+, $1}"; }
# Ends the script successfully because something is missing on this machine.
skip() { echo "$script: skipped: $1"; exit 0; }
# Reports that one part is skipped, and continues.
skip_part() { echo "$script: skipped $1"; }

# Creates a temporary folder, `folder`, which is removed at the end.
make_folder() {
  folder=$(mktemp -d)
  trap 'rm -rf "$folder"' EXIT
}

# Prints cargo's target directory, as an absolute path.
target_folder() { cargo metadata --format-version 1 --no-deps --locked | sed 's/.*"target_directory":"\([^"]*\)".*/\1/'; }

# Builds the optimised program, or what the arguments of cargo select, and sets `release`, the folder it is in, and `dfrsim`.
build_release() {
  [ $# -gt 0 ] || set -- -p dfrsim-cli
  cargo build --release --quiet --locked "$@"
  release=$(target_folder)/release
  dfrsim=$release/dfrsim
}

# Sets `dfrsim` to the program that the variable DFRSIM names; without it, builds the program.
find_dfrsim() {
  if [ -n "${DFRSIM:-}" ]; then
    dfrsim=$(command -v "$DFRSIM") || fail "DFRSIM=$DFRSIM is not a program"
    dfrsim=$(realpath "$dfrsim")
  else
    build_release
  fi
}

# find_log NAME: prints the path of a log of real machines, which may be in $DFRSIM_TRACES or in traces/; fails if it is missing.
find_log() {
  local traces
  for traces in "${DFRSIM_TRACES:-traces}" traces; do
    [ ! -e "$traces/$1" ] || { realpath "$traces/$1"; return; }
  done
  return 1
}

# require_python [MINOR]: skips the script without Python 3, or if it is older than 3.MINOR.
require_python() {
  command -v "${PYTHON:-python3}" >/dev/null || skip "no ${PYTHON:-python3}"
  "${PYTHON:-python3}" -c "import sys; sys.exit(sys.version_info < (3, ${1:-0}))" || skip "Python is older than 3.$1"
}

# make_venv VENV: creates a virtual environment; fails if Python has no module for that.
make_venv() { "${PYTHON:-python3}" -m venv "$1" >/dev/null 2>&1; }

# pip_install VENV ARGUMENT...: installs packages; if it fails, `reason` says why.
pip_install() {
  local venv=$1
  shift
  timeout 600 "$venv/bin/python" -m pip install --quiet --disable-pip-version-check "$@" >"$venv/pip.log" 2>&1 ||
    { reason=$(tail -n 1 "$venv/pip.log"); return 1; }
}

# kept_venv VENV PACKAGE...: creates a virtual environment with these packages unless an earlier run has, or skips the script.
kept_venv() {
  local venv=$1
  shift
  [ ! -e "$venv/whole" ] || return 0
  rm -rf "$venv"
  make_venv "$venv" || skip "python3 has no venv"
  pip_install "$venv" "$@" || skip "$* cannot be installed: $reason"
  touch "$venv/whole"
}

# install_pybatsim VENV: installs pybatsim 3.2.1, whose pin on pyzmq is too old for current versions of Python.
install_pybatsim() {
  pip_install "$1" pyzmq procset sortedcontainers docopt && pip_install "$1" --no-deps pybatsim==3.2.1
}

# apt_install PACKAGE...: installs Debian packages; if it fails, `reason` says why.
apt_install() {
  command -v apt-get >/dev/null || { reason="no apt-get to install it"; return 1; }
  [ "$(id -u)" = 0 ] || { reason="only root can install it"; return 1; }
  apt-get update >/dev/null 2>&1 || true
  # Configuring a package sometimes fails the first time.
  for _ in 1 2; do
    ! DEBIAN_FRONTEND=noninteractive apt-get install -y --no-install-recommends "$@" >/dev/null 2>&1 || return 0
  done
  reason="$* cannot be installed"
  return 1
}
