import { execFile } from 'node:child_process';
import { copyFile, mkdir, mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { missing } from '@vantage/shared/_support/missing.js';
import t, { type Test } from 'tap';
import { CleanRoot } from './_support/clean-root.js';
import { writeArchive } from './archive.js';
import { releasedPrograms } from './contents.js';
import { writeDeb } from './deb.js';
import { stage } from './stage.js';

const run = promisify(execFile);
const ROOT = fileURLToPath(new URL('../../..', import.meta.url));
const [agent, control] = releasedPrograms;
const options = {
  skip: missing(
    'dpkg',
    'dpkg-deb',
    'stat',
    'lintian',
    'tar',
    'permission to mount',
    'debootstrap',
    'unshare',
    'nsenter',
    'mount',
  ),
};

/** Archive and Debian package of a program, with a small program in place of Node.js. */
async function build(t: Test, program = agent): Promise<{ readonly archive: string; readonly deb: string }> {
  if (program === undefined) throw new RangeError('no such program');
  const folder = await mkdtemp(join(tmpdir(), 'vantage-packages-'));
  t.teardown(() => rm(folder, { recursive: true, force: true }));
  const staged = join(folder, program.name);
  await mkdir(staged);
  await stage(program, staged, { root: ROOT, node: '/bin/true', version: '0.1.0-rc.1' });
  const archive = join(folder, `${program.name}.tar.gz`);
  if (program === agent) await writeArchive(staged, archive);
  const maintainer = 'Vantage Tests <tests@lists.debian.org>';
  const deb = await writeDeb({ program, staged, version: '0.1.0-rc.1', glibc: '2.34', folder, maintainer });
  return { archive, deb };
}

t.test('Debian packages', options, async (t) => {
  const first = await build(t);
  const packages = [first.deb, (await build(t, control)).deb];

  await t.test('lintian finds no error in them', async (t) => {
    t.strictSame(
      packages.map((path) => basename(path)),
      ['vantage-agent_0.1.0~rc.1_amd64.deb', 'vantage-control_0.1.0~rc.1_amd64.deb'],
    );
    const { stdout } = await run('lintian', ['--fail-on', 'none', '--allow-root', ...packages]);
    t.strictSame(
      stdout.split('\n').filter((line) => line.startsWith('E:')),
      [],
    );
  });

  await t.test('two builds in two folders at two times are the same bytes', async (t) => {
    const second = await build(t);
    for (const kind of ['archive', 'deb'] as const)
      t.ok((await readFile(first[kind])).equals(await readFile(second[kind])), kind);
  });

  await t.test('dpkg installs the agent with its user and its unit, and a purge leaves nothing', async (t) => {
    const root = await CleanRoot.make(t);
    await copyFile(first.deb, join(root.path, 'run/agent.deb'));
    const places = ['/usr/lib/vantage-agent', '/lib/systemd/system', '/var/lib/vantage-agent', '/usr/bin'];
    const before = await root.files(...places);
    const installed = await root.run(['sh', '-c', 'dpkg --install /run/agent.deb']);
    t.equal(installed.code, 0, installed.stdout + installed.stderr);
    t.match(await root.run(['sh', '-c', 'stat -c "%U %a" /var/lib/vantage-agent']), { stdout: 'vantage-agent 700\n' });
    const unit = await readFile(join(root.path, 'lib/systemd/system/vantage-agent.service'), 'utf8');
    t.match(unit, /^ExecStart=\/usr\/lib\/vantage-agent\/bin\/vantage-agent run/m);
    t.notMatch(unit, /UPGRADE_COMMAND|\/opt/);
    const purged = await root.run(['sh', '-c', 'dpkg --purge vantage-agent']);
    t.equal(purged.code, 0, purged.stdout + purged.stderr);
    t.strictSame(await root.files(...places), before);
  });
});
