// A plan of context switches: its VMs are the jobs, its actions the stays. Each action has a row of its node for itself.

const VERBS = {
  migrate: (from, to) => `migrates from ${from} to ${to}`,
  suspend: (from) => `is suspended to the disk of ${from}`,
  resume: (from, to) => `is resumed on ${to}${from && from !== to ? `, from its image on ${from}` : ""}`,
  run: (from, to) => `is started on ${to}`,
  stop: (from, to) => `is stopped on ${from ?? to}`,
  doze: (from) => `is suspended to the memory of ${from}`,
  wake: (from, to) => `is resumed on ${to}, from the memory of ${from ?? to}`,
  boot: () => "is switched on",
  shutdown: () => "is switched off",
};

// What an action does, in words.
function deed({ plan }, { kind, from, to }) {
  const [source, destination] = [from, to].map((lane) => (lane === null ? null : plan.lanes[lane]));
  const name = plan.kinds[kind];
  const places = [source && ` from ${source}`, destination && ` to ${destination}`].filter(Boolean).join("");
  return Object.hasOwn(VERBS, name) ? VERBS[name](source, destination) : `${name}${places}`;
}

// What is known of a VM, or of a node that is switched: a title, facts, and its actions with their moments.
function lifeOfVm(schedule, one) {
  const { head, stay } = schedule;
  const { plan } = head;
  const unit = head.unit_us / 1e6;
  const isVm = one < plan.vms;
  const say = momentsOf(head);
  const events = [];
  let total = 0;
  for (const each of staysOf(schedule, one)) {
    const action = plan.actions[each];
    const [begin, end] = [stay.from[each] * unit, stay.to[each] * unit];
    const more = isVm ? `, cost ${action.cost} MB, pool ${action.pool + 1}` : "";
    events.push({ time: stay.from[each], text: `${deed(head, action)}, until ${say(end, 3)} (${span(end - begin)})${more}` });
    total += action.cost;
  }
  const facts = [counted(events.length, "action")];
  if (isVm && plan.vjobs[one]) facts.unshift(`vjob ${plan.vjobs[one]}`);
  if (isVm) facts.push(`cost ${total} MB`);
  return { title: `${isVm ? "VM" : "Node"} ${plan.names[one]}`, facts, events };
}

// The VM whose actions cost most.
function costliest({ head: { plan }, stay }) {
  const costs = new Float64Array(plan.names.length);
  for (const [place, { cost }] of plan.actions.entries()) costs[stay.job[place]] += cost;
  return costs.indexOf(Math.max(...costs));
}

// How many actions are in progress.
function sumsOfActions({ stay }) {
  const times = [...stay.from, ...stay.to];
  const changes = times.map((_, place) => (place < stay.from.length ? 1 : -1));
  return { actions: new Steps(times, changes, orderOf(times)) };
}
