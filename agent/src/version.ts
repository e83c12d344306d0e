import { readFileSync } from 'node:fs';

/** Version of this build, from its package.json: two folders above both the modules and the bundle. */
export const AGENT_VERSION: string = JSON.parse(
  readFileSync(new URL('../../package.json', import.meta.url), 'utf8'),
).version;
