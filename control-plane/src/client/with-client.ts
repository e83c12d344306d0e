import { systemClock } from '@vantage/shared/clock.js';
import { textCell } from '@vantage/shared/probe-types/cells.js';
import { InvalidArgumentError } from 'commander';
import { readClientEnv } from '../config/config.js';
import { ApiClient, ApiRefusal, ApiUnreachable } from './api-client.js';
import { explainRefusal } from './explain-refusal.js';

/** Options of every command. */
export interface ClientOptions {
  readonly url?: string;
  readonly json?: true;
}

/** Server that a command talks to. */
export interface Server {
  readonly url: string;
  readonly hasToken: boolean;
}

/** Runs `work` with a client of the API, and turns its failures into a message and an exit code. */
export async function withClient(
  options: ClientOptions,
  work: (client: ApiClient, server: Server) => Promise<void>,
): Promise<void> {
  const env = readClientEnv();
  const url = options.url ?? env.url;
  if (!URL.canParse(url)) return fail(2, `"${url}" is not a URL: use for example http://127.0.0.1:8080`);
  try {
    await work(new ApiClient({ url, token: env.token }), { url, hasToken: env.token !== null });
  } catch (error) {
    if (error instanceof ApiRefusal)
      fail(2, explainRefusal(error, { hasToken: env.token !== null, nowMs: systemClock.now() }));
    else if (error instanceof ApiUnreachable) fail(3, error.message);
    else throw error;
  }
}

/** Prints an error; servers choose much of its text. */
function fail(exitCode: 2 | 3, message: string): void {
  process.exitCode = exitCode;
  process.stderr.write(`vantage: ${message.split('\n').map(textCell).join('\n')}\n`);
}

/** Greatest number of nodes, as it is written. @throws InvalidArgumentError */
export function parseLimit(text: string): number {
  const limit = Number(text);
  if (!Number.isInteger(limit) || limit < 1 || limit > 50) throw new InvalidArgumentError('must be 1 to 50');
  return limit;
}
