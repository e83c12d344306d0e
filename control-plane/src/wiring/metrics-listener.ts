import { MetricsServer } from '../http/metrics-server.js';
import { ListenError, listening } from '../listen-error.js';
import { listenOrigin } from '../setting-values.js';
import { defaultMetricsListen } from '../settings.js';
import type { Stops } from '../stops.js';
import type { Foundation } from './foundation.js';

/**
 * Serves /metrics where the settings say. On their default port they are a convenience: a second server on the machine
 * goes on without.
 * @returns where, or null when they are off; @throws ListenError
 */
export async function startMetrics({ config, registry, log }: Foundation, stops: Stops): Promise<string | null> {
  const { metricsListen } = config;
  if (metricsListen === null) return null;
  const server = new MetricsServer({ registry, host: metricsListen.host ?? '::', port: metricsListen.port, log });
  try {
    const { port } = await listening(server.start(), metricsListen, 'VANTAGE_METRICS_LISTEN');
    stops.push(() => server.stop());
    return `${listenOrigin({ ...metricsListen, port }, 'http')}/metrics`;
  } catch (error) {
    const isTaken = error instanceof ListenError && error.code === 'EADDRINUSE';
    if (!isTaken || metricsListen !== defaultMetricsListen) throw error;
    log.warn({ port: metricsListen.port }, 'no metrics: their default port is in use; set VANTAGE_METRICS_LISTEN');
    return null;
  }
}
