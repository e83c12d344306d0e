import { chmod, cp, mkdir, readFile, readlink, rm, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { missing } from '@vantage/shared/_support/missing.js';
import t, { type Test } from 'tap';
import { newKey } from './_support/built-release.js';
import { CleanRoot } from './_support/clean-root.js';
import { makeStandIn, type StandIn } from './_support/stand-in-release.js';
import { ReleaseKey } from './minisign.js';

// install-agent as root on machines that are not as they should be; a stand-in for the agent.

const SCRIPT = fileURLToPath(new URL('../../../control-plane/install/install-agent', import.meta.url));
const options = {
  skip: missing('permission to mount', 'debootstrap', 'unshare', 'nsenter', 'mount', 'openssl', 'tar', 'sh'),
};
const key = ReleaseKey.read(newKey());
const STATE = 'var/lib/vantage-agent';
const COMMAND = 'usr/local/bin/vantage-agent';
const CURRENT = 'opt/vantage-agent/current';
/** Stops and starts the stand-in where systemd does not run. */
const SERVICE = `#!/bin/sh
if [ "$1" = start ]; then basename "$(readlink /${CURRENT})" >/var/lib/running; else rm -f /var/lib/running; fi
`;
const PLACES = ['/opt', '/usr/local', '/etc', '/var/lib'];

/** A bare Debian with the script and releases of some versions in /srv. */
async function setUp(t: Test, ...releases: readonly Omit<StandIn, 'key'>[]) {
  return prepare(t, await CleanRoot.make(t), releases);
}

async function prepare(t: Test, root: CleanRoot, releases: readonly Omit<StandIn, 'key'>[]) {
  await cp(SCRIPT, join(root.path, 'srv/install-agent'));
  for (const one of releases)
    await cp(await makeStandIn(t, { ...one, key }), join(root.path, 'srv', one.version), { recursive: true });
  const install = (version: string, ...words: readonly string[]) =>
    root.run(['sh', '/srv/install-agent', '--release', `/srv/${version}`, '--key', key.publicKey, ...words]);
  return { root, install, path: (name: string) => join(root.path, name) };
}

t.test(
  'a place for the state that is not the own one of an agent is refused before anything is changed',
  options,
  async (t) => {
    const { root, install, path } = await setUp(t, { version: '0.1.0' });
    const before = await root.files(...PLACES);
    const isRefused = async (name: string, stderr: RegExp) => {
      t.match(await install('0.1.0', '--no-enroll'), { code: 1, stderr }, name);
      t.strictSame(
        (await root.files(...PLACES)).filter((file) => !file.includes(STATE)),
        before,
        name,
      );
    };
    await mkdir(path('srv/elsewhere'));
    await symlink('/srv/elsewhere', path(STATE));
    await isRefused('a link', /\/var\/lib\/vantage-agent is a link/);
    await rm(path(STATE));
    await writeFile(path(STATE), '');
    await isRefused('a file', /\/var\/lib\/vantage-agent is no folder/);
    await rm(path(STATE));
    await root.run(['install', '-d', '-o', 'daemon', `/${STATE}`]);
    await isRefused("another user's", /belongs to daemon: is there another agent\? Move it away first/);
    await rm(path(STATE), { recursive: true });
    // no file system of a network is mounted here: the program that names its kind stands in for one
    await writeFile(
      path('usr/local/sbin/stat'),
      '#!/bin/sh\n[ "$1" != -f ] || { echo nfs; exit; }\nexec /bin/stat "$@"\n',
      {
        mode: 0o755,
      },
    );
    before.push(path('usr/local/sbin/stat'));
    before.sort();
    await isRefused('of a network', /is on a network file system/);
  },
);

t.test('a command of another origin is kept by installation and removal', options, async (t) => {
  const { root, install, path } = await setUp(t, { version: '0.1.0' });
  await writeFile(path(COMMAND), '#!/bin/sh\necho by hand\n', { mode: 0o755 });
  t.match(await install('0.1.0', '--no-enroll'), {
    code: 0,
    stderr:
      /\/usr\/local\/bin\/vantage-agent was put there by somebody else: kept\. This agent is \/opt\/vantage-agent/,
  });
  t.match(await install('0.1.0', '--uninstall', '--purge'), { code: 0 });
  t.equal((await root.run([`/${COMMAND}`])).stdout, 'by hand\n');
});

t.test('names and folders of any characters reach the agent as they are', options, async (t) => {
  const { root, install, path } = await setUp(t, { version: '0.1.0' });
  const name = `Bob's "node" $(id) \`id\` -- 2`;
  await writeFile(path('run/token file'), 'ent_abc\nsecond line\n');
  const words = ['--url', 'https://vantage.example', '--name', name, '--token-file', '/run/token file'];
  t.match(await install('0.1.0', ...words), { code: 0 });
  t.match(await readFile(path(`${STATE}/arguments`), 'utf8'), `--name\n${name}\n`);
  t.equal(await readFile(path(`${STATE}/token`), 'utf8'), 'ent_abc\n');
  const environment = `VANTAGE_ENROLLMENT_TOKEN='ent_abc\nent_def' sh /srv/install-agent --release /srv/0.1.0 --key ${key.publicKey} --url https://vantage.example`;
  t.match(await root.run(['sh', '-c', environment]), { code: 1, stderr: /that is no enrollment token/ });
});

/** Perl: appends to /srv/seen what a command of the agent has of its caller, and types into each terminal that it reaches. */
const LOOK = `open my $seen, '>>', '/srv/seen';
my %open = map { $_ => readlink } glob '/proc/self/fd/*';
m{/[012]$} or !$open{$_} or $open{$_} eq '/srv/seen' or print $seen "$ARGV[0]: has $open{$_}\\n" for keys %open;
print $seen "$ARGV[0]: variable $_\\n" for sort keys %ENV;
print $seen "$ARGV[0]: in " . readlink('/proc/self/cwd') . "\\n";
open my $terminal, '+<', '/dev/tty' and print $seen "$ARGV[0]: has a terminal\\n";
for ($terminal, *STDIN, *STDOUT, *STDERR) {
  defined and -t and print $seen "$ARGV[0]: holds a terminal\\n";
  defined and ioctl $_, 0x5412, my $key = 'x' and print $seen "$ARGV[0]: types\\n";
}
print $seen "$ARGV[0]: ran\\n";`;

t.test(
  'a command that root runs as the agent has no terminal, variable, folder or descriptor of root',
  options,
  async (t) => {
    const first = `case $1 in --version) ;; *) perl -e '${LOOK.replaceAll("'", `'\\''`)}' "$1" ;; esac`;
    const { root, path } = await setUp(t, { version: '0.1.0', first }, { version: '0.1.1', first });
    await writeFile(path('srv/seen'), '', { mode: 0o666 });
    await chmod(path('srv/seen'), 0o666);
    await mkdir(path('etc/vantage'), { recursive: true });
    await writeFile(path('etc/vantage/agent.env'), 'VANTAGE_AGENT_BIND=192.0.2.1\n');
    await writeFile(path('etc/vantage/service'), SERVICE, { mode: 0o755 });
    // as in a shell of root: with a terminal, and with descriptors that sh cannot name
    const onTerminal = async (...words: readonly string[]) => {
      const script = `exec 7</etc/hostname 12</etc/hostname; exec sh /srv/install-agent --key ${key.publicKey} ${words.join(' ')}`;
      await writeFile(path('srv/shell'), `export ROOT_SECRET=s VANTAGE_ENROLLMENT_TOKEN=ent_abc; ${script}\n`);
      const ended = await root.run(['script', '--quiet', '--return', '--command', 'bash /srv/shell', '/dev/null']);
      t.equal(ended.code, 0, ended.stdout);
    };
    await onTerminal('--release', '/srv/0.1.0', '--url', 'https://vantage.example');
    t.equal(await readFile(path(`${STATE}/token`), 'utf8'), 'ent_abc\n');
    await writeFile(path(`${STATE}/identity.json`), '{}');
    await onTerminal('--release', '/srv/0.1.1', '--upgrade', '0.1.1');
    await onTerminal('--uninstall', '--purge');

    const seen = (await readFile(path('srv/seen'), 'utf8')).trimEnd().split('\n');
    const commands = ['enroll', 'health', 'check-release', 'health', 'status'];
    t.strictSame(
      seen.filter((line) => line.endsWith(': ran')),
      commands.map((name) => `${name}: ran`),
    );
    const own = /: (ran|in \/|variable (HOME|PATH|PWD|OLDPWD|SHLVL|_|VANTAGE_AGENT_BIND))$/;
    t.strictSame(
      seen.filter((line) => !own.test(line)),
      [],
    );
    t.ok(seen.includes('enroll: variable VANTAGE_AGENT_BIND'), 'settings of the link are passed on');
  },
);

t.test(
  'a disk that is full in the middle leaves the agent that was there, and a second run finishes',
  options,
  async (t) => {
    const { root, install, path } = await setUp(t, { version: '0.1.0' }, { version: '0.1.1', ballastBytes: 4_000_000 });
    await root.run(['mount', '-t', 'tmpfs', '-o', 'size=2m', 'tmpfs', '/opt']);
    t.match(await install('0.1.0', '--no-enroll'), { code: 0 });
    const inside = async () => (await root.run(['ls', '-A', '/opt/vantage-agent'])).stdout;
    const before = await inside();
    t.match(await install('0.1.1', '--no-enroll'), { code: /[1-9]/, stderr: /No space left on device/ });
    t.equal(await inside(), before);
    t.match(await root.run([`/${COMMAND}`, '--version']), { stdout: '0.1.0\n' });
    await root.run(['mount', '-o', 'remount,size=20m', '/opt']);
    t.match(await install('0.1.1', '--no-enroll'), { code: 0 });
    t.match(await root.run([`/${COMMAND}`, '--version']), { stdout: '0.1.1\n' });
    t.equal(await readlink(path(COMMAND)), `/${CURRENT}/bin/vantage-agent`);
  },
);

t.test(
  'where /usr is read-only the agent is installed, and a warning says where its command is',
  options,
  async (t) => {
    const { root, install } = await setUp(t, { version: '0.1.0' });
    await root.run(['sh', '-c', 'mount --bind /usr /usr && mount -o remount,bind,ro /usr']);
    t.match(await install('0.1.0', '--no-enroll'), {
      code: 0,
      stderr:
        /\/usr\/local\/bin\/vantage-agent cannot be written: run \/opt\/vantage-agent\/current\/bin\/vantage-agent/,
    });
    t.match(await root.run([`/${CURRENT}/bin/vantage-agent`, '--version']), { stdout: '0.1.0\n' });
    t.match(await install('0.1.0', '--uninstall', '--purge'), { code: 0 });
  },
);

t.test('Debian 11 is refused: for its OpenSSL and, with minisign, for its C library', options, async (t) => {
  const bullseye = await CleanRoot.make(t, 'bullseye');
  const { root, install, path } = await prepare(t, bullseye, [{ version: '0.1.0', glibc: '2.34' }]);
  const before = await root.files(...PLACES);
  const stderr = /OpenSSL before 3 cannot verify the signature: install minisign/;
  t.match(await install('0.1.0', '--no-enroll'), { code: 1, stderr });
  t.strictSame(await root.files(...PLACES), before);
  // it has no package of minisign
  await writeFile(path('usr/bin/minisign'), '#!/bin/sh\n', { mode: 0o755 });
  t.match(await install('0.1.0', '--no-enroll'), {
    code: 1,
    stderr: /has glibc 2\.31, the agent needs 2\.34 or newer/,
  });
  t.strictSame(await root.files(...PLACES), before);
});
