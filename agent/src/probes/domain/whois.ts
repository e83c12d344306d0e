import type { Socket } from 'node:net';
import { parseHostPort } from '@vantage/shared/target-policy/host.js';
import { abortable } from '../../net/abortable.js';
import { connectTcp } from '../../net/connect.js';
import type { KnownNames } from '../../net/known-names.js';
import { socketFailure } from '../../net/socket-failure.js';
import type { ProbeContext } from '../engine.js';
import { ProbeFailure, refusing } from '../failure.js';
import type { WhoisServers } from '../sources.js';
import { referredServer } from './whois-reply.js';

const WHOIS_PORT = 43;
/** Bytes of an answer at most; the longest honest ones have legal notices of a few thousand. */
const MAX_BYTES = 64 * 1024;
/** Lifetime of a referral of the root, and the greatest number kept. */
const REFERRAL_MS = 24 * 3_600_000;
const MAX_REFERRALS = 500;

/** Query formats of certain registries; others take the name alone. */
const questions: ReadonlyMap<string, (domain: string) => string> = new Map([
  // the registry would otherwise also return registrars and name servers of that name
  ['com', (domain) => `domain ${domain}`],
  ['net', (domain) => `domain ${domain}`],
  ['de', (domain) => `-T dn,ace ${domain}`],
  // in English
  ['jp', (domain) => `${domain}/e`],
]);

type Context = Pick<ProbeContext, 'signal' | 'clock'> & { readonly names: KnownNames };

/**
 * Queries WHOIS servers: those that the operator names, and for other top-level domains those that the root refers
 * to. RFC 3912.
 */
export class WhoisClient {
  readonly #referrals = new Map<string, { readonly server: string; readonly untilMs: number }>();

  constructor(private readonly servers: WhoisServers) {}

  /** The answer about a domain and the server that gave it. @throws ProbeFailure; or the signal's reason */
  async ask(domain: string, context: Context, onServer: (server: string) => void): Promise<string> {
    const zone = domain.slice(domain.indexOf('.') + 1);
    const topLevel = domain.slice(domain.lastIndexOf('.') + 1);
    const server = this.#known(zone, topLevel) ?? (await this.#refer(topLevel, context));
    onServer(server);
    return askServer(server, questions.get(topLevel)?.(domain) ?? domain, context);
  }

  #known(zone: string, topLevel: string): string | undefined {
    const { byZone } = this.servers;
    return byZone.get(zone) ?? byZone.get(topLevel);
  }

  async #refer(topLevel: string, context: Context): Promise<string> {
    const nowMs = context.clock.monotonicMs();
    const known = this.#referrals.get(topLevel);
    if (known !== undefined && known.untilMs > nowMs) return known.server;
    const server = referredServer(await askServer(this.servers.root, topLevel, context));
    if (server === null) throw new ProbeFailure('not_supported', `no WHOIS server is known for ".${topLevel}"`);
    if (this.#referrals.size >= MAX_REFERRALS) this.#referrals.clear();
    this.#referrals.set(topLevel, { server, untilMs: nowMs + REFERRAL_MS });
    return server;
  }
}

async function askServer(server: string, question: string, { names, signal, clock }: Context): Promise<string> {
  const { host, port } = refusing(() => parseHostPort(server));
  const { addresses } = await names.resolve(host);
  const { socket } = await connectTcp({ addresses, port: port ?? WHOIS_PORT, signal, clock });
  try {
    socket.write(`${question}\r\n`);
    return (await readToEnd(socket, signal)).toString('utf8');
  } finally {
    socket.destroy();
  }
}

/**
 * Reads until the server closes (RFC 3912 section 2). @throws ProbeFailure body_too_large, tcp_reset; or the signal's
 * reason
 */
function readToEnd(socket: Socket, signal: AbortSignal): Promise<Buffer> {
  return abortable(signal, ({ resolve, reject }) => {
    const chunks: Buffer[] = [];
    let bytes = 0;
    socket.on('data', (chunk) => {
      chunks.push(chunk);
      bytes += chunk.length;
      if (bytes > MAX_BYTES)
        reject(new ProbeFailure('body_too_large', `the WHOIS response has more than ${MAX_BYTES} bytes`));
    });
    socket.on('error', (error) =>
      reject(socketFailure(error, 'WHOIS') ?? new ProbeFailure('tcp_reset', 'WHOIS: the connection was lost')),
    );
    socket.once('end', () => resolve(Buffer.concat(chunks)));
    socket.once('close', () => resolve(Buffer.concat(chunks)));
    return () => socket.destroy();
  });
}
