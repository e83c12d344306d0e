import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { demand } from '@vantage/shared/_support/missing.js';

const run = promisify(execFile);

/** Record and prefix length of an address. */
export interface LookedUp {
  readonly record: unknown;
  readonly prefixLength: number;
}

/**
 * Looks an address up with mmdblookup of libmaxminddb. It prints fractions with six digits; prefix lengths are those of
 * the tree: 96 more for an IPv4 address in a tree of IPv6. Null if there is no record.
 */
export async function mmdblookup(file: string, address: string): Promise<LookedUp | null> {
  demand('mmdblookup');
  const { stdout } = await run('mmdblookup', ['--verbose', '--file', file, '--ip', address]).catch((error) => {
    // exit code 6: not found
    if (error.code === 6) return { stdout: '' };
    throw error;
  });
  const prefixLength = /Record prefix length: (\d+)/.exec(stdout)?.[1];
  if (prefixLength === undefined) return null;
  const text = stdout.slice(stdout.indexOf('Record prefix length:')).split('\n').slice(1).join('\n');
  return { record: JSON.parse(asJson(text)), prefixLength: Number(prefixLength) };
}

/** Its output is JSON with types behind the values and without commas. */
function asJson(text: string): string {
  const withoutTypes = text
    .replace(/ <(?:utf8_string|double|float|bytes|uint16|uint32|int32|uint64|uint128)>$/gm, ',')
    .replace(/ <boolean>$/gm, ',');
  const separated = withoutTypes.replace(/([}\]])(\s*)(?=["{[])/g, '$1,$2');
  return separated.replace(/,(\s*[}\]])/g, '$1').trim();
}
