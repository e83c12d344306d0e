const node = 'n_1CGRtJ1RH3rs4vbBJ5pyj9';

/** Finished report for the reference. */
export const exampleReport = {
  id: 'dg_1CGRtJ1RH3rs4vbBJ5pyjA',
  target: 'example.com',
  status: 'completed',
  overall_score: 97,
  scope: ['dns', 'ping'],
  is_test: false,
  created_at: '2026-01-31T12:00:00.100Z',
  completed_at: '2026-01-31T12:00:04.214Z',
  shared: true,
  url: 'https://vantage.example/d/dg_1CGRtJ1RH3rs4vbBJ5pyjA',
  sections: {
    dns: {
      status: 'completed',
      score: 97,
      findings: [
        { code: 'dns_ok', severity: 'good', message: 'The name resolves.', remedy: null, penalty: 0, node_ids: [node] },
        {
          code: 'no_dmarc',
          severity: 'warning',
          message: 'The domain has no DMARC record.',
          remedy: 'Add a TXT record at _dmarc, to begin with "v=DMARC1; p=none".',
          penalty: 3,
          node_ids: [node],
        },
      ],
      facts: {
        nodes: [{ node_id: node, success: true, error: null, rcode: 'NOERROR', query_ms: 4.1 }],
        missing_node_ids: [],
        zone: { domain: 'example.com', findings: [{ code: 'no_dmarc', facts: {} }] },
      },
      task_id: 'pt_1CGRtJ1RH3rs4vbBJ5pyjB',
      task_ids: ['pt_1CGRtJ1RH3rs4vbBJ5pyjB'],
      reason: null,
    },
    ping: {
      status: 'failed',
      score: null,
      findings: [],
      facts: {},
      task_id: 'pt_1CGRtJ1RH3rs4vbBJ5pyjC',
      task_ids: ['pt_1CGRtJ1RH3rs4vbBJ5pyjC'],
      reason: 'nodes_failed',
    },
  },
  nodes: [
    {
      node_id: node,
      node: {
        asn: 3320,
        city: 'Frankfurt am Main',
        country: 'DE',
        isp: 'Deutsche Telekom AG',
        region: 'Western Europe',
      },
    },
  ],
  truncated: false,
};
