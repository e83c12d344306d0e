import { generateKeyPairSync } from 'node:crypto';
import { FakeClock } from '@vantage/shared/_support/fake-clock.js';
import { rawPublicKey } from '@vantage/shared/protocol/ed25519.js';
import type { Knex } from 'knex';
import t, { type Test } from 'tap';
import { commandLine } from '../src/audit-log/actor.js';
import { openDatabase } from '../src/db/database.js';
import { ApiError } from '../src/http/errors.js';
import { keyFingerprint } from '../src/links/index.js';
import { Enrollment } from '../src/modules/nodes/enrollment.js';
import { EnrollmentTokens } from '../src/modules/nodes/enrollment-tokens.js';
import { defaultPlans } from '../src/plans/index.js';
import { createTestDatabase } from './_support/database.js';
import { generousLimiter } from './_support/generous-limiter.js';
import { asUser } from './_support/owners.js';
import { enrollBody } from './_support/peer-agent.js';
import { insertUser } from './_support/stored-node.js';

const publicUrl = 'https://vantage.example';
const ENROLLMENTS = 100;

/** Enrollment of one replica, with connections of its own. */
function replica(t: Test, url: string): Enrollment {
  const db = openDatabase({ url, poolSize: 5, applicationName: 'replica' });
  t.teardown(() => db.destroy());
  return enrollmentOn(db);
}

function enrollmentOn(db: Knex): Enrollment {
  return new Enrollment({
    db,
    clock: new FakeClock(Date.now()),
    plans: defaultPlans,
    limiter: generousLimiter,
    directory: { announce: async () => {} },
    places: { locate: () => null },
    publicUrl,
    controlUrls: [],
    serverPublicKey: '',
    heartbeatMs: 0,
  });
}

t.test('a hundred enrollments with one token over three replicas at once create exactly one node', async (t) => {
  const { url, db } = await createTestDatabase(t);
  const userId = await insertUser(db, { plan: 'unlimited' });
  const tokens = new EnrollmentTokens({ db, clock: new FakeClock(Date.now()), plans: defaultPlans });
  const { token } = await tokens.create(asUser(userId), {}, commandLine);
  const replicas = [replica(t, url), replica(t, url), replica(t, url)];
  // every key enrolls twice, at two replicas: its agent lost patience
  const keys = Array.from({ length: ENROLLMENTS / 2 }, () => generateKeyPairSync('ed25519').privateKey);
  const enrollments = [...keys, ...keys].map((key, index) => {
    const enrollment = replicas[index % replicas.length] as Enrollment;
    const body = enrollBody(token, key, publicUrl) as Parameters<Enrollment['enroll']>[0];
    return enrollment.enroll(body, commandLine);
  });
  const outcomes = await Promise.allSettled(enrollments);
  const nodeIds = outcomes.flatMap((outcome) => (outcome.status === 'fulfilled' ? [outcome.value.node_id] : []));
  t.equal(nodeIds.length, 2, 'one key, on both of its replicas');
  t.equal(new Set(nodeIds).size, 1);
  t.strictSame(await db('nodes').pluck('id'), [nodeIds[0]]);
  const reasons = outcomes.flatMap((outcome) => (outcome.status === 'rejected' ? [outcome.reason] : []));
  t.ok(reasons.every((reason) => reason instanceof ApiError && reason.code === 'NODE_ENROLLMENT_TOKEN_INVALID'));
  const audit = await db('audit_log').where({ action: 'enrollment_token.refused' });
  t.equal(audit.length, ENROLLMENTS - 2, 'the owner can read that others have the token');
  t.match(audit[0], { user_id: null, details: { node_id: nodeIds[0] } });
  const fingerprints = keys.map((key) => keyFingerprint(rawPublicKey(key)));
  t.ok(fingerprints.includes(audit[0].details.key), 'the key, as nodes show theirs');
});
