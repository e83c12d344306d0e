import { systemClock } from '@vantage/shared/clock.js';
import {
  definitionOf,
  type ProbeResults,
  type ProbeSpecs,
  type ProbeType,
  probeTypeNames,
} from '@vantage/shared/probe-types/index.js';
import { agentResultSchema } from '@vantage/shared/probe-types/node-result.js';
import { compileSchema } from '@vantage/shared/validation.js';
import t, { type Test } from 'tap';
import { detectCapabilities } from '../src/capabilities.js';
import { startSpeedtestServer } from '../src/net/speedtest-server.js';
import type { ProbeContext } from '../src/probes/engine.js';
import { ProbeFailure } from '../src/probes/failure.js';
import { engines } from '../src/probes/index.js';
import { startTlsServer, tlsIdentity } from './_support/certificates.js';
import { startDnsServer, type TestDnsServer, zone } from './_support/dns-server.js';
import { FakeClock } from './_support/fake-clock.js';
import { startHttpServer } from './_support/http-server.js';
import { startNtpServer } from './_support/ntp-server.js';
import { aContext, aPolicy, aResolver, aSpec } from './_support/probe-context.js';
import { startSmtpServer } from './_support/smtp-server.js';
import { startTcpServer } from './_support/tcp-server.js';
import { openSockets, until } from './_support/until.js';

/** The specs that every type is tried with. A new type does not compile without its own. */
type Trials = {
  readonly [T in ProbeType]: {
    /** Aims at a literal that the policy refuses. */
    readonly refused: ProbeSpecs[T];
    /** Aims at a name, so that its first step is to ask DNS. */
    readonly named: ProbeSpecs[T];
    /** Aims at something on loopback that answers. */
    readonly answered: (t: Test) => Promise<ProbeSpecs[T]>;
  };
};

const trials: Trials = {
  http: {
    refused: aSpec('http', 'http://10.0.0.1/'),
    named: aSpec('http', 'http://site.example.com/'),
    answered: async (t) =>
      aSpec('http', `http://127.0.0.1:${(await startHttpServer(t, (_request, response) => response.end('ok'))).port}/`),
  },
  ping: {
    refused: aSpec('ping', '10.0.0.1'),
    named: aSpec('ping', 'site.example.com'),
    answered: async () => aSpec('ping', '127.0.0.1', { count: 1 }),
  },
  dns: {
    refused: aSpec('dns', 'site.example.com', { server: '10.0.0.1' }),
    named: aSpec('dns', 'site.example.com'),
    answered: async (t) => {
      const { endpoint } = await startDnsServer(t, zone([{ type: 'A', name: 'site.example.com', data: '127.0.0.1' }]));
      return aSpec('dns', 'site.example.com', { server: endpoint.address, port: endpoint.port });
    },
  },
  tcp: {
    refused: aSpec('tcp', '10.0.0.1:80'),
    named: aSpec('tcp', 'site.example.com:80'),
    answered: async (t) => aSpec('tcp', `127.0.0.1:${(await startTcpServer(t, () => {})).port}`),
  },
  ssl: {
    refused: aSpec('ssl', '10.0.0.1'),
    named: aSpec('ssl', 'site.example.com'),
    answered: async (t) => aSpec('ssl', `127.0.0.1:${(await startTlsServer(t, tlsIdentity('good'), () => {})).port}`),
  },
  traceroute: {
    refused: aSpec('traceroute', '10.0.0.1'),
    named: aSpec('traceroute', 'site.example.com'),
    answered: async () => aSpec('traceroute', '127.0.0.1', { queries: 1 }),
  },
  smtp: {
    refused: aSpec('smtp', '10.0.0.1'),
    named: aSpec('smtp', 'site.example.com'),
    answered: async (t) => aSpec('smtp', `127.0.0.1:${(await startSmtpServer(t, { tls: tlsIdentity('good') })).port}`),
  },
  speedtest: {
    refused: aSpec('speedtest', 'http://10.0.0.1/speedtest'),
    named: aSpec('speedtest', 'http://site.example.com/speedtest'),
    answered: async (t) => {
      const server = await startSpeedtestServer('127.0.0.1', 0, systemClock);
      t.teardown(() => server.stop());
      return aSpec('speedtest', `http://127.0.0.1:${server.address.port}/speedtest`, { bytes: 100_000 });
    },
  },
  ntp: {
    refused: aSpec('ntp', '10.0.0.1'),
    named: aSpec('ntp', 'site.example.com'),
    answered: async (t) => aSpec('ntp', `127.0.0.1:${(await startNtpServer(t)).port}`, { count: 1 }),
  },
  mtr: {
    refused: aSpec('mtr', '10.0.0.1'),
    named: aSpec('mtr', 'site.example.com'),
    answered: async () => aSpec('mtr', '127.0.0.1', { cycles: 1 }),
  },
};

