import type { AskedRegistryServer } from '@vantage/shared/probe-types/domain.js';
import { parseHost } from '@vantage/shared/target-policy/host.js';
import type { TargetPolicy } from '@vantage/shared/target-policy/policy.js';
import { cachedCount } from '../../runtime/cached-count.js';
import { defineModule } from '../module.js';
import { lookupActions } from './actions.js';
import { AnswerMemory } from './answers/answer-memory.js';
import { Answers } from './answers/answers.js';
import { deleteOldClaims } from './answers/claim-store.js';
import { WakeUps } from './answers/wake-ups.js';
import { Lookups } from './index.js';
import { openLists } from './lists/open-lists.js';
import { ListMetrics, LookupMetrics } from './metrics.js';
import { NodeQuestions } from './node-questions.js';
import {
  countShutServers,
  deleteFullServers,
  listShutServers,
  noteAskedServers,
  shutTimes,
} from './registries/registry-store.js';
import { lookupRoutes } from './routes.js';

/** Lookups: what registries, servers and databases say about a domain or an address. */
export const lookupsModule = defineModule({
  name: 'lookups',
  tags: {
    Lookups: 'Ask about a domain or an address once, and get an answer that says how old it is.',
  },
  routes: lookupRoutes,
  actions: lookupActions,
  metrics: [LookupMetrics, ListMetrics],
  open(house, { probes }) {
    const { agentsDb, clock, bus, config, directory, geo, lists, registry, replicaId } = house;
    const log = house.log.child({ part: 'lookups' });
    const memory = new AnswerMemory();
    const wakeUps = new WakeUps(clock);
    const answers = new Answers({ db: agentsDb, clock, bus, replicaId, memory, wakeUps, log });
    const registries = {
      listShut: () => listShutServers(agentsDb),
      note: (asked: readonly AskedRegistryServer[]) => noteAskedServers(agentsDb, asked, config.registryRates),
      shutTimes: (servers: readonly string[]) => shutTimes(agentsDb, servers),
    };
    const asnOf = (address: string) => geo.locate(address)?.asn ?? null;
    const questions = new NodeQuestions({ probes, registries, directory, selection: config.lookupNodes, clock, asnOf });
    const metrics = new LookupMetrics(registry);
    metrics.watchShutServers(cachedCount(clock, () => countShutServers(agentsDb)));
    const policy = () => lists.policy;
    const { geoipAttribution: attribution } = config;
    lists.onChange(() => {
      answers
        .forgetRefused((subject) => isRefused(subject, policy()))
        .catch((error: unknown) => log.warn({ err: error }, 'cannot delete answers about denied targets'));
    });
    const { limiter } = house;
    const reputationLists = openLists(house, new ListMetrics(registry));
    const { loaded, blocklists } = reputationLists;
    const service = new Lookups({
      answers,
      questions,
      probes,
      geo,
      policy,
      metrics,
      clock,
      attribution,
      reputation: {
        lists: loaded,
        blocklists,
        geo,
        attribution,
        policy,
        limiter,
        plans: config.plans,
        clock,
      },
      lists: reputationLists.lists,
    });
    return {
      service,
      startables: [answers, ...reputationLists.startables],
      upkeep: [() => deleteOldClaims(agentsDb), () => deleteFullServers(agentsDb), ...reputationLists.upkeep],
    };
  },
});

function isRefused(subject: string, policy: TargetPolicy): boolean {
  try {
    policy.checkHost(parseHost(subject));
    return false;
  } catch {
    return true;
  }
}
