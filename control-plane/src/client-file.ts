import { readFile } from 'node:fs/promises';
import { packageFolder } from './package-folder.js';

/** Facts in the client that is one file; null: not written into it. */
export interface ClientFacts {
  readonly version: string;
  /** Address of the control plane that served the file. */
  readonly url: string | null;
  /** Public key of its release. */
  readonly key: string | null;
}

/** Line of the file that has the facts, as scripts/setup/bundle.mjs writes it. */
const FACTS = /^globalThis\.vantageClient = .*$/m;

/** Facts of the file that runs; null: this is another program. */
export function ownFacts(): ClientFacts | null {
  return (globalThis as { vantageClient?: ClientFacts }).vantageClient ?? null;
}

/** The client as one file, as the build writes it; null: it was not built. */
export async function readClient(): Promise<string | null> {
  return readFile(new URL('dist/program/vantage-client.cjs', packageFolder), 'utf8').catch(() => null);
}

/** The file with other facts. @throws RangeError when it has no line for them */
export function withFacts(file: string, facts: ClientFacts): string {
  if (!FACTS.test(file)) throw new RangeError('the client has no line for its facts');
  return file.replace(FACTS, () => `globalThis.vantageClient = ${JSON.stringify(facts)};`);
}

/** The file as it is in a release, whose manifest has its checksum. */
export function releasedClient(file: string, version: string): string {
  return withFacts(file, { version, url: null, key: null });
}
