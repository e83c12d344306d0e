import { compileSchema } from '@vantage/shared/validation.js';
import t from 'tap';
import { webhookEventKinds } from '../../../events/index.js';
import { webhookKindNames } from './index.js';
import {
  bodyExample,
  bodyOf,
  bodySchema,
  checkedData,
  fullDataOf,
  payloadForms,
  WebhookPayloadError,
} from './payload.js';
import { testData } from './webhook-test.js';

const context = { publicUrl: 'http://localhost:8080' };
const at = new Date('2026-11-21T09:16:02.000Z');

t.test('every kind of event has a webhook, whose example is made from an event of that kind', async (t) => {
  for (const kind of Object.keys(webhookEventKinds) as (keyof typeof webhookEventKinds)[]) {
    const { webhook } = webhookEventKinds[kind];
    const payload = webhook.eventExample as never;
    t.ok(compileSchema(webhookEventKinds[kind].payload)(structuredClone(payload)).ok, `${kind}: the event`);
    const event = { kind, id: 'evt_1', sequence: 1, at, ownerId: 'u_1', isTest: false, subject: 'm_1', payload };
    t.same(fullDataOf(event, context), webhook.example, kind);
  }
});

t.test('examples of every kind fit the schema of their form', async (t) => {
  for (const kind of webhookKindNames)
    for (const form of payloadForms) {
      const checked = compileSchema(bodySchema(kind, form))(bodyExample(kind, form));
      t.ok(checked.ok, `${kind}, ${form}: ${JSON.stringify(checked)}`);
    }
});

t.test('the thin form has ids alone', async (t) => {
  for (const kind of webhookKindNames) {
    const { data } = bodyExample(kind, 'thin') as { data: Record<string, string> };
    t.ok(
      Object.keys(data).every((name) => name.endsWith('_id')),
      kind,
    );
    t.ok(
      Object.values(data).every((id) => /^[a-z]+_\w{22}$/.test(id)),
      kind,
    );
  }
});

t.test('a body of the largest event stays below 20 kB, and says that it is cut', async (t) => {
  const long = (length: number) => '🙂'.repeat(length);
  const monitor = {
    id: 'm_1FZ3ybQXhhsV3cDKtVoMjX',
    name: long(100),
    type: 'https',
    target: 'あ'.repeat(2_048),
    tags: Array.from({ length: 50 }, () => long(32)),
    group_id: 'mgr_1FZ3ybQXhhsV3cDKtVoMjX',
  };
  const period = {
    id: 'mev_1FZ3ybQXhhsV3cDKtVoMjX',
    type: 'down' as const,
    started_at: at.toISOString(),
    ended_at: null,
    resolved_at: null,
    affected_nodes: Array.from({ length: 1_000 }, () => 'n_1FZ3ybQXhhsV3cDKtVoMjX'),
    reason: `\0${'x'.repeat(498)}${long(50_000)}`,
  };
  const payload = { monitor, event: period, is_flapping: false };
  const event = {
    kind: 'monitor.down',
    id: 'evt_1',
    sequence: 1,
    at,
    ownerId: 'u_1',
    isTest: false,
    subject: 'm_1',
    payload,
  };
  const data = fullDataOf(event as never, context);
  const body = bodyOf({ id: 'evt_1', kind: 'monitor.down', at, sequence: 1, isTest: false, data }, 'full');
  t.ok(Buffer.byteLength(body) < 20_000, `${Buffer.byteLength(body)} bytes`);
  const { event: cut } = JSON.parse(body).data;
  t.equal(cut.affected_nodes.length, 50);
  t.equal(cut.truncated, true);
  t.equal(cut.reason, `\ufffd${'x'.repeat(498)}\ufffd`, 'nothing that cannot be stored, and no half character');
});

t.test('data that does not fit its schema is refused, without its values', async (t) => {
  const payload = { node: { id: 'n_1', name: 7 }, reason: null, since: at.toISOString() };
  const event = {
    kind: 'node.online',
    id: 'evt_1',
    sequence: 1,
    at,
    ownerId: 'u_1',
    isTest: false,
    subject: 'n_1',
    payload,
  };
  t.throws(() => fullDataOf(event as never, context), WebhookPayloadError);
});

t.test('data has the members of its schema and no others: a row of the database is refused', async (t) => {
  const row = { id: 'whe_1FZ3ybQXhhsV3cDKtVoMjX', url: 'https://hooks.example/', sealed_secret: Buffer.from('secret') };
  t.same(Object.keys(testData(row).endpoint), ['id', 'url']);
  t.throws(() => checkedData('webhook.test', { ...testData(row), endpoint: row }), WebhookPayloadError);
  const down = webhookEventKinds['monitor.down'].webhook.example;
  t.doesNotThrow(() => checkedData('monitor.down', down));
  t.throws(
    () => checkedData('monitor.down', { ...down, monitor: { ...down.monitor, config: {} } }),
    WebhookPayloadError,
  );
});
