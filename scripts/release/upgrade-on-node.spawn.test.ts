import { writeFile } from 'node:fs/promises';
import { missing } from '@vantage/shared/_support/missing.js';
import t, { type Test } from 'tap';
import { Machine } from './_support/a-machine.js';
import { newKey } from './_support/built-release.js';
import { makeStandIn, type StandIn } from './_support/stand-in-release.js';
import { ReleaseKey } from './minisign.js';

// install-agent --upgrade with a stand-in for the agent: all its decisions, in no time. The real agent is upgraded in clean-root.long.test.ts.

const options = { skip: missing('openssl', 'tar', 'sh') };
const STATE = '.local/state/vantage-agent';
/** Characters that could control a terminal. */
const CONTROL = /[^\n\t -~]/;
const RECORD = '.config/vantage/release';
const key = ReleaseKey.read(newKey());
const release = (t: Test, version: string, rest: Partial<StandIn> = {}) => makeStandIn(t, { version, key, ...rest });

/** A machine on which 0.1.0 runs. */
async function aMachine(t: Test): Promise<Machine> {
  const machine = await Machine.make(t);
  const installed = await machine.install(['--release', await release(t, '0.1.0'), '--key', key.publicKey]);
  t.equal(installed.code, 0, installed.stderr);
  t.strictSame(await machine.takeLog(), ['stop 0.1.0', 'start 0.1.0']);
  return machine;
}

/** Names another release as the source of upgrades, as a control plane does that serves a new one. */
async function offer(machine: Machine, folder: string): Promise<void> {
  const record = (await machine.read(RECORD)) ?? '';
  await writeFile(machine.path(RECORD), record.replace(/^release .*$/m, `release ${folder}`));
}

t.test(
  'a wanted version is tried, replaces the old one while that is stopped, and the old one is kept',
  options,
  async (t) => {
    const machine = await aMachine(t);
    await offer(machine, await release(t, '0.1.1'));
    await machine.want('0.1.1');
    const { code, stdout } = await machine.install(['--upgrade-wanted']);
    t.equal(code, 0);
    t.match(stdout, /spool: a copy opens[^]*vantage-agent 0\.1\.1 runs, 0\.1\.0 is kept/);
    t.strictSame(await machine.takeLog(), ['stop 0.1.0', 'start 0.1.1']);
    t.strictSame(await machine.versions(), { current: '0.1.1', running: '0.1.1' });
    t.equal(await machine.read(`${STATE}/spool`), 'results that wait');
    t.equal(await machine.read(`${STATE}/upgrade.wanted`), null);
    t.match(await machine.install(['--upgrade-wanted']), { code: 0, stdout: 'no upgrade is wanted\n' });
  },
);

t.test('a version that is not healthy in time is rolled back, with the reason for the agent', options, async (t) => {
  const machine = await aMachine(t);
  await offer(machine, await release(t, '0.1.2', { fails: 'health' }));
  await machine.want('0.1.2');
  t.match(await machine.install(['--upgrade-wanted', '--health-within', '0']), { code: 1 });
  t.strictSame(await machine.takeLog(), ['stop 0.1.0', 'start 0.1.2', 'stop 0.1.2', 'start 0.1.0']);
  t.strictSame(await machine.versions(), { current: '0.1.0', running: '0.1.0' });
  t.equal(
    await machine.read(`${STATE}/upgrade.failed`),
    '0.1.2 0.1.2 was not healthy: the link is not open (waiting); 0.1.0 runs again\n',
  );
  t.equal(await machine.read(`${STATE}/spool`), 'results that wait');
});

