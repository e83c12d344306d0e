import t from 'tap';
import { largeFiles } from './_support/large-files.js';
import { holdsNobodyUp } from './_support/longest-turn.js';
import { expectShortTurns, startPlain, statusOf } from './_support/plain-stack.js';

for (const what of Object.keys(largeFiles) as (keyof typeof largeFiles)[]) {
  t.test(`${what}: its import delays no other request by 50 ms`, (t) => expectShortTurns(t, what));
}

t.test('an export of large monitors delays no other request by 50 ms, and is limited', async (t) => {
  const { api, db } = await startPlain(t);
  await db.raw(
    `INSERT INTO monitors (id, owner_id, created_by, name, type, target, interval_s, config, node_selection, node_count,
       consecutive_fail, consecutive_ok, fail_node_quorum)
     SELECT 'm_' || lpad(i::text, 22, '0'), u.id, u.id, 'name ' || i, CASE WHEN i > 600 THEN 'http' ELSE 'https' END,
       'https://example.com/', 60, json_build_object('body', repeat('x', 60000)), '{"spread": "asn"}', 3, 2, 1, '2/3'
     FROM generate_series(1, 1200) AS i, users u WHERE u.id = ?`,
    [api.userId],
  );
  await db.raw('INSERT INTO monitor_states (monitor_id) SELECT id FROM monitors');
  await holdsNobodyUp(t, '600 monitors of 60 kB', async () =>
    t.equal(await statusOf(api, 'GET', 'export?type=https'), 200),
  );
  t.equal(await statusOf(api, 'GET', 'export'), 400, 'more than fits into one response');
});
