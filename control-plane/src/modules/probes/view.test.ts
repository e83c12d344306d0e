import { idPrefixes, newId } from '@vantage/shared/ids.js';
import { failedResult } from '@vantage/shared/probe-types/failed-result.js';
import {
  definitionOf,
  type ProbeSpecs,
  type ProbeType,
  probeTypeNames,
  probeTypes,
} from '@vantage/shared/probe-types/index.js';
import { runFields } from '@vantage/shared/probe-types/node-result.js';
import { compileSchema } from '@vantage/shared/validation.js';
import t from 'tap';
import { aNode } from '../../../test/_support/a-node.js';
import type { Node } from '../nodes/index.js';
import { nodeResultSchema, taskSchema } from './schema.js';
import type { NodeTaskRow, TaskRow } from './store.js';
import { taskView } from './view.js';

const node = aNode({ country: 'DE', city: 'Berlin', asn: 3320, region: 'Western Europe', isp: 'Deutsche Telekom' });

function specOf(type: ProbeType): ProbeSpecs[ProbeType] {
  const validation = compileSchema(definitionOf(type).Spec)({ target: definitionOf(type).exampleTarget, params: {} });
  if (!validation.ok) throw new Error(JSON.stringify(validation.details));
  return validation.value as ProbeSpecs[ProbeType];
}

/** A stored result of a type; what it does not say is as if nothing had been measured. */
function resultOf(type: ProbeType, fields: object = { success: true, error: null }): Record<string, unknown> {
  const run = { started_at: '2026-01-01T00:00:01.000Z', duration_ms: 12, disturbed: false, loop_lag_ms: 0 };
  return { ...failedResult(type, specOf(type), { code: 'timeout', message: 'late' }), ...run, ...fields };
}

function nodeTask(fields: Partial<NodeTaskRow> = {}): NodeTaskRow {
  return {
    id: newId(idPrefixes.probeTask),
    node_id: node.id,
    state: 'pending',
    result: null,
    success: null,
    lost_code: null,
    finished_at: null,
    late: false,
    ...fields,
  };
}

function done(type: ProbeType, fields?: object, finishedAt = '2026-01-01T00:00:02.5+00:00'): NodeTaskRow {
  const result = resultOf(type, fields);
  return nodeTask({ state: 'done', result, success: result['success'] === true, finished_at: finishedAt });
}

function lost(code: string, finishedAt = '2026-01-01T00:00:03+00:00'): NodeTaskRow {
  return nodeTask({ state: 'lost', lost_code: code, finished_at: finishedAt });
}

function view(type: ProbeType, nodeTasks: readonly NodeTaskRow[], findNode: (id: string) => Node | null = () => node) {
  const task: TaskRow = {
    id: newId(idPrefixes.probeTask),
    owner_id: null,
    is_test: false,
    is_internal: false,
    shared: false,
    shared_body: false,
    unfit_nodes: null,
    probe_type: type,
    target: specOf(type).target,
    spec: specOf(type),
    created_at: new Date('2026-01-01T00:00:00Z'),
    node_tasks: nodeTasks,
  };
  const bannedAt = (id: string) => findNode(id)?.bannedAt ?? null;
  return taskView(task.id, task, {
    findNode,
    bannedAt,
    asnOf: () => null,
    publicUrl: 'https://vantage.example',
    hidesBody: false,
  });
}

