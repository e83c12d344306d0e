import { appendFile, rm, writeFile } from 'node:fs/promises';
import { missing } from '@vantage/shared/_support/missing.js';
import t, { type Test } from 'tap';
import { Machine } from './_support/a-machine.js';
import { newKey } from './_support/built-release.js';
import { makeCertificate, serveRelease } from './_support/release-server.js';
import { makeStandIn } from './_support/stand-in-release.js';
import { ReleaseKey } from './minisign.js';

// How install-agent gets a release, and for which machine; a stand-in for the agent, so that it takes no time.

const options = { skip: missing('openssl', 'tar', 'sh', 'curl', 'wget') };
const key = ReleaseKey.read(newKey());
const SETTINGS = '.config/vantage/agent.env';
const current = { current: '0.1.0' };

const folder = options.skip ? '' : await makeStandIn(t, { version: '0.1.0', key });

async function setUp(t: Test) {
  const machine = await Machine.make(t);
  return { machine, from: (url: string) => machine.install(['--release', url, '--key', key.publicKey]) };
}

for (const program of ['curl', 'wget'])
  t.test(`${program} trusts the certificate that the settings of the agent name, and no other`, options, async (t) => {
    const { machine, from } = await setUp(t);
    if (program === 'wget') await machine.hide('curl');
    const certificate = machine.path('cert.pem');
    await makeCertificate(certificate);
    const { url } = await serveRelease(t, folder, { certificate });
    t.match(await from(url), { code: 1, stderr: /manifest cannot be downloaded/ });
    t.match(await machine.versions(), { current: null });

    await writeFile(machine.path(SETTINGS), `NODE_EXTRA_CA_CERTS=/no/such/file\n`);
    t.match(await from(url), { code: 1, stderr: /NODE_EXTRA_CA_CERTS is \/no\/such\/file, which cannot be read/ });
    await writeFile(machine.path(SETTINGS), `NODE_EXTRA_CA_CERTS="${certificate}"\n`);
    const { code, stderr } = await from(url);
    t.equal(code, 0, stderr);
    t.match(await machine.versions(), current);
  });

for (const program of ['curl', 'wget'])
  t.test(`${program} goes through the proxy that the settings of the agent name`, options, async (t) => {
    const { machine, from } = await setUp(t);
    if (program === 'wget') await machine.hide('curl');
    const proxy = await serveRelease(t, folder);
    await appendFile(machine.path(SETTINGS), `VANTAGE_AGENT_PROXY=${proxy.url}\n`);
    const { code, stderr } = await from('http://release.invalid/0.1.0');
    t.equal(code, 0, stderr);
    t.equal(proxy.asked[0], 'http://release.invalid/0.1.0/manifest');
    t.match(await machine.versions(), current);
  });

t.test('a release is installed where there is IPv6 only', options, async (t) => {
  const { machine, from } = await setUp(t);
  const { url } = await serveRelease(t, folder, { host: '::1' });
  t.match(await from(url), { code: 0 });
  t.match(await machine.versions(), current);
});

t.test('a download that stands still is given up, and a second run finishes', options, async (t) => {
  const { machine, from } = await setUp(t);
  // the limit of the script, 30 seconds, is one second here
  await machine.standIn(
    'curl',
    `for word; do shift; [ "$word" != 30 ] || word=1; set -- "$@" "$word"; done\nexec /usr/bin/curl "$@"`,
  );
  const stalled = await serveRelease(t, folder, {
    answer: (_request, response) => response.writeHead(200, { 'content-length': 1_000 }).write('vantage-release 1\n'),
  });
  t.match(await from(stalled.url), { code: 1, stderr: /manifest cannot be downloaded/ });
  t.match(await machine.versions(), { current: null });
  await rm(machine.path('tools/curl'));
  t.match(await from((await serveRelease(t, folder)).url), { code: 0 });
  t.match(await machine.versions(), current);
});

t.test('a machine gets the archive of its architecture, and is refused where there is none', options, async (t) => {
  const machine = await Machine.make(t);
  const foreign = await makeStandIn(t, { version: '0.1.0', key, platform: 'linux-arm64' });
  const install = () => machine.install(['--release', foreign, '--key', key.publicKey]);
  t.match(await install(), {
    code: 1,
    stderr: /the release has no vantage-agent-0\.1\.0-linux-x64\.tar\.gz: it was not built for machines like this one/,
  });
  await machine.standIn('uname', '[ "$1" = -m ] && echo armv7l || exec /usr/bin/uname "$@"');
  t.match(await install(), { code: 1, stderr: /this machine is armv7l: the agent runs on x86_64 and aarch64/ });
  await machine.standIn('uname', '[ "$1" = -m ] && echo aarch64 || exec /usr/bin/uname "$@"');
  t.match(await install(), { code: 0, stdout: /getting vantage-agent-0\.1\.0-linux-arm64\.tar\.gz/ });
  t.match(await machine.versions(), current);
});

t.test(
  'a machine whose clock stands in 1970 gets a warning of what does not work until it is right',
  options,
  async (t) => {
    const { machine, from } = await setUp(t);
    t.equal((await from(folder)).stderr, '');
    await machine.standIn('date', '[ "$1" = +%Y ] && echo 1970 || echo "Thu Jan  1 00:00:07 UTC 1970"');
    t.match(await from(folder), {
      code: 0,
      stderr: /warning: the clock of this machine says Thu Jan  1 .* 1970: until it is right no certificate is valid/,
    });
  },
);
