import path from 'node:path';
import type { Test } from 'tap';
import { startReputation, writeListFile } from './reputation-world.js';
import type { TestApi } from './stack.js';
import { temporaryDirectory } from './temporary-directory.js';

/** Plans without limits of requests: those are not what these tests are about. */
export const PLANS =
  '{"anonymous": {"requests_per_minute": null, "node_tests_per_day": null}, "free": {"requests_per_minute": null}}';

/** A list with these entries, whose file was written a day and nine hours before `startMs`. */
export function list(
  t: Test,
  name: string,
  signal: string,
  entries: readonly string[],
  more: ListOptions = {},
): object {
  const { startMs, ...fields } = more;
  const file = writeListFile(path.join(temporaryDirectory(t), `${name}.txt`), `${entries.join('\n')}\n`, 33, startMs);
  return { name, signal, format: 'cidrs', file, ...fields };
}

interface ListOptions {
  readonly startMs?: number;
  readonly attribution?: string;
}

interface Options extends Pick<ListOptions, 'startMs'> {
  readonly lists?: readonly object[];
  readonly settings?: Readonly<Record<string, string>>;
  readonly replicas?: number;
}

/** An installation with lists of all five signals, in use, behind a proxy that names its callers. */
export async function startChecks(t: Test, { lists, settings = {}, replicas = 1, startMs }: Options = {}) {
  const since = startMs === undefined ? {} : { startMs };
  const all = lists ?? [
    list(t, 'exits', 'tor_exit', ['8.8.8.8', '8.8.0.0/16'], { ...since, attribution: 'Exits by A' }),
    list(t, 'ranges', 'vpn', ['8.8.8.0/24', '2a00:1::/32'], since),
    list(t, 'open', 'proxy', ['8.8.8.0/24', '9.9.9.9'], since),
    list(t, 'bad', 'abuse_asn', ['9.9.9.0/24'], since),
    list(t, 'centers', 'hosting', ['8.0.0.0/8', '9.9.9.0/24', '81.2.69.0/24'], since),
    list(t, 'homes', 'residential', ['80.0.0.0/8', '81.0.0.0/8'], since),
  ];
  const world = await startReputation(t, all, {
    replicas,
    ...since,
    settings: { VANTAGE_TRUSTED_PROXIES: '127.0.0.1', VANTAGE_ALLOW_TARGETS: '', VANTAGE_PLANS: PLANS, ...settings },
  });
  await world.untilLoaded(all.length);
  return { ...world, check: checkerOf(world.apis[0]) };
}

/** Checks `q` from an address, or with a token. */
export function checkerOf(api: TestApi) {
  return (q: string, { from = '198.41.0.4', as = null as string | null, headers = {} } = {}) =>
    api.call('GET', `/v1/ip/reputation?q=${encodeURIComponent(q)}`, {
      as,
      headers: { 'x-forwarded-for': from, ...headers },
    });
}
