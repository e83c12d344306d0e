import { startDnsServer, zone } from '../_support/dns-server.js';
import { aSpec } from '../_support/probe-context.js';
import type { ProbeTrial } from '../_support/probe-trial.js';

/** How type `dns` is tried: docs/adding-a-probe-type.md. */
export const trial: ProbeTrial<'dns'> = {
  refused: aSpec('dns', 'site.example.com', { server: '10.0.0.1' }),
  contacts: [aSpec('dns', 'other.example.com', { server: 'site.example.com' })],
  answered: async (t) => {
    const { endpoint } = await startDnsServer(t, zone([{ type: 'A', name: 'site.example.com', data: '127.0.0.1' }]));
    return aSpec('dns', 'site.example.com', { server: endpoint.address, port: endpoint.port });
  },
  silent: async (t) => {
    const { endpoint } = await startDnsServer(t, () => null);
    return aSpec('dns', 'site.example.com', { server: endpoint.address, port: endpoint.port });
  },
  report: async (t) => {
    const { endpoint } = await startDnsServer(t, zone([{ type: 'A', name: 'www.example.com', data: '203.0.113.10' }]));
    return {
      target: 'www.example.com',
      params: [`server=${endpoint.address}`, `port=${endpoint.port}`],
      lines: [
        /;; status NOERROR/,
        /^ {2}www\.example\.com\. {2}\d+ {2}IN {2}A {2}203\.0\.113\.10$/,
        /;; server 127\.0\.0\.1/,
      ],
    };
  },
};
