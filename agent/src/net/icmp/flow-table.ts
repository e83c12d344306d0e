import { randomInt } from 'node:crypto';
import type { Arrival } from './arrival.js';
import type { TcpReply } from './datagrams.js';
import type { EchoReply, IcmpError, IcmpMessage } from './message.js';
import { type ProtocolNumber, protocols } from './protocols.js';

/** A flow of echo requests; it alone knows its target and cookie, so it checks them. */
export interface EchoTaker {
  takeReply(reply: EchoReply, arrival: Arrival): void;
  takeError(error: IcmpError, arrival: Arrival): void;
}

/** A flow of UDP or TCP packets. */
export interface PortTaker {
  takeError(error: IcmpError, arrival: Arrival): void;
  takeSegment(reply: TcpReply, arrival: Arrival): void;
}

// never 0: the reply to a first request without a payload would be all zeros, whose checksum kernels write as 0, which
// is wrong
const LAST_IDENTIFIER = 0xffff;
const protocolOfQuote = { udp: protocols.udp, tcp: protocols.tcp } as const;

/**
 * Routes the packets of one address family to flows: echo flows by identifier, the others by protocol and local port.
 */
export class FlowTable {
  readonly #echoes = new Map<number, EchoTaker>();
  readonly #ports = new Map<number, PortTaker>();

  /** A flow whose identifier was chosen elsewhere, reserved so that no other flow here has it. */
  addEchoAs(identifier: number, taker: EchoTaker): void {
    this.#echoes.set(identifier, taker);
  }

  /** @returns an identifier no other flow here has, from a random start */
  addEcho(taker: EchoTaker): number {
    if (this.#echoes.size >= LAST_IDENTIFIER) throw new RangeError('all 65535 ICMP identifiers are in use');
    let identifier = randomInt(1, LAST_IDENTIFIER + 1);
    while (this.#echoes.has(identifier)) identifier = (identifier % LAST_IDENTIFIER) + 1;
    this.#echoes.set(identifier, taker);
    return identifier;
  }

  removeEcho(identifier: number): void {
    this.#echoes.delete(identifier);
  }

  /** @returns false, and changes nothing, where another flow has the port */
  addPort(protocol: ProtocolNumber, port: number, taker: PortTaker): boolean {
    const key = portKey(protocol, port);
    if (this.#ports.has(key)) return false;
    this.#ports.set(key, taker);
    return true;
  }

  removePort(protocol: ProtocolNumber, port: number): void {
    this.#ports.delete(portKey(protocol, port));
  }

  dispatchMessage(message: IcmpMessage, arrival: Arrival): void {
    if (message.kind === 'echo-reply') this.#echoes.get(message.identifier)?.takeReply(message, arrival);
    else if (message.quote.kind === 'echo') this.#echoes.get(message.quote.identifier)?.takeError(message, arrival);
    else
      this.#ports
        .get(portKey(protocolOfQuote[message.quote.kind], message.quote.sourcePort))
        ?.takeError(message, arrival);
  }

  dispatchSegment(reply: TcpReply, arrival: Arrival): void {
    this.#ports.get(portKey(protocols.tcp, reply.destinationPort))?.takeSegment(reply, arrival);
  }
}

function portKey(protocol: ProtocolNumber, port: number): number {
  return (protocol << 16) | port;
}
