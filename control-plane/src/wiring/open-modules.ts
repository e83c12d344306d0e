import type { CredentialSource } from '../authentication/index.js';
import type { Consumer } from '../events/index.js';
import type { Services } from '../http/route.js';
import type { JobServices } from '../jobs/job.js';
import type { LinkPart, Module, ModuleDefinition, OpenHouse } from '../modules/module.js';
import { type Export, type Release, type Revoke, revokeBy, type Suspension } from '../owners/index.js';
import type { Startable } from '../runtime/startable.js';

/** Everything that opened modules have in common, in the order of their list. */
export interface OpenedModules {
  /** Services of all modules by their names, as routes get them. */
  readonly services: Services;
  readonly startables: readonly Startable[];
  readonly upkeep: readonly (() => Promise<void>)[];
  /** Consumers of events. */
  readonly on: readonly Consumer[];
  readonly jobServices: Partial<JobServices>;
  readonly credentials: readonly CredentialSource[];
  readonly links: readonly LinkPart[];
}

/** Opens modules in the order of their list; nothing runs yet. */
export function openModules(definitions: readonly ModuleDefinition[], house: OpenHouse): OpenedModules {
  const opened: Module[] = [];
  const services = { resources: { db: house.db, clock: house.clock } } as Services;
  const releaseHoldings: Release = async (trx, owner, actor) => {
    for (const { release } of opened) await release?.(trx, owner, actor);
  };
  const revokeHoldings: Revoke = (trx, ownerId, why) =>
    revokeBy(opened.flatMap(({ revocation }) => revocation ?? []))(trx, ownerId, why);
  const holdings: Suspension = {
    suspend: async (...of) => {
      for (const { suspension } of opened) await suspension?.suspend(...of);
    },
    resume: async (...of) => {
      for (const { suspension } of opened) await suspension?.resume(...of);
    },
  };
  const exportHoldings: Export = async (owner) => {
    const parts: Record<string, unknown> = {};
    for (const module of opened) Object.assign(parts, await module.export?.(owner));
    return parts;
  };
  for (const definition of definitions) {
    const module: Module =
      definition.open?.({ ...house, releaseHoldings, revokeHoldings, holdings, exportHoldings }, services) ?? {};
    opened.push(module);
    if (module.service !== undefined) Object.assign(services, { [definition.name]: module.service });
  }
  const all = <T>(read: (module: Module) => readonly T[] | undefined) => opened.flatMap((module) => read(module) ?? []);
  return {
    services,
    startables: all((module) => module.startables),
    upkeep: all((module) => module.upkeep),
    on: all((module) => module.on),
    jobServices: Object.assign({}, ...opened.map((module) => module.jobServices)) as Partial<JobServices>,
    credentials: all((module) => module.credentials),
    links: all((module) => (module.link === undefined ? [] : [module.link])),
  };
}
