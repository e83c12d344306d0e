import t from 'tap';
import { aRoute } from '../../../test/_support/http-routes.js';
import { startTestServer } from '../../../test/_support/http-server.js';
import { createLogger } from '../../runtime/log.js';
import { MetricsServer } from '../listeners/metrics-server.js';
import { createRegistry, HttpMetrics } from './metrics.js';

t.test('requests are counted by operation and class of status on a listener of its own', async (t) => {
  const registry = createRegistry();
  const metrics = new HttpMetrics(registry);
  const { url } = await startTestServer(t, [aRoute('/v1/counted', {})], { metrics });
  const server = new MetricsServer({ registry, host: '127.0.0.1', port: 0, log: createLogger('silent') });
  const { port } = await server.start();
  t.teardown(() => server.stop());
  for (const path of ['/v1/counted', '/v1/counted', '/v1/never/heard/of', '/also/not']) await fetch(url + path);
  const response = await fetch(`http://127.0.0.1:${port}/metrics`);
  const text = await response.text();
  t.match(response.headers.get('content-type'), /^text\/plain; version=/);
  t.match(text, 'vantage_http_request_duration_seconds_count{operation="get_v1_counted",status="2xx"} 2');
  t.match(text, 'vantage_http_request_duration_seconds_count{operation="unmatched",status="4xx"} 2');
  t.match(text, /^process_resident_memory_bytes \d/m);
  t.match(text, /^nodejs_eventloop_lag_seconds /m);
  t.equal((await fetch(`http://127.0.0.1:${port}/`)).status, 404);
  t.equal((await fetch(`${url}/metrics`)).status, 404, 'not on the public listener');
  await server.stop();
  await server.stop();
});
