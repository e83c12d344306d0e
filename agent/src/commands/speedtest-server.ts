import { once } from 'node:events';
import { systemClock } from '@vantage/shared/clock.js';
import { SPEEDTEST_PATH } from '@vantage/shared/speedtest/limits.js';
import { CommandError } from '../exit-codes.js';
import { type Endpoint, formatEndpoint, parseEndpoint } from '../net/endpoint.js';
import { startSpeedtestServer } from '../net/speedtest-server.js';

/** Serves speed tests until SIGTERM or SIGINT. */
export async function speedtestServer({ listen }: { readonly listen: string }): Promise<'ok'> {
  const { address, port } = parseListen(listen);
  const server = await startSpeedtestServer(address, port, systemClock).catch((error: Error) => {
    throw new CommandError('failed', `cannot listen on "${listen}": ${error.message}`, { cause: error });
  });
  const stopped = Promise.race([once(process, 'SIGTERM'), once(process, 'SIGINT')]);
  process.stdout.write(`http://${formatEndpoint(server.address)}${SPEEDTEST_PATH}\n`);
  await stopped;
  await server.stop();
  return 'ok';
}

function parseListen(text: string): Endpoint {
  try {
    const endpoint = parseEndpoint(text);
    if (endpoint.port <= 65_535) return endpoint;
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
  }
  throw new CommandError('usage', `--listen must be address:port or [IPv6]:port, not "${text}"`);
}
