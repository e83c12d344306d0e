import { type DecodedAgentFrame, MalformedFrameError, type ServerFrame } from '@vantage/shared/protocol/codec.js';
import { heldNumbers, type LaneNumbers } from './catch-up.js';
import type { CloseAdvice, CloseReason } from './closing.js';
import { shutOutMessage } from './fencing.js';
import { Handshake, type Proven } from './handshake.js';
import type { LinkPorts } from './link-ports.js';
import type { SessionRow } from './opening-store.js';

// From the first frame to the link that is the live one of its node.
//
//   Hello ──known node──> Challenge ──Proof──> the database opens the session ──> its marks ──> opened
//     └────────────────────── no, to any of it: closed with the reason ──────────────^

type Proof = NonNullable<DecodedAgentFrame['proof']>;

/** Tasks of a node that runs none, as most do: one for all. */
export const NOTHING: ReadonlySet<string> = new Set();

/** A link that the database knows as the live one of its node. */
export interface OpenedLink {
  readonly row: SessionRow;
  readonly generation: number;
  /** Tasks the agent says it is running. */
  readonly runningTaskIds: ReadonlySet<string>;
  /** Of the spool it delivers from, with what the database has of it and what the agent holds. */
  readonly epoch: Buffer;
  readonly marks: LaneNumbers;
  readonly held: LaneNumbers;
  /** Of what the node says it watches. */
  readonly assignmentsDigest: Uint8Array;
}

interface OpeningParts {
  readonly ports: LinkPorts;
  readonly sessionId: string;
  readonly send: (frame: ServerFrame) => void;
  readonly close: (reason: CloseReason, message: string, advice?: CloseAdvice) => void;
  /** The link may be closed while the database works. */
  readonly isClosing: () => boolean;
  /** The peer has proved which node it is. */
  readonly onProved: (nodeId: string) => void;
}

/** Opens one link: who the peer is, and whether the database takes it. Each step is asked for once. */
export class Opening {
  readonly #parts: OpeningParts;
  /** Null once the link is open: it holds on to the frames it was made of. */
  #handshake: Handshake | null;
  #challengedMs = 0;
  #roundTripMs = 0;
  #asked: Promise<unknown> | null = null;

  constructor(parts: OpeningParts) {
    this.#parts = parts;
    this.#handshake = new Handshake(parts.ports);
  }

  /** From the challenge to its proof; monotonic milliseconds. */
  get roundTripMs(): number {
    return this.#roundTripMs;
  }

  /** Settles when the database has answered whether this is the live session; null: it was not asked, or said no. */
  get asked(): Promise<unknown> | null {
    return this.#asked;
  }

  /** @returns whether the peer was challenged; otherwise the link is closed. @throws MalformedFrameError */
  async takeHello(hello: NonNullable<DecodedAgentFrame['hello']>): Promise<boolean> {
    const { ports, send, close, isClosing } = this.#parts;
    const answer = await this.#inProgress.takeHello(hello);
    if (answer.refused !== null) {
      close(answer.refused, answer.message, answer.advice);
      return false;
    }
    if (isClosing()) return false;
    this.#challengedMs = ports.clock.monotonicMs();
    send(answer.challenge);
    return true;
  }

  /** @returns null when the link was refused and is closed; @throws MalformedFrameError */
  async takeProof(proof: Proof): Promise<OpenedLink | null> {
    const { ports, sessionId, close, onProved } = this.#parts;
    this.#roundTripMs = ports.clock.monotonicMs() - this.#challengedMs;
    const proven = this.#inProgress.takeProof(proof);
    if (proven.refused !== null) {
      close(proven.refused, proven.message);
      return null;
    }
    const { opening, epoch } = proven;
    onProved(opening.nodeId);
    const asked = ports.store.open({ ...opening, sessionId, address: ports.peerAddress });
    this.#asked = asked;
    const row = await asked;
    if (row === null) {
      this.#asked = null;
      await this.#refuse(opening);
      return null;
    }
    const marks = await ports.store.ensureMarks(opening.nodeId, epoch);
    const runningTaskIds = proof.runningTaskIds.length === 0 ? NOTHING : new Set(proof.runningTaskIds);
    this.#handshake = null;
    const { assignmentsDigest } = proof;
    const spool = { epoch, marks, held: heldNumbers(proof.lanes) };
    return { row, generation: opening.generation, runningTaskIds, ...spool, assignmentsDigest };
  }

  get #inProgress(): Handshake {
    if (this.#handshake === null) throw new MalformedFrameError('the handshake is over');
    return this.#handshake;
  }

  async #refuse({ nodeId, publicKey, generation }: Proven['opening']): Promise<void> {
    const { ports, close, isClosing } = this.#parts;
    const node = await ports.store.findNode(nodeId);
    const shutOut = shutOutMessage(node);
    if (shutOut !== null) return close('CLOSE_BANNED', shutOut);
    if (!node?.public_key.equals(publicKey)) return close('CLOSE_UNAUTHENTICATED', 'this key counts no longer');
    // an agent that gave this socket up, because the database was slow, came back with the next generation meanwhile
    if (isClosing()) return;
    if (!this.#inProgress.isOldGeneration) return close('CLOSE_REPLACED', 'a newer link of this node took over');
    await ports.store.quarantine(nodeId);
    ports.log.error({ nodeId, generation }, 'node quarantined: an old generation came back');
    close('CLOSE_CLONED', 'this state directory is a copy: its generation was used before');
  }
}
