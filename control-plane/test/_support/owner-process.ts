import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import type { Test } from 'tap';
import type { OpenOptions } from '../../src/db/embedded/index.js';
import type { OwnerLine } from './data-directory-owner.js';

/** A process that opened, or tried to open, a data directory. */
export interface OwnerProcess {
  readonly process: ChildProcess;
  /** Result it printed: the URL, or the complaint. */
  readonly line: Promise<OwnerLine>;
  /** Messages it has logged so far. */
  readonly messages: readonly string[];
  /** Makes it close the directory and waits until it has ended. */
  end(): Promise<void>;
  /** kill -9 */
  kill(): Promise<void>;
}

export interface OwnerOptions extends Omit<OpenOptions, 'log'> {
  /** User and group to run it as. */
  readonly uid?: number;
  /** Shell commands run first as root, in a mount namespace of their own. */
  readonly mounts?: string;
}

/** Starts the program of data-directory-owner.ts; killed with the test at the latest. */
export function spawnOwner(t: Test, options: OwnerOptions): OwnerProcess {
  const { uid, mounts, ...open } = options;
  const program = fileURLToPath(new URL('./data-directory-owner.js', import.meta.url));
  const node = [process.execPath, program, JSON.stringify({ settings: { fsync: 'off' }, ...open })];
  const [file = '', ...args] =
    mounts === undefined ? node : ['unshare', '--mount', 'sh', '-ec', `${mounts}\nexec "$@"`, 'sh', ...node];
  const child = spawn(file, args, {
    stdio: ['pipe', 'pipe', 'inherit'],
    // a process group of its own, as a shell gives to a job
    detached: true,
    ...(uid === undefined ? {} : { uid, gid: uid }),
  });
  const exited = once(child, 'exit');
  const messages: string[] = [];
  const owner = {
    process: child,
    line: readOutput(child, messages),
    messages,
    end: async () => {
      child.stdin?.end();
      await exited;
    },
    kill: async () => {
      child.kill('SIGKILL');
      await exited;
    },
  };
  t.teardown(() => owner.end());
  return owner;
}

function readOutput(child: ChildProcess, messages: string[]): Promise<OwnerLine> {
  return new Promise((resolve, reject) => {
    if (child.stdout === null) return reject(new Error('the owner has no output'));
    const lines = createInterface({ input: child.stdout });
    lines.on('line', (text) => {
      const line: OwnerLine | { readonly msg: string } = JSON.parse(text);
      if ('msg' in line) messages.push(line.msg);
      else resolve(line);
    });
    lines.on('close', () => reject(new Error('the owner ended without output')));
  });
}

/** URL of an owner that must have succeeded. @throws Error with its complaint */
export async function urlOf(owner: OwnerProcess): Promise<string> {
  const line = await owner.line;
  if ('error' in line) throw new Error(line.error);
  return line.url;
}

/** Complaint of an owner that must have failed. */
export async function errorOf(owner: OwnerProcess): Promise<string> {
  const line = await owner.line;
  return 'error' in line ? line.error : `succeeded with ${line.url}`;
}
