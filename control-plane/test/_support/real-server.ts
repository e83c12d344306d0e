import { fileURLToPath } from 'node:url';
import type { Test } from 'tap';
import { scopes } from '../../src/http/scopes.js';
import { runInProcess } from './command-in-process.js';
import { type Ending, Program, type ProgramOptions, runProgram } from './program.js';
import { apiOf, type TestApi } from './stack.js';

const SCRIPT = fileURLToPath(new URL('../../../bin/vantage-control.js', import.meta.url));

/** Runs a command of vantage-control to its end. */
export function runControlCommand(options: ProgramOptions): Promise<Ending> {
  return runProgram(SCRIPT, options);
}

/** A running `vantage-control serve`. */
export interface RealServer {
  readonly url: string;
  readonly program: Program;
}

/** Starts `vantage-control serve` and waits until it is ready. Killed with the test at the latest. */
export async function startServer(t: Test, environment: Readonly<Record<string, string>>): Promise<RealServer> {
  const program = Program.start(t, SCRIPT, { args: ['serve'], environment });
  const url = await program.waitForLine(readyUrl);
  return { url, program };
}

/**
 * Credentials of an administrator, created on the command line while the server runs. @throws Error with the command's
 * complaint
 */
export async function createAdminByCommand(
  url: string,
  environment: Readonly<Record<string, string>>,
): Promise<TestApi> {
  const email = 'admin@test.example';
  const run = async (...args: string[]) => {
    const ending = await runInProcess('vantage-control', [...args, '--json'], { env: environment });
    if (ending.code !== 0) throw new Error(`${args.join(' ')}: ${ending.stderr}`);
    return JSON.parse(ending.stdout);
  };
  const user = await run('user', 'create', '--email', email, '--role', 'admin');
  const { token } = await run('token', 'create', '--user', email, '--scopes', scopes.join());
  return apiOf(url, token, user.id);
}

function readyUrl(line: string): string | null {
  const { msg, url } = JSON.parse(line) as { msg?: string; url?: string };
  return msg === 'ready' ? (url ?? null) : null;
}
