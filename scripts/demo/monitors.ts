import type { ApiClient } from 'vantage-control/client/api-client.js';
import { Progress } from 'vantage-control/client/progress.js';
import type { Breakable } from './breakable.js';
import { DOMAIN, HOST, type Servers } from './servers.js';

// A few monitors, checked by all three agents, and what happens when the shop breaks:
//
//   made ──> up ──the shop answers 503──> down, an event ──it is mended──> up, the event ends

/** A monitor as the demo shows it. */
export interface DemoMonitor {
  readonly id: string;
  readonly name: string;
  readonly type: string;
  readonly target: string;
  readonly current_status: string;
  readonly interval_s: number;
}

/** An event as the demo shows it. */
export interface DemoEvent {
  readonly monitor: string;
  readonly type: string;
  readonly started_at: string;
  readonly ended_at: string | null;
  readonly reason: string | null;
}

/** What the part of the demo about monitors came to. */
export interface MonitorsShown {
  readonly monitors: readonly DemoMonitor[];
  readonly events: readonly DemoEvent[];
}

interface ShowOptions {
  readonly client: ApiClient;
  readonly servers: Servers;
  readonly shop: Breakable;
  /** Told of what happens, a line each, as it happens. */
  readonly say: (line: string) => void;
}

/** Everything has to happen within this: checks come every ten seconds. */
const PATIENCE_MS = 180_000;
const LOOK_MS = 250;

/** Makes monitors, breaks the shop and mends it, and tells what comes of it. @throws Error when it does not come */
export async function showMonitors({ client, servers, shop, say }: ShowOptions): Promise<MonitorsShown> {
  const progress = new Progress(process.stderr);
  progress.show('making monitors…');
  const made = await Promise.all(
    bodies(servers, shop).map((body) => client.call<DemoMonitor>('POST', '/v1/monitors', body)),
  );
  const ids = made.map(({ id }) => id);
  const [shopId = ''] = ids;
  const read = () => Promise.all(ids.map((id) => client.call<DemoMonitor>('GET', `/v1/monitors/${id}`)));
  const eventsOf = async () =>
    (await client.call<{ items: DemoEvent[] }>('GET', `/v1/monitors/${shopId}/events`)).items;
  const becomes = async (what: string, isSo: (monitors: readonly DemoMonitor[]) => boolean) => {
    let now = what;
    const look = async () => {
      const monitors = await read();
      now = `${what}: ${monitors.map(({ name, current_status }) => `${name} ${current_status}`).join(', ')}`;
      progress.show(now);
      return isSo(monitors);
    };
    await waitFor(look, () => now);
  };
  await becomes('waiting for the first checks', (all) => all.every(({ current_status }) => current_status === 'up'));
  progress.clear();
  for (const { name, type, target } of made) say(`up    ${name}: ${type} ${target}`);
  shop.break();
  say('The shop answers 503 from now on.');
  await becomes('waiting for its nodes to notice', ([first]) => first?.current_status === 'down');
  progress.clear();
  for (const event of await eventsOf()) say(`DOWN  Shop, since ${timeOf(event.started_at)}: ${event.reason}`);
  shop.mend();
  say('It is mended.');
  await becomes('waiting for its nodes to notice', ([first]) => first?.current_status === 'up');
  progress.clear();
  const events = (await eventsOf()).map((event) => ({ ...event, monitor: 'Shop' }));
  for (const { started_at, ended_at } of events)
    say(`up    Shop, after ${secondsBetween(started_at, ended_at)} s; both were mailed to its owner`);
  return { monitors: await read(), events };
}

function bodies({ ports }: Servers, shop: Breakable): object[] {
  const often = { interval_s: 10, trigger_rule: { consecutive_fail: 1 } };
  const stocked = { type: 'json_path', path: '$.items', op: 'gt', value: 0 };
  return [
    { name: 'Shop', type: 'http', target: shop.url, config: { assertions: [stocked] }, ...often },
    { name: 'Greeter', type: 'tcp', target: `${HOST}:${ports.greeter}`, ...often },
    { name: 'Loopback', type: 'ping', target: HOST, ...often },
    { name: 'Certificate', type: 'ssl_expiry', target: `${HOST}:${ports.web}` },
    { name: DOMAIN, type: 'https', target: `https://${HOST}:${ports.web}/`, config: { verify_tls: false }, ...often },
  ];
}

async function waitFor(isSo: () => Promise<boolean>, what: () => string): Promise<void> {
  const deadline = performance.now() + PATIENCE_MS;
  while (!(await isSo())) {
    if (performance.now() > deadline) throw new Error(`not within ${PATIENCE_MS / 1_000} s: ${what()}`);
    await new Promise((resolve) => setTimeout(resolve, LOOK_MS));
  }
}

function timeOf(at: string): string {
  return at.slice(11, 19);
}

function secondsBetween(from: string, to: string | null): number {
  return Math.round((Date.parse(to ?? from) - Date.parse(from)) / 1_000);
}
