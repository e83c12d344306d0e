import type { Services } from '../http/route.js';
import { Audit } from '../modules/audit/index.js';
import type { Heartbeats } from '../modules/heartbeats/index.js';
import { QueuedJobs } from '../modules/jobs/index.js';
import { Monitors } from '../modules/monitors/index.js';
import { Probes, TaskReader } from '../modules/probes/index.js';
import { version } from '../version.js';
import type { Agents } from './agents.js';
import type { Foundation } from './foundation.js';
import type { People } from './people.js';
import type { Replicas } from './replicas.js';

/** The doors of all modules, as routes get them. */
export function wireServices(
  { config, clock, db, publicUrl, metrics, secretKey }: Foundation,
  { directory, limiter }: Replicas,
  { agents, people, heartbeats }: { readonly agents: Agents; readonly people: People; readonly heartbeats: Heartbeats },
): Services {
  const { geo, nodes, enrollment, enrollmentTokens, places, lists, dispatch, recent, waiters, monitorWork } = agents;
  const { accounts, tokens } = people;
  return {
    ...accounts,
    audit: new Audit(db, clock),
    jobs: new QueuedJobs(db, clock),
    monitors: new Monitors({
      db,
      clock,
      plans: config.plans,
      policy: () => lists.policy,
      work: monitorWork,
      secretKey,
      heartbeats: heartbeats.acts,
    }),
    heartbeats,
    nodes,
    enrollment,
    enrollmentTokens,
    places,
    plans: config.plans,
    probes: new Probes({
      db,
      clock,
      directory,
      dispatch,
      recent,
      reader: new TaskReader({ db, waiters, recent, clock }),
      policy: () => lists.policy,
      limiter,
      plans: config.plans,
      metrics,
      asnOf: (address) => geo.locate(address)?.asn ?? null,
    }),
    tokens,
    site: { version, publicUrl, abuseContact: config.abuseContact },
  };
}
