import { until } from '@vantage/shared/_support/until.js';
import { idPrefixes, newId } from '@vantage/shared/ids.js';
import type { Knex } from 'knex';
import type { Test } from 'tap';
import { publish } from '../../src/events/index.js';
import { AcknowledgeLinks } from '../../src/modules/alerts/links/acknowledge-links.js';
import { patientClock } from './patient-clock.js';
import { startReceiver } from './receiver.js';
import { createUserApi, SECRET_KEY, type Stack, startStack, type TestApi } from './stack.js';
import { insertMonitor } from './stored-monitor.js';

/** A control plane whose monitors are down, and a receiver that got a message about each of them. */
export interface AlertedStack {
  readonly api: TestApi;
  readonly db: Knex;
  readonly policyId: string;
  /** One for each name. */
  readonly alerts: readonly AlertOfStack[];
  /** Kinds of the messages that the receiver got. */
  kinds(): readonly string[];
  /** The messages that the receiver got. */
  messages(): readonly Readonly<Record<'kind' | 'link' | 'monitor_url' | 'by' | 'nodes' | 'group' | 'text', string>>[];
}

const shownFields = {
  link: '{{link}}',
  kind: '{{kind}}',
  monitor_url: '{{monitor_url}}',
  by: '{{alert.acknowledged_by}}',
  nodes: '{{alert.nodes}}',
  group: '{{monitor.group}}',
  text: '{{text}}',
};

export interface AlertOfStack {
  readonly id: string;
  readonly monitorId: string;
  readonly eventId: string;
  /** Path of the link in its message. */
  readonly link: string;
  /** Path of a link that a message of that age had. */
  linkOf(agoMs: number): string;
}

/** Starts one, whose monitors have these names; `shared`: a new account of a stack that runs instead. */
export async function startAlertedStack(
  t: Test,
  names: readonly string[] = ['Shop <b>'],
  shared?: { readonly stack: Stack; readonly email: string },
): Promise<AlertedStack> {
  const receiver = await startReceiver(t);
  const { api: administrator, controlPlane, database } = shared?.stack ?? (await startStack(t, {}, patientClock));
  const api = shared === undefined ? administrator : await createUserApi(controlPlane, shared.email, 'user');
  const { db } = database;
  await db('users').where({ id: api.userId }).update({ email_verified_at: new Date() });
  const channel = await api.call('POST', '/v1/alert-channels', {
    body: {
      name: 'Hook',
      type: 'webhook',
      use: 'none',
      config: { url: `${receiver.url}/`, body: JSON.stringify(shownFields) },
    },
  });
  const channelId: string = channel.body.data.id;
  const [first, ...others] = await Promise.all(
    names.map((name) => insertMonitor(db, [], { owner_id: api.userId, name })),
  );
  const policy = await api.call('POST', '/v1/alert-policies', {
    body: { name: 'Shop', monitor_id: first?.id, channel_ids: [channelId] },
  });
  const policyId: string = policy.body.data.id;
  for (const { id } of others) await db('monitors').where({ id }).update({ alert_policy_id: policyId });
  const alerts: AlertOfStack[] = [];
  for (const [index, monitorId] of [first, ...others].map((monitor) => monitor?.id ?? '').entries()) {
    const eventId = await goDown(db, { monitorId, name: names[index] ?? '', ownerId: api.userId });
    await until('the message', () => receiver.requests.length === index + 1);
    const { id } = await db('alerts').where({ monitor_id: monitorId }).first();
    const { link } = JSON.parse(receiver.requests[index]?.body ?? '');
    const linkOf = (agoMs: number) => {
      const clock = { now: () => Date.now() - agoMs } as never;
      const links = new AcknowledgeLinks({ secretKey: Buffer.from(SECRET_KEY, 'base64'), publicUrl: api.url, clock });
      return new URL(links.url(id, { id: channelId, recipient: null })).pathname;
    };
    alerts.push({ id, monitorId, eventId, link: new URL(link).pathname, linkOf });
  }
  const messages = () => receiver.requests.map((request) => JSON.parse(request.body));
  const kinds = () => messages().map(({ kind }) => kind);
  return { api, db, policyId, alerts, kinds, messages };
}

async function goDown(
  db: Knex,
  { monitorId, name, ownerId }: { readonly monitorId: string; readonly name: string; readonly ownerId: string },
): Promise<string> {
  const id = newId(idPrefixes.monitorEvent);
  const startedAt = new Date();
  await db('monitor_events').insert({ id, monitor_id: monitorId, type: 'down', started_at: startedAt });
  const event = {
    id,
    type: 'down' as const,
    started_at: startedAt.toISOString(),
    ended_at: null,
    resolved_at: null,
    affected_nodes: [],
    reason: 'tcp_refused',
  };
  const monitor = { id: monitorId, name, type: 'tcp', target: '127.0.0.1:9' };
  await db.transaction((trx) =>
    publish(trx, {
      kind: 'monitor.down',
      ownerId,
      isTest: false,
      subject: monitorId,
      payload: { monitor, event, is_flapping: false },
    }),
  );
  return id;
}
