import type { Clock } from '@vantage/shared/clock.js';
import { type AssignmentKey, assignmentsDigest } from '@vantage/shared/monitor-types/assignments-digest.js';
import type { ServerFrame } from '@vantage/shared/protocol/codec.js';
import { MAX_FRAME_FIELDS } from '@vantage/shared/protocol/limits.js';
import type { Logger } from 'pino';

// Assignments of a node, sent over one link:
//
//   welcome ──the digests agree──> known ──something changed──> read again, the difference is sent ──> known
//      └────they do not──> everything is sent ──────────────────^
//
// A link that breaks forgets what it had sent: the next one compares digests again.

/** Assignment of a node. */
export interface AssignedWork extends AssignmentKey {
  /** UTF-8 JSON of an AssignmentSpec. */
  readonly specJson: Uint8Array;
}

/** Reads all assignments of a node. */
export type ReadAssigned = (nodeId: string) => Promise<readonly AssignedWork[]>;

interface AssignmentsOutParts {
  readonly nodeId: string;
  /** Digest of the assignments that the node reported when it connected. */
  readonly heldDigest: Uint8Array;
  readonly read: ReadAssigned;
  readonly send: (frame: ServerFrame) => void;
  readonly clock: Clock;
  readonly log: Logger;
}

type AssignmentsMessage = NonNullable<ServerFrame['assignments']>;

/** Bytes of one frame, roughly: half of what a frame may hold. */
const MAX_FRAME_BYTES = 512 * 1024;
const OVERHEAD_BYTES = 64;
/** Each is a field of its frame: half of what a frame may have. */
const MAX_DROPPED = MAX_FRAME_FIELDS / 2;
const RETRY_MS = 1_000;

/** Keeps the assignments of the node of one link up to date. */
export class AssignmentsOut {
  readonly #parts: AssignmentsOutParts;
  /** Generations that the node has, by monitor; null before the first comparison. */
  #known: Map<string, number> | null = null;
  #isAsked = false;
  #isRunning = false;
  #isEnded = false;
  #cancelRetry: () => void = () => {};

  constructor(parts: AssignmentsOutParts) {
    this.#parts = parts;
  }

  /** Schedules another read of the assignments, which may have changed. */
  look(): void {
    this.#isAsked = true;
    if (this.#isRunning || this.#isEnded) return;
    void this.#run();
  }

  end(): void {
    this.#isEnded = true;
    this.#cancelRetry();
  }

  async #run(): Promise<void> {
    const { nodeId, read, clock, log } = this.#parts;
    this.#isRunning = true;
    while (this.#isAsked && !this.#isEnded) {
      this.#isAsked = false;
      try {
        const assigned = await read(nodeId);
        if (!this.#isEnded) this.#tell(assigned);
      } catch (error) {
        log.warn({ err: error, nodeId }, 'cannot read assignments, retrying');
        this.#cancelRetry = clock.after(RETRY_MS, () => this.look(), { unref: true });
      }
    }
    // in the same turn as the last test of the loop: a later call starts another loop
    this.#isRunning = false;
  }

  #tell(assigned: readonly AssignedWork[]): void {
    const { heldDigest, send } = this.#parts;
    const known = this.#known;
    const next = new Map(assigned.map(({ monitorId, generation }) => [monitorId, generation]));
    this.#known = next;
    if (known !== null) {
      const set = assigned.filter(({ monitorId, generation }) => known.get(monitorId) !== generation);
      const dropped = [...known.keys()].filter((monitorId) => !next.has(monitorId));
      for (const message of changeMessages(set, dropped)) send({ assignments: message });
      return;
    }
    if (assignmentsDigest(assigned).equals(heldDigest)) return;
    for (const message of wholeMessages(assigned)) send({ assignments: message });
  }
}

function changeMessages(set: readonly AssignedWork[], dropped: readonly string[]): AssignmentsMessage[] {
  const messages: AssignmentsMessage[] = inPieces(set).map((piece) => ({ set: piece }));
  for (let at = 0; at < dropped.length; at += MAX_DROPPED)
    messages.push({ dropped: dropped.slice(at, at + MAX_DROPPED) });
  return messages;
}

/** Frames with all assignments, as many as necessary; an empty list is a frame, too. */
function wholeMessages(assigned: readonly AssignedWork[]): AssignmentsMessage[] {
  const pieces = inPieces(assigned);
  if (pieces.length === 0) return [{ begins: true, ends: true }];
  return pieces.map((set, index) => ({ set, begins: index === 0, ends: index === pieces.length - 1 }));
}

function inPieces(assigned: readonly AssignedWork[]): AssignedWork[][] {
  const pieces: AssignedWork[][] = [];
  let bytes = 0;
  for (const work of assigned) {
    const size = work.specJson.length + work.monitorId.length + OVERHEAD_BYTES;
    const piece = pieces.at(-1);
    if (piece === undefined || bytes + size > MAX_FRAME_BYTES) {
      pieces.push([work]);
      bytes = size;
    } else {
      piece.push(work);
      bytes += size;
    }
  }
  return pieces;
}
