import { blankInput } from '@vantage/shared/diagnose/_support/blank-input.js';
import { sectionNames } from '@vantage/shared/diagnose/finding-table.js';
import type { DiagnoseInput } from '@vantage/shared/diagnose/report.js';
import { parseDiagnoseTarget } from '@vantage/shared/diagnose/target.js';
import { failedResult } from '@vantage/shared/probe-types/failed-result.js';
import t from 'tap';
import { type NextStep, NODES_PER_TASK, nextStep, type Progress, sentNodes, withTask } from './portions.js';
import { reportSpec } from './probe-spec.js';
import { unusedTests } from './unused-tests.js';

interface Asked {
  readonly nodes?: number;
  readonly scope?: readonly (typeof sectionNames)[number][];
  readonly target?: string;
  readonly input?: Partial<DiagnoseInput>;
}

function progressOf({ nodes = 3, scope = sectionNames, target = 'example.com', input = {} }: Asked = {}): Progress {
  const nodeIds = Array.from({ length: nodes }, (_, i) => `n${i}`);
  return {
    row: { node_ids: nodeIds, tasks: {}, headers: null, scope, is_over: false },
    input: blankInput({ target: parseDiagnoseTarget(target), scope: new Set(scope), nodeIds, ...input }),
    failedAudits: 0,
    areHeadersRequested: false,
  };
}

/** Steps until nothing is left, each taken at once. */
function stepsOf(progress: Progress): NextStep[] {
  const step = nextStep(progress);
  return step === null ? [] : [step, ...stepsOf(afterStep(progress, step))];
}

function afterStep(progress: Progress, step: NextStep): Progress {
  if (step.kind === 'headers') return { ...progress, areHeadersRequested: true };
  return { ...progress, row: { ...progress.row, tasks: withTask(progress.row.tasks, step.kind, 'pt') } };
}

t.test('tasks leave in the order of the sections, each on all nodes, the audit on one', async (t) => {
  t.match(stepsOf(progressOf()), [
    { kind: 'dns', nodeIds: ['n0', 'n1', 'n2'], target: 'example.com' },
    { kind: 'zone_audit', nodeIds: ['n0'] },
    { kind: 'http', target: 'https://example.com/' },
    { kind: 'headers' },
    { kind: 'ssl' },
    { kind: 'ping' },
    { kind: 'traceroute' },
  ]);
  t.strictSame(
    stepsOf(progressOf({ target: '8.8.8.8', scope: ['ssl', 'dns', 'ping'] })).map(({ kind }) => kind),
    ['ping'],
  );
});

t.test('many nodes are divided into tasks, and every node has one of each kind', async (t) => {
  const steps = stepsOf(progressOf({ nodes: 50, scope: ['ping'] }));
  const nodes = steps.flatMap((step) => ('nodeIds' in step ? step.nodeIds : []));
  t.equal(steps.length, 5);
  t.strictSame(
    nodes,
    Array.from({ length: 50 }, (_, i) => `n${i}`),
  );
  t.ok(steps.every((step) => 'nodeIds' in step && step.nodeIds.length <= NODES_PER_TASK));
  t.strictSame(
    steps.map((step) => 'portion' in step && step.portion),
    [0, 1, 2, 3, 4],
  );
  t.equal(sentNodes({ node_ids: nodes, tasks: { ping: ['a', 'b'] } }, 'ping'), 24);
  t.equal(sentNodes({ node_ids: nodes, tasks: { ping: ['a', 'b', 'c', 'd', 'e'] } }, 'ping'), 50);
});

t.test('a second node audits the zone only after the first failed by itself, and no third', async (t) => {
  const sent = (audits: number, failed: number): Progress => {
    const progress = progressOf({ scope: ['dns'] });
    const tasks = { dns: ['pt'], zone_audit: Array.from({ length: audits }, () => 'pt') };
    return { ...progress, row: { ...progress.row, tasks }, failedAudits: failed };
  };
  t.equal(nextStep(sent(1, 0)), null, 'the first is still at it');
  t.match(nextStep(sent(1, 1)), { kind: 'zone_audit', nodeIds: ['n1'], portion: 1 });
  t.equal(nextStep(sent(2, 2)), null);
});

t.test('plain http is asked once every node has failed to connect, and nothing after the deadline', async (t) => {
  const error = { code: 'tcp_refused', message: '' } as const;
  const http = ['n0', 'n1', 'n2'].map((nodeId) => ({
    nodeId,
    result: failedResult('http', reportSpec('http', 'https://example.com/'), error),
  }));
  const progress = progressOf({ scope: ['http'], input: { http } });
  t.match(stepsOf(progress), [
    { kind: 'http' },
    { kind: 'plain_http', target: 'http://example.com/', nodeIds: { length: 3 } },
  ]);
  t.equal(nextStep({ ...progress, row: { ...progress.row, is_over: true } }), null);
});

t.test('what was taken and did not run is returned, a second attempt is free', async (t) => {
  const report = { node_ids: ['n0', 'n1', 'n2'], headers: null, cost: 17 };
  t.equal(unusedTests({ ...report, tasks: {} }), 17);
  t.equal(
    unusedTests({ ...report, tasks: { dns: ['a'], zone_audit: ['b', 'c'], http: ['d'], plain_http: ['e'] } }),
    10,
  );
  const all = { dns: ['a'], zone_audit: ['b'], http: ['c'], ssl: ['d'], ping: ['e'], traceroute: ['f'] };
  t.equal(unusedTests({ ...report, tasks: all }), 1);
  const headers = { nodeId: null, error: null, value: null };
  t.equal(unusedTests({ ...report, tasks: all, headers: { ...headers, wasAsked: true } }), 0);
  t.equal(unusedTests({ ...report, tasks: all, headers: { ...headers, wasAsked: false } }), 1);
});
