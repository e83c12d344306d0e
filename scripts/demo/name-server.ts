import { createSocket, type Socket } from 'node:dgram';
import { once } from 'node:events';
import { isIPv6 } from 'node:net';
import packet, { type Answer, type Question } from 'dns-packet';
import { ResolvConf } from 'vantage-agent/net/resolv-conf.js';
import type { Server } from './listen.js';
import { DOMAIN, HOST, MAIL_DOMAIN, WEB_DOMAIN } from './names.js';

// All nodes of the demo ask this server about every name:
//
//   the domain of the demo, names of loopback addresses, names that never exist ──> answered from the table
//   any other name ──> the resolver of this machine, whose response is passed on

const NAME_SERVER = `ns.${DOMAIN}`;
const NXDOMAIN = 3;
const ttl = 300;
/** Zones that this server knows entirely: no other server is asked about them. Agents test their resolver with a name in `invalid`. */
const zones = [DOMAIN, '127.in-addr.arpa', 'invalid'];
/** Time after which the resolver of this machine counts as silent. */
const PATIENCE_MS = 5_000;

const soa: Answer = {
  name: DOMAIN,
  type: 'SOA',
  ttl,
  data: {
    mname: NAME_SERVER,
    rname: `hostmaster.${DOMAIN}`,
    serial: 1,
    refresh: 7_200,
    retry: 900,
    expire: 1_209_600,
    minimum: 60,
  },
};

const records: readonly Answer[] = [
  soa,
  { name: DOMAIN, type: 'A', ttl, data: HOST },
  { name: DOMAIN, type: 'NS', ttl, data: NAME_SERVER },
  { name: DOMAIN, type: 'MX', ttl, data: { preference: 10, exchange: MAIL_DOMAIN } },
  { name: DOMAIN, type: 'TXT', ttl, data: 'v=spf1 mx -all' },
  { name: DOMAIN, type: 'CAA', ttl, data: { flags: 0, tag: 'issue', value: 'ca.example' } },
  ...[NAME_SERVER, MAIL_DOMAIN, WEB_DOMAIN].map((name) => ({ name, type: 'A', ttl, data: HOST }) as const),
];

/** Starts it on a free port of loopback (UDP). */
export async function startNameServer(): Promise<Server> {
  const socket = createSocket('udp4');
  const relay = new Relay();
  socket.on('message', (query, from) => {
    const reply = (response: Buffer) => socket.send(response, from.port, from.address);
    const question = findQuestion(query);
    if (question === null) return;
    if (isOwn(question)) reply(answer(query, question));
    else relay.ask(query, reply);
  });
  socket.bind(0, HOST);
  await once(socket, 'listening');
  return {
    port: socket.address().port,
    stop: async () => {
      relay.stop();
      await new Promise<void>((resolve) => socket.close(() => resolve()));
    },
  };
}

/** Null if it is no valid query. */
function findQuestion(query: Buffer): Question | null {
  try {
    return packet.decode(query).questions?.[0] ?? null;
  } catch {
    return null;
  }
}

function isOwn({ name }: Question): boolean {
  return zones.some((zone) => `.${name.toLowerCase()}`.endsWith(`.${zone}`));
}

function answer(query: Buffer, question: Question): Buffer {
  const known = records.filter(({ name }) => name === question.name.toLowerCase());
  const answers = known.filter(({ type }) => type === question.type);
  const { AUTHORITATIVE_ANSWER, RECURSION_DESIRED, RECURSION_AVAILABLE } = packet;
  return packet.encode({
    type: 'response',
    id: query.readUInt16BE(0),
    flags: AUTHORITATIVE_ANSWER | RECURSION_DESIRED | RECURSION_AVAILABLE | (known.length > 0 ? 0 : NXDOMAIN),
    questions: [question],
    answers,
    authorities: answers.length > 0 ? [] : [soa],
  });
}

/** Passes queries on to the resolver of this machine. */
class Relay {
  readonly #resolvers = new ResolvConf();
  readonly #open = new Set<Socket>();

  ask(query: Buffer, reply: (response: Buffer) => void): void {
    const [resolver = HOST] = this.#resolvers.servers();
    const socket = createSocket(isIPv6(resolver) ? 'udp6' : 'udp4');
    this.#open.add(socket);
    const end = () => {
      clearTimeout(silence);
      if (this.#open.delete(socket)) socket.close();
    };
    const silence = setTimeout(end, PATIENCE_MS).unref();
    socket.on('error', end);
    socket.once('message', (response) => {
      reply(response);
      end();
    });
    socket.send(query, 53, resolver);
  }

  stop(): void {
    for (const socket of this.#open) socket.close();
    this.#open.clear();
  }
}
