import { spawnSync } from 'node:child_process';
import { chmodSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import t, { type Test } from 'tap';
import { demand, isInstalled, missing } from './missing.js';

/** Sets the PATH of this test to one folder with these files, and CI to `ci`. */
function onlyHere(t: Test, files: Readonly<Record<string, string>>, ci = 'false'): string {
  const folder = t.testdir(files);
  const { PATH, CI } = process.env;
  process.env['PATH'] = `${folder}:`;
  process.env['CI'] = ci;
  t.teardown(() => {
    process.env['PATH'] = PATH;
    if (CI === undefined) delete process.env['CI'];
    else process.env['CI'] = CI;
  });
  return folder;
}

t.test('a missing program is named with the package that installs it', async (t) => {
  onlyHere(t, {});
  t.equal(missing('traceroute'), 'needs traceroute: apt-get install traceroute');
  t.equal(
    missing('swaks', 'ip', 'ss', 'ip'),
    'needs swaks, ip, ss: apt-get install iproute2 libnet-ssleay-perl swaks',
    'each once, and what a package cannot do without',
  );
});

t.test('a program on the PATH that may be run is present', async (t) => {
  const folder = onlyHere(t, { ping: '#!/bin/sh', nft: '#!/bin/sh' });
  chmodSync(join(folder, 'ping'), 0o755);
  chmodSync(join(folder, 'nft'), 0o644);
  t.equal(missing('ping'), false);
  t.equal(missing('ping', 'nft'), 'needs nft: apt-get install nftables');
  t.equal(isInstalled('ping'), true);
});

t.test('an absent program is not tried: what a machine permits is asked only where the programs are', async (t) => {
  const folder = onlyHere(t, { unshare: '#!/bin/sh\nexit 1' });
  chmodSync(join(folder, 'unshare'), 0o755);
  t.equal(missing('permission to create networks', 'ip'), 'needs ip: apt-get install iproute2');
  t.equal(missing('permission to create networks'), 'needs root, and permission to create network namespaces');
});

t.test('where nothing may be skipped, nothing counts as missing; a demanded program is still reported', async (t) => {
  onlyHere(t, {}, 'true');
  t.equal(missing('traceroute', 'permission to create networks'), false);
  t.throws(() => demand('traceroute'), {
    name: 'MissingProgramsError',
    message: 'needs traceroute: apt-get install traceroute',
  });
});

t.test('a file that cannot do without is one skip, and nothing of it runs', async (t) => {
  const program = join(t.testdir(), 'a.test.mjs');
  const module = new URL('./skip-file.js', import.meta.url).href;
  writeFileSync(
    program,
    `import { skipFileWithout } from '${module}';\nskipFileWithout('nginx');\nconsole.log('ran');`,
  );
  const run = (ci: string) => spawnSync(process.execPath, [program], { encoding: 'utf8', env: { PATH: '', CI: ci } });
  t.match(run('').stdout, /^1\.\.0 # needs nginx: apt-get install nginx$/m);
  t.notMatch(run('').stdout, 'ran');
  t.match(run('true').stdout, 'ran');
});