t.test('a task runs until every node has its end, and failed only when no node answered', async (t) => {
  const cases: readonly { name: string; nodes: NodeTaskRow[]; status: string; completedAt: string | null }[] = [
    { name: 'nobody yet', nodes: [nodeTask(), nodeTask()], status: 'running', completedAt: null },
    { name: 'one of two', nodes: [done('tcp'), nodeTask()], status: 'running', completedAt: null },
    { name: 'one lost, one to come', nodes: [lost('node_lost'), nodeTask()], status: 'running', completedAt: null },
    { name: 'both', nodes: [done('tcp'), done('tcp')], status: 'completed', completedAt: '2026-01-01T00:00:02.500Z' },
    {
      name: 'a bad result is a result',
      nodes: [done('tcp', { success: false, error: { code: 'tcp_refused', message: 'refused' } })],
      status: 'completed',
      completedAt: '2026-01-01T00:00:02.500Z',
    },
    {
      name: 'one, the other lost',
      nodes: [done('tcp'), lost('node_lost')],
      status: 'completed',
      completedAt: '2026-01-01T00:00:03.000Z',
    },
    {
      name: 'all lost',
      nodes: [lost('timeout'), lost('node_lost')],
      status: 'failed',
      completedAt: '2026-01-01T00:00:03.000Z',
    },
  ];
  for (const { name, nodes, status, completedAt } of cases) {
    t.match(view('tcp', nodes), { status, completed_at: completedAt }, name);
  }
});

t.test(
  'results of finished nodes are shown while the others run, in the order in which the nodes were chosen',
  async (t) => {
    const task = view('tcp', [
      nodeTask(),
      done('tcp', { success: true, error: null, duration_ms: 1 }),
      lost('node_lost'),
      done('tcp', { duration_ms: 2 }),
    ]);
    t.match(
      task.node_results.map(({ duration_ms }) => duration_ms),
      [1, 0, 2],
    );
    t.match(task.summary, { success_count: 1, fail_count: 2 });
  },
);

t.test('a result says where its node stands, and nothing more of it', async (t) => {
  const [result] = view('tcp', [done('tcp')]).node_results;
  t.same(result?.node, { asn: 3320, city: 'Berlin', country: 'DE', isp: 'Deutsche Telekom', region: 'Western Europe' });
  const [gone] = view('tcp', [done('tcp')], () => null).node_results;
  t.same(
    gone?.node,
    { asn: null, city: null, country: null, isp: null, region: null },
    'a node that is not known any more',
  );
});

t.test('a node without a result has a complete failed one that says why', async (t) => {
  for (const [code, message] of [
    ['node_lost', /was lost before/],
    ['timeout', /in time/],
    ['target_rate_limited', /too often/],
  ] as const) {
    const [result] = view('http', [lost(code)]).node_results;
    t.match(result, {
      success: false,
      error: { code, message },
      started_at: null,
      duration_ms: 0,
      status_code: null,
      headers: {},
    });
  }
});

t.test('only a result that came after its node was given up is marked late', async (t) => {
  const task = view('tcp', [done('tcp'), { ...done('tcp'), late: true }]);
  t.strictSame(
    task.node_results.map(({ late }) => late),
    [undefined, true],
  );
});

t.test('the summary of each type is over the nodes that answered', async (t) => {
  const rtt = (avg: number) => ({ min_ms: avg, avg_ms: avg, max_ms: avg, mdev_ms: 0, p95_ms: avg });
  const hop = { ttl: 1, replies: [] };
  const ok = { success: true, error: null };
  const cases: readonly { type: ProbeType; results: object[]; summary: object }[] = [
    {
      type: 'http',
      results: [{ ...ok, response_ms: 10 }, { ...ok, response_ms: 30 }, { response_ms: 999 }],
      summary: { success_count: 2, fail_count: 2, avg_response_ms: 20, p95_response_ms: 30 },
    },
    {
      type: 'ping',
      results: [
        { ...ok, packets_sent: 4, packets_received: 4, loss_pct: 0, rtt: rtt(10) },
        { ...ok, packets_sent: 4, packets_received: 2, loss_pct: 50, rtt: rtt(20) },
      ],
      summary: { success_count: 2, fail_count: 1, loss_pct: 25, rtt_avg_ms: 15 },
    },
    {
      type: 'dns',
      results: [{ ...ok, query_ms: 4 }, { query_ms: 6 }],
      summary: { success_count: 1, fail_count: 2, query_avg_ms: 5 },
    },
    {
      type: 'tcp',
      results: [
        { ...ok, connect_ms: 1 },
        { ...ok, connect_ms: 2 },
      ],
      summary: { success_count: 2, fail_count: 1, connect_avg_ms: 1.5 },
    },
    {
      type: 'traceroute',
      results: [
        { ...ok, reached: true, hops: [hop, hop, hop] },
        { reached: false, hops: [hop] },
      ],
      summary: { success_count: 1, fail_count: 2, reached_count: 1, hops_avg: 3 },
    },
  ];
  for (const { type, results, summary } of cases) {
    const nodes = [...results.map((fields) => done(type, fields)), lost('node_lost')];
    t.match(view(type, nodes).summary, summary, type);
  }
});

