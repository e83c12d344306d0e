import type { ApiClient } from 'vantage-control/client/api-client.js';
import { reasonText } from 'vantage-control/client/monitors-text.js';
import type { AlertReceivers, AlertsShown } from './alerts.js';
import type { Breakable } from './breakable.js';
import { HOST, WEB_DOMAIN } from './names.js';
import { demoProgress } from './output.js';
import type { Servers } from './servers.js';

// A few monitors, checked by all three agents; a failure of the shop; and a job that stops checking in:
//
//   made ──> up ──the shop answers 503──> down, an event, an alert ──acknowledged, mended──> up, both end
//   the job checks in ──> up ──30 s of silence──> down, an event ──it checks in──> up, the event ends

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
  readonly id: string;
  readonly monitor: string;
  readonly type: string;
  readonly started_at: string;
  readonly ended_at: string | null;
  readonly reason: string | null;
}

/** Monitors and events that the demo produced. */
export interface MonitorsShown {
  readonly monitors: readonly DemoMonitor[];
  readonly events: readonly DemoEvent[];
  readonly alerts: AlertsShown;
  /** URL at which the job checks in. */
  readonly checkInUrl: string;
  /** Prints further events as they come, until the promise is resolved. */
  printUntil(over: Promise<unknown>): Promise<void>;
}

interface ShowOptions {
  readonly client: ApiClient;
  readonly servers: Servers;
  readonly shop: Breakable;
  readonly receivers: AlertReceivers;
  /** Called with a line for each event as it happens. */
  readonly say: (line: string) => void;
}

/** Time within which everything has to happen: checks come every ten seconds. */
const PATIENCE_MS = 180_000;
const LOOK_MS = 250;

/**
 * Creates monitors, lets the job check in once, breaks the shop and repairs it, and prints the resulting events and alerts.
 * @throws Error when they do not come
 */
export async function showMonitors({ client, servers, shop, receivers, say }: ShowOptions): Promise<MonitorsShown> {
  const progress = demoProgress();
  progress.show('creating monitors');
  const create = (body: object) => client.call<DemoMonitor>('POST', '/v1/monitors', body);
  const { items: pinging } = await client.call<{ items: object[] }>('GET', '/v1/nodes?capability=icmp_echo');
  // without root, a kernel may let no one ping (net.ipv4.ping_group_range)
  if (pinging.length === 0) say('No ping monitor: this user may not send ICMP echo requests here.');
  const made = await Promise.all(bodies(servers, shop, pinging.length > 0).map(create));
  const backup = (await create(job)) as DemoMonitor & { readonly heartbeat: { readonly url: string } };
  const monitors = [...made, backup];
  const shopId = (made[0] as DemoMonitor).id;
  await receivers.connect(client, shopId);
  let checkedInMs = 0;
  const checkIn = async () => {
    await fetch(backup.heartbeat.url, { method: 'POST' });
    checkedInMs = performance.now();
  };
  const printer = new EventPrinter(client, monitors, (line) => {
    progress.clear();
    say(line);
  });
  const read = () => Promise.all(monitors.map(({ id }) => client.call<DemoMonitor>('GET', `/v1/monitors/${id}`)));
  type IsSo = (monitors: readonly DemoMonitor[]) => boolean | Promise<boolean>;
  const becomes = async (what: string, isSo: IsSo, withinMs = PATIENCE_MS) => {
    const endMs = performance.now() + withinMs;
    let now = what;
    const look = async () => {
      const found = await read();
      now = `${what}: ${found.map(({ name, current_status }) => `${name} ${current_status}`).join(', ')}`;
      await printer.look();
      const leftMs = endMs - performance.now();
      progress.show(what, leftMs > 0 ? `at most ${Math.ceil(leftMs / 1_000)} s more` : 'any moment');
      return isSo(found);
    };
    await waitFor(look, () => now);
    progress.clear();
  };
  const sent = async (count: number) => {
    const what = 'waiting for the message';
    await waitFor(
      async () => receivers.messages.length >= count,
      () => what,
    );
    say(`sent  Telegram: ${oneLine(receivers.messages[count - 1]?.text ?? '')}`);
  };
  const is = (name: string, status: string) => (found: readonly DemoMonitor[]) =>
    found.some((monitor) => monitor.name === name && monitor.current_status === status);
  await checkIn();
  await becomes('waiting for the first checks', async (all) => {
    // on a slow machine, the first checks take longer than the job may be silent
    if (is('Backup', 'down')(all)) await checkIn();
    return all.every(({ current_status }) => current_status === 'up');
  });
  for (const { name, type, target } of made) say(`up    ${name}: ${type} ${target}`);
  say(`up    Backup: heartbeat, a job that has checked in and must do so every ${job.config.interval_s} s`);
  shop.break();
  say('From now on, the shop responds with 503, and the backup job does not run.');
  await becomes('waiting for the nodes to notice', is('Shop', 'down'));
  await sent(1);
  await receivers.acknowledge();
  const { acknowledged_by } = await receivers.alertOf(client, shopId);
  say(`The link in the message was opened, and its button pressed: acknowledged by ${acknowledged_by}.`);
  await sent(2);
  shop.mend();
  say('The shop works again.');
  await becomes('waiting for the nodes to notice', is('Shop', 'up'));
  await sent(3);
  const silenceMs = job.config.interval_s * 1_000 - (performance.now() - checkedInMs);
  await becomes('waiting for the backup job to be late', is('Backup', 'down'), silenceMs);
  await checkIn();
  say('The backup job checks in again.');
  await becomes('waiting for the state to change', is('Backup', 'up'));
  await waitFor(
    async () => receivers.webhooks.includes('alert.resolved'),
    () => 'waiting for the webhook of the end',
  );
  say(`hook  ${receivers.webhooks.join(', ')}: each signature verified`);
  say('The owner is notified of the other monitors by mail, by the default policy of the account.');
  const alerts = { messages: receivers.messages, acknowledged_by, webhooks: receivers.webhooks };
  const shown = { monitors: await read(), events: await printer.look(), alerts, checkInUrl: backup.heartbeat.url };
  return { ...shown, printUntil: (over) => printUntil(printer, over) };
}

