import { execFile, spawn } from 'node:child_process';
import { mkdir, mkdtemp, rename, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { promisify } from 'node:util';
import { demand } from '@vantage/shared/_support/missing.js';
import type { Test } from 'tap';
import { main } from '../index.js';
import { ReleaseKey } from '../minisign.js';
import { newKey } from './built-release.js';
import { makeLaterRelease } from './later-release.js';

const run = promisify(execFile);
/** Version of the release. */
export const VERSION = '0.1.0';

/** A control plane that was installed from its archive. */
export interface InstalledControlPlane {
  readonly url: string;
  /** Runs `vantage-control`, and returns what it printed. */
  command(...args: readonly string[]): Promise<string>;
  /** Serves another version of the agent from here on; a broken one ends as soon as it is to run. */
  offer(version: string, isBroken?: boolean): Promise<void>;
}

/** Builds a release, and starts the control plane of its archive, which serves it; gone when `t` ends. */
export async function startFromArchive(t: Pick<Test, 'teardown'>): Promise<InstalledControlPlane> {
  demand('tar', 'objdump');
  const directory = await mkdtemp(join(tmpdir(), 'vantage-installed-'));
  t.teardown(() => rm(directory, { recursive: true, force: true }));
  const key = newKey();
  await writeFile(join(directory, 'key.pem'), key);
  const code = await main([VERSION, '--out', directory, '--key', join(directory, 'key.pem')]);
  if (code !== 0) throw new Error(`no release: exit code ${code}`);
  const home = join(directory, 'control');
  await mkdir(home);
  const archive = join(directory, VERSION, `vantage-control-${VERSION}-linux-x64.tar.gz`);
  await run('tar', ['--extract', '--file', archive, '--strip-components=1', '--directory', home]);
  const served = join(directory, 'served');
  const serve = async (folder: string) => {
    await symlink(folder, `${served}.new`);
    await rename(`${served}.new`, served);
  };
  await serve(join(directory, VERSION));
  const env = {
    PATH: '/usr/sbin:/usr/bin:/sbin:/bin',
    HOME: directory,
    VANTAGE_DATA_DIR: join(directory, 'data'),
    VANTAGE_LISTEN: '127.0.0.1:0',
    VANTAGE_METRICS_LISTEN: 'off',
    VANTAGE_ALLOW_TARGETS: '127.0.0.0/8',
    VANTAGE_RELEASE_DIR: served,
    VANTAGE_RELEASE_KEY: ReleaseKey.read(key).publicKey,
  };
  const program = join(home, 'bin', 'vantage-control');
  const server = spawn(program, ['serve'], { env, stdio: ['ignore', 'pipe', 'inherit'] });
  const ended = new Promise((resolve) => server.once('close', resolve));
  t.teardown(async () => {
    server.kill('SIGTERM');
    await ended;
  });
  const lines: string[] = [];
  for await (const line of createInterface({ input: server.stdout })) {
    lines.push(line);
    const said = line.startsWith('{') ? JSON.parse(line) : {};
    if (said.msg === 'ready') {
      server.stdout.resume();
      const command = async (...args: readonly string[]) => (await run(program, args, { env })).stdout.trim();
      const offer = async (version: string, isBroken = false) => {
        const [from, folder] = [join(directory, VERSION), join(directory, version)];
        if (version !== VERSION) await makeLaterRelease({ from, folder, version, isBroken, key: ReleaseKey.read(key) });
        await serve(folder);
      };
      return { url: String(said.url), command, offer };
    }
  }
  throw new Error(`the control plane ended before it was ready: ${lines.join('\n')}`);
}
