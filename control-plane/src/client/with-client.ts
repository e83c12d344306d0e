import { systemClock } from '@vantage/shared/clock.js';
import { complaintText } from '@vantage/shared/terminal/complaint-text.js';
import { InvalidArgumentError } from 'commander';
import { ownFacts } from '../client-file.js';
import { readClientEnv, readEnv } from '../config/config.js';
import { ApiClient, ApiRefusal, ApiUnreachable } from './api-client.js';
import { chosenServer } from './chosen-server.js';
import { connectionAdvice } from './connection-advice.js';
import { explainRefusal } from './explain-refusal.js';
import { Mistake } from './mistake.js';
import { findLogin, LoginFileError } from './saved-login.js';

/** Options of every command. */
export interface ClientOptions {
  readonly url?: string;
  readonly json?: true;
}

/** Runs `work` with a client of the API, and turns its failures into a message and an exit code. */
export function withClient(options: ClientOptions, work: (client: ApiClient) => Promise<void>): Promise<void> {
  return withServer(options, (server) => work(new ApiClient(server)));
}

/** Runs `work` with the URL and the token in force, and turns its failures into a message and an exit code. */
export async function withServer(
  { url: option }: Pick<ClientOptions, 'url'>,
  work: (server: { readonly url: string; readonly token: string | null }) => Promise<void>,
): Promise<void> {
  let [hasToken, address] = [false, ''];
  try {
    const env = readClientEnv();
    const server = chosenServer({
      option,
      env,
      saved: findLogin(env.directory),
      origin: ownFacts()?.url ?? null,
    });
    if (!URL.canParse(server.url))
      return complain(2, `"${server.url}" is not a URL: use for example http://127.0.0.1:8080`);
    [hasToken, address] = [server.token !== null, server.url];
    await work(server);
  } catch (error) {
    if (error instanceof ApiRefusal) complain(2, explainRefusal(error, { hasToken, nowMs: systemClock.now() }));
    else if (error instanceof LoginFileError || error instanceof Mistake) complain(2, error.message);
    else if (error instanceof ApiUnreachable) complain(3, (await connectionAdvice(address, error)) ?? error.message);
    else throw error;
  }
}

/** Prints an error, and sets the exit code; servers choose much of its text. */
export function complain(exitCode: 1 | 2 | 3, message: string): void {
  process.exitCode = exitCode;
  process.stderr.write(complaintText('vantage', message, process.stderr, readEnv()));
}

/** Greatest number of nodes, as it is written. @throws InvalidArgumentError */
export function parseLimit(text: string): number {
  const limit = Number(text);
  if (!Number.isInteger(limit) || limit < 1 || limit > 50) throw new InvalidArgumentError('must be 1 to 50');
  return limit;
}
