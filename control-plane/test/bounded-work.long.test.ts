import { checkAssertions } from '@vantage/shared/assertions/check.js';
import { parseJsonPath } from '@vantage/shared/json-path/parse.js';
import { isPolluted } from '@vantage/shared/probe-types/dns-pollution.js';
import { meaningsShown } from '@vantage/shared/record-values/meanings.js';
import t from 'tap';
import { Type } from 'typebox';
import { compileInput } from '../src/http/frame/input.js';
import { MAX_JSON_MEMBERS } from '../src/http/frame/json.js';
import { readContent } from '../src/modules/lookups/lists/list-content.js';
import { packList, unpackPiece } from '../src/modules/lookups/lists/list-pieces.js';
import { unreported } from '../src/modules/monitors/checks/reported-slots.js';
import { HeartbeatSchedule } from '../src/modules/monitors/heartbeats/heartbeat-schedule.js';
import { catchUp, newHeartbeat } from '../src/modules/monitors/heartbeats/heartbeat-state.js';
import { responseSeries } from '../src/modules/monitors/history/timeseries.js';
import { measureUptime } from '../src/modules/monitors/history/uptime.js';
import { reconcile } from '../src/modules/monitors/late/reconcile.js';
import { NodeSelectionSchema } from '../src/modules/nodes/schema.js';
import { matcherOf } from '../src/modules/nodes/selection.js';
import { drawNodes } from '../src/modules/probes/draw-nodes.js';
import { Slices } from '../src/runtime/slices.js';
import { aNode } from './_support/a-node.js';
import { holdsNobodyUp } from './_support/longest-turn.js';
import { millionLines } from './_support/million-lines.js';

const DAY_MS = 86_400_000;

/** Runs the work and ignores its errors: a refusal must be fast, too. */
const tried = (work: () => unknown) => {
  try {
    work();
  } catch {
    // reported to the caller
  }
};
const many = <T>(count: number, make: (index: number) => T): T[] =>
  Array.from({ length: count }, (_, index) => make(index));

const parseQuery = compileInput({
  operationId: 'listThings',
  method: 'GET',
  path: '/things',
  query: Type.Object({ q: Type.Optional(Type.String({ maxLength: 10 })), l: Type.Optional(Type.Array(Type.String())) }),
} as never);
const readQuery = (search: string) => () =>
  tried(() => parseQuery({ segments: [], search, body: null, request: { headers: {} } as never }));
const parseSelection = compileInput({
  operationId: 'selectThings',
  method: 'POST',
  path: '/things',
  body: NodeSelectionSchema,
} as never);
const readSelection = (selection: object) => () =>
  tried(() =>
    parseSelection({
      segments: [],
      search: '',
      body: Buffer.from(JSON.stringify(selection)),
      request: { headers: { 'content-type': 'application/json' } } as never,
    }),
  );
const cron = (cronExpression: string) =>
  new HeartbeatSchedule({ mode: 'cron', cronExpression, timezone: 'Australia/Lord_Howe', graceSeconds: 0 });
const pings = many(1_000, (seq) => ({
  seq,
  kind: seq % 2 === 0 ? ('success' as const) : ('fail' as const),
  atMs: Date.UTC(2026, 0, 1) + seq * 10,
  exitCode: null,
  lacksText: false,
  rid: null,
}));
const fleet = many(10_000, (n) =>
  aNode({ id: `n_${n}`, city: `City ${n}`, asn: n % 3_000, tags: many(16, (tag) => `tag${tag}`) }),
);
const unmatched = (field: string) => many(50, (n) => `${field} ${n}`);
const patterns = (value: string) => () =>
  checkAssertions(
    many(20, (n) => ({
      type: 'body_regex' as const,
      severity: 'down' as const,
      op: 'eq' as const,
      value: value + n,
    })) as never,
    { types: ['body_regex' as never] },
  );
const answersOf = (records: number) =>
  many(50, (node) => ({
    rcode: 'NOERROR',
    records: many(records, (n) => ({ name: 'a.', type: 'A', value: `8.${node}.${n >> 8}.${n & 255}` })),
    transport: 'tcp',
    query_ms: 1,
    resolver_rtt_ms: 1,
    contradictions: 0,
  }));
/** Slots of each second. */
const days = (count: number) => ({ firstMs: 0, lastMs: count * DAY_MS, count: count * 86_400 + 1 });
const everyOther = many(170_000, (n) => ({ firstMs: n * 2_000, lastMs: n * 2_000, count: 1 }));
const minutes = (afterMs: number, count: number) =>
  many(count, (n) => ({ fromMs: n * 180_000 + afterMs, toMs: n * 180_000 + afterMs + 60_000 }));
const [downs, unwatched] = [minutes(0, 170_000), minutes(30_000, 20_000)];
const flapping = (laterMs: number) =>
  many(5_760, (n) => ({
    id: `ev_${n}`,
    type: 'down' as const,
    startedAtMs: n * 120_000 + laterMs,
    endedAtMs: n * 120_000 + laterMs + 60_000,
    affectedNodes: [],
    eligible: 1,
    isKnown: false,
    isDisputed: false,
    earlier: [],
  }));
