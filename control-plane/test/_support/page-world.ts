import { until } from '@vantage/shared/_support/until.js';
import type { ProbeType } from '@vantage/shared/probe-types/index.js';
import { agentResultSchema } from '@vantage/shared/probe-types/node-result.js';
import { compileSchema } from '@vantage/shared/validation.js';
import type { Test } from 'tap';
import { type Declared, enrollPeer, PeerAgent, successOf } from './peer-agent.js';
import { startStack, type TestApi } from './stack.js';

const certificate = (subject: string, issuer: string) => ({
  subject,
  issuer,
  not_before: '2026-09-01T00:00:00Z',
  not_after: '2026-11-30T00:00:00Z',
  serial_number: '01',
  fingerprint_sha256: 'AA:BB',
});
const places: readonly Declared[] = [
  { country: 'DE', city: 'Frankfurt am Main', asn: 3320 },
  { country: 'JP', city: 'Tokyo', asn: 2497 },
  { country: 'BR', city: 'São Paulo', asn: 28573 },
];

/** A control plane with three nodes that send what the test has them measure. */
export interface PageWorld {
  readonly api: TestApi;
  /** Address of the page of a probe whose nodes sent `results` in their order; a missing result is still awaited. */
  pageOf(type: ProbeType, target: string, results: readonly object[], params?: object): Promise<string>;
}

/** Starts a world for pages, on a control plane without nodes that are online. */
export async function startPageWorld(t: Test, running?: TestApi): Promise<PageWorld> {
  const api = running ?? (await startStack(t, { VANTAGE_ABUSE_CONTACT: 'abuse@operator.example' })).api;
  const peers: PeerAgent[] = [];
  for (const [i, declared] of places.entries()) {
    const identity = await enrollPeer(api, { name: `node-${i + 1}`, declared });
    peers.push(await PeerAgent.connect(t, api.url, identity, { isAnswering: false }));
  }
  await enrollPeer(api, { name: 'node-4', declared: { country: 'AU', city: 'Sydney', asn: 1221 } });
  await until('the nodes', async () => (await api.call('GET', '/v1/nodes?status=online')).body.data.items.length === 3);
  return {
    api,
    async pageOf(type, target, results, params = {}) {
      const body = { target, params, node_ids: peers.map(({ identity }) => identity.nodeId) };
      const created = await api.call('POST', `/v1/probe/${type}`, { body, as: null });
      if (created.status !== 202) throw new Error(JSON.stringify(created.body));
      const { task_id: id, task_ids: ids } = created.body.data as { task_id: string; task_ids: string[] };
      for (const [i, result] of results.entries()) {
        const peer = peers[i] as PeerAgent;
        await until('the job', () => peer.jobs.some(({ taskId }) => taskId === ids[i]));
        const specJson = peer.frames.find(({ job }) => job?.taskId === ids[i])?.job?.specJson;
        const success = successOf(ids[i] ?? '', type, specJson);
        const fields = { ...JSON.parse(Buffer.from(success.resultJson ?? []).toString()), ...result };
        const checked = compileSchema(agentResultSchema(type))(structuredClone(fields));
        if (!checked.ok) throw new Error(`bad result of ${type}: ${JSON.stringify(checked.details)}`);
        peer.sendResults([{ ...success, resultJson: Buffer.from(JSON.stringify(fields)) }]);
      }
      const path = `/v1/probe/tasks/${id}`;
      await until('the results', async () => {
        const { body: task } = await api.call('GET', path, { as: null });
        return task.data.node_results.length === results.length;
      });
      return `/p/${id}`;
    },
  };
}

const timing = (dns_ms: number, tcp_ms: number, tls_ms: number | null, ttfb_ms: number, download_ms: number) => ({
  dns_ms,
  tcp_ms,
  tls_ms,
  ttfb_ms,
  download_ms,
});
const tls = {
  protocol: 'TLSv1.3',
  version: '1.3',
  not_after: '2026-11-30T00:00:00Z',
  cipher: 'TLS_AES_256_GCM_SHA384',
  authorized: true,
  authorization_error: null,
  chain: [certificate('CN=example.com', 'CN=R11, O=Example CA'), certificate('CN=R11, O=Example CA', 'CN=Root')],
};
const page = {
  status_code: 200,
  http_version: '2',
  final_url: 'https://example.com/',
  resolved_ip: '93.184.215.14',
  ip_version: 4,
  tls,
};

/** A probe, and the results of its nodes. */
export interface PageCase {
  readonly type: ProbeType;
  readonly target: string;
  readonly results: readonly object[];
  readonly params?: object;
}

/** Results of each kind that a page shows differently, by the name of its state. */
export const pageCases: Readonly<Record<string, PageCase>> = {
  http: {
    type: 'http',
    target: 'https://example.com/',
    results: [
      { ...page, response_ms: 61.4, response_size: 1256, timing: timing(4.2, 11.3, 22.8, 21.9, 1.2) },
      { ...page, response_ms: 742, response_size: 1256, timing: timing(31, 152, 301, 249, 9) },
      { ...page, status_code: 500, response_ms: 389, response_size: 77, timing: timing(18, 92, 181, 96, 2) },
    ],
    params: { timeout_ms: 5000, headers: { 'x-secret': 'hidden value' } },
  },
  failed: {
    type: 'http',
    target: `https://shop.example/${'category/'.repeat(6)}index.html`,
    results: [
      { ...page, response_ms: 61.4, response_size: 1256, timing: timing(4.2, 11.3, 22.8, 21.9, 1.2) },
      {
        success: false,
        duration_ms: 1_000,
        error: { code: 'http_timeout', message: 'no response within 1000 ms' },
        timing: { ...timing(4, 11, 0, 0, 0), tls_ms: null, ttfb_ms: null, download_ms: null },
      },
      {
        success: false,
        duration_ms: 12,
        error: { code: 'tls_name_mismatch', message: `the certificate is for ${'a-very-long-name.'.repeat(6)}example` },
      },
    ],
    params: { timeout_ms: 1000 },
  },
  running: {
    type: 'tcp',
    target: 'example.com:443',
    results: [{ dns_ms: 4, connect_ms: 12.3, resolved_ip: '93.184.215.14', port: 443 }],
  },
  tls: {
    type: 'ssl',
    target: 'expired.example',
    results: Array.from({ length: 3 }, () => ({
      grade: 'T',
      valid: false,
      subject: 'CN=expired.example',
      days_until_expiry: -3,
    })),
  },
  ping: {
    type: 'ping',
    target: 'example.com',
    results: [
      {
        packets_sent: 4,
        packets_received: 4,
        loss_pct: 0,
        rtt: { min_ms: 9.1, avg_ms: 9.6, max_ms: 10.4, mdev_ms: 0.4, p95_ms: 10.4 },
        resolved_ip: '93.184.215.14',
      },
      {
        packets_sent: 4,
        packets_received: 3,
        loss_pct: 25,
        rtt: { min_ms: 231, avg_ms: 240, max_ms: 262, mdev_ms: 9, p95_ms: 262 },
        resolved_ip: '93.184.215.14',
        disturbed: true,
        loop_lag_ms: 80,
        duration_ms: 300,
      },
      {
        success: false,
        error: { code: 'no_reply', message: 'no reply to 4 packets' },
        packets_sent: 4,
        packets_received: 0,
        loss_pct: 100,
        duration_ms: 4_000,
      },
    ],
  },
};