t.test('a version is refused, and the agent is not even stopped', options, async (t) => {
  const machine = await aMachine(t);
  const cases: readonly [string, string, RegExp][] = [
    [await release(t, '0.1.2', { fails: 'check' }), '0.1.2', /fails its check on this machine: .*no such module/],
    [await release(t, '0.1.1'), '0.1.3', /the release is 0\.1\.1, not 0\.1\.3/],
    [await release(t, '0.0.9'), '0.0.9', /0\.1\.0 is installed, which is newer than 0\.0\.9/],
    [await release(t, '0.1.2', { key: ReleaseKey.read(newKey()) }), '0.1.2', /signature of the manifest/],
    [await release(t, '0.1.2', { glibc: '9.1' }), '0.1.2', /the agent needs 9\.1 or newer/],
    ['/nowhere', '0.1.2', /there is no manifest/],
  ];
  for (const [folder, version, says] of cases) {
    await offer(machine, folder);
    await machine.want(version);
    const { code, stdout, stderr } = await machine.install(['--upgrade-wanted']);
    t.match({ code, stderr }, { code: 1, stderr: says });
    t.notMatch(stdout + stderr, CONTROL);
    const failed = (await machine.read(`${STATE}/upgrade.failed`)) ?? '';
    t.ok(failed.startsWith(`${version} `) && says.test(failed) && !CONTROL.test(failed), failed);
    t.equal(await machine.read(`${STATE}/upgrade.wanted`), null);
  }
  for (const nonsense of ['--help', '../../etc', '0.1.1;id', 'x'.repeat(10_000)]) {
    await machine.want(nonsense);
    t.match(await machine.install(['--upgrade-wanted']), { code: 1, stderr: /no version/ });
    t.equal(await machine.read(`${STATE}/upgrade.wanted`), null);
  }
  t.strictSame(await machine.takeLog(), []);
  t.strictSame(await machine.versions(), { current: '0.1.0', running: '0.1.0' });
});

t.test('a release replaces its candidate, which does not replace it', options, async (t) => {
  const machine = await aMachine(t);
  for (const version of ['0.1.1-rc.10', '0.1.1']) {
    await offer(machine, await release(t, version));
    t.match(await machine.install(['--upgrade', version]), { code: 0 }, version);
  }
  await offer(machine, await release(t, '0.1.1-rc.11'));
  t.match(await machine.install(['--upgrade', '0.1.1-rc.11']), {
    code: 1,
    stderr: /0\.1\.1 is installed, which is newer than 0\.1\.1-rc\.11/,
  });
  t.strictSame(await machine.versions(), { current: '0.1.1', running: '0.1.1' });
});

t.test('an older version is installed with the word of the operator, in the record as well', options, async (t) => {
  const machine = await aMachine(t);
  const [older, oldest] = [await release(t, '0.0.9'), await release(t, '0.0.8')];
  t.match(await machine.install(['--upgrade', '0.0.9', '--release', older, '--allow-older']), { code: 0 });
  await offer(machine, oldest);
  await writeFile(machine.path(RECORD), `${await machine.read(RECORD)}allow-older\n`);
  await machine.want('0.0.8');
  t.match(await machine.install(['--upgrade-wanted']), { code: 0 });
  t.strictSame(await machine.versions(), { current: '0.0.8', running: '0.0.8' });
  t.match(await machine.read(RECORD), /^allow-older$/m, 'the word stays');
});

t.test('the next key of a manifest signs the release after it, and the key before it no more', options, async (t) => {
  const next = ReleaseKey.read(newKey());
  const machine = await aMachine(t);
  const upgrade = async (version: string, rest: Partial<StandIn>) => {
    await offer(machine, await release(t, version, rest));
    return machine.install(['--upgrade', version]);
  };
  t.match(await upgrade('0.1.1', { key: next }), { code: 1, stderr: /signature/ });
  t.match(await upgrade('0.1.1', { nextKey: next.publicKey }), { code: 0 });
  t.match(await upgrade('0.1.2', {}), { code: 0 }, 'the old one still signs, until the next one has signed');
  t.match(await upgrade('0.1.3', { nextKey: next.publicKey }), { code: 0 });
  t.match(await upgrade('0.1.4', { key: next }), { code: 0 });
  t.match(await upgrade('0.1.5', {}), { code: 1, stderr: /signature/ });
});

t.test('a C library that is too old is refused before anything is changed', options, async (t) => {
  const machine = await Machine.make(t);
  await machine.standIn('getconf', 'echo glibc 2.31');
  const folder = await release(t, '0.1.0', { glibc: '2.34' });
  t.match(await machine.install(['--release', folder, '--key', key.publicKey]), {
    code: 1,
    stderr:
      'install-agent: this system has glibc 2.31, the agent needs 2.34 or newer (Debian 12, Ubuntu 22.04, RHEL 9)\n',
  });
  t.equal(await machine.read(RECORD), null);
  t.strictSame(await machine.versions(), { current: null, running: null });
});
