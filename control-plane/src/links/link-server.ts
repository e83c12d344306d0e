import type { IncomingMessage } from 'node:http';
import type { Duplex } from 'node:stream';
import type { Clock } from '@vantage/shared/clock.js';
import { LINK_PATH, LINK_SUBPROTOCOL, MAX_FRAME_BYTES } from '@vantage/shared/protocol/limits.js';
import { formatAddress, parseAddress } from '@vantage/shared/target-policy/address.js';
import { WebSocketServer } from 'ws';
import type { LinkPorts } from './link-ports.js';
import { LinkSession } from './session.js';

// sockets that have not proved who they are: enough for a reconnect storm, too few to exhaust memory
const MAX_UNPROVEN = 2_000;
const MAX_UNPROVEN_PER_ADDRESS = 20;
// for the peer to read the refusal and hang up
const REFUSED_LINGER_MS = 1_000;

/** What a link server uses beside what each of its sessions does. */
export interface LinkServerPorts extends Omit<LinkPorts, 'isStopping' | 'peerAddress'> {
  /** Where a request comes from, behind proxies that are trusted: limits are held for each address. */
  readonly addressOf: (request: IncomingMessage) => string;
}

/** Accepts agents' sockets on the HTTP server's upgrade event. */
export class LinkServer {
  readonly #sockets = new WebSocketServer({
    noServer: true,
    maxPayload: MAX_FRAME_BYTES,
    perMessageDeflate: false,
    handleProtocols: (offered) => (offered.has(LINK_SUBPROTOCOL) ? LINK_SUBPROTOCOL : false),
  });
  readonly #sessions = new Set<LinkSession>();
  readonly #unprovenByAddress = new Map<string, number>();
  #unproven = 0;
  #isStopping = false;

  constructor(private readonly ports: LinkServerPorts) {}

  /** Links that proved who they are and are open. */
  get openCount(): number {
    return this.ports.table.size;
  }

  /** Takes an upgrade request; false when it is not for the link. */
  handleUpgrade(request: IncomingMessage, socket: Duplex, head: Buffer): boolean {
    if (request.url?.split('?')[0] !== LINK_PATH) return false;
    const address = this.ports.addressOf(request);
    if (this.#isStopping || !this.#admit(address)) {
      refuse(socket, this.ports.clock, '503 Service Unavailable', 'Retry-After: 2\r\n');
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

  /** Asks every agent to go elsewhere and waits until the database knows. */
  async stop(): Promise<void> {
    this.#isStopping = true;
    for (const session of this.#sessions) session.close('CLOSE_DRAINING', 'this replica is stopping');
    await Promise.all([...this.#sessions].map((session) => session.ended()));
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
      const ports = { ...this.ports, isStopping: () => this.#isStopping, peerAddress: address };
      const session = new LinkSession(webSocket, ports, release);
      this.#sessions.add(session);
      webSocket.once('close', () => {
        void session.ended().finally(() => this.#sessions.delete(session));
      });
    });
  }

  #admit(address: string): boolean {
    const network = networkOf(address);
    const already = this.#unprovenByAddress.get(network) ?? 0;
    if (this.#unproven >= MAX_UNPROVEN) return false;
    if (already >= MAX_UNPROVEN_PER_ADDRESS && !isLoopback(address)) return false;
    this.#unproven += 1;
    this.#unprovenByAddress.set(network, already + 1);
    return true;
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
