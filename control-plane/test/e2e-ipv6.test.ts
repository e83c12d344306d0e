import t from 'tap';
import { runProbe } from './_support/probes.js';
import { needsRawSockets } from './_support/raw-sockets.js';
import { RealAgent } from './_support/real-agent.js';
import { SlowTarget } from './_support/slow-target.js';
import { startStack } from './_support/stack.js';
import { startGreeter, startNameServer } from './_support/targets.js';

const overIpv6 = { VANTAGE_LISTEN: '[::1]:0' };

t.test('the API, the link and the probes of an http, a dns and a tcp target all run over IPv6', async (t) => {
  const { api } = await startStack(t, overIpv6);
  t.match(api.url, /^http:\/\/\[::1\]:\d+$/);
  await RealAgent.start(t, api);
  const target = await SlowTarget.start(t, '::1');
  const http = await runProbe(api, 'http', { target: target.url('/hello') });
  t.match(http.node_results, [{ success: true, status_code: 200, body: 'hello', resolved_ip: '::1', ip_version: 6 }]);
  const dns = await runProbe(api, 'dns', {
    target: 'www.example.com',
    params: { server: '::1', port: await startNameServer(t, '::1') },
  });
  t.match(dns.node_results, [{ success: true, rcode: 'NOERROR', records: [{ value: '203.0.113.10' }] }]);
  const tcp = await runProbe(api, 'tcp', {
    target: `[::1]:${await startGreeter(t, '::1')}`,
    params: { banner: true },
  });
  t.match(tcp.node_results, [{ success: true, resolved_ip: '::1', banner: /^220 ready/ }]);
});

t.test('a ping and a traceroute of an IPv6 address measure what is there', needsRawSockets, async (t) => {
  const { api } = await startStack(t, overIpv6);
  await RealAgent.start(t, api);
  const ping = await runProbe(api, 'ping', { target: '::1', params: { count: 2, interval_ms: 200 } });
  t.match(ping.node_results, [{ success: true, resolved_ip: '::1', ip_version: 6, packets_received: 2 }]);
  const traceroute = await runProbe(api, 'traceroute', { target: '::1' });
  t.match(traceroute.node_results, [{ success: true, reached: true, hops: [{ replies: [{ ip: '::1' }] }] }]);
});
