import { AsyncLocalStorage } from 'node:async_hooks';
import { PassThrough, Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { buildClientProgram } from '../../src/client/program.js';
import { buildProgram } from '../../src/program.js';
import { runProgram } from '../../src/terminal/run-program.js';
import type { CommandOptions, CommandProgram, CommandResult } from './command-line.js';

/** Properties of `process` that a command gets a copy of. */
interface ProcessContext {
  readonly argv: readonly string[];
  readonly env: NodeJS.ProcessEnv;
  readonly stdin: Readable;
  readonly stdout: PassThrough;
  readonly stderr: PassThrough;
  readonly exit: () => void;
  /** A server lets go of the channel to its parent. */
  readonly channel: undefined;
}

const current = new AsyncLocalStorage<ProcessContext>();
for (const name of ['argv', 'env', 'stdin', 'stdout', 'stderr', 'exit', 'channel'] as const) {
  const own = Object.getOwnPropertyDescriptor(process, name) ?? {};
  Object.defineProperty(process, name, {
    configurable: true,
    enumerable: true,
    get: () => {
      const context = current.getStore();
      if (context !== undefined) return context[name];
      return own.get ? own.get.call(process) : own.value;
    },
    set: (value) => {
      own.value = value;
    },
  });
}

const builders = { 'vantage-control': buildProgram, vantage: buildClientProgram };

/** A server listens for them as long as its process lives. */
const signals = ['SIGTERM', 'SIGINT', 'SIGHUP'] as const;

let last: Promise<unknown> = Promise.resolve();

/**
 * Runs a command of the control plane's package in this process, with arguments, environment and streams of its own. A
 * separate process would need a second to load modules that are loaded here already. One at a time, because there is
 * one exit code.
 */
export function runInProcess(
  program: CommandProgram,
  args: readonly string[],
  options: CommandOptions,
): Promise<CommandResult> {
  const result = last.then(() => run(program, args, options));
  last = result.catch(() => undefined);
  return result;
}

async function run(
  program: CommandProgram,
  args: readonly string[],
  { env = {}, input = '' }: CommandOptions,
): Promise<CommandResult> {
  const { PATH = '', HOME = '' } = process.env;
  const argv = [process.execPath, program, ...args];
  const [stdout, stderr] = [new PassThrough(), new PassThrough()];
  // a finished command asks for the end of its process, in case something is still open
  const own = {
    argv,
    env: { PATH, HOME, VANTAGE_CONFIG: '/dev/null', ...env },
    stdin: Readable.from([input]),
    stdout,
    stderr,
    exit: () => {},
    channel: undefined,
  };
  const said = Promise.all([text(stdout), text(stderr)]);
  const codeBefore = process.exitCode;
  process.exitCode = 0;
  const listenersBefore = signals.map((signal) => process.listeners(signal));
  try {
    await current.run(own, () => runProgram(builders[program]()));
    const code = Number(process.exitCode);
    stdout.end();
    stderr.end();
    const [out, err] = await said;
    return { code, stdout: out, stderr: err };
  } finally {
    process.exitCode = codeBefore;
    for (const [index, signal] of signals.entries()) {
      const added = process.listeners(signal).filter((listener) => !listenersBefore[index]?.includes(listener));
      for (const listener of added) process.off(signal, listener);
    }
  }
}
