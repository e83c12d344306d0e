import { TargetPolicy } from '@vantage/shared/target-policy/policy.js';
import { LOOPBACK, openLoopbackServer } from '../net/loopback-server.js';
import { ProbeRunner, type RunnerOptions } from './runner.js';

/**
 * Probes this process itself once over loopback, so that code is compiled and sockets were opened before anything is
 * measured: the first HTTP probe of a cold process took 76 ms where the second took 2. Results go nowhere, and failures
 * with them: an agent that cannot reach itself is no worse for it.
 */
export async function warmUp(options: Omit<RunnerOptions, 'policy' | 'onEngineFault'>): Promise<void> {
  const policy = new TargetPolicy({ allow: [`${LOOPBACK}/32`], own: [], denied: [] });
  const runner = new ProbeRunner({ ...options, policy: { current: () => policy } });
  const server = await openLoopbackServer();
  if (server === null) return;
  await Promise.all(warmUpProbes(server.port, options.icmp !== null).map((probe) => runner.run(probe)));
  server.close();
}

function warmUpProbes(port: number, hasRawSockets: boolean) {
  const probes = [
    { type: 'http', spec: { target: `http://${LOOPBACK}:${port}/`, params: {} } },
    { type: 'tcp', spec: { target: `${LOOPBACK}:${port}`, params: {} } },
    // nothing listens there, and the connection is refused at once
    { type: 'dns', spec: { target: 'www.example.com', params: { server: LOOPBACK, port } } },
  ];
  const raw = [
    { type: 'ping', spec: { target: LOOPBACK, params: { count: 1 } } },
    { type: 'traceroute', spec: { target: LOOPBACK, params: { queries: 1, reverse_dns: false } } },
  ];
  return [...probes, ...(hasRawSockets ? raw : [])].map((probe) => ({ ...probe, id: probe.type, deadlineMs: 1000 }));
}
