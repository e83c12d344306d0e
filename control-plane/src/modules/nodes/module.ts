import { MAX_EXPORTED } from '../../owners/index.js';
import { defineModule, type House } from '../module.js';
import { nodeActions } from './actions.js';
import { Enrollment } from './enrollment.js';
import { EnrollmentTokens } from './enrollment-tokens.js';
import { NodePlaces } from './node-places.js';
import { Nodes } from './nodes.js';
import { presence } from './presence/presence.js';
import { deletePresenceOfDeleted } from './presence/presence-store.js';
import { deleteOldLinkDays, updateUptimes } from './presence/uptime-store.js';
import { ownNodeView } from './record-view.js';
import { nodeRoutes } from './routes.js';
import { ShutOutPoll } from './shut-out-poll.js';
import { nodeReads } from './store.js';

/** Nodes: their enrollment, their directory, and the acts of owners and administrators on them. */
export const nodesModule = defineModule({
  name: 'nodes',
  actions: nodeActions,
  tags: {
    Nodes: 'The agents that measure: their locations, their networks, and their status.',
    Enrollment: 'Enrolling an agent as a node: one-time tokens, and the request that the agent sends with one.',
  },
  routes: nodeRoutes,
  open(house) {
    const { config, db, agentsDb, clock, log: root, directory, links } = house;
    const log = root.child({ part: 'nodes' });
    const places = openPlaces(house);
    const enrollment = openEnrollment(house, places);
    const enrollmentTokens = new EnrollmentTokens({ db, clock, plans: config.plans });
    const nodes = new Nodes({ db, directory, places, enrollment, enrollmentTokens });
    const shutOutPoll = new ShutOutPoll({
      nodes: nodeReads(agentsDb),
      hasLinks: () => links.size > 0,
      refresh: (ids) => directory.refresh(ids),
      clock,
      log,
    });
    return {
      service: nodes,
      startables: [shutOutPoll, presence({ db: agentsDb, clock, log })],
      upkeep: [
        () => updateUptimes(db),
        () => deleteOldLinkDays(db),
        () => deletePresenceOfDeleted(db),
        () => enrollmentTokens.deleteOutdated(),
      ],
      release: async (trx, owner, actor) => {
        await nodes.acts.release(trx, owner.id, { actor, reason: 'account deleted' });
      },
      export: async ({ id: ownerId }) => {
        const all = { limit: MAX_EXPORTED, offset: 0 };
        const { records } = await nodes.listRecords({ ownerId }, all);
        const { tokens } = await enrollmentTokens.list(ownerId, all);
        return { nodes: records.map(ownNodeView), enrollment_tokens: tokens };
      },
      suspension: nodes.acts.suspension,
      revocation: {
        words: { en: 'Nodes', 'zh-CN': '节点', 'zh-TW': '節點' },
        revoke: (trx, ownerId, why) => nodes.acts.release(trx, ownerId, why),
      },
    };
  },
});

/** Creates the NodePlaces service. When a geo database changes, the places of nodes linked to this replica are derived again. */
function openPlaces({ agentsDb, geo, directory, links, log: root }: House): NodePlaces {
  const log = root.child({ part: 'nodes' });
  const places = new NodePlaces({ db: agentsDb, geo, directory, log });
  geo.onChange(() => {
    places.deriveAll(links.all()).catch((err: unknown) => log.warn({ err }, 'cannot announce changed places of nodes'));
  });
  return places;
}

function openEnrollment(house: House, places: NodePlaces): Enrollment {
  const { config, db, clock, limiter, directory, publicUrl, serverPublicKey, heartbeatMs } = house;
  const { plans, controlUrls } = config;
  const own = { places, plans, controlUrls };
  return new Enrollment({ db, clock, limiter, directory, publicUrl, serverPublicKey, heartbeatMs, ...own });
}
