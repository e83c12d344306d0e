import { detailLines } from '@vantage/shared/probe-types/detail-lines.js';
import { failedResult } from '@vantage/shared/probe-types/failed-result.js';
import { definitionOf, type ProbeSpecs, type ProbeType, probeTypeNames } from '@vantage/shared/probe-types/index.js';
import t from 'tap';
import type { TSchema } from 'typebox';
import type { TaskView } from '../modules/probes/index.js';
import { taskTable } from './result-table.js';

const evil = '\u001b[2J\u001b]0;owned\u0007\u009b31m\u202e\r\n';
const steering = /[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u202e]/;

const place = { asn: 3320, city: 'Berlin', country: 'DE', isp: null, region: 'Western Europe' };

/** A finished task of a type whose nodes answered with these fields. */
function aTask(type: ProbeType, results: readonly object[]): TaskView {
  const spec = { target: 'x', params: {} } as ProbeSpecs[ProbeType];
  const blank = { ...failedResult(type, spec, { code: 'timeout', message: '' }), success: true, error: null };
  const nodeResults = results.map((fields) => ({ node_id: 'n_1', node: place, started_at: null, ...blank, ...fields }));
  return {
    task_id: 'pt_1',
    probe_type: type,
    is_test: false,
    target: 'x',
    status: 'completed',
    created_at: '',
    completed_at: '',
    node_results: nodeResults,
    summary: { success_count: 0, fail_count: 0 },
  };
}

/** The same value with every string in it replaced by a hostile one. */
function poisoned(value: unknown): unknown {
  if (typeof value === 'string') return evil;
  if (Array.isArray(value)) return value.map(poisoned);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, member]) => [key, poisoned(member)]));
}

t.test('a task is a table with a row per node, and each reason of failures is shown once below it', async (t) => {
  const refused = { success: false, error: { code: 'tcp_refused', message: 'connection refused' } };
  const text = taskTable(aTask('tcp', [{ connect_ms: 1.234, port: 80 }, refused, refused]));
  t.same(text.split('\n'), [
    'From                Result       Connect  DNS  Address  Port  Banner',
    'Berlin, DE, AS3320  ok           1.23 ms  -    -        80    -',
    'Berlin, DE, AS3320  tcp_refused',
    'Berlin, DE, AS3320  tcp_refused',
    '  tcp_refused: connection refused',
  ]);
});

t.test('below the table stands which nodes were disturbed, and by how much', async (t) => {
  const busy = { connect_ms: 50, port: 80, disturbed: true, loop_lag_ms: 41.7 };
  const [, , , ...below] = taskTable(aTask('tcp', [busy, { connect_ms: 1, port: 80 }])).split('\n');
  t.same(below, ['  Berlin, DE, AS3320: disturbed, the node was 42 ms late while it measured; times may be too high']);
});

t.test('a node without a location is shown by its name or id', async (t) => {
  const nowhere = { node: { asn: null, city: null, country: null, isp: null, region: null } };
  t.match(taskTable(aTask('tcp', [nowhere])), /\nn_1 +ok/);
  t.match(
    taskTable(aTask('tcp', [nowhere]), () => 'demo-1'),
    /\ndemo-1 +ok/,
  );
});

t.test('below the table the details of each node stand under its place, failed nodes included', async (t) => {
  const hops = [
    { ttl: 1, replies: [{ flow: 1, ip: '192.0.2.1', rtt_ms: 1.5, icmp_type: 'time_exceeded', icmp_code: 0 }] },
  ];
  const failure = { success: false, error: { code: 'no_reply', message: 'nobody' }, hops };
  t.same(
    taskTable(aTask('traceroute', [{ reached: true, hops }, failure]))
      .split('\n')
      .slice(-7),
    [
      '  no_reply: nobody',
      '',
      'Berlin, DE, AS3320',
      '   1  192.0.2.1  1.500 ms',
      '',
      'Berlin, DE, AS3320',
      '   1  192.0.2.1  1.500 ms',
    ],
  );
});

/** A value with everything in it that a schema may have: each list with two items, each text an x. */
function richValue(schema: TSchema): unknown {
  const { type, anyOf, properties, items, enum: choices, const: constant, minimum = 0 } = schema as RichSchema;
  if (anyOf !== undefined) return richValue(anyOf.find((choice) => (choice as RichSchema).type !== 'null') ?? {});
  if (constant !== undefined || choices !== undefined) return constant ?? choices?.[0];
  if (properties !== undefined)
    return Object.fromEntries(Object.entries(properties).map(([name, member]) => [name, richValue(member)]));
  if (type === 'array') return [richValue(items ?? {}), richValue(items ?? {})];
  if (type === 'object') return { a: 'x' };
  if (type === 'boolean') return true;
  return type === 'integer' || type === 'number' ? Math.max(1, minimum) : 'x';
}

interface RichSchema {
  readonly type?: string;
  readonly anyOf?: readonly TSchema[];
  readonly properties?: Readonly<Record<string, TSchema>>;
  readonly items?: TSchema;
  readonly enum?: readonly unknown[];
  readonly const?: unknown;
  readonly minimum?: number;
}

t.test('no field of any type controls the terminal', async (t) => {
  const failure = { success: false, error: { code: 'x', message: 'x' } };
  for (const type of probeTypeNames) {
    const rich = { ...(richValue(definitionOf(type).Result) as object), success: true, error: null };
    const task = aTask(type, [rich, { ...rich, ...failure }]);
    const hostile = { ...task, node_results: poisoned(task.node_results) as TaskView['node_results'] };
    const text = taskTable(hostile);
    t.match(text, /owned/, type);
    t.notMatch(text, steering, type);
    const details = hostile.node_results.map((result) => detailLines(type, result).length);
    const blockLines = details.reduce((sum, lines) => sum + (lines === 0 ? 0 : lines + 2), 0);
    t.equal(text.split('\n').length, 4 + blockLines, `${type}: head, two rows, one error, a block of details each`);
    t.ok(
      definitionOf(type).columns.every(({ title }) => text.includes(title)),
      type,
    );
  }
});
