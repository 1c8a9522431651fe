#!/bin/sh
# One job at a time, in the order of arrival, on the nodes from 0 on. Notes each of its runs beside itself.
echo run >>"$0.runs"
queue='' busy=''
while read -r line; do
  case $line in
    *'"begin"'*) echo '{}'; continue ;;
    *'"end"'*) exit ;;
    *'"completed":[]'*) ;;
    *) busy='' ;;
  esac
  queue="$queue $(printf '%s\n' "$line" | grep -o '"job":[0-9]*,"id":[0-9]*,"submit":[0-9.]*,"tasks":[0-9]*' |
    sed 's/"job":\([0-9]*\).*"tasks":\([0-9]*\)/\1:\2/')"
  # shellcheck disable=SC2086
  set -- $queue
  if [ -z "$busy" ] && [ $# -gt 0 ]; then
    busy=${1%:*} tasks=${1#*:}
    shift
    queue=$*
    echo "{\"changes\":[{\"do\":\"start\",\"job\":$busy,\"nodes\":\"0-$((tasks - 1))\"}]}"
  else
    echo '{}'
  fi
done
