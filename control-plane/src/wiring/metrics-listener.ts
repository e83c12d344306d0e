import { listenOrigin } from '../config/setting-values.js';
import { defaultMetricsListen } from '../config/settings.js';
import { MetricsServer } from '../http/listeners/metrics-server.js';
import { ListenError, listening } from '../runtime/listen-error.js';
import type { Stops } from '../runtime/stops.js';
import type { Foundation } from './foundation.js';

/**
 * Serves /metrics at the configured address. The default port is optional: if a second server on the machine finds it
 * taken, it continues without.
 * @returns the address, or null if they are off;
 * @throws ListenError
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
    log.warn(
      { port: metricsListen.port },
      'metrics are not served: the default port is in use, set VANTAGE_METRICS_LISTEN',
    );
    return null;
  }
}
