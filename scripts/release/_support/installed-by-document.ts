import { rename, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { lastingPort } from '@vantage/shared/_support/lasting-port.js';
import { main } from '../index.js';
import { ReleaseKey } from '../minisign.js';
import { newKey } from './built-release.js';
import type { CleanRoot } from './clean-root.js';
import { type InstalledControlPlane, VERSION } from './installed-control-plane.js';
import { makeLaterRelease } from './later-release.js';

/** Commands of docs/install.md, "Install a control plane". */
const INSTALL = `cd /srv/release/latest
sha256sum --check SHA256SUMS
mkdir -p /opt/vantage-control/${VERSION} /etc/vantage
tar --extract --file vantage-control-${VERSION}-linux-x64.tar.gz --strip-components=1 --directory /opt/vantage-control/${VERSION}
ln -sfn ${VERSION} /opt/vantage-control/current
ln -sfn /opt/vantage-control/current/bin/vantage-control /usr/local/bin/vantage-control
cp /opt/vantage-control/current/systemd/vantage-control.service /etc/systemd/system/`;

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
  await serve(VERSION);
  const installed = await machine.run(['sh', '-e'], INSTALL);
  if (installed.code !== 0) throw new Error(installed.stderr);
  const url = `http://127.0.0.1:${await lastingPort()}`;
  const settings = {
    VANTAGE_PUBLIC_URL: url,
    VANTAGE_LISTEN: new URL(url).host,
    VANTAGE_METRICS_LISTEN: 'off',
    VANTAGE_ALLOW_TARGETS: '127.0.0.0/8',
    VANTAGE_RELEASE_DIR: '/srv/release/latest',
    VANTAGE_RELEASE_KEY: ReleaseKey.read(key).publicKey,
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
      if (version !== VERSION) await makeLaterRelease({ from, folder, version, isBroken, key: ReleaseKey.read(key) });
      await serve(version);
    },
  };
}
