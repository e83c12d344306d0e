import { execFile } from 'node:child_process';
import { createHash, randomBytes } from 'node:crypto';
import { chmod, cp, mkdir, mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { demand } from '@vantage/shared/_support/missing.js';
import type { Test } from 'tap';
import { manifestText } from '../manifest.js';
import type { ReleaseKey } from '../minisign.js';

const run = promisify(execFile);
const ROOT = fileURLToPath(new URL('../../../../', import.meta.url));

/** Release of a stand-in for the agent: a script that answers as the agent does, so that a test takes no time. */
export interface StandIn {
  readonly version: string;
  readonly key: ReleaseKey;
  readonly nextKey?: string;
  readonly glibc?: string;
  readonly platform?: string;
  /** Size of a file that only takes place. */
  readonly ballastBytes?: number;
  /** Outcome of its check before it replaces another, and of its health afterwards. */
  readonly fails?: 'check' | 'health';
  /** Lines of shell that each of its commands runs first; `$1` is its name. */
  readonly first?: string;
}

/** The agent that runs is the one that the service was started with last; see `aMachine`. */
const program = (version: string, fails: StandIn['fails'], first: string) => `#!/bin/sh
${first}
case $1 in
  --version) echo ${version} ;;
  check-release)
    [ "$4" = --before ] && [ -x "$5" ] || { echo "no version before" >&2; exit 1; }
    ${fails === 'check' ? 'printf "\\033]0;title\\007no such module\\n" >&2; exit 1' : 'echo "spool: a copy opens"'} ;;
  enroll) cat >"$3/token" && printf '%s\\n' "$@" >"$3/arguments" ;;
  health)
    running=$(cat "$3/../running" 2>/dev/null)
    if [ "$running" = ${version} ] && ${fails === 'health' ? 'false' : 'true'}; then echo "version ${version}: link open"; exit 0; fi
    echo "the link is not open (waiting)"
    exit 1 ;;
esac
`;

/** Writes the release to a folder that is gone when `t` ends. */
export async function makeStandIn(
  t: Test,
  { version, key, nextKey, glibc = '2.2', platform = 'linux-x64', ballastBytes = 0, fails, first = '' }: StandIn,
): Promise<string> {
  demand('tar');
  const folder = await mkdtemp(join(tmpdir(), 'vantage-stand-in-'));
  t.teardown(() => rm(folder, { recursive: true, force: true }));
  const name = `vantage-agent-${version}-${platform}`;
  const tree = join(folder, name);
  await mkdir(join(tree, 'bin'), { recursive: true });
  await writeFile(join(tree, 'bin/vantage-agent'), program(version, fails, first));
  await chmod(join(tree, 'bin/vantage-agent'), 0o755);
  await cp(join(ROOT, 'systemd'), join(tree, 'systemd'), { recursive: true });
  await cp(join(ROOT, 'control-plane/install'), join(tree, 'install'), { recursive: true });
  await writeFile(join(tree, 'ballast'), randomBytes(ballastBytes));
  const archive = join(folder, `${name}.tar.gz`);
  await run('tar', ['--create', '--gzip', '--file', archive, '--directory', folder, name]);
  await rm(tree, { recursive: true });
  const sha256 = createHash('sha256')
    .update(await readFile(archive))
    .digest('hex');
  const files = [{ name: `${name}.tar.gz`, bytes: (await stat(archive)).size, sha256 }];
  const node = { version: '20.0.0', sha256: '00'.repeat(32) };
  const content = Buffer.from(
    manifestText({ version, node, glibc, files, ...(nextKey === undefined ? {} : { nextKey }) }),
  );
  await writeFile(join(folder, 'manifest'), content);
  await writeFile(join(folder, 'manifest.minisig'), key.sign(content, 'test'));
  return folder;
}