const { icmp } = detectCapabilities({ clock: systemClock, onFault: (error) => t.fail(error.message) });
t.teardown(() => icmp?.close());

/** What the agent adds around an answer; the engines know nothing of it. */
const runFields = { started_at: '2026-01-01T00:00:00.000Z', duration_ms: 1, disturbed: false, loop_lag_ms: 0 };

function run<T extends ProbeType>(
  type: T,
  spec: ProbeSpecs[T],
  parts: Partial<ProbeContext>,
): Promise<ProbeResults[T]> {
  return engines[type].run(spec, aContext({ icmp, ...parts }));
}

function checkResult(t: Test, type: ProbeType, result: object): void {
  const checked = compileSchema(agentResultSchema(type))({ ...result, ...runFields });
  t.strictSame(checked.ok ? {} : checked.details, {}, 'the result is of its schema');
  t.strictSame(JSON.parse(JSON.stringify(result)), result, 'it survives a round trip');
}

async function silentDns(
  t: Test,
  clock: FakeClock,
): Promise<Pick<ProbeContext, 'resolver' | 'clock'> & { dns: TestDnsServer }> {
  const dns = await startDnsServer(t, () => null);
  return { dns, clock, resolver: aResolver([dns.endpoint], { clock }) };
}

for (const type of probeTypeNames) {
  const needsRawSockets = definitionOf(type).capability !== null && icmp === null;
  const options = needsRawSockets ? { skip: 'needs raw sockets: run as root' } : {};

  t.test(`engine ${type} refuses an address that is not allowed`, options, async (t) => {
    const before = openSockets();
    const result = await run(type, trials[type].refused, { policy: aPolicy([]) });
    t.match(result, { success: false, error: { code: 'target_not_allowed' } });
    checkResult(t, type, result);
    await until('no socket is left', () => openSockets() <= before);
  });

  t.test(`engine ${type} measures what answers`, options, async (t) => {
    const spec = await trials[type].answered(t);
    const before = openSockets();
    const result = await run(type, spec, {});
    t.match(result, { success: true, error: null });
    checkResult(t, type, result);
    await until('no socket is left', () => openSockets() <= before);
  });

  for (const code of ['cancelled', 'timeout'] as const) {
    t.test(`engine ${type} stops on abort (${code}) without waiting for any timer`, options, async (t) => {
      const clock = new FakeClock();
      const { dns, resolver } = await silentDns(t, clock);
      const before = openSockets();
      const abort = new AbortController();
      const running = run(type, trials[type].named, { signal: abort.signal, clock, resolver });
      await until('it has begun', () => dns.queries.length > 0);
      abort.abort(new ProbeFailure(code, 'the end'));
      const result = await running;
      // a deadline may name the phase it ended
      t.match(result, { success: false, error: { code: code === 'timeout' ? /^(timeout|dns_timeout)$/ : code } });
      checkResult(t, type, result);
      t.equal(clock.pendingTimers, 0, 'no timer is left');
      await until('no socket is left', () => openSockets() <= before);
    });
  }

  t.test(`engine ${type} begins nothing under a signal that has fired`, options, async (t) => {
    const { dns, resolver } = await silentDns(t, new FakeClock());
    const result = await run(type, trials[type].named, {
      signal: AbortSignal.abort(new ProbeFailure('cancelled', 'before')),
      resolver,
    });
    t.match(result, { success: false, error: { code: 'cancelled' } });
    checkResult(t, type, result);
    t.equal(dns.queries.length, 0);
  });
}
