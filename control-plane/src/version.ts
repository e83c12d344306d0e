import { readFileSync } from 'node:fs';
import { ownFacts } from './client-file.js';
import { packageFolder } from './package-folder.js';

interface PackageFile {
  readonly version: string;
}

/** Version of this build, from its package.json; the client that is one file has none. */
export const version: string =
  ownFacts()?.version ??
  (JSON.parse(readFileSync(new URL('package.json', packageFolder), 'utf8')) as PackageFile).version;
