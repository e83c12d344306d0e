import { cp, rm, writeFile } from 'node:fs/promises';
import { missing } from '@vantage/shared/_support/missing.js';
import t from 'tap';
import { Machine } from './_support/a-machine.js';
import { newKey } from './_support/built-release.js';
import { makeStandIn } from './_support/stand-in-release.js';
import { ReleaseKey } from './minisign.js';

const options = { skip: missing('openssl', 'tar', 'sh') };
const INSTALLED = '.local/lib/vantage-agent';
const key = ReleaseKey.read(newKey());

for (const { version, fails, ends } of [
  { version: '0.1.1', fails: undefined, ends: '0.1.1' },
  { version: '0.1.2', fails: 'health' as const, ends: '0.1.0' },
])
  t.test(
    `killed before any of its steps, an upgrade to a version that ${fails ? 'fails' : 'works'} leaves a whole agent, and a second run finishes`,
    options,
    async (t) => {
      const machine = await Machine.make(t);
      const first = await makeStandIn(t, { version: '0.1.0', key });
      await machine.install(['--release', first, '--key', key.publicKey]);
      await cp(machine.path(INSTALLED), machine.path('kept'), { recursive: true, verbatimSymlinks: true });
      const offered = await makeStandIn(t, { version, key, ...(fails && { fails }) });
      await writeFile(machine.path('.config/vantage/release'), `release ${offered}\nkey ${key.publicKey}\n`);
      const upgrade = (killAt = 0) => machine.install(['--upgrade-wanted', '--health-within', '0'], killAt);
      let isKilled = true;
      for (let step = 1; isKilled; step += 1) {
        await rm(machine.path(INSTALLED), { recursive: true });
        await cp(machine.path('kept'), machine.path(INSTALLED), { recursive: true, verbatimSymlinks: true });
        await writeFile(machine.path('.local/state/running'), '0.1.0\n');
        await machine.want(version);
        isKilled = (await upgrade(step)).code === null;
        const { current } = await machine.versions();
        t.ok(current === '0.1.0' || current === version, `step ${step}: ${current}`);
        if (isKilled) await upgrade();
        t.strictSame(await machine.versions(), { current: ends, running: ends }, `step ${step}`);
        t.equal(await machine.read(`${INSTALLED}/trial`), null);
        t.equal(await machine.read('.local/state/vantage-agent/upgrade.wanted'), null);
      }
    },
  );
