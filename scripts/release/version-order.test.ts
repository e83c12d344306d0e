import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { missing } from '@vantage/shared/_support/missing.js';
import { compareVersions } from '@vantage/shared/version-order.js';
import t from 'tap';
import { debianVersion } from './deb.js';

const SCRIPT = fileURLToPath(new URL('../../../control-plane/install/install-agent', import.meta.url));
const HUGE = '9'.repeat(40);

/** Versions in their order, oldest first, by chains of which each is complete: every pair of one is compared. */
const chains: Readonly<Record<string, readonly string[]>> = {
  'the example of semver.org, section 11': [
    '1.0.0-alpha',
    '1.0.0-alpha.1',
    '1.0.0-alpha.beta',
    '1.0.0-beta',
    '1.0.0-beta.2',
    '1.0.0-beta.11',
    '1.0.0-rc.1',
    '1.0.0',
  ],
  'numbers, not texts': ['0.9.9', '0.10.0', '1.2.0', '1.2.9', '1.2.10', '1.10.0', '2.0.0', '10.0.0', `${HUGE}.0.0`],
  'a candidate between two releases': ['1.1.9', '1.2.0-rc.1', '1.2.0-rc.2', '1.2.0-rc.10', '1.2.0', '1.2.1-rc.1'],
  'numbers before words, words by their bytes': [
    '1.0.0-0',
    '1.0.0-2',
    '1.0.0-11',
    `1.0.0-${HUGE}`,
    '1.0.0--1',
    '1.0.0-1a',
    '1.0.0-RC.1',
    '1.0.0-a-b',
    '1.0.0-rc',
    '1.0.0-rc.0',
    '1.0.0-rc.1.1',
    '1.0.0-rc-1',
    '1.0.0-rc1',
    '1.0.0-rc10',
    '1.0.0-rc2',
    '1.0.0',
  ],
  'C libraries': ['2.2', '2.2.5', '2.17', '2.31', '2.34', '2.36', '2.100', '3.0'],
};
const equal = [
  ['1.2.0', '1.2.0'],
  ['1.2.0-rc.1', '1.2.0-rc.1'],
  ['1.2.0+one', '1.2.0+two-2'],
  ['1.2.0-rc.1+one', '1.2.0-rc.1'],
  ['2.36', '2.36.0'],
] as const;

/** `[one, other, order]`, with each pair both ways round. */
const pairs: readonly (readonly [string, string, -1 | 0 | 1])[] = [
  ...Object.values(chains).flatMap((chain) =>
    chain.flatMap((one, at) =>
      chain.slice(at + 1).flatMap((other) => [[one, other, -1] as const, [other, one, 1] as const]),
    ),
  ),
  ...equal.flatMap(([one, other]) => [[one, other, 0] as const, [other, one, 0] as const]),
];
const isOlder = pairs.map(([one, other, order]) => `${one} ${other} ${order === -1 ? 'older' : 'no'}`);

/** Output of a shell that reads the pairs, a line for each. */
async function judge(shell: string, script: string): Promise<string[]> {
  const child = spawn(shell, ['-c', script], { env: { PATH: '/usr/bin:/bin' }, stdio: ['pipe', 'pipe', 'inherit'] });
  child.stdin.end(pairs.map(([one, other]) => `${one} ${other}\n`).join(''));
  const [said] = await Promise.all([text(child.stdout), once(child, 'close')]);
  return said.trimEnd().split('\n');
}

t.test('the programs order versions as semver.org does', async (t) => {
  for (const [one, other, order] of pairs)
    t.equal(Math.sign(compareVersions(one, other)), order, `${one} and ${other}`);
});

t.test('install-agent orders versions as the programs do', { skip: missing('sh') }, async (t) => {
  const script = await readFile(SCRIPT, 'utf8');
  const functions = ['is_older', 'precedes', 'is_lower', 'is_number'].map(
    (name) => new RegExp(`^${name}\\(\\) \\{(?:.*\\}$|[^]*?^\\})`, 'm').exec(script)?.[0] ?? '',
  );
  const loop =
    'while read -r first second; do if is_older "$first" "$second"; then said=older; else said=no; fi; echo "$first $second $said"; done';
  t.strictSame(await judge('sh', ['set -eu', ...functions, loop].join('\n')), isOlder);
});

t.test('a Debian package of a version is upgraded to that of every later one', { skip: missing('dpkg') }, async (t) => {
  const { 'a candidate between two releases': chain = [] } = chains;
  for (const [at, one] of chain.slice(1).entries()) {
    const words = ['--compare-versions', debianVersion(chain[at] ?? ''), 'lt', debianVersion(one)];
    const child = spawn('dpkg', words, { stdio: 'inherit' });
    t.strictSame(await once(child, 'close'), [0, null], words.join(' '));
  }
  for (const version of ['1.2.0-rc1', '1.2.0-a.1', '1.2.0-rc'])
    t.throws(() => debianVersion(version), /sorts in another order/, version);
});
