# shellcheck shell=bash
# How do scripts start a real Slurm on this machine? They source this file after common.sh.
# Needs: root, and Debian's slurm-wlm and munge; for accounting also slurmdbd and mariadb-server.
#
# Everything that is started ends with the script.
# shellcheck disable=SC2154 # `folder` and `fail` are those of common.sh

# Creates `folder` and sets `host` and SLURM_CONF, the path of the slurm.conf that the script writes.
prepare_slurm() {
  make_folder
  trap stop_slurm EXIT
  # User slurm must be able to enter the folder.
  chmod 755 "$folder"
  mkdir -p /run/munge "$folder/ctld" "$folder/log"
  chown munge:munge /run/munge
  chown slurm:slurm "$folder/ctld" "$folder/log"
  host=$(hostname -s)
  export SLURM_CONF=$folder/slurm.conf
}

stop_slurm() {
  local file pids=()
  for file in "$folder"/log/*.pid; do [ ! -s "$file" ] || pids+=("$(cat "$file")"); done
  if [ ${#pids[@]} -gt 0 ]; then
    kill "${pids[@]}" 2>/dev/null || true
    for _ in $(seq 50); do kill -0 "${pids[@]}" 2>/dev/null || break; sleep 0.1; done
  fi
  rm -rf "$folder"
}

# Starts munged unless it is running.
start_munge() {
  if [ ! -s /etc/munge/munge.key ]; then
    (umask 077; head -c 1024 /dev/urandom >/etc/munge/munge.key; chown munge:munge /etc/munge/munge.key)
  fi
  if ! munge -n </dev/null >/dev/null 2>&1; then
    setpriv --reuid=munge --regid=munge --clear-groups /usr/sbin/munged || return
    ln -s /run/munge/munged.pid "$folder/log/munged.pid"
  fi
}

# Prints the lines that every slurm.conf has here; nodes, partitions and the scheduler's settings are the script's own.
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
ReturnToService=2
InactiveLimit=0
Waittime=0
SlurmdParameters=config_overrides
CONF
}

# Prints the lines of slurm.conf for a cluster whose jobs are recorded in a database.
accounting_conf() {
  cat <<CONF
SelectTypeParameters=CR_Core_Memory
KillWait=2
AccountingStorageType=accounting_storage/slurmdbd
AccountingStorageHost=127.0.0.1
AccountingStoragePort=7819
CONF
}

# Checks that this machine can record jobs, and starts munged and the database.
prepare_accounting() {
  local command
  [ "$(id -u)" = 0 ] || fail "only root can start Slurm's daemons"
  for command in slurmctld slurmd slurmdbd mariadbd munged; do
    command -v $command >/dev/null || fail "there is no $command (apt-get install slurm-wlm munge slurmdbd mariadb-server)"
  done
  prepare_slurm
  start_munge || fail "munged does not start"
  mkdir "$folder/db"
  chown mysql:mysql "$folder/db"
  setpriv --reuid=mysql --regid=mysql --clear-groups mariadb-install-db --no-defaults --datadir="$folder/db" --auth-root-authentication-method=normal >/dev/null 2>&1
  setpriv --reuid=mysql --regid=mysql --clear-groups mariadbd --no-defaults --datadir="$folder/db" --socket="$folder/db/socket" \
    --pid-file="$folder/db/pid" --port=7818 --bind-address=127.0.0.1 --innodb-lock-wait-timeout=900 >"$folder/db/log" 2>&1 &
  for _ in $(seq 60); do mariadb-admin --no-defaults --socket="$folder/db/socket" ping >/dev/null 2>&1 && break; sleep 1; done
  ln -s "$folder/db/pid" "$folder/log/mariadbd.pid"
  mariadb --no-defaults --socket="$folder/db/socket" -e "create database acct; create user slurm@127.0.0.1 identified by 'x'; grant all on acct.* to slurm@127.0.0.1; create user slurm@localhost identified by 'x'; grant all on acct.* to slurm@localhost"

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
}

# Starts slurmdbd and registers the cluster, once SLURM_CONF is written.
start_accounting() {
  slurmdbd || fail "slurmdbd does not start"
  for _ in $(seq 60); do sacctmgr -n list cluster >/dev/null 2>&1 && break; sleep 1; done
  sacctmgr -i add cluster sim >/dev/null 2>&1 || true
}

# list_jobs OPTION...: prints the listing of `sacct` that the readers of logs expect.
list_jobs() {
  local fields=JobID,JobIDRaw,JobName,User,Group,Account,QOS,Partition,State,ExitCode,Submit,Eligible,Start,End,Elapsed,ElapsedRaw,Suspended
  fields=$fields,Timelimit,TimelimitRaw,NNodes,NCPUS,ReqCPUS,AllocCPUS,ReqMem,MaxRSS,NTasks,ReqTRES,AllocTRES,Priority,NodeList
  sacct --parsable2 --allusers --starttime=now-1day --format="$fields" "$@"
}
