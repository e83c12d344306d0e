import { CloseReasonCode } from '@vantage/shared/protocol/codec.js';
import type { FrameSocket } from '../sockets/frame-socket.js';
import { type CloseAdvice, type CloseReason, graceOf, LINK_GRACE_MS, recordClose, socketCodeOf } from './closing.js';
import type { LinkPorts } from './link-ports.js';

//   said why, or the socket closed ──> nothing is taken any more ──> the database has answered whether this was the live
//   session ──> what came is stored ──> the database knows that it is gone

interface LeavingParts {
  readonly ports: LinkPorts;
  readonly frames: FrameSocket;
  /** `nodeId` is '' before its proof. */
  readonly link: { readonly nodeId: string; readonly sessionId: string };
  /** Stops everything that runs for the link. */
  readonly onLeaving: () => void;
  /** Request to the database to open the link; null if none was sent. */
  readonly asked: () => Promise<unknown> | null;
  /** Resolves when everything received is stored or has failed. */
  readonly settled: () => Promise<void>;
  /** Called when the database has noted the end of the link. */
  readonly onGone: () => void;
}

/** End of one link, begun by either side. */
export class Leaving {
  readonly #parts: LeavingParts;
  #gone: Promise<void> | null = null;

  constructor(parts: LeavingParts) {
    this.#parts = parts;
  }

  get hasBegun(): boolean {
    return this.#gone !== null;
  }

  /** Sends the reason and closes; the socket is cut if the peer does not reply. */
  close(reason: CloseReason, message: string, advice: CloseAdvice): void {
    const { ports, frames, link } = this.#parts;
    ports.log.info({ nodeId: link.nodeId || undefined, reason, message }, 'closing link');
    const { controlUrls = [], protocolVersions = [], ...more } = advice;
    const lists = { controlUrls: [...controlUrls], protocolVersions: [...protocolVersions] };
    frames.send({ close: { reason: CloseReasonCode[reason], message, ...lists, ...more } });
    frames.close(socketCodeOf(reason), message.slice(0, 100));
    void this.begin(graceOf(reason));
  }

  /** Ends the link, once; its work is lost `graceMs` later. Resolves when the database has noted it. */
  begin(graceMs: number = LINK_GRACE_MS.agentGone): Promise<void> {
    this.#gone ??= this.#leave(graceMs);
    return this.#gone;
  }

  /** Resolves when the database has noted the end; at once while the link lives. */
  async ended(): Promise<void> {
    await this.#gone;
  }

  async #leave(graceMs: number): Promise<void> {
    const { ports, link, onLeaving, asked, settled, onGone } = this.#parts;
    onLeaving();
    const opening = asked();
    if (opening === null) return;
    // whatever the reply was: this session must not remain the live one
    await opening.catch(() => {});
    // an agent that stops delivers and disconnects at the same time: without its session the batch would be refused
    await settled();
    const { clock, store, log, isStopping } = ports;
    const close = () => store.close(link.nodeId, link.sessionId, graceMs);
    await recordClose(clock, close, (error) => {
      log.warn({ err: error, nodeId: link.nodeId }, 'cannot record a closed link, retrying');
      return isStopping() ? 'give up' : 'retry';
    });
    onGone();
  }
}
