import type { Clock } from '@vantage/shared/clock.js';
import type { Knex } from 'knex';
import type { Bus } from '../../../bus/bus.js';
import type { Silence } from '../silences/silence.js';
import { silenceIn } from '../silences/silence-row.js';
import { readSilences } from '../silences/silence-store.js';
import type { AlertGroup } from './alert-group.js';
import { groupIn } from './alert-group-row.js';
import { readAlertGroups } from './alert-group-store.js';

/** Time for which rules that were read are used, in milliseconds: messages of the bus may be lost. */
const FRESH_MS = 2_000;
const MAX_OWNERS = 10_000;

/** Silences and groups of an owner. */
export interface NoiseOf {
  readonly silences: readonly Silence[];
  readonly groups: readonly AlertGroup[];
}

interface NoiseRulesOptions {
  readonly bus: Pick<Bus, 'broadcast' | 'onMessage' | 'onResync'>;
  readonly clock: Clock;
}

/**
 * Silences and groups of owners, in memory. A change applies at once in this replica, in the others as soon as they are notified,
 * and within two seconds where the notification is lost. Owners whom no one asks about cost nothing.
 */
export class NoiseRules {
  readonly #known = new Map<string, NoiseOf & { readonly untilMs: number }>();
  /** Count of changes: what was being read during one is not kept. */
  #changes = 0;

  constructor(private readonly options: NoiseRulesOptions) {
    options.bus.onMessage((message) => {
      if (message.type === 'alert-noise') this.#forget(message.ids);
    });
    options.bus.onResync(() => this.#forget([...this.#known.keys()]));
  }

  /** Notifies this and all other replicas of a change; to be called after the commit. */
  changed(ownerId: string): void {
    this.#forget([ownerId]);
    this.options.bus.broadcast({ type: 'alert-noise', ids: [ownerId] });
  }

  /** Silences that have not ended, and groups oldest first, of each of the owners. `db`: may be a transaction. */
  async of(db: Knex, ownerIds: readonly string[]): Promise<ReadonlyMap<string, NoiseOf>> {
    const { clock } = this.options;
    const wanted = [...new Set(ownerIds)];
    const nowMs = clock.monotonicMs();
    const found = new Map<string, NoiseOf>();
    for (const id of wanted) {
      const known = this.#known.get(id);
      if (known !== undefined && nowMs < known.untilMs) found.set(id, known);
    }
    const missing = wanted.filter((id) => !found.has(id));
    if (missing.length === 0) return found;
    const changes = this.#changes;
    const read = await readNoise(db, missing, new Date(clock.now()));
    if (this.#known.size + read.size > MAX_OWNERS) this.#known.clear();
    for (const [id, noise] of read) {
      found.set(id, noise);
      if (changes === this.#changes) this.#known.set(id, { ...noise, untilMs: nowMs + FRESH_MS });
    }
    return found;
  }

  #forget(ownerIds: readonly string[]): void {
    this.#changes += 1;
    for (const id of ownerIds) this.#known.delete(id);
  }
}

async function readNoise(db: Knex, ownerIds: readonly string[], at: Date): Promise<Map<string, NoiseOf>> {
  const noise = new Map(ownerIds.map((id) => [id, { silences: [] as Silence[], groups: [] as AlertGroup[] }]));
  for (const row of await readSilences(db, ownerIds, at)) noise.get(row.owner_id)?.silences.push(silenceIn(row));
  for (const row of await readAlertGroups(db, ownerIds)) noise.get(row.owner_id)?.groups.push(groupIn(row));
  return noise;
}
