import { until } from '@vantage/shared/_support/until.js';
import type { Clock } from '@vantage/shared/clock.js';
import type { Test } from 'tap';
import type { ControlPlane } from '../../src/control-plane.js';
import { createTestDatabase, type TestDatabase } from './database.js';
import { enrollPeer, PeerAgent, successOf } from './peer-agent.js';
import { apiOf, createAdmin, type StackSettings, startReplica, type TestApi } from './stack.js';

/** Replicas on one database, and an administrator's API at each. */
export interface LookupWorld {
  readonly database: TestDatabase;
  readonly replicas: readonly [ControlPlane, ...ControlPlane[]];
  readonly apis: readonly [TestApi, ...TestApi[]];
}

/** Starts as many replicas as there are clocks; all of them share the public URL of the first. */
export async function startLookups(
  t: Test,
  clocks: readonly [Clock, ...Clock[]],
  settings: StackSettings = {},
): Promise<LookupWorld> {
  const database = await createTestDatabase(t);
  const first = await startReplica(t, database.url, settings, clocks[0]);
  const shared = { ...settings, VANTAGE_PUBLIC_URL: first.publicUrl };
  const others: ControlPlane[] = [];
  for (const clock of clocks.slice(1)) others.push(await startReplica(t, database.url, shared, clock));
  const api = await createAdmin(first);
  const at = ({ listenUrl }: ControlPlane) => apiOf(listenUrl, api.token, api.userId);
  return { database, replicas: [first, ...others], apis: [api, ...others.map(at)] };
}

/** A public node of the administrator, online at `api` and known to every replica. */
export async function joinNode(
  t: Test,
  { apis }: LookupWorld,
  options: { api?: TestApi; tags?: readonly string[]; isAnswering?: boolean } = {},
): Promise<PeerAgent> {
  const { api = apis[0], tags = [], isAnswering = false } = options;
  const peer = await PeerAgent.connect(t, api.url, await enrollPeer(apis[0], { declared: { tags } }), {
    isAnswering,
  });
  await until('every replica to know the node', async () => {
    const answers = await Promise.all(apis.map((one) => one.call('GET', `/v1/nodes/${peer.identity.nodeId}`)));
    return answers.every(({ body }) => body.data?.status === 'online');
  });
  return peer;
}

/** Answers the next unanswered job of a node, with these fields in addition to those of a success. */
export async function answerJob(peer: PeerAgent, number = 1, fields: object = {}): Promise<void> {
  await until('the job', () => peer.jobs.length >= number);
  const job = peer.jobs[number - 1];
  if (job === undefined) throw new Error('no such job');
  const frame = peer.frames.find((one) => one.job?.taskId === job.taskId)?.job;
  const success = successOf(job.taskId, job.probeType, frame?.specJson);
  const result = { ...JSON.parse(Buffer.from(success.resultJson as Uint8Array).toString()), ...fields };
  peer.sendResults([{ ...success, resultJson: Buffer.from(JSON.stringify(result)) }]);
}

/** Lookups of a replica so far, by kind and outcome, as its metric counts them; needs VANTAGE_METRICS_LISTEN. */
export async function lookupCounts({ metricsUrl }: ControlPlane): Promise<Readonly<Record<string, number>>> {
  const text = await (await fetch(metricsUrl ?? '')).text();
  const lines = text.matchAll(/^vantage_lookups_total\{kind="(\w+)",outcome="(\w+)"\} (\d+)$/gm);
  return Object.fromEntries([...lines].map(([, kind, outcome, count]) => [`${kind} ${outcome}`, Number(count)]));
}
