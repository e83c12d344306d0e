import type { Clock } from '@vantage/shared/clock.js';
import type { Knex } from 'knex';
import type { Static } from 'typebox';
import type { Actor } from '../../../audit-log/actor.js';
import { insertAuditEntry } from '../../../audit-log/store.js';
import type { Bus } from '../../../bus/bus.js';
import { ApiError } from '../../../http/errors.js';
import type { ListDefinition } from '../reputation/list-definition.js';
import { isCurrent } from '../reputation/score.js';
import { acceptRefused, findLists, type ListRow, type VersionRow } from './list-store.js';
import type { LoadedLists } from './loaded-lists.js';
import type { ListSchema, ListVersionSchema } from './schema.js';

interface ListsOptions {
  readonly db: Knex;
  readonly bus: Pick<Bus, 'broadcast'>;
  readonly clock: Clock;
  readonly definitions: readonly ListDefinition[];
  readonly loaded: LoadedLists;
}

/** Lists of addresses as administrators see them. */
export class Lists {
  constructor(private readonly options: ListsOptions) {}

  /** Every list of the settings, by name. */
  async list(): Promise<Static<typeof ListSchema>[]> {
    const { db, definitions } = this.options;
    const rows = await findLists(
      db,
      definitions.map(({ name }) => name),
    );
    return definitions
      .toSorted((a, b) => (a.name < b.name ? -1 : 1))
      .map((definition) => this.#view(definition, rows.get(definition.name)));
  }

  /**
   * Takes the refused version of a list into use, on every replica.
   * @throws ApiError NOT_FOUND, CONFLICT when no version was refused
   */
  async accept(name: string, actor: Actor): Promise<Static<typeof ListSchema>> {
    const { db, bus, definitions, loaded } = this.options;
    const definition = definitions.find((one) => one.name === name);
    if (definition === undefined) throw new ApiError('NOT_FOUND');
    await db.transaction(async (trx) => {
      const version = await acceptRefused(trx, name);
      if (version === null) throw nothingRefused();
      const details = { version };
      await insertAuditEntry(trx, {
        action: 'reputation_list.accepted',
        actor,
        accountId: null,
        subject: name,
        details,
      });
    });
    bus.broadcast({ type: 'reputation-lists', ids: [name] });
    loaded.look();
    const rows = await findLists(db, [name]);
    return this.#view(definition, rows.get(name));
  }

  #view(definition: ListDefinition, row: ListRow | undefined): Static<typeof ListSchema> {
    const { name, signal, format, file, url, refresh_s, max_age_s, license, attribution } = definition;
    const version = row?.version ?? null;
    const age = version === null ? null : { builtMs: version.builtAt.getTime(), maxAgeS: max_age_s };
    return {
      name,
      signal,
      format,
      source: file ?? withoutQuery(url ?? ''),
      refresh_s,
      max_age_s,
      license: license ?? null,
      attribution: attribution ?? null,
      is_current: age !== null && isCurrent(age, this.options.clock.now()),
      version: viewOf(version),
      refused_version: viewOf(row?.refused ?? null),
      checked_at: row?.checkedAt?.toISOString() ?? null,
      next_check_at: row?.nextAt.toISOString() ?? null,
      last_error: row?.lastError ?? null,
    };
  }
}

/** Sources often have the key of a customer in their query. */
function withoutQuery(url: string): string {
  return url.replace(/[?#].*$/, '');
}

function viewOf(version: VersionRow | null): Static<typeof ListVersionSchema> | null {
  if (version === null) return null;
  const { fetchedAt, builtAt, bytes, entries, lines, unreadable, refused, refusal } = version;
  return {
    fetched_at: fetchedAt.toISOString(),
    built_at: builtAt.toISOString(),
    bytes,
    entries,
    lines,
    unreadable_lines: unreadable,
    refused_lines: refused,
    refusal,
  };
}

function nothingRefused(): ApiError {
  const message = 'no new version of this list was refused';
  return new ApiError('CONFLICT', { details: { name: [{ code: 'conflict', message }] } });
}
