import type { MplsEntry } from '@vantage/shared/probe-types/hops.js';
import type { Family } from './address.js';
import type { SendError } from './errors.js';
import type { AnswerName } from './names.js';

/** Destination of a flow: an address that passed the target policy. */
export interface FlowTarget {
  readonly address: string;
  readonly family: Family;
}

/** Answer to one probe packet. */
export interface Answer {
  /** The number that was given to `send`. */
  readonly index: number;
  /** Address of the answering host: the target or, with an error, any router. */
  readonly from: string;
  readonly name: AnswerName;
  /** Type of an ICMP error; null for every other answer. */
  readonly type: number | null;
  /** Code of an ICMP error; null for every other answer. */
  readonly code: number | null;
  /** The label stack that an error reported, top first; empty for most. */
  readonly mpls: readonly MplsEntry[];
  /** Time to live or hop limit that was left of the answer; null where the system hides it. */
  readonly ttl: number | null;
  /** Send to receive in milliseconds; setting the machine's clock does not change it. */
  readonly rttMs: number;
  /** The probe was answered before. */
  readonly isDuplicate: boolean;
}

/** Contents of an answer, whatever packet it is about. */
export type Saying = Pick<Answer, 'name' | 'type' | 'code' | 'mpls'>;

/** Listener for a flow's packets, called in order of arrival; it must not throw. */
export interface FlowListener {
  /** The packet leaves now, on the engine's clock: in the turn of `send`, or when the system has room for it. */
  onSent?(index: number, atMs: number): void;
  onAnswer(answer: Answer): void;
  /** The packet did not leave. */
  onSendError(index: number, error: SendError): void;
}

/** Probe packets to one target that all look alike to load balancers, each distinguished by its index. */
export interface Flow {
  /** Sends packet number `index`, 0 to 65535, each number once; at the latest at the end of this turn of the event loop. */
  send(index: number, hopLimit: number): void;
  /** Closes the flow: nothing more is sent or reported afterwards. May be called twice. */
  close(): void;
}
