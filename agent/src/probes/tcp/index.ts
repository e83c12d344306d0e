import type { ProbeResults, ProbeSpecs } from '@vantage/shared/probe-types/index.js';
import { meanOf, roundMs } from '@vantage/shared/probe-types/statistics.js';
import { tcpPort } from '@vantage/shared/probe-types/tcp.js';
import { targetHost } from '@vantage/shared/target-policy/spec.js';
import { ConnectFailure, type Connection, connectTcp } from '../../net/connect.js';
import { within } from '../../net/deadline.js';
import type { ResolvedAddress } from '../../net/resolved-address.js';
import type { ProbeContext, ProbeEngine } from '../engine.js';
import { ProbeFailure, refusing, toProbeError } from '../failure.js';
import { readBanner } from './banner.js';

type TcpSpec = ProbeSpecs['tcp'];
type TcpResult = ProbeResults['tcp'];

/** Measurements so far. */
interface Measured {
  port: number | null;
  dnsMs: number | null;
  address: ResolvedAddress | null;
  banner: string | null;
  readonly attempts: { connectMs: number | null; failure: ProbeFailure | null }[];
}

/** Connects `count` times, one after another, to one address; sends no byte. One connect that succeeds is a success. */
export const tcp: ProbeEngine<'tcp'> = {
  async run(spec, context) {
    const measured: Measured = { port: null, dnsMs: null, address: null, banner: null, attempts: [] };
    try {
      await measure(spec, context, measured);
      return describe(measured, null);
    } catch (error) {
      if (!(error instanceof ProbeFailure)) throw error;
      return describe(measured, error);
    }
  },
};

async function measure(spec: TcpSpec, context: ProbeContext, measured: Measured): Promise<void> {
  const { policy, resolver, signal } = context;
  const { count, banner, ip_version: ipVersion } = spec.params;
  const port = refusing(() => tcpPort(spec));
  measured.port = port;
  const host = refusing(() => targetHost('tcp', spec));
  const resolution = await resolver.resolve({ host, ipVersion, policy, signal });
  measured.dnsMs = resolution.ms;
  let { addresses } = resolution;
  for (let attempt = 0; attempt < count; attempt += 1) {
    const connection = await attemptConnect(addresses, port, spec, context, measured);
    if (connection === null) continue;
    // later attempts measure the same address: a mean over two paths means nothing
    addresses = [connection.address];
    try {
      if (banner && measured.banner === null)
        measured.banner = await readBanner(connection.socket, context.clock, signal);
    } finally {
      connection.socket.destroy();
    }
  }
}

/** One connect, recorded in `measured`; null when it failed. @throws the signal's reason */
async function attemptConnect(
  addresses: readonly ResolvedAddress[],
  port: number,
  { params }: TcpSpec,
  { clock, signal }: ProbeContext,
  measured: Measured,
): Promise<Connection | null> {
  measured.address ??= addresses[0] ?? null;
  const reason = () => new ProbeFailure('tcp_timeout', `no connection within ${params.timeout_ms} ms`);
  try {
    const connection = await within({ clock, ms: params.timeout_ms, reason }, signal, (limited) =>
      connectTcp({ addresses, port, signal: limited, clock }),
    );
    measured.address = connection.address;
    measured.attempts.push({ connectMs: connection.connectMs, failure: null });
    return connection;
  } catch (failure) {
    if (!(failure instanceof ProbeFailure)) throw failure;
    if (failure instanceof ConnectFailure) measured.address = failure.address;
    measured.attempts.push({ connectMs: null, failure });
    if (signal.aborted) throw signal.reason;
    return null;
  }
}

/** `abort` is what ended the probe before all attempts were made; an attempt's failure is not. */
function describe({ port, dnsMs, address, banner, attempts }: Measured, abort: ProbeFailure | null): TcpResult {
  const times = attempts.flatMap(({ connectMs }) => (connectMs === null ? [] : [connectMs]));
  const failure = abort ?? (times.length === 0 ? (attempts.at(-1)?.failure ?? null) : null);
  return {
    success: failure === null,
    error: failure === null ? null : toProbeError(failure),
    resolved_ip: address?.address ?? null,
    ip_version: address?.family ?? null,
    port,
    dns_ms: roundMs(dnsMs),
    connect_ms: roundMs(meanOf(times)),
    ...(banner === null ? {} : { banner }),
    attempts: attempts.map(({ connectMs, failure: reason }) => ({
      connect_ms: roundMs(connectMs),
      error: reason === null ? null : toProbeError(reason).code,
    })),
  };
}
