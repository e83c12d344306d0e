import { execFile } from 'node:child_process';
import { setTimeout as pause } from 'node:timers/promises';
import { promisify } from 'node:util';
import { lastingPort } from '@vantage/shared/_support/lasting-port.js';
import { skipFileWithout } from '@vantage/shared/_support/skip-file.js';
import { until } from '@vantage/shared/_support/until.js';
import t, { type Test } from 'tap';
import { BreakableSite } from './_support/breakable-site.js';
import { aHeartbeat, read } from './_support/heartbeats.js';
import { isInOwnNetwork, runInOwnNetwork } from './_support/own-network.js';
import { type LedAgent, leadTo, startDuo } from './_support/replica-duo.js';
import { makeSiteCertificates } from './_support/site-certificates.js';
import { type EventType, faultsOf, patient } from './_support/site-faults.js';
import type { TestApi } from './_support/stack.js';
import { temporaryDirectory } from './_support/temporary-directory.js';
import { checksByNode, turnsIn } from './_support/verdict-turns.js';

// The main functions of monitors, as users have them: two control planes, four agents, targets that break in every way,
// and the outcome in the API: events, alerts.
//
//   up -> all break -> a control plane dies -> all mended -> one agent has no link: another fault, a job that falls silent -> it is back

const PATIENCE_MS = 180_000;
const INTERVAL_S = 10;
const NODES = 4;
/** Number of nodes that decide: two thirds of four, rounded up, are three; two with the opposite verdict are enough. */
const QUORUM = { failing: 3, well: 2 };

interface Watched {
  readonly id: string;
  readonly name: string;
  readonly interval_s: number;
  readonly current_status: string;
  readonly in_maintenance: boolean;
  readonly assigned_node_ids: readonly string[];
}

interface Event {
  readonly type: EventType;
  readonly started_at: string;
  readonly ended_at: string | null;
  readonly affected_nodes: readonly string[];
  readonly reason: string | null;
}

async function make(api: TestApi, name: string, body: object): Promise<Watched> {
  const rule = { interval_s: INTERVAL_S, node_count: NODES, trigger_rule: { consecutive_fail: 1 } };
  const made = await api.call('POST', '/v1/monitors', { body: { name, ...rule, ...body } });
  if (made.status !== 201) throw new Error(JSON.stringify(made.body));
  return made.body.data;
}

async function eventsOf(api: TestApi, { id }: Pick<Watched, 'id'>): Promise<Event[]> {
  return (await api.call('GET', `/v1/monitors/${id}/events`)).body.data.items;
}

/** Polls a few times a second: machines that run this are busy enough. */
async function eventually(what: string, isSo: () => Promise<boolean>): Promise<void> {
  const look = async () => (await isSo()) || (await pause(250, false));
  await until(what, look, PATIENCE_MS);
}

/** Waits until each of these monitors has a status. */
async function allBecome(api: TestApi, wanted: ReadonlyMap<string, string>): Promise<void> {
  let others = '';
  const look = async () => {
    const { items } = (await api.call('GET', '/v1/monitors?page_size=100')).body.data as { items: Watched[] };
    const not = items.filter(({ name, current_status: is }) => (wanted.get(name) ?? is) !== is);
    others = not.map(({ name, current_status }) => `${name} ${current_status}`).join(', ');
    return not.length === 0;
  };
  await eventually('monitors to reach their status', look).catch((error: Error) => {
    throw new Error(`${error.message}: ${others}`);
  });
}

/**
 * Waits until the newest check of each of these nodes failed: a later one would be of a fault that is repaired by then,
 * and open another event.
 */
async function allSee(api: TestApi, monitors: readonly Watched[], nodes: readonly LedAgent[]): Promise<void> {
  await eventually('every node to see it', async () => {
    const all = await Promise.all(monitors.map((one) => checksByNode(api, one)));
    return all.every((checks) => nodes.every(({ agent }) => checks.get(agent.nodeId)?.at(-1)?.isBad));
  });
}

/**
 * Checks that an event began and ended at checks by which nodes changed their verdicts, and not before the required
 * number of them did.
 */
async function isDecidedByChecks(
  t: Test,
  api: TestApi,
  { monitor, event, deciding }: { monitor: Watched; event: Event; deciding: { failing: number; well: number } },
): Promise<void> {
  const [startMs, endMs] = [Date.parse(event.started_at), Date.parse(event.ended_at ?? '')];
  const turns = turnsIn(await checksByNode(api, monitor));
  // not those of an earlier fault
  const bad = turns.filter(
    ({ isBad, slotMs }) => isBad && slotMs <= endMs && slotMs > startMs - 2_000 * monitor.interval_s,
  );
  const good = turns.filter(({ isBad, slotMs }) => !isBad && slotMs > startMs);
  const rankOf = (among: typeof turns, atMs: number) => among.findIndex(({ slotMs }) => slotMs === atMs) + 1;
  // a check that arrived out of order may have been decided by a later one
  t.ok(rankOf(bad, startMs) >= deciding.failing, `${monitor.name} began at the check that decided`);
  t.ok(rankOf(good, endMs) >= deciding.well, `${monitor.name} ended at the check that decided`);
}

