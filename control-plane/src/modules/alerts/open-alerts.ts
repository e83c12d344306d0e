import { hkdfSync } from 'node:crypto';
import { createSealer } from '../../crypto/sealing.js';
import { KeptResponses } from '../../limits/kept-responses.js';
import type { Plans } from '../../plans/index.js';
import { cachedCount } from '../../runtime/cached-count.js';
import type { House } from '../module.js';
import type { Alerts } from './alerts.js';
import { ChannelActs } from './channels/channel-acts.js';
import { ChannelDestinations } from './channels/channel-destinations.js';
import { countFailing } from './channels/channel-store.js';
import { DeliveryActs } from './channels/delivery-acts.js';
import { TestSend } from './channels/test-send.js';
import { Verification } from './channels/verification.js';
import { deleteUnusedBuckets } from './deliveries/bucket-store.js';
import { countWaiting } from './deliveries/delivery-store.js';
import { Fallbacks } from './deliveries/fallbacks.js';
import { alwaysNeeded, type Needed } from './deliveries/needed.js';
import { Outgoing } from './deliveries/outgoing.js';
import { monthOf, Quotas } from './deliveries/quotas.js';
import { Rooms } from './deliveries/rooms.js';
import { Sender } from './deliveries/sender.js';
import { deleteThreadsBefore } from './deliveries/thread-store.js';
import { deleteUsageBefore } from './deliveries/usage-store.js';
import { AlertMetrics } from './metrics.js';
import { OperatorView } from './operator-view.js';
import { type LookAgain, noAlerts } from './policies/look-again.js';
import { PolicyActs } from './policies/policy-acts.js';
import { policyReferences } from './policies/policy-references.js';
import { policyUses } from './policies/policy-uses.js';
import { deleteSilencesEndedBefore } from './silences/silence-store.js';
import { channelTypes } from './types/registry.js';
import type { ChannelSettings } from './types/settings.js';

const DAY_MS = 86_400_000;
const THREAD_DAYS = 90;
const BUCKET_DAYS = 1;
const SILENCE_DAYS = 90;

/** Parts that come from above: decisions about messages, and the alerts themselves. */
export interface AlertPorts {
  readonly needed: Needed;
  readonly lookAgain: LookAgain;
}

/** Parts of the module; nothing runs yet. */
export interface AlertParts {
  readonly alerts: Omit<Alerts, 'events' | 'links'>;
  readonly outgoing: Outgoing;
  readonly destinations: ChannelDestinations;
  readonly sender: Sender;
  readonly rooms: Rooms;
  readonly counts: AlertMetrics;
  readonly upkeep: readonly (() => Promise<void>)[];
}

/** Builds the parts of the module. */
export function openAlerts(
  house: Pick<
    House,
    | 'db'
    | 'agentsDb'
    | 'clock'
    | 'log'
    | 'secretKey'
    | 'publicUrl'
    | 'outbound'
    | 'mail'
    | 'mailer'
    | 'limiter'
    | 'registry'
  > & { readonly config: ChannelSettings & { readonly plans: Plans } },
  { needed, lookAgain }: AlertPorts = { needed: alwaysNeeded, lookAgain: noAlerts },
): AlertParts {
  const { db, agentsDb, clock, secretKey, publicUrl, outbound, limiter, registry } = house;
  const counts = new AlertMetrics(registry);
  const { plans } = house.config;
  const types = channelTypes(house.config);
  const uses = policyUses({ clock, lookAgain });
  const key = Buffer.from(hkdfSync('sha256', secretKey, '', 'vantage alert names v1', 32));
  const linkSealer = createSealer(secretKey, 'alert links');
  const channelSealer = createSealer(secretKey, 'alert channels');
  const sealer = createSealer(secretKey, 'alert deliveries');
  const destinations = new ChannelDestinations({
    types,
    publicUrl,
    sealer: channelSealer,
    linkSealer,
    mail: house.mail,
  });
  const outgoing = new Outgoing({ clock, sealer, onWaiting: () => sender.wake() });
  const fallbacks = new Fallbacks({ db: agentsDb, clock, sealer, destinations, outgoing, counts });
  const sender = new Sender({
    types,
    db: agentsDb,
    clock,
    log: house.log.child({ part: 'alerts' }),
    sealer,
    outbound,
    mailer: house.mailer,
    destinations,
    needed,
    fallbacks,
    quotas: new Quotas({ db: agentsDb, types, plans }),
    counts,
    kept: new KeptResponses(limiter),
    bucketKey: key,
    random: Math.random,
  });
  const verification = new Verification({
    types,
    db,
    clock,
    publicUrl,
    limiter,
    outgoing,
    destinations,
    linkSealer,
    key,
  });
  counts.watchPending(cachedCount(clock, () => countWaiting(agentsDb, clock.now())));
  counts.watchFailing(cachedCount(clock, () => countFailing(agentsDb)));
  return {
    alerts: {
      now: () => clock.now(),
      channels: new ChannelActs({ types, db, clock, plans, sealer: channelSealer, outbound, verification, uses }),
      verification,
      testSend: new TestSend({ types, db, clock, publicUrl, sealer, limiter, destinations, sender }),
      deliveries: new DeliveryActs({ db, sealer, outgoing, destinations }),
      policies: new PolicyActs({ types, db, clock, lookAgain }),
      references: policyReferences,
      operator: new OperatorView({ db, clock }),
    },
    outgoing,
    destinations,
    counts,
    sender,
    rooms: new Rooms({ types, key }),
    upkeep: [
      () => deleteThreadsBefore(db, new Date(clock.now() - THREAD_DAYS * DAY_MS)),
      () => deleteUsageBefore(db, monthOf(clock.now())),
      () => deleteUnusedBuckets(db, new Date(clock.now() - BUCKET_DAYS * DAY_MS)),
      () => deleteSilencesEndedBefore(db, new Date(clock.now() - SILENCE_DAYS * DAY_MS)),
    ],
  };
}
