import type { Consumer } from '../../events/index.js';
import type { Rounds } from '../../runtime/background.js';
import { cachedCount } from '../../runtime/cached-count.js';
import type { House } from '../module.js';
import { countOpenAlerts, deleteAlertsBefore } from './events/alert-store.js';
import { dueNow } from './events/due-store.js';
import { AcknowledgeLinks } from './links/acknowledge-links.js';
import { LinkActs } from './links/link-acts.js';
import type { AlertParts } from './open-alerts.js';
import { AlertActs } from './relay/alert-acts.js';
import { alertWatch } from './relay/alert-watch.js';
import { alertsOfMonitors } from './relay/alerts-of-monitors.js';
import { deleteLostBundles, deleteNeverNotified } from './relay/bundle-store.js';
import { deleteDigestsBefore } from './relay/digest-store.js';
import { Digests } from './relay/digests.js';
import { NodeNotices, noticesOfNodes } from './relay/node-notices.js';
import { Notices } from './relay/notices.js';
import { Relay } from './relay/relay.js';
import { channelTypes } from './types/registry.js';
import type { ChannelSettings } from './types/settings.js';

const DAY_MS = 86_400_000;
/** Days for which resolved alerts are kept. */
const KEPT_DAYS = 400;
/** Days for which all alerts of a digest are known: longer than its link is valid. */
const DIGEST_DAYS = 8;

/** Parts that turn events of monitors into alerts and messages; nothing runs yet. */
export interface AlertRuntime {
  readonly acts: AlertActs;
  readonly links: LinkActs;
  readonly watch: Rounds;
  readonly consumers: readonly Consumer[];
  readonly upkeep: readonly (() => Promise<void>)[];
}

/** Builds these parts. */
export function openRuntime(
  house: Pick<House, 'db' | 'agentsDb' | 'clock' | 'log' | 'secretKey' | 'publicUrl' | 'directory'> & {
    readonly config: ChannelSettings;
  },
  { outgoing, destinations, rooms, counts }: Pick<AlertParts, 'outgoing' | 'destinations' | 'rooms' | 'counts'>,
): AlertRuntime {
  const { db, agentsDb, clock, secretKey, publicUrl, directory } = house;
  const links = new AcknowledgeLinks({ secretKey, publicUrl, clock });
  const messages = {
    nodesUrl: new URL('/nodes', publicUrl).href,
    nodeName: (id: string) => directory.find(id)?.name ?? id,
    pageUrl: (subjectId: string, channel: { readonly id: string; readonly recipient: string | null }) =>
      links.url(subjectId, channel),
  };
  const notices = new Notices({ clock, destinations, outgoing, messages });
  const relay = new Relay({
    clock,
    notices,
    destinations,
    outgoing,
    rooms,
    types: channelTypes(house.config),
    counts,
    messages,
  });
  const nodeNotices = new NodeNotices({ clock, notices });
  const digests = new Digests({ destinations, outgoing, counts, messages });
  const acts = new AlertActs({ db, relay });
  const watch = alertWatch({
    db: agentsDb,
    clock,
    log: house.log.child({ part: 'alerts' }),
    relay,
    digests,
    nodeNotices,
  });
  for (const pool of new Set([db, agentsDb])) dueNow.listen(pool, () => watch.look());
  counts.watchOpen(cachedCount(clock, () => countOpenAlerts(agentsDb)));
  return {
    acts,
    links: new LinkActs({ db, links, acts, destinations }),
    watch,
    consumers: [alertsOfMonitors(relay), noticesOfNodes(nodeNotices)],
    upkeep: [
      () => deleteLostBundles(db),
      () => deleteNeverNotified(db),
      () => nodeNotices.tidy(db),
      () => deleteDigestsBefore(db, new Date(clock.now() - DIGEST_DAYS * DAY_MS)),
      () => deleteAlertsBefore(db, new Date(clock.now() - KEPT_DAYS * DAY_MS)),
    ],
  };
}
