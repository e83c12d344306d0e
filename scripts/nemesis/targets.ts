import { once } from 'node:events';
import http, { type Server } from 'node:http';
import type { AddressInfo } from 'node:net';

const HOST = '127.0.0.1';
const TEMPTING = '/elsewhere';
const WATCHED = '/watched';
const BREAKING = '/breaking';
/** An address that no probe may touch: of loopback, but not among the allowed ones. */
export const REFUSED_HOST = '127.0.99.1';
/** Addresses that probes may reach here, in the agents' configuration. */
export const ALLOWED = '127.0.0.0/24';
/** Addresses in the control planes' configuration: they accept requests that an agent has to refuse. */
export const ALLOWED_TO_ASK = `${ALLOWED},${REFUSED_HOST}/32`;

/** Servers that are probed, and count who comes. */
export interface Targets {
  /** An URL of its own for every request for a probe; it answers after `ms`. */
  urlOf(key: string, ms: number): string;
  /** A host and port that refuses connections. */
  readonly nobody: string;
  /** An URL where no probe may come to. */
  readonly refusedUrl: string;
  /** An URL that may be probed, and sends its visitors to where no one may go. */
  readonly temptingUrl: string;
  /** Targets of monitors, by their type. */
  readonly watched: { readonly http: string; readonly tcp: string };
  /** Target of a monitor that breaks on request. */
  readonly breaking: string;
  setBroken(isBroken: boolean): void;
  /** Times of the probes received, by key: milliseconds since the epoch, in order. */
  readonly visits: ReadonlyMap<string, readonly number[]>;
  /** Number of visits to addresses that no one may probe. */
  readonly refusedVisits: number;
  stop(): Promise<void>;
}

/** Starts them on loopback. */
export async function startTargets(): Promise<Targets> {
  const visits = new Map<string, number[]>();
  let refusedUrl = '';
  let isBroken = false;
  const web = http.createServer(({ url }, response) => {
    const { pathname, searchParams } = new URL(url ?? '/', 'http://target');
    if (pathname === TEMPTING) return void response.writeHead(302, { location: refusedUrl }).end();
    if (pathname === WATCHED) return void response.end('here');
    if (pathname === BREAKING) return void response.writeHead(isBroken ? 503 : 200).end('here');
    const key = pathname.slice('/t/'.length);
    visits.set(key, [...(visits.get(key) ?? []), Date.now()]);
    setTimeout(() => response.end('here'), Number(searchParams.get('ms') ?? 0)).unref();
  });
  let refusedVisits = 0;
  const forbidden = http.createServer((_request, response) => void response.end());
  forbidden.on('connection', () => {
    refusedVisits += 1;
  });
  const port = await listen(web, HOST);
  refusedUrl = `http://${REFUSED_HOST}:${await listen(forbidden, REFUSED_HOST)}/`;
  return {
    urlOf: (key, ms) => `http://${HOST}:${port}/t/${key}?ms=${ms}`,
    nobody: `${HOST}:1`,
    watched: { http: `http://${HOST}:${port}${WATCHED}`, tcp: `${HOST}:${port}` },
    breaking: `http://${HOST}:${port}${BREAKING}`,
    setBroken: (broken) => {
      isBroken = broken;
    },
    refusedUrl,
    temptingUrl: `http://${HOST}:${port}${TEMPTING}`,
    visits,
    get refusedVisits() {
      return refusedVisits;
    },
    stop: async () => void (await Promise.all([web, forbidden].map(close))),
  };
}

async function listen(server: Server, host: string): Promise<number> {
  server.listen(0, host);
  await once(server, 'listening');
  return (server.address() as AddressInfo).port;
}

function close(server: Server): Promise<unknown> {
  server.closeAllConnections();
  return new Promise((resolve) => server.close(resolve));
}
