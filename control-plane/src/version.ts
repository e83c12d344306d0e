import { readFileSync } from 'node:fs';
import { packageFolder } from './package-folder.js';

interface PackageFile {
  readonly version: string;
}

/** Version of this build, from its package.json. */
export const version: string = (JSON.parse(readFileSync(new URL('package.json', packageFolder), 'utf8')) as PackageFile)
  .version;
