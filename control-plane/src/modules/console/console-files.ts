import { createHash } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import type { Clock } from '@vantage/shared/clock.js';
import type { Knex } from 'knex';
import { type Compress, compressOnce } from '../../http/compression.js';
import { packageFolder } from '../../package-folder.js';
import type { Startable } from '../../runtime/startable.js';
import { deleteAssetsBefore, findAsset, keepAssets } from './store.js';

/** Files of a version that no replica has served for this long are deleted. */
const KEPT_MS = 7 * 86_400_000;

/** The build writes the console here: `index.html`, and `assets` with `NAME-HASH.EXT`, each beside its `.br` and `.gz`. */
const built = new URL('dist/program/console/', packageFolder);

const contentTypes: Readonly<Record<string, string>> = {
  js: 'text/javascript; charset=utf-8',
  css: 'text/css; charset=utf-8',
  svg: 'image/svg+xml; charset=utf-8',
  json: 'application/json; charset=utf-8',
};

export interface ConsoleFile {
  readonly contentType: string;
  readonly body: Buffer;
  readonly compress: Compress;
}

/** The document of the console, which every address of it is. */
export interface ConsoleShell extends ConsoleFile {
  readonly etag: string;
  /** Hash of its one script for a content policy: `'sha256-…'`. */
  readonly scriptHash: string;
}

/**
 * Files of the console. They are also kept in the database, so that a page which an earlier version sent, or another replica that has
 * another version, finds its files here.
 */
export class ConsoleFiles implements Startable {
  #shell: ConsoleShell | null = null;
  #assets: ReadonlyMap<string, ConsoleFile> = new Map();

  constructor(
    private readonly db: Knex,
    private readonly clock: Clock,
  ) {}

  async start(): Promise<void> {
    this.#shell = await readShell();
    const names = await readdir(new URL('assets/', built));
    const own = names.filter((name) => contentTypeOf(name) !== null);
    this.#assets = new Map(await Promise.all(own.map(async (name) => [name, await readAsset(name)] as const)));
    await this.upkeep();
  }

  async stop(): Promise<void> {}

  get shell(): ConsoleShell {
    if (this.#shell === null) throw new Error('the console was not started');
    return this.#shell;
  }

  /** File by its name, of this version or of one that replicas served lately; null if there is none. */
  async find(name: string): Promise<ConsoleFile | null> {
    const own = this.#assets.get(name);
    const contentType = contentTypeOf(name);
    if (own !== undefined || contentType === null) return own ?? null;
    const body = await findAsset(this.db, name);
    return body === null ? null : { contentType, body, compress: compressOnce(body) };
  }

  /** Notes that the files of this version are served, and deletes those that no replica serves any more. */
  async upkeep(): Promise<void> {
    const now = this.clock.now();
    await keepAssets(this.db, this.#assets, new Date(now));
    await deleteAssetsBefore(this.db, new Date(now - KEPT_MS));
  }
}

async function readShell(): Promise<ConsoleShell> {
  const body = await readFile(new URL('index.html', built));
  const script = /<script>(.*?)<\/script>/s.exec(body.toString())?.[1] ?? '';
  return {
    contentType: 'text/html; charset=utf-8',
    body,
    compress: compressOnce(body),
    etag: `"${createHash('sha256').update(body).digest('base64url').slice(0, 27)}"`,
    scriptHash: `'sha256-${createHash('sha256').update(script).digest('base64')}'`,
  };
}

async function readAsset(name: string): Promise<ConsoleFile> {
  const read = (suffix: string) => readFile(new URL(`assets/${name}${suffix}`, built));
  const [body, br, gzip] = await Promise.all([read(''), read('.br'), read('.gz')]);
  return {
    contentType: contentTypeOf(name) ?? '',
    body,
    compress: async (encoding) => (encoding === 'br' ? br : gzip),
  };
}

/** Null for a name that no file of the console has. */
function contentTypeOf(name: string): string | null {
  const extension = /^[A-Za-z0-9_-]+-[A-Z0-9]{8}\.([a-z]+)$/.exec(name)?.[1];
  return extension === undefined ? null : (contentTypes[extension] ?? null);
}
