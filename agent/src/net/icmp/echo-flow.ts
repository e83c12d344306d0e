import { addressBytes, canonicalAddress } from './address.js';
import type { Arrival } from './arrival.js';
import { contradictsCookie, EchoRequest, hasCookie } from './echo.js';
import type { SendError } from './errors.js';
import type { Flow, FlowListener, FlowTarget, Saying } from './flow.js';
import type { EchoTaker, FlowTable } from './flow-table.js';
import type { EchoReply, IcmpError } from './message.js';
import type { RawChannel, RawPacket } from './raw-channel.js';
import { SentLedger } from './sent-ledger.js';

/** Caller's options of a flow. */
export interface EchoFlowOptions {
  readonly target: FlowTarget;
  /** 0 to 1472. */
  readonly payloadBytes: number;
  readonly listener: FlowListener;
}

/** Parts that the engine gives to each flow of a family. */
export interface EchoFlowParts {
  readonly channel: RawChannel;
  readonly table: FlowTable;
  /** Chosen by the kernel; left out: by the table. */
  readonly identifier?: number;
}

const echoReply: Saying = { name: 'echo_reply', type: null, code: null, mpls: [] };

/**
 * Echo requests under one identifier. A reply counts only with this identifier, a sequence that was sent, the target as
 * its source and the cookie; an error only where it quotes all that, as far as it quotes anything.
 */
export class EchoFlow implements Flow, EchoTaker {
  readonly #channel: RawChannel;
  readonly #table: FlowTable;
  readonly #listener: FlowListener;
  readonly #address: string;
  readonly #destination: Buffer;
  readonly #identifier: number;
  readonly #request: EchoRequest;
  readonly #sent = new SentLedger();
  #isClosed = false;

  constructor({ channel, table, identifier }: EchoFlowParts, { target, payloadBytes, listener }: EchoFlowOptions) {
    this.#channel = channel;
    this.#table = table;
    this.#listener = listener;
    this.#address = canonicalAddress(target.address, target.family);
    this.#destination = addressBytes(this.#address, target.family);
    if (identifier !== undefined) table.addEchoAs(identifier, this);
    this.#identifier = identifier ?? table.addEcho(this);
    this.#request = new EchoRequest(target.family, this.#identifier, payloadBytes);
  }

  send(index: number, hopLimit: number): void {
    this.#channel.send(new EchoPacket(this, index, hopLimit));
  }

  /** All packets share it: it is the request that was prepared last. */
  get bytes(): Buffer {
    return this.#request.bytes;
  }

  get address(): string {
    return this.#address;
  }

  get destination(): Buffer {
    return this.#destination;
  }

  prepare(index: number): void {
    if (this.#isClosed) throw new Error('the flow was closed before its packet left');
    this.#request.setSequence(index);
  }

  onSent(index: number, atMs: number): void {
    this.#sent.markSent(index, atMs);
    this.#listener.onSent?.(index, atMs);
  }

  onError(index: number, error: SendError): void {
    if (!this.#isClosed) this.#listener.onSendError(index, error);
  }

  close(): void {
    if (!this.#isClosed) this.#table.removeEcho(this.#identifier);
    this.#isClosed = true;
  }

  takeReply(reply: EchoReply, arrival: Arrival): void {
    if (arrival.from !== this.#address || !hasCookie(reply.bytes, this.#request.cookie, reply.payloadStart)) return;
    this.#report(reply.sequence, echoReply, arrival);
  }

  takeError({ name, type, code, mpls, quote }: IcmpError, arrival: Arrival): void {
    if (quote.kind !== 'echo' || !quote.destination.equals(this.#destination)) return;
    if (contradictsCookie(quote.payload, this.#request.cookie)) return;
    this.#report(quote.sequence, { name, type, code, mpls }, arrival);
  }

  #report(index: number, { name, type, code, mpls }: Saying, { from, atMs, hopLimit }: Arrival): void {
    const settled = this.#sent.settle(index, atMs);
    if (settled === null) return;
    const { rttMs, isDuplicate } = settled;
    this.#listener.onAnswer({ index, from, name, type, code, mpls, ttl: hopLimit, rttMs, isDuplicate });
  }
}

/** One packet of a flow; a class, because thousands a second are cheaper than as many closures. */
class EchoPacket implements RawPacket {
  readonly #flow: EchoFlow;
  readonly #index: number;
  readonly hopLimit: number;

  constructor(flow: EchoFlow, index: number, hopLimit: number) {
    this.#flow = flow;
    this.#index = index;
    this.hopLimit = hopLimit;
  }

  get bytes(): Buffer {
    return this.#flow.bytes;
  }

  get address(): string {
    return this.#flow.address;
  }

  get destination(): Buffer {
    return this.#flow.destination;
  }

  prepare(): void {
    this.#flow.prepare(this.#index);
  }

  onSent(atMs: number): void {
    this.#flow.onSent(this.#index, atMs);
  }

  onError(error: SendError): void {
    this.#flow.onError(this.#index, error);
  }
}
