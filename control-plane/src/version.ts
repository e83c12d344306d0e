import { readFileSync } from 'node:fs';

interface PackageFile {
  readonly version: string;
}

/** Version of this build, from its package.json. */
export const version: string = (
  JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8')) as PackageFile
).version;
