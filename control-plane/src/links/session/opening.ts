import { type DecodedAgentFrame, MalformedFrameError, type ServerFrame } from '@vantage/shared/protocol/codec.js';
import { heldNumbers, type LaneNumbers } from '../records/catch-up.js';
import type { SessionRow } from '../records/opening-store.js';
import type { CloseAdvice, CloseReason } from './closing.js';
import { shutOutOf } from './fencing.js';
import { Handshake, type Proven } from './handshake.js';
import type { LinkPorts } from './link-ports.js';

// From the first frame to the link that is the live one of its node.
//
//   Hello ──known node──> Challenge ──Proof──> the database opens the session ──> its marks ──> opened
//     └────────────────────── no, to any of it: closed with the reason ──────────────^

type Proof = NonNullable<DecodedAgentFrame['proof']>;

/** Tasks of a node that runs none, as most do: one for all. */
export const NOTHING: ReadonlySet<string> = new Set();

/** Link that the database has recorded as the live one of its node. */
export interface OpenedLink {
  readonly row: SessionRow;
  readonly generation: number;
  /** Tasks that the agent reports as running. */
  readonly runningTaskIds: ReadonlySet<string>;
  /** Epoch of the spool it delivers from; `marks` is what the database has of it, `held` what the agent holds. */
  readonly epoch: Buffer;
  readonly marks: LaneNumbers;
  readonly held: LaneNumbers;
  /** Digest of the assignments that the node reports. */
  readonly assignmentsDigest: Uint8Array;
}

interface OpeningParts {
  readonly ports: LinkPorts;
  readonly sessionId: string;
  readonly send: (frame: ServerFrame) => void;
  readonly close: (reason: CloseReason, message: string, advice?: CloseAdvice) => void;
  /** True if the link is closing; this may happen while the database works. */
  readonly isClosing: () => boolean;
  /** Called when the peer has proved which node it is. */
  readonly onProved: (nodeId: string) => void;
}

/** Opens one link: authenticates the peer, and has the database record the link. Each step is called once. */
export class Opening {
  readonly #parts: OpeningParts;
  /** Null once the link is open: it refers to the frames it was made of. */
  #handshake: Handshake | null;
  #challengedMs = 0;
  #roundTripMs = 0;
  #asked: Promise<unknown> | null = null;

  constructor(parts: OpeningParts) {
    this.#parts = parts;
    this.#handshake = new Handshake(parts.ports);
  }

  /** Time from the challenge to its proof, monotonic milliseconds. */
  get roundTripMs(): number {
    return this.#roundTripMs;
  }

  /** Settles when the database has decided whether this is the live session; null if it was not asked, or refused. */
  get asked(): Promise<unknown> | null {
    return this.#asked;
  }

  /** @returns true if the peer was challenged; otherwise the link is closed. @throws MalformedFrameError */
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

  /** @returns null if the link was refused and is closed; @throws MalformedFrameError */
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
    const shutOut = shutOutOf(node);
    if (shutOut !== null) return close(shutOut.reason, shutOut.message);
    if (!node?.public_key.equals(publicKey)) return close('CLOSE_UNAUTHENTICATED', 'this key is no longer valid');
    // the agent gave up this socket because the database was slow, and has reconnected with the next generation
    if (isClosing()) return;
    if (!this.#inProgress.isOldGeneration) return close('CLOSE_REPLACED', 'a newer link of this node took over');
    await ports.store.quarantine(nodeId);
    ports.log.error({ nodeId, generation }, 'node quarantined: its generation was used before');
    close('CLOSE_CLONED', 'this state directory is a copy: its generation was used before');
  }
}
