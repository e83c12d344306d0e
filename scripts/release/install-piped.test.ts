import { readdir, rm, writeFile } from 'node:fs/promises';
import { missing } from '@vantage/shared/_support/missing.js';
import t from 'tap';
import { Machine } from './_support/a-machine.js';
import { newKey } from './_support/built-release.js';
import { makeStandIn } from './_support/stand-in-release.js';
import { ReleaseKey } from './minisign.js';

// `curl … | sh`: the shell reads the script from standard input.

const options = { skip: missing('openssl', 'tar', 'sh', 'setsid') };
const key = ReleaseKey.read(newKey());
const IDENTITY = '.local/state/vantage-agent/identity.json';
const TOKEN = '.local/state/vantage-agent/token';
const LINE = 'export PATH="$HOME/.local/bin:$PATH"';

t.test(
  'a script that comes from standard input refuses to read the token there, before anything is done, and names other ways',
  options,
  async (t) => {
    const machine = await Machine.make(t);
    await rm(machine.path(IDENTITY));
    const release = await makeStandIn(t, { version: '0.1.0', key });
    const place = ['--release', release, '--key', key.publicKey, '--url', 'https://vantage.example'];
    const files = () => readdir(machine.home, { recursive: true });
    const before = await files();
    const refused = await machine.installPiped([...place, '--token', '-']);
    t.match(refused, { code: 1, stdout: '' });
    t.equal(
      refused.stderr,
      'install-agent: --token - reads standard input, which is this script. Without --token it asks for the token; ' +
        'a program gives it by --token-file FILE or VANTAGE_ENROLLMENT_TOKEN, or saves the script first: sh install.sh --token -\n',
    );
    t.strictSame(await files(), before);

    await writeFile(machine.path('token'), 'ent_file\n');
    t.match(await machine.installPiped([...place, '--token-file', machine.path('token')]), { code: 0 });
    t.equal(await machine.read(TOKEN), 'ent_file\n');
    t.match(await machine.installPiped(place, { VANTAGE_ENROLLMENT_TOKEN: 'ent_environment' }), { code: 0 });
    t.equal(await machine.read(TOKEN), 'ent_environment\n');
    t.match(await machine.installPiped(place), { code: 1, stderr: /no enrollment token: --token-file FILE/ });
  },
);

t.test('a user whose PATH lacks the folder of the command is shown the line that adds it', options, async (t) => {
  const machine = await Machine.make(t);
  const place = ['--release', await makeStandIn(t, { version: '0.1.0', key }), '--key', key.publicKey];
  const bin = machine.path('.local/bin');
  const { stdout } = await machine.installPiped(place);
  t.ok(
    stdout.endsWith(`vantage-agent is in ${bin}, which is not in PATH. This line in ~/.profile adds it: ${LINE}\n`),
    stdout,
  );
  const found = await machine.installPiped(place, { PATH: `/usr/bin:/bin:/usr/sbin:/sbin:${bin}` });
  t.match(found, { code: 0 });
  t.notMatch(found.stdout, /PATH/);
});
