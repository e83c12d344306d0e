import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { demand } from '@vantage/shared/_support/missing.js';
import { manifestText, parseManifest } from '../manifest.js';
import type { ReleaseKey } from '../minisign.js';

const run = promisify(execFile);

/** Release of the same agent with another version. */
interface LaterRelease {
  /** Folder of the release that it is made from. */
  readonly from: string;
  readonly folder: string;
  readonly version: string;
  readonly key: ReleaseKey;
  /** True if it passes its check and ends as soon as it is to run. */
  readonly isBroken?: boolean;
}

/** Writes the agent's part of a later release: some seconds. */
export async function makeLaterRelease({ from, folder, version, key, isBroken }: LaterRelease): Promise<void> {
  demand('tar');
  const manifest = parseManifest(await readFile(join(from, 'manifest'), 'utf8'));
  const name = `vantage-agent-${version}-linux-x64`;
  const tree = join(folder, name);
  await mkdir(tree, { recursive: true });
  const original = join(from, `vantage-agent-${manifest.version}-linux-x64.tar.gz`);
  await run('tar', ['--extract', '--file', original, '--strip-components=1', '--directory', tree]);
  const about = join(tree, 'lib/vantage-agent/package.json');
  await writeFile(about, (await readFile(about, 'utf8')).replace(`"${manifest.version}"`, `"${version}"`));
  if (isBroken) {
    const program = join(tree, 'bin/vantage-agent');
    await writeFile(program, (await readFile(program, 'utf8')).replace('\n', '\n[ "$1" != run ] || exit 9\n'));
  }
  const archive = join(folder, `${name}.tar.gz`);
  // fast, for it is read once
  await run('tar', ['--create', '--use-compress-program=gzip -1', '--file', archive, '--directory', folder, name]);
  await rm(tree, { recursive: true });
  const sha256 = createHash('sha256')
    .update(await readFile(archive))
    .digest('hex');
  const files = [{ name: `${name}.tar.gz`, bytes: (await stat(archive)).size, sha256 }];
  const content = Buffer.from(manifestText({ ...manifest, version, files }));
  await writeFile(join(folder, 'manifest'), content);
  await writeFile(join(folder, 'manifest.minisig'), key.sign(content, `vantage ${version}`));
}