const list = millionLines();
const [longAnswers, placedAnswers] = [answersOf(1_000), answersOf(100)];
const bucketRows = many(50_000, (n) => ({
  at: new Date(Math.floor(n / 50) * 86_400_000),
  ok: 1,
  degraded: 0,
  failed: 0,
  answered: 100,
  sum_us: 1,
  min_ms: 1,
  max_ms: 9,
  histogram: many(100, (bin) => bin * 1_048_576 + 1),
}));

/**
 * Inputs whose length a caller chooses, at the greatest length that is accepted: each with the smallest value that
 * reaches the limit.
 */
const loops: readonly { readonly name: string; readonly work: () => unknown }[] = [
  {
    name: 'a query parameter that is repeated as often as the head of a request allows',
    work: readQuery('q&'.repeat(8_000)),
  },
  {
    name: 'a list in a query with as many entries as the head of a request allows',
    work: readQuery('l&'.repeat(8_000)),
  },
  {
    name: 'a list of unique items, of all members a body may have',
    work: readSelection({ node_ids: many(MAX_JSON_MEMBERS - 1, (n) => `n_${n}`) }),
  },
  {
    name: 'a list of unique items that are lists',
    work: readSelection({ tags: many(MAX_JSON_MEMBERS - 1, () => []) }),
  },
  {
    name: 'a selection of fifty values in every field, of ten thousand nodes',
    work: () =>
      fleet.filter(
        matcherOf({ cities: unmatched('city'), tags: unmatched('tag'), providers: unmatched('provider'), limit: 50 }),
      ),
  },
  {
    name: 'ten thousand nodes to draw from',
    work: () => drawNodes({ candidates: fleet, selection: { limit: 50 }, loadOf: () => 1, random: Math.random }),
  },
  { name: 'a cron expression that fires each minute', work: () => cron('* * * * *').smallestGapSeconds(Date.now()) },
  { name: 'a cron expression with other gaps', work: () => cron('*/2 0-22 * * *').smallestGapSeconds(Date.now()) },
  { name: 'a cron expression that never fires', work: () => tried(() => cron('0 0 30 2 *')) },
  { name: 'a cron expression that fires every few years', work: () => cron('0 0 29 2 *').nextExpected(Date.now(), 10) },
  {
    name: 'a thousand unjudged pings, with a cron expression of once a year',
    work: () =>
      catchUp(
        newHeartbeat,
        { schedule: cron('0 0 * 2 1#5'), graceMs: 0, maxDurationMs: null },
        { pings, nowMs: Date.UTC(2026, 11, 1) },
      ),
  },
  {
    name: 'a JSONPath of filters in filters',
    work: () => tried(() => parseJsonPath(`$${'[?@'.repeat(63)}${']'.repeat(63)}`)),
  },
  { name: 'a JSONPath of open brackets', work: () => tried(() => parseJsonPath(`$[?${'('.repeat(250)}`)) },
  { name: 'patterns of Unicode classes', work: patterns('\\pL'.repeat(40)) },
  { name: 'patterns of more Unicode classes', work: patterns('\\pL'.repeat(80)) },
  { name: 'patterns with nested repetitions', work: patterns('((a*)*)*'.repeat(24)) },
  { name: 'a TXT record of quotation marks', work: () => meaningsShown('TXT', '\\"'.repeat(32_000)) },
  {
    name: 'replies with a thousand addresses from fifty nodes, in one network',
    work: () => isPolluted('A', longAnswers, () => 1),
  },
  {
    name: 'replies with a hundred addresses from fifty nodes',
    work: () => isPolluted('A', placedAnswers, (address) => address.length),
  },
  {
    name: 'a range of missed slots that a node has reported a thousand times',
    work: () =>
      unreported(
        days(4),
        many(1_000, () => days(4)),
      ),
  },
  {
    name: 'a range of missed slots of which every other one was reported',
    work: () => unreported(days(4), everyOther),
  },
  {
    name: 'events of eight days of flapping that late results move',
    work: () => reconcile(flapping(0), flapping(10_000)),
  },
  {
    name: 'uptime over a year of outages and windows',
    work: () => measureUptime({ asked: { fromMs: 0, toMs: 366 * DAY_MS }, firstCheckMs: 0, downs, unwatched }),
  },
  {
    name: 'a reputation list of a million lines that is stored and read',
    work: async () => {
      const { pieces } = await packList(list);
      const content = { bytes: list.length, pieces: await Promise.all(pieces.map(unpackPiece)) };
      return readContent({ format: 'cidrs', signal: 'vpn' }, content);
    },
  },
  {
    name: 'a timeline of a thousand days and fifty nodes',
    work: () => responseSeries({ fromMs: 0, toMs: 1_000 * DAY_MS, stepMs: DAY_MS }, bucketRows, new Slices()),
  },
];

for (const { name, work } of loops) t.test(`bounded: ${name}`, (t) => holdsNobodyUp(t, name, work));
