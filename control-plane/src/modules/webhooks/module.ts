import { KeptResponses } from '../../limits/kept-responses.js';
import { MAX_EXPORTED } from '../../owners/index.js';
import { cachedCount } from '../../runtime/cached-count.js';
import { defineModule } from '../module.js';
import { webhookActions } from './actions.js';
import { countPending } from './deliveries/delivery-store.js';
import { DeliveryActs } from './delivery-acts.js';
import { EndpointActs } from './endpoint-acts.js';
import { EndpointSeals } from './endpoints/endpoint-seals.js';
import { countByStatus, deleteWebhooksOf, listEndpoints } from './endpoints/endpoint-store.js';
import { endpointView } from './endpoints/endpoint-view.js';
import { openApiWebhooks } from './kinds/openapi-webhooks.js';
import { webhookMails } from './mails/index.js';
import { WebhookMetrics } from './metrics.js';
import { webhookRoutes } from './routes.js';
import { Attempts } from './sending/attempts.js';
import { deleteOrphans } from './sending/claim-store.js';
import { Marking } from './sending/marking.js';
import { webhookRelay } from './sending/relay.js';
import { Sender } from './sending/sender.js';
import { webhookRevocation } from './webhook-release.js';

/** Interval at which deliveries and endpoints are counted for metrics, at most. */
const COUNTED_EVERY_MS = 15_000;

// The way of an event to an endpoint, by room:
//
//   kinds/      what receivers get for each kind of event: schemas, examples, the full and the thin form
//   endpoints/  URL, subscription and secrets of an endpoint
//   sending/    relay: event ──> a delivery for each endpoint that subscribes to it
//               sender: claim ──> attempts (sign, send) ──> marking (result, next attempt, health of the endpoint)
//   deliveries/ what was and is to be sent, with every attempt

/** Webhook endpoints: settings, deliveries, signing, retries. */
export const webhooksModule = defineModule({
  name: 'webhooks',
  actions: webhookActions,
  tags: {
    Webhooks: 'Your URLs that receive signed events, and the log of deliveries.',
  },
  routes: webhookRoutes,
  webhooks: openApiWebhooks,
  mails: webhookMails,
  metrics: WebhookMetrics,
  open(house) {
    const { db, agentsDb, clock, mail, outbound, limiter, publicUrl, secretKey, registry } = house;
    const metrics = new WebhookMetrics(registry);
    const seals = new EndpointSeals(secretKey);
    const kept = new KeptResponses(limiter);
    const attempts = new Attempts({ outbound, seals, clock, random: Math.random });
    const sender = new Sender({
      db: agentsDb,
      attempts,
      marking: new Marking({ db: agentsDb, mail, clock, kept }),
      clock,
      log: house.log.child({ part: 'webhooks' }),
      onMarked: ({ delivery, result: { outcome }, endedAtMs }) =>
        metrics.countAttempt(outcome.status, (endedAtMs - delivery.created_at.getTime()) / 1_000),
    });
    metrics.watchPending(cachedCount(clock, () => countPending(agentsDb), COUNTED_EVERY_MS));
    metrics.watchEndpoints(cachedCount(clock, () => countByStatus(agentsDb), COUNTED_EVERY_MS));
    const onDue = () => sender.look();
    return {
      service: {
        now: () => clock.now(),
        endpoints: new EndpointActs({ db, clock, seals, outbound }),
        deliveries: new DeliveryActs({ db, clock, attempts, limiter, kept, onDue }),
      },
      startables: [sender],
      upkeep: [() => deleteOrphans(agentsDb, clock.now())],
      on: [webhookRelay({ publicUrl, clock, onDue, onSkipped: (count) => metrics.countSkipped(count) })],
      release: deleteWebhooksOf,
      revocation: webhookRevocation,
      export: async (owner) => {
        const { rows } = await listEndpoints(db, owner, { limit: MAX_EXPORTED, offset: 0 });
        return { webhooks: rows.map((row) => endpointView(row, clock.now())) };
      },
    };
  },
});