/** Prints events, once when they begin and once when they end. */
class EventPrinter {
  readonly #printed = new Set<string>();

  constructor(
    private readonly client: ApiClient,
    private readonly monitors: readonly DemoMonitor[],
    private readonly say: (line: string) => void,
  ) {}

  /** Prints new events. @returns all events, in the order in which they began */
  async look(): Promise<DemoEvent[]> {
    const all = await Promise.all(this.monitors.map((monitor) => this.#eventsOf(monitor)));
    const events = all.flat().sort((a, b) => a.started_at.localeCompare(b.started_at));
    for (const { id, monitor, started_at, ended_at, reason } of events) {
      this.#once(`${id} began`, `DOWN  ${monitor}, since ${timeOf(started_at)}: ${reasonText(reason ?? '')}`);
      if (ended_at !== null)
        this.#once(`${id} ended`, `up    ${monitor}, after ${secondsBetween(started_at, ended_at)} s`);
    }
    return events;
  }

  async #eventsOf({ id, name }: DemoMonitor): Promise<DemoEvent[]> {
    const { items } = await this.client.call<{ items: DemoEvent[] }>('GET', `/v1/monitors/${id}/events`);
    return items.map((event) => ({ ...event, monitor: name }));
  }

  #once(what: string, line: string): void {
    if (this.#printed.has(what)) return;
    this.#printed.add(what);
    this.say(line);
  }
}

async function printUntil(printer: EventPrinter, over: Promise<unknown>): Promise<void> {
  let isOver = false;
  const ended = over.then(() => {
    isOver = true;
  });
  while (!isOver) {
    // the control plane may end a moment before this demo
    await printer.look().catch(() => {});
    await Promise.race([ended, new Promise((resolve) => setTimeout(resolve, 4 * LOOK_MS))]);
  }
}

/** The shortest interval there is, so that the demo is short. */
const job = { name: 'Backup', type: 'heartbeat', config: { interval_s: 30, grace_s: 0 } };

function bodies({ ports }: Servers, shop: Breakable, canPing: boolean): object[] {
  const often = { interval_s: 10, trigger_rule: { consecutive_fail: 1 } };
  const stocked = { type: 'json_path', path: '$.items', op: 'gt', value: 0 };
  return [
    { name: 'Shop', type: 'http', target: shop.url, config: { assertions: [stocked] }, ...often },
    { name: 'Greeter', type: 'tcp', target: `${HOST}:${ports.greeter}`, ...often },
    ...(canPing ? [{ name: 'Loopback', type: 'ping', target: HOST, ...often }] : []),
    { name: 'Certificate', type: 'ssl_expiry', target: `${HOST}:${ports.web}` },
    {
      name: WEB_DOMAIN,
      type: 'https',
      target: `https://${HOST}:${ports.web}/`,
      config: { verify_tls: false },
      ...often,
    },
  ];
}

async function waitFor(isSo: () => Promise<boolean>, what: () => string): Promise<void> {
  const deadline = performance.now() + PATIENCE_MS;
  while (!(await isSo())) {
    if (performance.now() > deadline) throw new Error(`not within ${PATIENCE_MS / 1_000} s: ${what()}`);
    await new Promise((resolve) => setTimeout(resolve, LOOK_MS));
  }
}

function oneLine(text: string): string {
  return text.split('\n').find((line) => line.trim() !== '') ?? '';
}

function timeOf(at: string): string {
  return at.slice(11, 19);
}

function secondsBetween(from: string, to: string): number {
  return Math.round((Date.parse(to) - Date.parse(from)) / 1_000);
}
