import type { ProbeResults, ProbeSpecs } from '@vantage/shared/probe-types/index.js';
import { percentileOf, roundMs } from '@vantage/shared/probe-types/statistics.js';
import { SPEEDTEST_PATH } from '@vantage/shared/speedtest/limits.js';
import { steadyRate } from '@vantage/shared/speedtest/steady-rate.js';
import { parseHttpUrl } from '@vantage/shared/target-policy/url.js';
import { ConnectFailure } from '../../net/connect.js';
import type { ResolvedAddress } from '../../net/resolved-address.js';
import { OldServersContext } from '../../net/tls/old-servers.js';
import type { ProbeContext, ProbeEngine } from '../engine.js';
import { ProbeFailure, refusing, toProbeError } from '../failure.js';
import { jitterOf, measureIdle, measureLoaded } from './latency.js';
import { connectLine, type Line, openLine } from './line.js';
import { Timeline } from './timeline.js';
import { download, type TransferOptions, upload } from './transfer.js';

type SpeedtestSpec = ProbeSpecs['speedtest'];
type SpeedtestResult = ProbeResults['speedtest'];

/** One of the two ways, as far as it has come. */
class Way {
  readonly timeline = new Timeline();
  /** Connect times meanwhile. */
  readonly loadedMs: number[] = [];
}

/** Measurements so far. */
class Measured {
  address: ResolvedAddress | null = null;
  readonly idleMs: number[] = [];
  readonly download = new Way();
  readonly upload = new Way();
}

/**
 * Latency at rest, then each direction at full speed with latency in parallel; every connection goes to one address.
 */
export class SpeedtestEngine implements ProbeEngine<'speedtest'> {
  /** Two at a time would measure each other; other probes find the line full and the processor busy. */
  readonly load = { units: () => 25, maxConcurrent: 1 };
  readonly #tls = new OldServersContext();

  async run(spec: SpeedtestSpec, context: ProbeContext): Promise<SpeedtestResult> {
    const measured = new Measured();
    try {
      await this.#measure(spec, context, measured);
      return describe(measured, null);
    } catch (error) {
      if (error instanceof ConnectFailure) measured.address ??= error.address;
      if (!(error instanceof ProbeFailure)) throw error;
      return describe(measured, error);
    }
  }

  async #measure({ target, params }: SpeedtestSpec, context: ProbeContext, measured: Measured): Promise<void> {
    const { policy, resolver, signal, clock, userAgent } = context;
    const { url, host, port } = refusing(() => parseHttpUrl(target));
    const { addresses } = await resolver.resolve({ host, ipVersion: params.ip_version, policy, signal });
    const secureContext = url.protocol === 'https:' ? this.#tls.get() : null;
    const line: Line = { host, port, secureContext, timeoutMs: params.timeout_ms, signal, clock };
    const { address, socket } = await connectLine(line, addresses);
    socket.destroy();
    measured.address = address;
    await measureIdle(measured.idleMs, { address, port, signal, clock });

    const limits = { headMs: params.timeout_ms, maxBytes: params.bytes, maxMs: params.duration_ms };
    const options = { ...limits, signal, clock, userAgent };
    const isSpeedtest = url.pathname === SPEEDTEST_PATH;
    if (isSpeedtest) url.searchParams.set('bytes', String(params.bytes));
    const isEndpoint = await travel(line, address, measured.download, { ...options, url }, download);
    if (!isEndpoint || !isSpeedtest || !params.upload) return;
    url.search = '';
    await travel(line, address, measured.upload, { ...options, url }, upload);
  }
}

export const speedtest = new SpeedtestEngine();

/** One direction over its own connection, with connects in parallel. */
async function travel<T>(
  line: Line,
  address: ResolvedAddress,
  { timeline, loadedMs }: Way,
  options: Omit<TransferOptions, 'timeline'>,
  move: (socket: Awaited<ReturnType<typeof openLine>>, options: TransferOptions) => Promise<T>,
): Promise<T> {
  const socket = await openLine(line, address);
  try {
    return await measureLoaded(loadedMs, { address, ...line }, () => move(socket, { ...options, timeline }));
  } finally {
    socket.destroy();
  }
}

function describe(measured: Measured, failure: ProbeFailure | null): SpeedtestResult {
  const { address, idleMs, download: down, upload: up } = measured;
  return {
    success: failure === null,
    error: failure === null ? null : toProbeError(failure),
    resolved_ip: address?.address ?? null,
    ip_version: address?.family ?? null,
    download_bps: rateOf(down),
    upload_bps: rateOf(up),
    latency_ms: roundMs(percentileOf(idleMs, 0.5)),
    jitter_ms: roundMs(jitterOf(idleMs)),
    bytes: down.timeline.bytes + up.timeline.bytes,
    download: describeWay(down),
    upload: describeWay(up),
  };
}

function rateOf({ timeline }: Way): number | null {
  const rate = steadyRate(timeline.arrivals);
  return rate === null ? null : Math.round(rate);
}

function describeWay({ timeline, loadedMs }: Way): SpeedtestResult['download'] {
  return { bytes: timeline.bytes, ms: roundMs(timeline.ms), latency_ms: roundMs(percentileOf(loadedMs, 0.5)) };
}
