import { until } from '@vantage/shared/_support/until.js';
import { type MissedReason, missedReasons } from '@vantage/shared/monitor-state/check-report.js';
import { MISSED_KIND } from '@vantage/shared/monitor-state/report-kinds.js';
import { probeErrorCodes } from '@vantage/shared/probe-types/error-codes.js';
import { failedResult } from '@vantage/shared/probe-types/failed-result.js';
import { type ProbeSpecs, probeTypeNames } from '@vantage/shared/probe-types/index.js';
import t from 'tap';
import { refreshOutcomes } from '../src/modules/lookups/lists/list-refresh.js';
import { deliveryOutcomes } from '../src/modules/webhooks/metrics.js';
import { CheckingNode } from './_support/checking-node.js';
import { enrollPeer, PeerAgent, successOf } from './_support/peer-agent.js';
import { startStack } from './_support/stack.js';

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

/** Reads one series from the address of the metrics. */
function reader(url: string | null) {
  return async (name: string, labels: Record<string, string> = {}) => {
    const isWanted = (sample: Sample) => Object.entries(labels).every(([key, text]) => sample.labels[key] === text);
    return (await scrape(url ?? '')).find((sample) => sample.name === name && isWanted(sample))?.value;
  };
}

t.test('metrics report tasks, results, latencies, links and spools, and their labels are closed lists', async (t) => {
  const { api, controlPlane } = await startStack(t, { VANTAGE_METRICS_LISTEN: '127.0.0.1:0' });
  const value = reader(controlPlane.metricsUrl);
  const peer = await PeerAgent.connect(t, api.url, await enrollPeer(api), { isAnswering: false });
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
  const outcomes = new Set<string>(['success', ...probeErrorCodes, ...deliveryOutcomes, ...refreshOutcomes]);
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

t.test('metrics of monitors report checks, missed slots by reason, events, and the duration of judging', async (t) => {
  const { api, controlPlane } = await startStack(t, { VANTAGE_METRICS_LISTEN: '127.0.0.1:0' });
  const value = reader(controlPlane.metricsUrl);
  for (const reason of missedReasons) t.equal(await value('vantage_monitor_missed_slots_total', { reason }), 0);
  const node = await CheckingNode.join(t, api);
  const body = { name: 'Shop', type: 'tcp', target: '127.0.0.1:9', interval_s: 60 };
  const { id } = (await api.call('POST', '/v1/monitors', { body })).body.data;
  const { generation } = await node.waitForAssignment(id);
  const events = (type: string, change: string) => value('vantage_monitor_events_total', { type, change });

  const now = Date.now();
  node.check(id, { outcome: 'failed', slot_ms: now });
  await until('the event', async () => (await events('down', 'opened')) === 1);
  node.check(id, { outcome: 'ok', slot_ms: now + 1 });
  await until('its end', async () => (await events('down', 'closed')) === 1);
  node.check(id, { outcome: 'ok', slot_ms: now + 2 });
  const missed = (reason: MissedReason, count: number, ageMs: number) => {
    const at = { first_slot_ms: now - ageMs - count * 60_000, last_slot_ms: now - ageMs, through_ms: now - ageMs };
    node.deliver(MISSED_KIND, { monitor_id: id, generation, count, reason, ...at });
  };
  missed('behind', 3, 600_000);
  missed('uplink_lost', 5, 1_200_000);
  await until('the last of them', async () => (await value('vantage_ingest_batch_rows_sum')) === 5);
  t.equal(await value('vantage_monitor_checks_total', { outcome: 'failed' }), 1);
  t.equal(await value('vantage_monitor_checks_total', { outcome: 'ok' }), 2);
  t.equal(await value('vantage_monitor_missed_slots_total', { reason: 'behind' }), 3);
  t.equal(await value('vantage_monitor_missed_slots_total', { reason: 'uplink_lost' }), 5);
  t.equal(await value('vantage_monitor_missed_slots_total', { reason: 'stopped' }), 0);
  t.equal(await value('vantage_node_results_total'), undefined, 'these are not results of tasks');
  t.ok(((await value('vantage_monitor_judging_delay_seconds_count')) ?? 0) >= 2);
  t.ok(((await value('vantage_monitor_judging_delay_seconds_sum')) ?? 0) > 0);
  t.ok(((await value('vantage_monitors_due')) ?? -1) >= 0);

  const heartbeat = { name: 'Backup', type: 'heartbeat', config: { interval_s: 60 } };
  const { url } = (await api.call('POST', '/v1/monitors', { body: heartbeat })).body.data.heartbeat;
  await fetch(`${url}/fail`);
  await until('the event of a heartbeat', async () => (await events('down', 'opened')) === 2);
});
