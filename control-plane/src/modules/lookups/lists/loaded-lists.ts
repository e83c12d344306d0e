import type { Bus } from '../../../bus/bus.js';
import { type BackgroundParts, background, type Rounds } from '../../../runtime/background.js';
import type { ListDefinition } from '../reputation/list-definition.js';
import type { ReadList } from '../reputation/list-reader.js';
import type { ReputationList } from '../reputation/score.js';
import { readContent } from './list-content.js';
import { unpackPiece } from './list-pieces.js';
import { findLists, type ListRow, noteSeen, readPieces, type VersionRow } from './list-store.js';

/** Interval of reads: a message of another replica may be lost. */
const REREAD_MS = 30_000;

/** A list in memory, and the version that it is. */
export interface LoadedList extends ReputationList {
  readonly versionId: string;
  readonly definition: ListDefinition;
  readonly entries: ReadList['entries'];
}

interface LoadedListsOptions extends BackgroundParts {
  readonly bus: Bus;
  readonly definitions: readonly ListDefinition[];
}

/**
 * The lists in memory: on every replica the versions that the database says are in use. A new version is read next to the
 * previous one and replaces it at once.
 */
export class LoadedLists {
  readonly #rounds: Rounds;
  #lists: ReadonlyMap<string, LoadedList> = new Map();
  #refused: readonly string[] = [];

  constructor(private readonly options: LoadedListsOptions) {
    const { clock, log } = options;
    this.#rounds = background({
      name: 'loaded lists',
      everyMs: REREAD_MS,
      look: (isStopped) => this.#readAgain(isStopped),
      failing: 'cannot read the versions of lists, keeping those in memory',
      clock,
      log,
    });
  }

  /** True if the operator has set any list. */
  get isSet(): boolean {
    return this.options.definitions.length > 0;
  }

  /** Loads what is stored; later versions follow by themselves. */
  async start(): Promise<void> {
    const { bus, definitions } = this.options;
    if (definitions.length === 0) return;
    bus.onMessage(({ type }) => {
      if (type === 'reputation-lists') this.look();
    });
    bus.onResync(() => this.look());
    this.#rounds.start();
    this.#rounds.look();
    await this.#rounds.idle();
  }

  stop(): Promise<void> {
    return this.#rounds.stop();
  }

  /** Compares with the database soon, because a list has changed. */
  look(): void {
    this.#rounds.look();
  }

  /** Lists with a version in use, whether they still count or not. */
  all(): readonly LoadedList[] {
    return [...this.#lists.values()];
  }

  /** Names of lists of which a new version was refused. */
  refused(): readonly string[] {
    return this.#refused;
  }

  async #readAgain(isStopped: () => boolean): Promise<void> {
    const { db, definitions } = this.options;
    const names = definitions.map(({ name }) => name);
    await noteSeen(db, names);
    const rows = await findLists(db, names);
    this.#refused = [...rows.values()].filter(({ refused }) => refused !== null).map(({ name }) => name);
    for (const definition of definitions) {
      if (isStopped()) return;
      await this.#follow(definition, rows.get(definition.name));
    }
  }

  /** One list that cannot be loaded keeps none of the others from it. */
  async #follow(definition: ListDefinition, row: ListRow | undefined): Promise<void> {
    const { name } = definition;
    try {
      const version = row?.version ?? null;
      if (version === null) {
        if (this.#lists.has(name)) this.#put(name, null);
        return;
      }
      const known = this.#lists.get(name);
      const builtMs = version.builtAt.getTime();
      if (known?.versionId === version.id) {
        if (known.builtMs !== builtMs) this.#put(name, { ...known, builtMs });
        return;
      }
      const loaded = await this.#load(definition, version);
      if (loaded === null) return;
      this.#put(name, loaded);
      const { count, bytes } = loaded.entries;
      this.options.log.info({ list: name, version: version.id, entries: count, bytes }, 'list in use');
    } catch (error) {
      this.options.log.warn({ err: error, list: name }, 'cannot load a list, keeping the previous version');
    }
  }

  /** Null if the version was replaced meanwhile. */
  async #load(definition: ListDefinition, version: VersionRow): Promise<LoadedList | null> {
    const { db } = this.options;
    const { id: versionId, bytes } = version;
    async function* pieces() {
      for await (const piece of readPieces(db, versionId)) yield await unpackPiece(piece);
    }
    const { entries } = await readContent(definition, { bytes, pieces: pieces() });
    const { name, signal, max_age_s: maxAgeS } = definition;
    // the pieces of a version are deleted with it
    const isWhole = (await findLists(db, [name])).get(name)?.version?.id === versionId;
    const builtMs = version.builtAt.getTime();
    return isWhole ? { name, signal, entries, builtMs, maxAgeS, versionId, definition } : null;
  }

  #put(name: string, list: LoadedList | null): void {
    const others = [...this.#lists].filter(([known]) => known !== name);
    this.#lists = new Map(list === null ? others : [...others, [name, list]]);
  }
}
