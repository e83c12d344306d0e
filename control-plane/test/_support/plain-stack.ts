import { type Clock, systemClock } from '@vantage/shared/clock.js';
import type { Test } from 'tap';
import { startControlPlane } from '../../src/control-plane.js';
import { createLogger } from '../../src/runtime/log.js';
import { CheckingNode } from './checking-node.js';
import { createTestDatabase } from './database.js';
import { largeFiles } from './large-files.js';
import { holdsNobodyUp } from './longest-turn.js';
import { createAdmin, replicaConfig, type TestApi } from './stack.js';

/** A control plane without the checks of replies that exist only for tests, and a node of it. */
export async function startPlain(t: Test) {
  const database = await createTestDatabase(t);
  // a busy machine is no reason for the import to give up a file
  const clock: Clock = { ...systemClock, after: (ms, ...rest) => systemClock.after(ms * 10, ...rest) };
  const config = replicaConfig(t, database.url);
  const controlPlane = await startControlPlane({ config, clock, log: createLogger('silent'), isStrict: false });
  t.teardown(() => controlPlane.stop());
  const api = await createAdmin(controlPlane);
  await CheckingNode.join(t, api);
  return { api, db: database.db };
}

/** Status of a response whose body is ignored. */
export async function statusOf(
  { url, token }: TestApi,
  method: string,
  path: string,
  file?: Uint8Array,
): Promise<number> {
  const response = await fetch(new URL(`/v1/monitors/${path}`, url), {
    method,
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/yaml' },
    body: file ?? null,
  });
  for await (const _ of response.body ?? []) continue;
  return response.status;
}

/** Imports one of the large files, and measures how long it keeps other requests waiting. */
export async function expectShortTurns(t: Test, what: keyof typeof largeFiles): Promise<void> {
  const { api } = await startPlain(t);
  const file = largeFiles[what]();
  await holdsNobodyUp(t, `${what}, ${file.length} bytes`, async () =>
    t.equal(await statusOf(api, 'POST', 'import?dry_run=true', file), 200, what),
  );
}
