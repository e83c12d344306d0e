import { generateKeyPairSync } from 'node:crypto';
import { cp, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Test } from 'tap';
import { main } from '../index.js';
import { manifestText, parseManifest } from '../manifest.js';
import { ReleaseKey } from '../minisign.js';

/** A signed release of the agent in a folder of a test. */
export interface BuiltRelease {
  readonly folder: string;
  readonly key: string;
  readonly archive: string;
  /** A copy of it that a test may damage. */
  copy(name: string): Promise<string>;
  /** A copy in which the same agent has another version. */
  signAs(key: ReleaseKey, folder: string): Promise<void>;
}

const VERSION = '0.1.0';

/** Builds it: about ten seconds. */
export async function buildRelease(t: Test): Promise<BuiltRelease> {
  const directory = await mkdtemp(join(tmpdir(), 'vantage-release-test-'));
  t.teardown(() => rm(directory, { recursive: true, force: true }));
  const keyFile = join(directory, 'key.pem');
  await writeFile(keyFile, newKey());
  const key = ReleaseKey.read(await readFile(keyFile, 'utf8'));
  const code = await main([VERSION, '--only', 'vantage-agent', '--out', directory, '--key', keyFile]);
  if (code !== 0) throw new Error(`no release: exit code ${code}`);
  const folder = join(directory, VERSION);
  return {
    folder,
    key: key.publicKey,
    archive: `vantage-agent-${VERSION}-linux-x64.tar.gz`,
    async copy(name) {
      const to = join(directory, name);
      await cp(folder, to, { recursive: true });
      return to;
    },
    async signAs(other, to) {
      const content = Buffer.from(manifestText(parseManifest(await readFile(join(to, 'manifest'), 'utf8'))));
      await writeFile(join(to, 'manifest'), content);
      await writeFile(join(to, 'manifest.minisig'), other.sign(content, 'test'));
    },
  };
}

/** An Ed25519 key as PEM. */
export function newKey(): string {
  return generateKeyPairSync('ed25519').privateKey.export({ type: 'pkcs8', format: 'pem' }).toString();
}
