import type { IncomingMessage } from 'node:http';
import type { Duplex } from 'node:stream';
import type { Clock } from '@vantage/shared/clock.js';
import { LINK_PATH, LINK_SUBPROTOCOL } from '@vantage/shared/protocol/limits.js';
import { formatAddress, parseAddress } from '@vantage/shared/target-policy/address.js';
import { Admission } from './admission.js';
import type { DepartureOptions } from './departure.js';
import { LinkSessions, type LinkSessionsPorts } from './link-sessions.js';
import { linkWebSockets } from './web-sockets.js';

// told to who meets one of these limits, or a replica that stops
const RETRY_AFTER_MS = 2_000;
// for the peer to read the refusal and hang up
const REFUSED_LINGER_MS = 1_000;

/** What a link server uses beside what each of its sessions does. */
export interface LinkServerPorts extends LinkSessionsPorts {
  /** Where a request comes from, behind proxies that are trusted: limits are held for each address. */
  readonly addressOf: (request: IncomingMessage) => string;
  /** Links accepted per second. */
  readonly acceptRate: number;
  /** Sockets that have not proved who they are: enough for a reconnect storm, too few to exhaust memory. */
  readonly maxUnproven: number;
  /** The same of one address or IPv6 /64; loopback is exempt. */
  readonly maxUnprovenPerAddress: number;
}

/** Accepts agents' sockets on the HTTP server's upgrade event. */
export class LinkServer {
  readonly #sockets = linkWebSockets();
  readonly #sessions: LinkSessions;
  readonly #unprovenByAddress = new Map<string, number>();
  readonly #admission: Admission;
  #unproven = 0;

  constructor(private readonly ports: LinkServerPorts) {
    this.#admission = new Admission({ clock: ports.clock, perSecond: ports.acceptRate });
    this.#sessions = new LinkSessions(ports);
  }

  /** Links that proved who they are and are open. */
  get openCount(): number {
    return this.ports.table.size;
  }

  /** After the database was away: links of which it has forgotten something begin anew. Never rejects. */
  lookForLoss(): Promise<void> {
    return this.#sessions.lookForLoss();
  }

  /** Takes an upgrade request; false when it is not for the link. */
  handleUpgrade(request: IncomingMessage, socket: Duplex, head: Buffer): boolean {
    if (request.url?.split('?')[0] !== LINK_PATH) return false;
    const address = this.ports.addressOf(request);
    const waitMs = this.#sessions.isLeaving ? RETRY_AFTER_MS : this.#admit(address);
    if (waitMs > 0) {
      const retryAfter = `Retry-After: ${Math.ceil(waitMs / 1000)}\r\n`;
      refuse(socket, this.ports.clock, '503 Service Unavailable', retryAfter);
      return true;
    }
    const offered = (request.headers['sec-websocket-protocol'] ?? '').split(',').map((name) => name.trim());
    if (!offered.includes(LINK_SUBPROTOCOL)) {
      this.#release(address);
      refuse(socket, this.ports.clock, '426 Upgrade Required', `Sec-WebSocket-Protocol: ${LINK_SUBPROTOCOL}\r\n`);
      return true;
    }
    this.#upgrade(request, socket, head, address);
    return true;
  }

  /** Takes no more agents and sends those that are here elsewhere, one after another. `stop` ends what is left. */
  async drain(departure: Omit<DepartureOptions, 'clock'>): Promise<void> {
    await this.#sessions.drain(departure);
  }

  /** Asks every agent to go elsewhere and waits until the database knows. */
  async stop(): Promise<void> {
    await this.#sessions.stop();
    this.#sockets.close();
  }

  #upgrade(request: IncomingMessage, socket: Duplex, head: Buffer, address: string): void {
    let isCounted = true;
    const release = () => {
      if (isCounted) this.#release(address);
      isCounted = false;
    };
    socket.once('close', release);
    this.#sockets.handleUpgrade(request, socket, head, (webSocket) => {
      const session = this.#sessions.begin(webSocket, address, release);
      socket.on('data', (bytes: Buffer) => session.heard(bytes.length));
    });
  }

  /** Milliseconds for which a peer has to stay away; 0: it is let in, and counted until it proved who it is. */
  #admit(address: string): number {
    const { maxUnproven, maxUnprovenPerAddress } = this.ports;
    const network = networkOf(address);
    const already = this.#unprovenByAddress.get(network) ?? 0;
    if (already >= maxUnprovenPerAddress && !isLoopback(address)) return RETRY_AFTER_MS;
    const waitMs = this.#unproven >= maxUnproven ? RETRY_AFTER_MS : this.#admission.ask();
    if (waitMs > 0) return waitMs;
    this.#unproven += 1;
    this.#unprovenByAddress.set(network, already + 1);
    return 0;
  }

  #release(address: string): void {
    this.#unproven -= 1;
    const network = networkOf(address);
    const left = (this.#unprovenByAddress.get(network) ?? 1) - 1;
    if (left <= 0) this.#unprovenByAddress.delete(network);
    else this.#unprovenByAddress.set(network, left);
  }
}

/** A peer that keeps its half of the socket open is cut off: nothing else watches a socket that was upgraded. */
function refuse(socket: Duplex, clock: Clock, status: string, headers: string): void {
  socket.end(`HTTP/1.1 ${status}\r\n${headers}Connection: close\r\nContent-Length: 0\r\n\r\n`);
  socket.resume();
  socket.once(
    'close',
    clock.after(REFUSED_LINGER_MS, () => socket.destroy(), { unref: true }),
  );
}

/** Whoever has one IPv6 address has the 2^64 of its network. */
function networkOf(address: string): string {
  const parsed = parseAddress(address);
  return parsed?.family === 6 ? formatAddress({ family: 6, value: (parsed.value >> 64n) << 64n }) : address;
}

function isLoopback(address: string): boolean {
  const parsed = parseAddress(address);
  return parsed?.family === 4 ? parsed.value >> 24n === 127n : parsed?.value === 1n;
}
