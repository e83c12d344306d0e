import { detailLines } from '@vantage/shared/probe-types/detail-lines.js';
import { failedResult } from '@vantage/shared/probe-types/failed-result.js';
import { definitionOf, type ProbeSpecs, type ProbeType, probeTypeNames } from '@vantage/shared/probe-types/index.js';
import { plain } from '@vantage/shared/terminal/colours.js';
import t from 'tap';
import type { TSchema } from 'typebox';
import type { TaskView } from '../modules/probes/index.js';
import { isTaskDisturbed, taskTableText, taskText } from './result-text.js';

const evil = '\u001b[2J\u001b]0;owned\u0007\u009b31m\u202e\r\n';
const steering = /[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u202e]/;

const screen = { width: Number.POSITIVE_INFINITY, paint: plain };
const place = { asn: 3320, city: 'Berlin', country: 'DE', isp: null, region: 'Western Europe' };

/** A finished task of a type whose nodes answered with these fields. */
function aTask(type: ProbeType, results: readonly object[]): TaskView {
  const spec = { target: 'x', params: {} } as ProbeSpecs[ProbeType];
  const blank = { ...failedResult(type, spec, { code: 'timeout', message: '' }), success: true, error: null };
  const nodeResults = results.map((fields, i) => ({
    node_id: `n_${i + 1}`,
    node: place,
    started_at: null,
    ...blank,
    ...fields,
  }));
  return {
    task_id: 'pt_1',
    probe_type: type,
    is_test: false,
    shared: true,
    shared_body: true,
    url: 'https://vantage.example/v1/probe/tasks/pt_1',
    page: 'https://vantage.example/p/pt_1',
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

t.test(
  'a task is a table with a row per node, whose name is added where places are alike, and each reason of failures is shown once below it',
  async (t) => {
    const refused = { success: false, error: { code: 'tcp_refused', message: 'connection refused' } };
    const task = aTask('tcp', [{ connect_ms: 1.234, port: 80 }, refused, refused]);
    const nameOf = (id: string) => id.replace('n_', 'node-');
    t.same(taskText(task, screen, { nameOf }).split('\n'), [
      'From                        Result       Connect  DNS  Address  Port  Banner',
      'node-1, Berlin, DE, AS3320  ok           1.23 ms  -    -          80  -',
      'node-2, Berlin, DE, AS3320  tcp_refused',
      'node-3, Berlin, DE, AS3320  tcp_refused',
      '  tcp_refused: connection refused',
    ]);
    t.match(taskText(task, screen, { nameOf, hasIds: true }), /\nnode-1, Berlin, DE, AS3320, n_1  ok/);
    t.match(
      taskText(task, { width: 60, paint: plain }, { nameOf }),
      /\nnode-1  ok /,
      'the name alone where room is short',
    );
  },
);

t.test('one line below the table names the nodes that were late by a good part of what they measured', async (t) => {
  const busy = { connect_ms: 50, port: 80, disturbed: true, loop_lag_ms: 41.7, duration_ms: 52 };
  const calm = { ...busy, duration_ms: 4_000 };
  const [, , , , , ...below] = taskText(aTask('tcp', [busy, calm, busy, { connect_ms: 1, port: 80 }]), screen).split(
    '\n',
  );
  t.same(below, [
    '  disturbed, times may be too high; late while measuring: n_1, Berlin, DE, AS3320 (42 ms); n_3, Berlin, DE, AS3320 (42 ms)',
  ]);
});

t.test(
  'a task without details is a line for each node on every screen that is not narrow, with the errors in full',
  async (t) => {
    const answered = { offset_ms: -2.459, delay_ms: 7.69, jitter_ms: 13.6, stratum: 1, refid: 'GPS', leap: 'none' };
    const failure = { success: false, error: { code: 'timeout', message: 'no reply within 5 s' } };
    const task = aTask('ntp', [answered, failure]);
    const lines = taskTableText(task, { width: 60, paint: plain }, () => 'frankfurt-1').split('\n');
    t.same(lines, [
      'From         Result      Offset    Delay   Jitter  Stratum',
      'frankfurt-1  ok       -2.459 ms  7.69 ms  13.6 ms        1',
      'frankfurt-1  timeout',
      '  timeout: no reply within 5 s',
    ]);
    t.notOk(isTaskDisturbed(task));
    t.ok(isTaskDisturbed(aTask('ntp', [{ disturbed: true, loop_lag_ms: 40, duration_ms: 50 }])));
  },
);

t.test('a node without a location is shown by its name or id', async (t) => {
  const nowhere = { node: { asn: null, city: null, country: null, isp: null, region: null } };
  t.match(taskText(aTask('tcp', [nowhere]), screen), /\nn_1 +ok/);
  t.match(taskText(aTask('tcp', [nowhere]), screen, { nameOf: () => 'demo-1' }), /\ndemo-1 +ok/);
});

t.test(
  'below the table stand the details of each node, failed nodes included; equal details stand once, under all their nodes',
  async (t) => {
    const hops = [
      { ttl: 1, replies: [{ flow: 1, ip: '192.0.2.1', rtt_ms: 1.5, icmp_type: 'time_exceeded', icmp_code: 0 }] },
    ];
    const failure = { success: false, error: { code: 'no_reply', message: 'nobody' }, hops };
    t.same(
      taskText(aTask('traceroute', [{ reached: true, hops }, failure]), screen)
        .split('\n')
        .slice(-4),
      ['  no_reply: nobody', '', 'n_1, Berlin, DE, AS3320; n_2, Berlin, DE, AS3320', '   1  192.0.2.1  1.500 ms'],
    );
  },
);

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
    const text = taskText(hostile, screen);
    t.match(text, /owned/, type);
    t.notMatch(text, steering, type);
    const details = new Set(hostile.node_results.map((result) => detailLines(type, result).join('\n')));
    const blockLines = [...details].reduce((sum, lines) => sum + (lines === '' ? 0 : lines.split('\n').length + 2), 0);
    t.equal(text.split('\n').length, 4 + blockLines, `${type}: head, two rows, one error, a block of details each`);
    t.ok(
      definitionOf(type).columns.every(({ title }) => text.includes(title)),
      type,
    );
  }
});
