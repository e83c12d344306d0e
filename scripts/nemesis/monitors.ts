import { randomUUID } from 'node:crypto';
import { wordsOf } from './api.js';
import type { Targets } from './targets.js';
import { type World, waitFor } from './world.js';

const FIRST_CHECKS_MS = 240_000;
/** Assignments that no check has come of since, some seconds after they were made. */
const UNCHECKED = `SELECT count(*)::int AS count FROM monitor_assignments a
  JOIN monitors m ON m.id = a.monitor_id JOIN nodes n ON n.id = a.node_id
  WHERE a.ended_at IS NULL AND NOT EXISTS (SELECT FROM monitor_checks c
    WHERE c.monitor_key = m.key AND c.node_key = n.key AND c.at > a.assigned_at + interval '10 s')`;

/** People who have monitors, checked by every node every ten seconds; what they watch is there all the time. */
export async function makeMonitors({ ask, agents, database }: World, { watched }: Targets): Promise<void> {
  for (const [type, target] of Object.entries(watched)) {
    const body = { name: type, type, target, interval_s: 10, node_count: agents.length };
    // the key: asked again after a lost response, it is answered as the first time
    const answer = await ask({ method: 'POST', path: '/v1/monitors', body, idempotencyKey: randomUUID() });
    if (answer?.status !== 201) throw new Error(`no monitor of type ${type}: ${wordsOf(answer)}`);
  }
  await waitFor('every node to check every monitor', FIRST_CHECKS_MS, () => isEverythingChecked(database));
}

/** True if each node has checked every monitor since it was assigned. */
export async function isEverythingChecked(database: World['database']): Promise<boolean> {
  const [row] = await database.query(UNCHECKED);
  return row?.['count'] === 0;
}
