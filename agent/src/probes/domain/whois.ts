import type { Socket } from 'node:net';
import { parseHostPort } from '@vantage/shared/target-policy/host.js';
import { abortable } from '../../net/abortable.js';
import { connectTcp } from '../../net/connect.js';
import { socketFailure } from '../../net/socket-failure.js';
import { ProbeFailure, refusing } from '../failure.js';
import type { WhoisServers } from '../sources.js';
import { RegistryRefusal } from './asked-servers.js';
import type { Registration } from './registration.js';
import type { RegistryContext, RegistrySubject } from './registry-context.js';
import { decodeWhois } from './whois-charset.js';
import { readWhoisNetwork } from './whois-network.js';
import { whoisQuestion } from './whois-questions.js';
import { referredServer, whoisRefusal } from './whois-referral.js';
import { readWhois } from './whois-reply.js';

const WHOIS_PORT = 43;
/** Bytes of an answer at most; the longest honest ones have legal notices of a few thousand. */
const MAX_BYTES = 64 * 1024;
/** Servers that are asked one after another at most, the root included. */
const MAX_SERVERS = 4;
/** Lifetime of a referral of the root, and the greatest number kept. */
const REFERRAL_MS = 24 * 3_600_000;
const MAX_REFERRALS = 500;

/** A registration and the server that gave it. */
export interface WhoisFound {
  readonly found: Registration;
  readonly server: string;
}

/** Context of a lookup. */
interface WhoisContext extends RegistryContext {
  /** Called with each registration, better ones later: the time may be over before the last server responds. */
  readonly keep: (found: WhoisFound) => void;
}

/** Response of one server: a registration, the server that knows more, or both. */
interface Said {
  readonly found: Registration | null;
  readonly referral: string | null;
}

/**
 * Queries WHOIS servers: those that the operator names, and those that the root and other servers refer to. RFC 3912.
 */
export class WhoisClient {
  readonly #referrals = new Map<string, { readonly server: string; readonly untilMs: number }>();

  /** `port`: port of servers named without one, 43 but in tests. */
  constructor(
    private readonly servers: WhoisServers,
    private readonly port = WHOIS_PORT,
  ) {}

  /**
   * @throws ProbeFailure not_supported where no server is known, no_reply for nonsense and for referrals in a circle,
   * RegistryRefusal; or the signal's reason
   */
  async ask(subject: RegistrySubject, context: WhoisContext): Promise<WhoisFound> {
    let server: string | null = this.#known(subject) ?? (await this.#refer(subject, context));
    const asked = new Set([this.servers.root]);
    let best: WhoisFound | null = null;
    while (server !== null && asked.size < MAX_SERVERS && !asked.has(server)) {
      asked.add(server);
      const said: Said | null = await this.#askRegistry(server, subject, context, best !== null);
      if (said === null) break;
      if (said.found !== null) {
        best = { found: said.found, server };
        context.keep(best);
      }
      server = said.referral;
    }
    if (best !== null) return best;
    throw new ProbeFailure('no_reply', 'the WHOIS servers refer to each other, and none has a record');
  }

  #known(subject: RegistrySubject): string | undefined {
    if (subject.kind === 'address') return undefined;
    const { byZone } = this.servers;
    const zone = subject.name.slice(subject.name.indexOf('.') + 1);
    return byZone.get(zone) ?? byZone.get(topLevelOf(subject.name));
  }

  /** Null for a failure that does not count, because another server has a record. */
  async #askRegistry(
    server: string,
    subject: RegistrySubject,
    context: RegistryContext,
    isOptional: boolean,
  ): Promise<Said | null> {
    try {
      return await context.asked.ask('whois', server, async () =>
        judge(await this.#askServer(server, whoisQuestion(subject, server), subject, context), subject),
      );
    } catch (error) {
      if (context.signal.aborted || !isOptional || !(error instanceof ProbeFailure)) throw error;
      return null;
    }
  }

  /** The server that the root names for a top-level domain, or for the /8 of an IPv4 address. */
  async #refer(subject: RegistrySubject, context: RegistryContext): Promise<string> {
    const { root } = this.servers;
    const nowMs = context.clock.monotonicMs();
    const key = referralKey(subject);
    const known = key === null ? undefined : this.#referrals.get(key);
    if (known !== undefined && known.untilMs > nowMs) return known.server;
    const question = subject.kind === 'domain' ? topLevelOf(subject.name) : subject.name;
    const server = await context.asked.ask('whois', root, async () => {
      const text = await this.#askServer(root, question, subject, context);
      return referredServer(text) ?? refusedOr(text, () => noServer(subject));
    });
    if (server === root) throw new ProbeFailure('no_reply', 'the root of WHOIS refers to itself');
    if (key !== null) {
      if (this.#referrals.size >= MAX_REFERRALS) this.#referrals.clear();
      this.#referrals.set(key, { server, untilMs: nowMs + REFERRAL_MS });
    }
    return server;
  }

  async #askServer(
    server: string,
    question: string,
    subject: RegistrySubject,
    { names, signal, clock }: RegistryContext,
  ): Promise<string> {
    const { host, port } = refusing(() => parseHostPort(server));
    const { addresses } = await names.resolve(host);
    const { socket } = await connectTcp({ addresses, port: port ?? this.port, signal, clock });
    try {
      socket.write(`${question}\r\n`);
      const zone = subject.kind === 'domain' ? subject.name : host.kind === 'name' ? host.name : '';
      return decodeWhois(await readToEnd(socket, signal), topLevelOf(zone));
    } finally {
      socket.destroy();
    }
  }
}

function judge(text: string, subject: RegistrySubject): Said {
  const isDomain = subject.kind === 'domain';
  const found = isDomain ? readWhois(text, subject.name) : readWhoisNetwork(text, subject.name);
  // of a domain, a registry's record is final: servers of registrars are not asked
  const referral = isDomain && found !== null ? null : referredServer(text);
  if (found !== null || referral !== null) return { found, referral };
  return refusedOr(text, () => new ProbeFailure('no_reply', `returned no readable record of the ${subject.kind}`));
}

function refusedOr(text: string, otherwise: () => ProbeFailure): never {
  const refusal = whoisRefusal(text);
  if (refusal === null) throw otherwise();
  throw new RegistryRefusal('no_reply', 'refuses queries at present', refusal.retryAfterS);
}

function noServer({ kind, name }: RegistrySubject): ProbeFailure {
  const what = kind === 'domain' ? `".${topLevelOf(name)}"` : 'the address';
  return new ProbeFailure('not_supported', `no WHOIS server is known for ${what}`);
}

function referralKey(subject: RegistrySubject): string | null {
  if (subject.kind === 'domain') return topLevelOf(subject.name);
  return subject.family === 4 ? `${subject.name.split('.', 1)[0]}/8` : null;
}

function topLevelOf(name: string): string {
  return name.slice(name.lastIndexOf('.') + 1);
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
