import { addressBytes, canonicalAddress } from './address.js';
import type { Arrival } from './arrival.js';
import { encodeTcpSyn, encodeUdp, type FlowEnds, type TcpReply } from './datagrams.js';
import type { Flow, FlowListener, FlowTarget, Saying } from './flow.js';
import type { FlowTable, PortTaker } from './flow-table.js';
import type { IcmpError } from './message.js';
import { protocols } from './protocols.js';
import type { RawChannel } from './raw-channel.js';
import { SentLedger } from './sent-ledger.js';

/** Caller's options of a flow. */
export interface PortFlowOptions {
  readonly target: FlowTarget;
  readonly port: number;
  readonly listener: FlowListener;
}

/** Encoding of packet numbers: in the UDP checksum or in the TCP sequence number, which routers quote. */
export interface Labelling {
  readonly protocol: typeof protocols.udp | typeof protocols.tcp;
  encode(ends: FlowEnds, index: number): Buffer;
  indexOf(label: number): number;
}

const udpPayloadBytes = 16;
// 0 means "no checksum" on the wire and 0xffff stands for a computed 0 (RFC 768), so labels stay between the two
const udpLabels = 0xfffe;

/** Labelling for at most 65534 packets; `firstLabel` is any whole number from 0 to 0xffff. */
export function udpLabelling(firstLabel: number): Labelling {
  return {
    protocol: protocols.udp,
    encode: (ends, index) => encodeUdp(ends, 1 + ((firstLabel + index) % udpLabels), udpPayloadBytes),
    indexOf: (label) => (label - 1 - (firstLabel % udpLabels) + udpLabels) % udpLabels,
  };
}

/** `firstLabel` is the sequence number of the first SYN, 0 to 2^32 - 1. */
export function tcpLabelling(firstLabel: number): Labelling {
  return {
    protocol: protocols.tcp,
    encode: (ends, index) => encodeTcpSyn(ends, (firstLabel + index) >>> 0),
    indexOf: (label) => (label - firstLabel) >>> 0,
  };
}

/** Parts that the engine gives to one flow. */
export interface PortFlowParts {
  readonly channel: RawChannel;
  readonly table: FlowTable;
  readonly labelling: Labelling;
  readonly source: { readonly address: string; readonly port: number };
  /** Releases the resources of the flow. */
  readonly release: () => void;
}

/** UDP datagrams or TCP SYNs between two fixed ports, sent raw so that the label is exactly ours. */
export class PortFlow implements Flow, PortTaker {
  readonly #parts: PortFlowParts;
  readonly #listener: FlowListener;
  readonly #address: string;
  readonly #ends: FlowEnds;
  readonly #sent = new SentLedger();
  #isClosed = false;

  constructor(parts: PortFlowParts, { target, port, listener }: PortFlowOptions) {
    this.#parts = parts;
    this.#listener = listener;
    this.#address = canonicalAddress(target.address, target.family);
    this.#ends = {
      family: target.family,
      source: addressBytes(canonicalAddress(parts.source.address, target.family), target.family),
      destination: addressBytes(this.#address, target.family),
      sourcePort: parts.source.port,
      destinationPort: port,
    };
  }

  send(index: number, hopLimit: number): void {
    this.#parts.channel.send({
      bytes: this.#parts.labelling.encode(this.#ends, index),
      address: this.#address,
      destination: this.#ends.destination,
      hopLimit,
      prepare: () => {
        if (this.#isClosed) throw new Error('the flow was closed before its packet left');
      },
      onSent: (atMs) => {
        this.#sent.markSent(index, atMs);
        this.#listener.onSent?.(index, atMs);
      },
      onError: (error) => {
        if (!this.#isClosed) this.#listener.onSendError(index, error);
      },
    });
  }

  close(): void {
    if (this.#isClosed) return;
    this.#isClosed = true;
    this.#parts.table.removePort(this.#parts.labelling.protocol, this.#ends.sourcePort);
    this.#parts.release();
  }

  takeError({ name, type, code, mpls, quote }: IcmpError, arrival: Arrival): void {
    if (quote.kind === 'echo' || quote.destinationPort !== this.#ends.destinationPort) return;
    if (!quote.destination.equals(this.#ends.destination)) return;
    this.#report(this.#parts.labelling.indexOf(quote.label), { name, type, code, mpls }, arrival);
  }

  takeSegment(reply: TcpReply, arrival: Arrival): void {
    if (arrival.from !== this.#address || reply.sourcePort !== this.#ends.destinationPort) return;
    const saying = { name: reply.name, type: null, code: null, mpls: [] };
    this.#report(this.#parts.labelling.indexOf(reply.acknowledgement - 1), saying, arrival);
  }

  #report(index: number, saying: Saying, { from, atMs, hopLimit }: Arrival): void {
    const settled = this.#sent.settle(index, atMs);
    if (settled !== null) this.#listener.onAnswer({ index, from, ttl: hopLimit, ...saying, ...settled });
  }
}
