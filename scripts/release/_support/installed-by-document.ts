import { link, readFile, rename, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { lastingPort } from '@vantage/shared/_support/lasting-port.js';
import { main } from '../index.js';
import { ReleaseKey } from '../minisign.js';
import { newKey } from './built-release.js';
import type { CleanRoot } from './clean-root.js';
import { type InstalledControlPlane, VERSION } from './installed-control-plane.js';
import { makeLaterRelease } from './later-release.js';

const DOCUMENT = fileURLToPath(new URL('../../../../docs/install.md', import.meta.url));

/** Blocks of commands below a heading of docs/install.md, as they are printed. @throws Error without any */
export async function commandsBelow(heading: string): Promise<readonly string[]> {
  const sections = (await readFile(DOCUMENT, 'utf8')).split(/^## /m);
  const section = sections.find((one) => one.startsWith(`${heading}\n`)) ?? '';
  const blocks = [...section.matchAll(/^```sh\n(.*?)^```$/gms)].map(([, commands = '']) => commands);
  if (blocks.length === 0) throw new Error(`docs/install.md has no commands below "${heading}"`);
  return blocks;
}

/** Builds a release, and installs its control plane in a machine as docs/install.md says; the unit is not started yet. */
export async function installByDocument(machine: CleanRoot): Promise<InstalledControlPlane> {
  const releases = join(machine.path, 'srv/release');
  const key = newKey();
  const keyFile = join(machine.path, 'root/release-key.pem');
  await writeFile(keyFile, key);
  const code = await main([VERSION, '--out', releases, '--key', keyFile]);
  if (code !== 0) throw new Error(`no release: exit code ${code}`);
  const serve = async (version: string) => {
    await symlink(version, join(releases, 'latest.new'));
    await rename(join(releases, 'latest.new'), join(releases, 'latest'));
  };
  const { publicKey } = ReleaseKey.read(key);
  const [install = ''] = await commandsBelow('Install a control plane');
  const installed = await machine.run(['sh', '-e'], install.replace(/RW\S{54}/, publicKey));
  if (installed.code !== 0) throw new Error(installed.stderr);
  const url = `http://127.0.0.1:${await lastingPort()}`;
  const settings = {
    VANTAGE_PUBLIC_URL: url,
    VANTAGE_LISTEN: new URL(url).host,
    VANTAGE_METRICS_LISTEN: 'off',
    VANTAGE_ALLOW_TARGETS: '127.0.0.0/8',
    VANTAGE_RELEASE_DIR: '/srv/release/latest',
    VANTAGE_RELEASE_KEY: publicKey,
  };
  const lines = Object.entries(settings).map(([name, value]) => `${name}=${value}\n`);
  await writeFile(join(machine.path, 'etc/vantage/control.env'), lines.join(''), { mode: 0o640 });
  return {
    url,
    async command(...args) {
      const { code, stdout, stderr } = await machine.run(['vantage-control', ...args]);
      if (code !== 0) throw new Error(`vantage-control ${args.join(' ')}: ${stderr}`);
      return stdout.trim();
    },
    async offer(version, isBroken = false) {
      const [from, folder] = [join(releases, VERSION), join(releases, version)];
      if (version !== VERSION) {
        await makeLaterRelease({ from, folder, version, isBroken, key: ReleaseKey.read(key) });
        // the same control plane under the name of the later one
        const name = (of: string) => `vantage-control-${of}-linux-x64.tar.gz`;
        await link(join(from, name(VERSION)), join(folder, name(version)));
        const sums = (await readFile(join(from, 'SHA256SUMS'), 'utf8')).split('\n');
        const sum = sums.find((line) => line.endsWith(name(VERSION))) ?? '';
        await writeFile(join(folder, 'SHA256SUMS'), `${sum.replace(name(VERSION), name(version))}\n`);
      }
      await serve(version);
    },
  };
}
