import type { IncomingMessage } from 'node:http';
import type { Duplex } from 'node:stream';
import type { Clock } from '@vantage/shared/clock.js';
import { joinWrites } from '@vantage/shared/protocol/joined-writes.js';
import { LINK_PATH, LINK_SUBPROTOCOL } from '@vantage/shared/protocol/limits.js';
import { LinkSessions, type LinkSessionsPorts } from './link-sessions.js';
import type { DepartureOptions } from './session/departure.js';
import { Admission } from './sockets/admission.js';
import { type Leave, Unproven } from './sockets/unproven.js';
import { linkWebSockets } from './sockets/web-sockets.js';

// delay that is sent to a peer that meets one of these limits, or a replica that stops
const RETRY_AFTER_MS = 2_000;
// time for the peer to read the refusal and close
const REFUSED_LINGER_MS = 1_000;

/** Dependencies of a link server, in addition to those of its sessions. */
export interface LinkServerPorts extends LinkSessionsPorts {
  /** Address of a request's client, behind trusted proxies: limits apply to each address. */
  readonly addressOf: (request: IncomingMessage) => string;
  /** Links accepted per second. */
  readonly acceptRate: number;
  /** Greatest number of sockets whose peers have not proved who they are. */
  readonly maxUnproven: number;
  readonly maxUnprovenPerAddress: number;
}

/** Accepts agents' sockets on the HTTP server's upgrade event. */
export class LinkServer {
  readonly #sockets = linkWebSockets();
  readonly #sessions: LinkSessions;
  readonly #unproven: Unproven;
  readonly #admission: Admission;

  constructor(private readonly ports: LinkServerPorts) {
    const { clock, maxUnproven: most, maxUnprovenPerAddress: mostPerAddress } = ports;
    this.#unproven = new Unproven({ clock, most, mostPerAddress });
    this.#admission = new Admission({ clock, perSecond: ports.acceptRate });
    this.#sessions = new LinkSessions(ports);
  }

  /** Open links whose peers have proved who they are. */
  get openCount(): number {
    return this.ports.table.size;
  }

  /** Recovers after the database was unavailable: links whose records it has lost begin again. Never rejects. */
  lookForLoss(): Promise<void> {
    return this.#sessions.lookForLoss();
  }

  /** Takes an upgrade request. @returns false if it is not for the link */
  handleUpgrade(request: IncomingMessage, socket: Duplex, head: Buffer): boolean {
    if (request.url?.split('?')[0] !== LINK_PATH) return false;
    const offered = (request.headers['sec-websocket-protocol'] ?? '').split(',').map((name) => name.trim());
    if (!offered.includes(LINK_SUBPROTOCOL)) {
      refuse(socket, this.ports.clock, '426 Upgrade Required', `Sec-WebSocket-Protocol: ${LINK_SUBPROTOCOL}\r\n`);
      return true;
    }
    const address = this.ports.addressOf(request);
    const entry = this.#sessions.isLeaving ? RETRY_AFTER_MS : this.#admit(address);
    if (typeof entry === 'number') {
      const retryAfter = `Retry-After: ${Math.ceil(entry / 1000)}\r\n`;
      refuse(socket, this.ports.clock, '503 Service Unavailable', retryAfter);
    } else this.#upgrade({ request, socket, head, address }, entry);
    return true;
  }

  /** Accepts no more agents and sends those of this replica elsewhere, one after another. `stop` ends the rest. */
  async drain(departure: Omit<DepartureOptions, 'clock'>): Promise<void> {
    await this.#sessions.drain(departure);
  }

  /** Asks every agent to connect elsewhere and waits until the database has noted it. */
  async stop(): Promise<void> {
    await this.#sessions.stop();
    this.#sockets.close();
  }

  #upgrade({ request, socket, head, address }: Upgrade, leave: Leave): void {
    socket.once('close', () => leave(false));
    this.#sockets.handleUpgrade(request, socket, head, (webSocket) => {
      const session = this.#sessions.begin(joinWrites(webSocket, socket), address, () => leave(session.nodeId !== ''));
      socket.on('data', (bytes: Buffer) => session.heard(bytes.length));
    });
  }

  /**
   * Milliseconds for which a peer has to stay away, or a function that stops counting it once it has proved who it is.
   */
  #admit(address: string): number | Leave {
    const leave = this.#unproven.enter(address);
    if (leave === null) return RETRY_AFTER_MS;
    const waitMs = this.#admission.ask();
    if (waitMs === 0) return leave;
    // the peer is not at fault
    leave(true);
    return waitMs;
  }
}

/** A request for a link, and its socket. */
interface Upgrade {
  readonly request: IncomingMessage;
  readonly socket: Duplex;
  readonly head: Buffer;
  readonly address: string;
}

/**
 * Refuses an upgrade, and cuts a peer that keeps its half of the socket open: nothing else watches a socket that was
 * upgraded.
 */
function refuse(socket: Duplex, clock: Clock, status: string, headers: string): void {
  socket.end(`HTTP/1.1 ${status}\r\n${headers}Connection: close\r\nContent-Length: 0\r\n\r\n`);
  socket.resume();
  socket.once(
    'close',
    clock.after(REFUSED_LINGER_MS, () => socket.destroy(), { unref: true }),
  );
}
