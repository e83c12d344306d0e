import net from 'node:net';
import { type ProbeSpecs, type ProbeType, probeTypeNames } from '@vantage/shared/probe-types/index.js';
import { HOST, WEB_DOMAIN } from './names.js';
import { type Servers, startServers } from './servers.js';

export interface DemoProbe {
  readonly type: ProbeType;
  readonly target: string;
  readonly params: object;
}

/** Small servers on loopback for the demo to probe. */
export interface Targets {
  readonly servers: Servers;
  readonly probes: readonly DemoProbe[];
  stop(): Promise<void>;
}

interface Question<T extends ProbeType> {
  readonly target: string;
  readonly params?: Partial<ProbeSpecs[T]['params']>;
}

/** A question of every type: a new type does not compile without its own. Null if there is nothing to ask. */
type Questions = { readonly [T in ProbeType]: Question<T> | null };

const fewPings = { count: 3, interval_ms: 200 };
const fewCycles = { cycles: 3, interval_ms: 300 };

/** Starts the servers, and asks each of them what it is for. `root`: of the project. */
export async function startTargets(root: string): Promise<Targets> {
  const servers = await startServers(root);
  return { servers, probes: probesFrom(ownQuestions(servers)), stop: servers.stop };
}

function ownQuestions({ ports }: Servers): Questions {
  // the resolver of this machine has no names for loopback
  const unnamed = { reverse_dns: false };
  return {
    http: { target: `https://${HOST}:${ports.web}/` },
    ping: { target: HOST, params: fewPings },
    dns: { target: WEB_DOMAIN, params: { server: HOST, port: ports.dns } },
    tcp: { target: `${HOST}:${ports.greeter}`, params: { banner: true } },
    traceroute: { target: HOST, params: unnamed },
    mtr: { target: HOST, params: { ...fewCycles, ...unnamed } },
    smtp: { target: `${HOST}:${ports.mail}` },
    ntp: { target: `${HOST}:${ports.time}`, params: { count: 2, interval_ms: 1000 } },
    ssl: { target: `${HOST}:${ports.web}` },
    speedtest: { target: `http://${HOST}:${ports.speedtest}/speedtest` },
  };
}

/** Probes for a website of the caller's choice. @throws TypeError when it is neither URL nor host */
export function probesOf(target: string): DemoProbe[] {
  const url = new URL(/^https?:\/\//.test(target) ? target : `https://${target}/`);
  const host = url.hostname.replace(/^\[|\]$/g, '');
  const isHttps = url.protocol === 'https:';
  const port = url.port === '' ? (isHttps ? 443 : 80) : Number(url.port);
  return probesFrom({
    http: { target: url.href },
    ping: { target: host, params: fewPings },
    dns: { target: host, params: net.isIP(host) === 0 ? {} : { record_type: 'PTR' } },
    tcp: { target: host, params: { port } },
    traceroute: { target: host },
    mtr: { target: host, params: fewCycles },
    ssl: isHttps ? { target: host, params: { port } } : null,
    // a website is neither of these, and the demo must not load its network
    smtp: null,
    ntp: null,
    speedtest: null,
  });
}

function probesFrom(questions: Questions): DemoProbe[] {
  return probeTypeNames.flatMap((type) => {
    const question = questions[type];
    return question === null ? [] : [{ type, target: question.target, params: question.params ?? {} }];
  });
}