t.test(
  'a DNS task compares its nodes: the domain, the type, records by node, and whether they contradict',
  async (t) => {
    const record = { name: 'example.com', type: 'A', class: 'IN', ttl: 60, value: '93.184.216.34' };
    const found = done('dns', { success: true, error: null, rcode: 'NOERROR', records: [record] });
    const other = done('dns', {
      success: true,
      error: null,
      rcode: 'NOERROR',
      records: [{ ...record, value: '93.184.216.35' }],
    });
    const none = done('dns', { rcode: 'NXDOMAIN', records: [] });
    t.match(view('dns', [found, nodeTask(), lost('node_lost')]), {
      domain: 'example.com',
      type: 'A',
      pollution_detected: false,
      records_by_node: [{ node_id: node.id, records: [record] }],
    });
    t.equal(view('dns', [found, other])['pollution_detected'], false, 'different addresses are load balancing');
    t.equal(view('dns', [found, none])['pollution_detected'], true, 'records here, no such name there');
    t.equal(
      view('dns', [found, done('dns', { rcode: null })])['pollution_detected'],
      false,
      'no answer is no contradiction',
    );
    t.equal(view('tcp', [done('tcp')])['domain'], undefined, 'other types have none of this');
  },
);

t.test('no type has a member of the name of one that every node result has', async (t) => {
  const common = Object.keys((nodeResultSchema('tcp') as { properties?: object }).properties ?? {});
  const own = Object.keys(probeTypes.tcp.Result.properties);
  const reserved = new Set([...common.filter((name) => !own.includes(name)), ...Object.keys(runFields)]);
  t.ok(reserved.has('late') && reserved.has('node_id'));
  for (const [type, { Result }] of Object.entries(probeTypes)) {
    t.same(
      Object.keys(Result.properties).filter((name) => reserved.has(name)),
      [],
      type,
    );
  }
});

t.test('every state of a task of every type is as its schema says', async (t) => {
  for (const type of probeTypeNames) {
    const validate = compileSchema(taskSchema(type));
    const mixed = [
      done(type),
      done(type, {}),
      { ...done(type), late: true },
      lost('node_lost'),
      lost('timeout'),
      lost('target_rate_limited'),
    ];
    for (const nodes of [[nodeTask()], mixed, [...mixed, nodeTask()], [lost('timeout')]]) {
      const sent = JSON.parse(JSON.stringify(view(type, nodes)));
      const before = JSON.stringify(sent);
      const validation = validate(sent);
      t.same(validation.ok ? null : validation.details, null, type);
      t.equal(JSON.stringify(sent), before, `${type}: nothing was left to defaults`);
    }
  }
});

t.test('a result of a node that was banned since says so, with the instant, and no other does', async (t) => {
  const banned = aNode({ isBanned: true, bannedAt: new Date('2026-02-01T00:00:00Z') });
  const [result, gone] = view('tcp', [done('tcp'), lost('node_lost')], () => banned).node_results;
  t.match(result, { success: true, trust: 'banned_since', banned_at: '2026-02-01T00:00:00.000Z' });
  t.notOk('trust' in (gone ?? {}), 'what it never measured needs no trust');
  t.notOk('trust' in (view('tcp', [done('tcp')]).node_results[0] ?? {}));
});
