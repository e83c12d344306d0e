import { type ChildProcess, spawn } from 'node:child_process';
import { performance } from 'node:perf_hooks';
import { setImmediate } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { FileTap } from './file-tap.js';
import { exitComplaint, type FileLimits, FileWatch, StderrTail } from './file-watch.js';
import type { FromHost, ToHost } from './host-messages.js';
import { endGroup, groupCpuMs, leftOver } from './process-group.js';
import type { RunOptions } from './run-file.js';
import { type FileOutcome, TapReader } from './tap-reader.js';
import type { TestFile } from './test-files.js';

const program = fileURLToPath(new URL('host.js', import.meta.url));

/** Bytes of memory from which on a process takes no further file. */
const rssLimit = 900 * 1024 * 1024;

/**
 * A process, with a process group of its own, that runs test files one after another: what one has loaded and warmed is
 * there for the next. After a failure, or when it has grown, it takes no more.
 */
export class TestHost {
  readonly #child: ChildProcess;
  readonly #stderr: StderrTail;
  readonly #exited: Promise<string>;
  readonly #files: TestFile[] = [];
  readonly #endingMs: number;
  #isFit = true;

  /** `endingMs`: time it has to end once it gets no more files. */
  constructor({ root, env, endingMs = 10_000 }: Pick<RunOptions, 'root' | 'env'> & { endingMs?: number }) {
    this.#endingMs = endingMs;
    this.#child = spawn(process.execPath, [program], {
      cwd: root,
      // here the tests of a file lie one level deeper
      env: { ...env, TAP_TIMEOUT: '0', ...(env['TAP_GREP'] && { TAP_GREP: `/./\n${env['TAP_GREP']}` }) },
      stdio: ['ignore', 'ignore', 'pipe', 'ipc'],
      detached: true,
    });
    this.#stderr = new StderrTail(this.#child);
    this.#exited = new Promise((resolve) => {
      this.#child.on('error', (error) => resolve(error.message));
      this.#child.on('exit', (code, killer) => resolve(exitComplaint(code, killer) ?? 'exited with code 0'));
    });
  }

  /** True if it can take one more file. */
  get isFit(): boolean {
    return this.#isFit;
  }

  /** Runs one file, in the same way as one in a process of its own, but that it must not end the process. */
  async run(file: TestFile, limits: FileLimits): Promise<FileOutcome> {
    const startedAt = performance.now();
    const { pid } = this.#child;
    const cpuBeforeMs = groupCpuMs(pid);
    this.#stderr.text = '';
    this.#files.push(file);
    const reader = new TapReader();
    const ending = await this.#follow(file, reader, limits);
    // its standard error from before it ended has been read by then
    await setImmediate();
    // processes that were killed no longer count
    const cpuMs = Math.max(0, groupCpuMs(pid) - cpuBeforeMs);
    reader.end();
    for (const complaint of [ending, await leftOver(pid, pid)]) if (complaint !== null) reader.fail(complaint);
    const outcome = reader.outcome();
    if (outcome.failed > 0) this.#isFit = false;
    return { file, durationMs: performance.now() - startedAt, cpuMs, stderr: this.#stderr.text, ...outcome };
  }

  /** Hands the file over and reads its TAP until it has ended. @returns what is wrong with how it did */
  async #follow(file: TestFile, reader: TapReader, limits: FileLimits): Promise<string | null> {
    const watch = new FileWatch(this.#child, limits);
    const tap = new FileTap();
    const ended = new Promise<null>((resolve) => {
      this.#child.removeAllListeners('message');
      this.#child.on('message', (message: FromHost) => {
        if ('tap' in message) return reader.write(Buffer.from(tap.read(message.tap)));
        if (!('rss' in message)) return;
        if (message.rss > rssLimit) this.#isFit = false;
        resolve(null);
      });
    });
    this.#send({ file: file.compiled, timeoutSeconds: limits.timeoutSeconds });
    const exit = await Promise.race([ended, this.#exited]);
    watch.close();
    if (exit === null && tap.hasPassed) return null;
    this.#isFit = false;
    return watch.complaint ?? exit ?? 'exited with code 1';
  }

  /** Ends the process. @returns a failure of its last file when something that a file left open keeps it from ending */
  async end(): Promise<FileOutcome | null> {
    this.#send('end');
    let hasEnded = true;
    const timer = setTimeout(() => {
      hasEnded = false;
      if (this.#child.pid !== undefined) void endGroup(this.#child.pid);
    }, this.#endingMs);
    await this.#exited;
    clearTimeout(timer);
    const file = this.#files.at(-1);
    if (hasEnded || !this.#isFit || file === undefined) return null;
    const names = this.#files.map(({ source }) => source).join(', ');
    const details = `a server, a socket or a timer of one of these files was left open; each alone tells which: ${names}`;
    const failures = [{ path: [], details }];
    return { file, durationMs: this.#endingMs, cpuMs: 0, stderr: '', passed: 0, failed: 1, skips: [], failures };
  }

  #send(message: ToHost): void {
    if (this.#child.connected) this.#child.send(message, () => undefined);
  }
}
