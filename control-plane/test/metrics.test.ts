import { probeErrorCodes } from '@vantage/shared/probe-types/error-codes.js';
import { failedResult } from '@vantage/shared/probe-types/failed-result.js';
import { type ProbeSpecs, probeTypeNames } from '@vantage/shared/probe-types/index.js';
import t from 'tap';
import { enrollPeer, PeerAgent, successOf } from './_support/peer-agent.js';
import { startStack } from './_support/stack.js';
import { until } from './_support/until.js';

/** One line of the Prometheus text format. */
interface Sample {
  readonly name: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly value: number;
}

async function scrape(url: string): Promise<Sample[]> {
  const text = await (await fetch(url)).text();
  return text.split('\n').flatMap((line) => {
    const [, name = '', labels = '', value = ''] = /^([a-z_]+)(?:\{(.*)\})? (\S+)$/.exec(line) ?? [];
    const pairs = [...labels.matchAll(/(\w+)="((?:[^"\\]|\\.)*)"/g)].map(([, key, text]) => [key, text]);
    return name === '' ? [] : [{ name, labels: Object.fromEntries(pairs), value: Number(value) }];
  });
}

t.test('metrics tell tasks, results, latencies, links and spools, and their labels are closed lists', async (t) => {
  const { api, controlPlane } = await startStack(t, { VANTAGE_METRICS_LISTEN: '127.0.0.1:0' });
  const value = async (name: string, labels: Record<string, string> = {}) => {
    const samples = await scrape(controlPlane.metricsUrl ?? '');
    const isWanted = (sample: Sample) => Object.entries(labels).every(([key, text]) => sample.labels[key] === text);
    return samples.find((sample) => sample.name === name && isWanted(sample))?.value;
  };
  const peer = await PeerAgent.connect(t, api.url, await enrollPeer(api), { isAnswering: false, isBeating: true });
  const probe = async (type: string, target: string) => {
    const before = peer.jobs.length;
    await api.call('POST', `/v1/probe/${type}`, { body: { target } });
    await until('the job', () => peer.jobs.length > before);
    return peer.jobs.at(-1)?.taskId ?? '';
  };

  const [good, bad, lost] = [
    await probe('tcp', '127.0.0.1:1'),
    await probe('tcp', '127.0.0.1:2'),
    await probe('dns', 'a.example'),
  ];
  t.equal(await value('vantage_probe_tasks_total', { type: 'tcp' }), 2);
  t.equal(await value('vantage_probe_tasks_total', { type: 'dns' }), 1);
  t.equal(await value('vantage_dispatch_duration_seconds_count'), 3);
  t.equal(await value('vantage_links'), 1);
  await until('all to be in flight', async () => (await value('vantage_jobs_in_flight')) === 3);

  const success = successOf(good, 'tcp');
  const spec = { target: 'x:1', params: {} } as ProbeSpecs['tcp'];
  const refused = failedResult('tcp', spec, { code: 'tcp_refused', message: 'refused' });
  const run = { started_at: '2026-01-01T00:00:00.000Z', duration_ms: 1, disturbed: false, loop_lag_ms: 0 };
  const failure = { ...successOf(bad, 'tcp'), resultJson: Buffer.from(JSON.stringify({ ...refused, ...run })) };
  const hostile = { ...success, probeType: 'x"} 1\nevil_metric{a="b' };
  peer.sendResults([success, failure, hostile]);
  await peer.waitFor('the acknowledgement', (frame) => frame.ack?.mark === 3);
  t.equal(await value('vantage_node_results_total', { type: 'tcp', outcome: 'success' }), 1);
  t.equal(await value('vantage_node_results_total', { type: 'tcp', outcome: 'tcp_refused' }), 1);
  t.equal(await value('vantage_ingest_rejects_total'), 1);
  t.equal(await value('vantage_ingest_duration_seconds_count'), 1);
  t.equal(await value('vantage_ingest_batch_rows_sum'), 2);
  t.equal(await value('vantage_jobs_in_flight'), 1);

  peer.spool = { spoolRows: 7, spoolBytes: 700, spoolOldestMs: 90_000, spoolDropped: 3, spoolProblem: 'disk is full' };
  await until('the next heartbeat', async () => (await value('vantage_agent_spool_rows')) === 7);
  t.equal(await value('vantage_agent_spool_bytes'), 700);
  t.equal(await value('vantage_agent_spool_oldest_seconds'), 90);
  t.equal(await value('vantage_agent_spool_dropped_rows'), 3);
  t.equal(await value('vantage_agent_spool_problems'), 1);

  peer.cut();
  await api.call('GET', `/v1/probe/tasks/${lost}?wait=20`);
  t.equal(
    await value('vantage_node_results_total', { type: 'dns', outcome: 'node_lost' }),
    1,
    'a lost node is an outcome',
  );
  t.equal(await value('vantage_links'), 0);

  for (let index = 0; index < 5; index += 1) await fetch(new URL(`/nowhere/${index}`, api.url));
  const samples = await scrape(controlPlane.metricsUrl ?? '');
  t.ok(samples.some(({ name, value }) => name === 'nodejs_eventloop_lag_seconds' && value >= 0));
  t.ok(samples.some(({ name }) => name === 'process_resident_memory_bytes'));
  const own = samples.filter(({ name }) => name.startsWith('vantage_'));
  const labelled = (label: string) => new Set(own.flatMap(({ labels }) => labels[label] ?? []));
  const outcomes = new Set<string>(['success', ...probeErrorCodes]);
  t.strictSame(
    [...labelled('type')].filter((type) => !(probeTypeNames as readonly string[]).includes(type)),
    [],
  );
  t.strictSame(
    [...labelled('outcome')].filter((outcome) => !outcomes.has(outcome)),
    [],
  );
  t.strictSame(
    [...labelled('operation')].filter((operation) => /nowhere|\d/.test(operation)),
    [],
  );
  t.strictSame(
    samples.filter(({ name }) => name === 'evil_metric'),
    [],
  );
});
