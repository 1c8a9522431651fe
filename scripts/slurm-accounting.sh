# Starts munged, a database and slurmdbd for the scripts that record a real Slurm, which read this file with `source` after they have
# set `name`. It sets `folder` (removed at the end, with all daemons), `host` and SLURM_CONF, the path at which a script writes its own
# slurm.conf after the lines that `common_conf` prints. Needs root, and Debian's packages slurm-wlm, slurmdbd and mariadb-server.
# shellcheck shell=bash
fault() { echo "$name: $1" >&2; exit 1; }
[ "$(id -u)" = 0 ] || fault "only root can start Slurm's daemons"
for command in slurmctld slurmd slurmdbd mariadbd munged; do command -v $command >/dev/null || fault "there is no $command"; done

folder=$(mktemp -d)
chmod 755 "$folder"
stop() {
  for pid in "$folder"/log/*.pid; do [ -s "$pid" ] && kill "$(cat "$pid")" 2>/dev/null || true; done
  sleep 4
  rm -rf "$folder"
}
trap stop EXIT
mkdir -p /run/munge "$folder/ctld" "$folder/log" "$folder/db"
chown munge:munge /run/munge
chown slurm:slurm "$folder/ctld" "$folder/log"
if [ ! -s /etc/munge/munge.key ]; then
  (umask 077; head -c 1024 /dev/urandom >/etc/munge/munge.key; chown munge:munge /etc/munge/munge.key)
fi
if ! munge -n </dev/null >/dev/null 2>&1; then
  setpriv --reuid=munge --regid=munge --clear-groups /usr/sbin/munged || fault "munged does not start"
  ln -s /run/munge/munged.pid "$folder/log/munged.pid"
fi

chown mysql:mysql "$folder/db"
setpriv --reuid=mysql --regid=mysql --clear-groups mariadb-install-db --no-defaults --datadir="$folder/db" --auth-root-authentication-method=normal >/dev/null 2>&1
setpriv --reuid=mysql --regid=mysql --clear-groups mariadbd --no-defaults --datadir="$folder/db" --socket="$folder/db/socket" \
  --pid-file="$folder/db/pid" --port=7818 --bind-address=127.0.0.1 --innodb-lock-wait-timeout=900 >"$folder/db/log" 2>&1 &
for _ in $(seq 60); do mariadb-admin --no-defaults --socket="$folder/db/socket" ping >/dev/null 2>&1 && break; sleep 1; done
ln -s "$folder/db/pid" "$folder/log/mariadbd.pid"
mariadb --no-defaults --socket="$folder/db/socket" -e "create database acct; create user slurm@127.0.0.1 identified by 'x'; grant all on acct.* to slurm@127.0.0.1; create user slurm@localhost identified by 'x'; grant all on acct.* to slurm@localhost"

host=$(hostname -s)
# slurmdbd reads its own file beside slurm.conf only if no other user can.
cat >"$folder/slurmdbd.conf" <<CONF
DbdHost=$host
DbdAddr=127.0.0.1
DbdPort=7819
SlurmUser=slurm
AuthType=auth/munge
StorageType=accounting_storage/mysql
StorageHost=127.0.0.1
StoragePort=7818
StorageUser=slurm
StoragePass=x
StorageLoc=acct
PidFile=$folder/log/slurmdbd.pid
LogFile=$folder/log/slurmdbd.log
CONF
chown slurm:slurm "$folder/slurmdbd.conf"
chmod 600 "$folder/slurmdbd.conf"
export SLURM_CONF=$folder/slurm.conf

common_conf() {
  cat <<CONF
ClusterName=sim
SlurmctldHost=$host(127.0.0.1)
SlurmctldPort=7817
SlurmUser=slurm
SlurmdUser=root
AuthType=auth/munge
CommunicationParameters=NoCtldInAddrAny,NoInAddrAny
StateSaveLocation=$folder/ctld
SlurmdSpoolDir=$folder/d.%n
SlurmctldPidFile=$folder/log/slurmctld.pid
SlurmdPidFile=$folder/log/slurmd.%n.pid
SlurmctldLogFile=$folder/log/slurmctld.log
SlurmdLogFile=$folder/log/slurmd.%n.log
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
SwitchType=switch/none
MpiDefault=none
SelectType=select/cons_tres
SelectTypeParameters=CR_Core_Memory
AccountingStorageType=accounting_storage/slurmdbd
AccountingStorageHost=127.0.0.1
AccountingStoragePort=7819
ReturnToService=2
InactiveLimit=0
KillWait=2
Waittime=0
SlurmdParameters=config_overrides
CONF
}

# Starts slurmdbd, and registers the cluster.
start_accounting() {
  slurmdbd || fault "slurmdbd does not start"
  for _ in $(seq 60); do sacctmgr -n list cluster >/dev/null 2>&1 && break; sleep 1; done
  sacctmgr -i add cluster sim >/dev/null 2>&1 || true
}
