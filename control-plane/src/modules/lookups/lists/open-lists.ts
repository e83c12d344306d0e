import { TargetError } from '@vantage/shared/target-policy/host.js';
import { ConfigError } from '../../../config/config.js';
import { settings } from '../../../config/settings.js';
import type { Startable } from '../../../runtime/startable.js';
import type { House } from '../../module.js';
import { type DnsBlocklist, DnsBlocklistError, parseDnsBlocklists } from '../reputation/dns-blocklists.js';
import type { ListDefinition } from '../reputation/list-definition.js';
import { listError, readListFile } from '../reputation/list-file.js';
import { ListRefresh, type RefreshOutcome } from './list-refresh.js';
import { deleteForgotten } from './list-store.js';
import { Lists } from './lists.js';
import { LoadedLists } from './loaded-lists.js';

/** A list as metrics show it. */
export interface ListState {
  readonly name: string;
  readonly ageSeconds: number;
  readonly entries: number;
}

/** Metrics of lists. */
interface ListMeter {
  countRefresh(outcome: RefreshOutcome): void;
  watchAges(read: () => readonly ListState[]): void;
  watchEntries(read: () => readonly ListState[]): void;
  watchRefused(count: () => number): void;
}

/** Parts of the lists that the operator configured. */
export interface OpenedLists {
  readonly loaded: LoadedLists;
  readonly lists: Lists;
  readonly blocklists: readonly DnsBlocklist[];
  readonly startables: readonly Startable[];
  readonly upkeep: readonly (() => Promise<void>)[];
}

/** Builds the parts of the lists from the settings. @throws ConfigError */
export function openLists(house: House, metrics: ListMeter): OpenedLists {
  const { agentsDb, bus, clock, config, outbound, replicaId } = house;
  const log = house.log.child({ part: 'reputation' });
  const definitions = readDefinitions(config.reputationLists, outbound);
  const loaded = new LoadedLists({ db: agentsDb, bus, clock, definitions, log });
  const refresh = new ListRefresh({
    db: agentsDb,
    clock,
    outbound,
    replicaId,
    definitions,
    log,
    onChange: (name) => {
      loaded.look();
      bus.broadcast({ type: 'reputation-lists', ids: [name] });
    },
    count: (outcome) => metrics.countRefresh(outcome),
  });
  const states = () =>
    loaded.all().map(({ name, builtMs, entries }) => ({
      name,
      ageSeconds: Math.max(0, (clock.now() - builtMs) / 1_000),
      entries: entries.count,
    }));
  metrics.watchAges(states);
  metrics.watchEntries(states);
  metrics.watchRefused(() => loaded.refused().length);
  return {
    loaded,
    lists: new Lists({ db: house.db, bus, clock, definitions, loaded }),
    blocklists: readBlocklists(config.reputationDnsbl),
    startables: [loaded, refresh],
    upkeep: [() => deleteForgotten(agentsDb)],
  };
}

/** Definitions of the file. Names in URLs are resolved, and judged, at each download. */
function readDefinitions(file: string | null, outbound: House['outbound']): readonly ListDefinition[] {
  if (file === null) return [];
  const definitions = readListFile(file);
  const complaints = definitions.flatMap(({ name, url }) => {
    if (url === undefined) return [];
    try {
      outbound.check(url, 'url');
      return [];
    } catch (error) {
      if (!(error instanceof TargetError)) throw error;
      return [`list ${JSON.stringify(name)}: url ${error.message}`];
    }
  });
  if (complaints.length > 0) throw listError(file, complaints);
  return definitions;
}

function readBlocklists(setting: string): readonly DnsBlocklist[] {
  try {
    return parseDnsBlocklists(setting);
  } catch (error) {
    if (!(error instanceof DnsBlocklistError)) throw error;
    throw new ConfigError([{ name: settings.reputationDnsbl.name, message: error.message }]);
  }
}