/** Type and monitor of every alert that is resolved, sorted. */
async function resolvedAlerts(api: TestApi): Promise<string[]> {
  const { items } = (await api.call('GET', '/v1/alert-events?status=resolved&page_size=200')).body.data;
  const shown = (items as { type: string; metadata: { monitor: { name: string } } }[]).map(
    ({ type, metadata }) => `${type}: ${metadata.monitor.name}`,
  );
  return shown.sort();
}

const curl = async (...args: readonly string[]) => (await promisify(execFile)('curl', ['-fsS', ...args])).stdout;

async function scenario(t: Test): Promise<void> {
  const certificates = makeSiteCertificates(temporaryDirectory(t));
  const site = await BreakableSite.start(t, { certificate: certificates.good, gatePort: await lastingPort() });
  const duo = await startDuo(t, { NODE_EXTRA_CA_CERTS: certificates.authorityFile });
  const [first, second] = duo.apis;
  const faults = faultsOf(site, certificates);
  const expectedAlerts: string[] = [];
  const expectAlert = (name: string, how = 'down') => void expectedAlerts.push(`${how}: ${name}`);

  const monitors = new Map<string, Watched>();
  for (const { name, body } of faults) monitors.set(name, await make(first, name, body));
  for (const [name, path] of [
    ['Quiet', '/quiet'],
    ['Planned', '/planned'],
    ['Forgotten', '/forgotten'],
  ] as const)
    monitors.set(name, await make(second, name, { type: 'http', target: site.page(path), config: patient }));
  const monitor = (name: string) => monitors.get(name) as Watched;
  const every = (names: Iterable<string>, is: string) => new Map([...names].map((name) => [name, is]));

  await t.test('all are up, each checked by four nodes', async (t) => {
    await allBecome(second, every(monitors.keys(), 'up'));
    await eventually('a check of every node', async () => {
      const all = await Promise.all([...monitors.values()].map((one) => checksByNode(second, one)));
      return all.every(({ size }) => size === NODES);
    });
    t.equal(new Set([...monitors.values()].flatMap(({ assigned_node_ids }) => assigned_node_ids)).size, NODES);
  });

  const now = Date.now();
  const window = await first.call('POST', '/v1/maintenance-windows', {
    body: {
      scope_type: 'monitor',
      scope_ids: [monitor('Planned').id, monitor('Forgotten').id],
      starts_at: new Date(now).toISOString(),
      ends_at: new Date(now + 3_600_000).toISOString(),
    },
  });

  await t.test('every fault is noticed, and none within a maintenance window opens an event', async (t) => {
    t.equal(window.status, 201, JSON.stringify(window.body));
    for (const fault of faults) await fault.breakIt();
    for (const path of ['/planned', '/forgotten']) site.set(path, { status: 500 });
    const broken = new Map(faults.map(({ name, event }) => [name, event as string]));
    await allBecome(second, new Map([...broken, ...every(['Planned', 'Forgotten'], 'down'), ['Quiet', 'up']]));
    await allSee(
      second,
      [...faults, { name: 'Forgotten' }, { name: 'Planned' }].map(({ name }) => monitor(name)),
      duo.agents,
    );
    for (const { name, event, reason } of faults) {
      const found = await eventsOf(second, monitor(name));
      t.match(found, [{ type: event, ended_at: null, reason }], name);
      t.equal(found.length, 1, name);
      expectAlert(name, event);
    }
    for (const name of ['Planned', 'Forgotten']) {
      t.same(await eventsOf(second, monitor(name)), [], name);
      t.equal((await read(second, monitor(name).id)).in_maintenance, true, name);
    }
  });

  await t.test('a control plane is killed: the other one continues, and every event ends', async (t) => {
    await duo.servers[0].program.kill();
    await Promise.all(duo.agents.slice(0, 2).map((led) => leadTo(duo, led, second.url)));
    for (const { name } of faults) t.match(await eventsOf(second, monitor(name)), [{ ended_at: null }], name);
    for (const fault of faults) await fault.mend();
    site.set('/planned');
    await allBecome(second, new Map([...every(monitors.keys(), 'up'), ['Forgotten', 'down']]));
    for (const { name } of faults) {
      const [event] = await eventsOf(second, monitor(name));
      if (event === undefined) throw new Error(`${name} has no event`);
      await isDecidedByChecks(t, second, { monitor: monitor(name), event, deciding: QUORUM });
    }
  });

  await t.test(
    'a monitor that is still down when the window ends opens an event that begins at that time',
    async (t) => {
      const endsAt = new Date(Date.now() + 4_000).toISOString();
      const path = `/v1/maintenance-windows/${window.body.data.id}`;
      const changed = await second.call('PATCH', path, { body: { ends_at: endsAt } });
      t.equal(changed.status, 200, JSON.stringify(changed.body));
      await eventually('the event', async () => (await eventsOf(second, monitor('Forgotten'))).length === 1);
      t.match(await eventsOf(second, monitor('Forgotten')), [{ type: 'down', started_at: endsAt, reason: /500/ }]);
      site.set('/forgotten');
      await allBecome(second, every(monitors.keys(), 'up'));
      expectAlert('Forgotten');
      t.same(await eventsOf(second, monitor('Planned')), [], 'a monitor repaired within the window has no event');
    },
  );

  const lonely = duo.agents[3] as LedAgent;
  const cutMs = Date.now();
  await t.test(
    'one agent without a link takes nothing down, and does not keep faults from being noticed',
    async (t) => {
      duo.balancer.cutFrom(lonely.address);
      site.show(certificates.foreign);
      await allBecome(second, new Map([...every(monitors.keys(), 'up'), ['Secure', 'down']]));
      const [event] = await eventsOf(second, monitor('Secure'));
      t.match(event, { type: 'down', ended_at: null, reason: /tls_name_mismatch/ });
      t.notOk(event?.affected_nodes.includes(lonely.agent.nodeId));
      expectAlert('Secure');
      await allSee(second, [monitor('Secure')], duo.agents.slice(0, 3));
      site.show(certificates.good);
      await allBecome(second, every(monitors.keys(), 'up'));
    },
  );

  await t.test('a job checks in by curl: start, success, failure, silence', async (t) => {
    const config = { interval_s: 30, grace_s: 0 };
    const { id, heartbeat } = await aHeartbeat(second, { name: 'Backup', config });
    const state = async () => (await read(second, id)).heartbeat.state;
    const becomes = (wanted: string) =>
      eventually(wanted, async () => (await read(second, id)).current_status === wanted);
    t.equal(await curl(`${heartbeat.url}/start`), 'OK');
    t.equal(await state(), 'started');
    t.equal(await curl(heartbeat.url), 'OK');
    await becomes('up');
    t.equal(await curl(`${heartbeat.url}/fail`), 'OK');
    await becomes('down');
    t.equal(await curl('--data-raw', 'three files', heartbeat.url), 'OK');
    await becomes('up');
    const { last_ping_at } = (await read(second, id)).heartbeat;
    await becomes('down');
    const silent = new Date(Date.parse(last_ping_at) + 30_000).toISOString();
    t.equal(await curl(heartbeat.url), 'OK');
    await becomes('up');
    const endedAt = (await read(second, id)).heartbeat.last_ping_at;
    t.match(await eventsOf(second, { id }), [
      { type: 'down', started_at: silent, ended_at: endedAt, reason: /no ping came/ },
      { type: 'down', ended_at: last_ping_at, reason: /reported a failure/ },
    ]);
    expectAlert('Backup');
    expectAlert('Backup');
    // nothing runs the job from here on, and the agent may take half a minute to come back
    t.equal((await second.call('POST', `/v1/monitors/${id}/pause`)).status, 200);
  });

  await t.test(
    'when the agent is back, its observations become history, each slot once, without an event',
    async (t) => {
      t.ok((await lonely.agent.status()).agent?.spool.rows, 'it continued to check');
      await leadTo(duo, lonely, second.url);
      for (const one of monitors.values()) {
        const slots = (await checksByNode(second, one)).get(lonely.agent.nodeId)?.map(({ slotMs }) => slotMs) ?? [];
        const gone = slots.filter((slotMs) => slotMs > cutMs);
        t.ok(gone.length >= 30 / one.interval_s, `${one.name}: ${gone.length} checks without a link`);
        t.equal(new Set(slots).size, slots.length, `${one.name}: each slot once`);
      }
      await allBecome(second, every(monitors.keys(), 'up'));
      const [event] = await eventsOf(second, monitor('Secure'));
      if (event === undefined) throw new Error('no event exists');
      await isDecidedByChecks(t, second, { monitor: monitor('Secure'), event, deciding: { failing: 2, well: 1 } });
    },
  );

  await t.test('each fault has exactly one event, and each event one alert', async (t) => {
    const counts = new Map([...every(monitors.keys(), '1'), ['Secure', '2'], ['Quiet', '0'], ['Planned', '0']]);
    for (const [name, count] of counts) {
      const events = await eventsOf(second, monitor(name));
      t.equal(events.length, Number(count), name);
      t.ok(
        events.every(({ ended_at }) => ended_at !== null),
        `${name}: none is open`,
      );
    }
    await until('every alert', async () => (await resolvedAlerts(second)).length >= expectedAlerts.length);
    t.strictSame(await resolvedAlerts(second), expectedAlerts.sort());
  });
}

if (!isInOwnNetwork) skipFileWithout('permission to create networks', 'permission to mount', 'ip', 'curl', 'openssl');
if (isInOwnNetwork)
  t.test(
    'two control planes, four agents and targets that break in every way: exactly one event for each fault',
    scenario,
  );
else runInOwnNetwork(import.meta.url);
