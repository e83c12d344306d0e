import { type ChildProcessByStdio, execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, readdir, readFile, rename, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Readable, Writable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { demand } from '@vantage/shared/_support/missing.js';
import type { Test } from 'tap';

const run = promisify(execFile);

const CACHE = fileURLToPath(new URL('../../../../.cache/roots/', import.meta.url));
const SUITE = 'bookworm';
/** Beside the smallest Debian: what a one-line installation needs. */
const PACKAGES = 'ca-certificates,curl,openssl';

/** Exit code and output of a command. */
interface Ended {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

type Running = ChildProcessByStdio<Writable, Readable, Readable>;

/**
 * A machine with a bare Debian, without Node.js, compiler or this checkout, in which commands run as root. It shares the
 * network of this machine. pivot_root: in a chroot nobody may make user namespaces.
 */
export class CleanRoot {
  private constructor(
    private readonly pid: number,
    /** Its file system, seen from outside. */
    readonly path: string,
  ) {}

  /** One without changes, on top of a Debian that is fetched once per checkout; gone when `t` ends. */
  static async make(t: Pick<Test, 'teardown'>): Promise<CleanRoot> {
    demand('debootstrap', 'unshare', 'mount', 'umount', 'sh', 'nsenter', 'pivot_root', 'sleep');
    const debian = await fetchDebian();
    const directory = await mkdtemp(join(tmpdir(), 'vantage-root-'));
    const [upper, work, merged] = ['upper', 'work', 'merged'].map((name) => join(directory, name));
    for (const path of [upper, work, merged]) await mkdir(path ?? '');
    await run('mount', [
      '-t',
      'overlay',
      'overlay',
      '-o',
      `lowerdir=${debian},upperdir=${upper},workdir=${work}`,
      merged ?? '',
    ]);
    await mkdir(join(merged ?? '', '.outside'));
    const enter = `cd "$0" && mount -t proc proc proc && mount --rbind /dev dev && pivot_root . .outside && umount -l /.outside && echo ready && exec sleep infinity`;
    const holder = spawn('unshare', ['--mount', '--pid', '--fork', '--kill-child', 'sh', '-ec', enter, merged ?? ''], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    t.teardown(async () => {
      holder.kill('SIGKILL');
      if (holder.exitCode === null) await once(holder, 'close');
      await run('umount', ['-l', merged ?? '']);
      await rm(directory, { recursive: true, force: true });
    });
    await once(holder.stdout, 'data');
    return new CleanRoot(await childOf(holder.pid ?? 0), merged ?? '');
  }

  /** Runs a command in it to its end. */
  async run(command: readonly string[], input = ''): Promise<Ended> {
    const child = this.start(command);
    child.stdin.on('error', () => {});
    child.stdin.end(input);
    const [stdout, stderr, [code]] = await Promise.all([text(child.stdout), text(child.stderr), once(child, 'close')]);
    return { code, stdout, stderr };
  }

  /** Starts a command in it. */
  start(command: readonly string[]): Running {
    const inside = ['--target', `${this.pid}`, '--mount', '--pid', '--root', '--wdns=/', ...command];
    return spawn('nsenter', inside, {
      env: { PATH: '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin', HOME: '/root' },
      stdio: ['pipe', 'pipe', 'pipe'],
    });
  }

  /** Stops a command that was started in it, as `kill` does. */
  async stop(command: Running): Promise<void> {
    const ended = new Promise((resolve) => command.once('close', resolve));
    process.kill(await childOf(command.pid ?? 0), 'SIGTERM');
    await ended;
  }

  /** Paths of all files and links below some folders, in order. */
  async files(...folders: readonly string[]): Promise<string[]> {
    const found = await Promise.all(
      folders.map(async (folder) => {
        const entries = await readdir(join(this.path, folder), { withFileTypes: true, recursive: true }).catch(
          () => [],
        );
        return entries.filter((entry) => !entry.isDirectory()).map((entry) => join(entry.parentPath, entry.name));
      }),
    );
    return found.flat().sort();
  }
}

/** The only child of a process. */
async function childOf(pid: number): Promise<number> {
  return Number((await readFile(`/proc/${pid}/task/${pid}/children`, 'utf8')).trim());
}

/** Folder of a Debian as debootstrap makes it. */
async function fetchDebian(): Promise<string> {
  const folder = join(CACHE, SUITE);
  if (existsSync(folder)) return folder;
  const fresh = `${folder}.${process.pid}`;
  await mkdir(CACHE, { recursive: true });
  await run('debootstrap', ['--variant=minbase', `--include=${PACKAGES}`, SUITE, fresh], {
    maxBuffer: 64 * 1024 * 1024,
  });
  await rename(fresh, folder).catch((error: unknown) => {
    // another test was faster
    if (!existsSync(folder)) throw error;
  });
  await rm(fresh, { recursive: true, force: true });
  return folder;
}
