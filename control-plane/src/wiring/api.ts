import { readFileSync } from 'node:fs';
import { SpeedtestEndpoint } from '@vantage/shared/speedtest/endpoint.js';
import type { Authentication } from '../authentication/index.js';
import { checkDatabase } from '../db/database.js';
import type { GeoDatabases } from '../geo/index.js';
import { ApiError } from '../http/errors.js';
import { healthRoutes } from '../http/frame/health.js';
import { HttpMetrics } from '../http/frame/metrics.js';
import { refuseSocket } from '../http/listeners/refuse-socket.js';
import { HttpServer } from '../http/listeners/server.js';
import { type Reference, referenceRoutes } from '../http/openapi/reference.js';
import type { Services } from '../http/route.js';
import type { StoredResponses } from '../idempotency/index.js';
import type { WindowLimiter } from '../limits/index.js';
import type { LinkServer } from '../links/index.js';
import { version } from '../version.js';
import type { Foundation } from './foundation.js';
import { apiTags, apiWebhooks, routes } from './modules.js';

interface ApiParts {
  readonly services: Services;
  readonly authentication: Authentication;
  readonly limiter: WindowLimiter;
  readonly idempotency: StoredResponses;
  readonly linkServer: LinkServer;
  readonly geo: GeoDatabases;
  readonly isDraining: () => boolean;
  /** Tests: undeclared replies and errors of the API fail. */
  readonly isStrict: boolean;
}

/** The HTTP server with the API; upgrades of its sockets go to the links. It does not listen yet. `reference`: the document of the API. */
export function wireApi(foundation: Foundation, parts: ApiParts): { http: HttpServer; reference: Reference } {
  const { config, clock, log, db, listen, publicUrl, registry } = foundation;
  const isDatabaseThere = { name: 'database', check: () => checkDatabase(db) };
  const isStaying = {
    name: 'staying',
    check: async () => {
      if (parts.isDraining()) throw new Error('this replica is stopping');
    },
  };
  const documented = { publicUrl, version, tags: apiTags, webhooks: apiWebhooks };
  const reference = referenceRoutes(routes, documented, config.geoipAttribution);
  const http = new HttpServer({
    host: listen.host ?? '::',
    port: listen.port,
    holder: listen.holder,
    ...(config.tlsCert !== null && config.tlsKey !== null
      ? { tls: { cert: readFileSync(config.tlsCert, 'utf8'), key: readFileSync(config.tlsKey, 'utf8') } }
      : {}),
    ...(config.servesSpeedtests ? { speedtest: new SpeedtestEndpoint(clock) } : {}),
    routes: [
      ...routes,
      ...reference.routes,
      ...healthRoutes({
        checks: [isDatabaseThere, isStaying],
        notices: () => parts.geo.old().map(({ type, ageDays }) => `geo database ${type} is ${ageDays} days old`),
        clock,
        log,
      }),
    ],
    services: parts.services,
    authenticator: parts.authentication,
    limiter: parts.limiter,
    plans: config.plans,
    idempotency: parts.idempotency,
    log: log.child({ part: 'http' }),
    clock,
    turnMs: foundation.patience?.turnMs,
    publicUrl,
    trustedProxies: config.trustedProxies,
    connectionsPerAddress: config.connectionsPerAddress,
    isStrict: parts.isStrict,
    metrics: new HttpMetrics(registry),
  });
  http.server.on('upgrade', (request, socket, head) => {
    http.handOver(socket);
    if (!parts.linkServer.handleUpgrade(request, socket, head)) {
      refuseSocket(socket, new ApiError('NOT_FOUND'), { publicUrl, clock });
    }
  });
  return { http, reference };
}
