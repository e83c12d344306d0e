import { dirname } from 'node:path';
import { performance } from 'node:perf_hooks';
import { fileURLToPath } from 'node:url';
import type { Check, Finding } from './check/check.js';
import { docs } from './check/docs.js';
import { english } from './check/english.js';
import { generated } from './check/generated.js';
import { layers } from './check/layers.js';
import { lockfile } from './check/lockfile.js';
import { migrations } from './check/migrations.js';
import { openapi } from './check/openapi.js';
import { owners } from './check/owners.js';
import { packages } from './check/packages.js';
import { programs } from './check/programs.js';
import { rooms } from './check/rooms.js';
import { format, lint, types, unused } from './check/tools.js';
import { words } from './check/words.js';

const root = dirname(dirname(dirname(fileURLToPath(import.meta.url))));

/** The one list of checks, in the order they run. */
const checks: readonly Check[] = [
  types,
  lint,
  format,
  layers,
  owners,
  migrations,
  rooms,
  generated,
  openapi,
  unused,
  docs,
  words,
  english,
  packages,
  programs,
  lockfile,
];

/**
 * `npm run check`: makes every check, or those named, and prints a line for each and then what they found.
 * @returns the exit code: 0 when nothing was found
 */
export async function main(args: readonly string[]): Promise<number> {
  const unknown = args.filter((name) => !checks.some((check) => check.name === name));
  if (unknown.length > 0) {
    process.stdout.write(
      `usage: npm run check -- [name…]\n${checks.map(({ name, title }) => `  ${name.padEnd(10)} ${title}\n`).join('')}`,
    );
    return args.includes('--help') ? 0 : 2;
  }
  const found = new Map<string, readonly Finding[]>();
  for (const check of checks.filter(({ name }) => args.length === 0 || args.includes(name))) {
    const startedAt = performance.now();
    const findings = await check.run(root).catch((error: unknown) => [`cannot check: ${describe(error)}`]);
    found.set(check.name, findings);
    const word = findings.length === 0 ? 'ok' : 'FAILED';
    process.stdout.write(
      `${word.padEnd(7)} ${check.name.padEnd(10)} ${((performance.now() - startedAt) / 1000).toFixed(1)} s\n`,
    );
  }
  const failed = [...found].filter(([, findings]) => findings.length > 0);
  for (const [name, findings] of failed)
    process.stdout.write(`\n${name}\n${findings.join('\n').replace(/^(?=.)/gm, '  ')}\n`);
  process.stdout.write(
    failed.length === 0 ? 'all checks passed\n' : `\n${failed.length} of ${found.size} checks failed\n`,
  );
  return failed.length === 0 ? 0 : 1;
}

function describe(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
