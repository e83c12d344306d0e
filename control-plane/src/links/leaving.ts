import { CloseReasonCode } from '@vantage/shared/protocol/codec.js';
import { type CloseAdvice, type CloseReason, graceOf, LINK_GRACE_MS, recordClose, socketCodeOf } from './closing.js';
import type { FrameSocket } from './frame-socket.js';
import type { LinkPorts } from './link-ports.js';

//   said why, or the socket closed ──> nothing is taken any more ──> the database has answered whether this was the live
//   session ──> what came is stored ──> the database knows that it is gone

interface LeavingParts {
  readonly ports: LinkPorts;
  readonly frames: FrameSocket;
  /** `nodeId` is '' before its proof. */
  readonly link: { readonly nodeId: string; readonly sessionId: string };
  /** Stops everything of the link that runs. */
  readonly onLeaving: () => void;
  /** What the database was asked to open; null: nothing. */
  readonly asked: () => Promise<unknown> | null;
  /** Resolves when all that came is stored or has failed. */
  readonly settled: () => Promise<void>;
  /** The database knows that the link is gone. */
  readonly onGone: () => void;
}

/** The end of one link, from whichever side it comes. */
export class Leaving {
  readonly #parts: LeavingParts;
  #gone: Promise<void> | null = null;

  constructor(parts: LeavingParts) {
    this.#parts = parts;
  }

  get hasBegun(): boolean {
    return this.#gone !== null;
  }

  /** Says why and closes; the socket is cut when the peer doesn't answer. */
  close(reason: CloseReason, message: string, advice: CloseAdvice): void {
    const { ports, frames, link } = this.#parts;
    ports.log.info({ nodeId: link.nodeId || undefined, reason, message }, 'closing link');
    const { controlUrls = [], protocolVersions = [], ...more } = advice;
    const lists = { controlUrls: [...controlUrls], protocolVersions: [...protocolVersions] };
    frames.send({ close: { reason: CloseReasonCode[reason], message, ...lists, ...more } });
    frames.close(socketCodeOf(reason), message.slice(0, 100));
    void this.begin(graceOf(reason));
  }

  /** Once; work is lost `graceMs` later. Resolves when the database knows. */
  begin(graceMs: number = LINK_GRACE_MS.agentGone): Promise<void> {
    this.#gone ??= this.#leave(graceMs);
    return this.#gone;
  }

  /** Resolves when the database knows; at once while the link lives. */
  async ended(): Promise<void> {
    await this.#gone;
  }

  async #leave(graceMs: number): Promise<void> {
    const { ports, link, onLeaving, asked, settled, onGone } = this.#parts;
    onLeaving();
    const opening = asked();
    if (opening === null) return;
    // whatever the answer was, or became of it: this session must not stay the live one
    await opening.catch(() => {});
    // an agent that stops delivers and leaves in one breath: without its session the batch would be refused
    await settled();
    const { clock, store, log, isStopping } = ports;
    const close = () => store.close(link.nodeId, link.sessionId, graceMs);
    await recordClose(clock, close, (error) => {
      log.warn({ err: error, nodeId: link.nodeId }, 'closed link not recorded');
      return isStopping() ? 'give up' : 'retry';
    });
    onGone();
  }
}
