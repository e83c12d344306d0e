import { systemClock } from '@vantage/shared/clock.js';
import { TargetPolicy } from '@vantage/shared/target-policy/policy.js';
import type { Knex } from 'knex';
import t, { type Test } from 'tap';
import { program } from '../src/audit-log/actor.js';
import { policyReferences } from '../src/modules/alerts/policies/policy-references.js';
import { MonitorActs } from '../src/modules/monitors/acts/monitor-acts.js';
import { monitorSealer } from '../src/modules/monitors/definition/monitor-sealer.js';
import { openHeartbeatActs } from '../src/modules/monitors/heartbeats/heartbeats.js';
import type { PlacedMonitor } from '../src/modules/monitors/placement/placing.js';
import { defaultPlans } from '../src/plans/index.js';
import { createTestDatabase } from './_support/database.js';
import { accountOf } from './_support/owners.js';
import { insertUser } from './_support/stored-node.js';

const publicUrl = 'https://vantage.example';
const secretKey = Buffer.alloc(32, 7);
const tcp = { name: 'Shop', type: 'tcp', target: 'shop.example:443', interval_s: 60 } as const;

/** Acts on monitors whose placement records the monitors that it is given and chooses no nodes. */
async function openActs(t: Test) {
  const { db } = await createTestDatabase(t);
  const placed: PlacedMonitor[] = [];
  const place = async (_: Knex, monitor: PlacedMonitor) => {
    placed.push(monitor);
    return { nodeIds: [], changed: [] };
  };
  const acts = new MonitorActs({
    db,
    clock: systemClock,
    plans: defaultPlans,
    policy: () => new TargetPolicy({ allow: [], own: [], denied: [] }),
    placing: { isPossible: () => true, prepare: async () => {}, place },
    policyReferences: () => policyReferences,
    sealer: monitorSealer(secretKey),
    heartbeats: openHeartbeatActs({ db, clock: systemClock, publicUrl, secretKey }),
    onAssigned: () => {},
  });
  const act = { account: accountOf(await insertUser(db)), actor: program };
  return { acts, act, db, placed };
}

/** Reads of table monitors that `work` makes. */
async function readsOf(db: Knex, work: () => Promise<unknown>): Promise<string[]> {
  const reads: string[] = [];
  const note = ({ sql }: { readonly sql: string }) => {
    if (/^select\b[\s\S]*\bfrom "?monitors\b/i.test(sql) && !/count\(/.test(sql)) reads.push(sql);
  };
  db.on('query', note);
  await work();
  db.off('query', note);
  return reads;
}

t.test('a written monitor is placed as written, without being read again', async (t) => {
  const { acts, act, db, placed } = await openActs(t);
  let id = '';
  const creating = await readsOf(db, async () => {
    id = await acts.create(tcp, act);
  });
  t.strictSame(creating, [], 'created');
  const change = { interval_s: 300, tags: ['web'] };
  const changing = await readsOf(db, () => acts.change(id, change, act));
  t.match(changing, [/FOR NO KEY UPDATE/, /name = /], 'changed: locked, and its name compared with the others');
  t.equal((await readsOf(db, () => acts.setStatus(id, 'paused', act))).length, 1, 'paused: locked');
  t.match(placed, [
    { id, interval_s: 60, status: 'active' },
    { id, interval_s: 300, tags: ['web'], status: 'active' },
    { id, interval_s: 300, tags: ['web'], status: 'paused' },
  ]);
  const [stored] = await db('monitors').where({ id });
  const { key: _, created_at: _created, updated_at: _updated, ...columns } = stored;
  t.match(placed.at(-1), columns, 'all of its columns');
});

t.test('a heartbeat that is imported as paused is placed as paused', async (t) => {
  const { acts, act, placed } = await openActs(t);
  const heartbeat = { name: 'Backup', type: 'heartbeat' } as const;
  await acts.createUnannounced(heartbeat, { ...act, isPaused: true });
  t.match(placed, [{ type: 'heartbeat', status: 'paused' }]);
});
