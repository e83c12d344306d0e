import { type ChildProcessByStdio, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Readable, Writable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { demand } from '@vantage/shared/_support/missing.js';
import type { Test } from 'tap';
import { type Debian, mountDebian } from './debian.js';

/** Exit code and output of a command. */
interface Ended {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

type Holder = ChildProcessByStdio<null, Readable, null>;
type Running = ChildProcessByStdio<Writable, Readable, Readable>;

/**
 * A machine with a bare Debian, without Node.js, compiler or this checkout, in which commands run as root. It shares the
 * network of this machine. pivot_root: in a chroot no one may make user namespaces.
 */
export class CleanRoot {
  private constructor(
    private readonly pid: number,
    /** Its file system, seen from outside. */
    readonly path: string,
  ) {}

  /** One without changes, on top of a Debian that is fetched once per checkout; gone when `t` ends. */
  static async make(t: Pick<Test, 'teardown'>, debian: Debian = 'bookworm'): Promise<CleanRoot> {
    demand('unshare', 'mount', 'umount', 'sh', 'nsenter', 'pivot_root', 'sleep');
    const path = await mountDebian(t, debian);
    await mkdir(join(path, '.outside'));
    const enter = `cd "$0" && mount -t proc proc proc && mount --rbind /dev dev && pivot_root . .outside && umount -l /.outside && echo ready && exec sleep infinity`;
    const holder = spawn('unshare', ['--mount', '--pid', '--fork', '--kill-child', 'sh', '-ec', enter, path], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    return CleanRoot.heldBy(t, holder, path);
  }

  /** Machine whose first process is the child of `holder`, which says when it is there; killed when `t` ends. */
  static async heldBy(t: Pick<Test, 'teardown'>, holder: Holder, path: string): Promise<CleanRoot> {
    const ended = once(holder, 'close');
    t.teardown(async () => {
      holder.kill('SIGKILL');
      await ended;
    });
    const isThere = await Promise.race([once(holder.stdout, 'data').then(() => true), ended.then(() => false)]);
    if (!isThere) throw new Error(`no machine: exit code ${holder.exitCode}`);
    return new CleanRoot(await childOf(holder.pid ?? 0), path);
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
