import type { ProbeType } from '@vantage/shared/probe-types/index.js';
import type { TaskView } from './view.js';

const httpNodeResult = {
  node_id: 'n_1CGRtJ1RH3rs4vbBJ5pyj9',
  node: { asn: 3320, city: 'Frankfurt am Main', country: 'DE', isp: 'Deutsche Telekom AG', region: 'Western Europe' },
  success: true,
  error: null,
  started_at: '2026-01-31T12:00:00.120Z',
  duration_ms: 87.4,
  disturbed: false,
  loop_lag_ms: 0.3,
  status_code: 200,
  response_ms: 86.9,
  response_size: 1256,
  final_url: 'https://example.com/',
  headers: { 'content-type': 'text/html; charset=UTF-8' },
  resolved_ip: '192.0.2.80',
  ip_version: 4,
  http_version: '1.1',
  redirects: [],
  body_truncated: false,
  timing: { dns_ms: 4.1, tcp_ms: 18.6, tls_ms: 39.2, ttfb_ms: 24.3, download_ms: 0.7 },
  tls: {
    protocol: 'TLSv1.3',
    version: '1.3',
    cipher: 'TLS_AES_256_GCM_SHA384',
    authorized: true,
    authorization_error: null,
    not_after: '2026-12-31T23:59:59.000Z',
    chain: [],
  },
};

/** Finished tasks for the reference; for other types the reference generates an example from the schema. */
export const taskExamples: Readonly<Partial<Record<ProbeType, TaskView>>> = {
  http: {
    task_id: 'pt_1CGRtJ1RH3rs4vbBJ5pyjA',
    probe_type: 'http',
    is_test: false,
    target: 'https://example.com/',
    shared: true,
    shared_body: true,
    url: 'https://vantage.example/v1/probe/tasks/pt_1CGRtJ1RH3rs4vbBJ5pyjA',
    page: 'https://vantage.example/p/pt_1CGRtJ1RH3rs4vbBJ5pyjA',
    status: 'completed',
    created_at: '2026-01-31T12:00:00.100Z',
    completed_at: '2026-01-31T12:00:00.214Z',
    node_results: [httpNodeResult],
    summary: { success_count: 1, fail_count: 0, avg_response_ms: 86.9, p95_response_ms: 86.9 },
  },
};
