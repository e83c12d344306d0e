import type { ServerFrame } from '@vantage/shared/protocol/codec.js';
import { MAX_FRAME_FIELDS } from '@vantage/shared/protocol/limits.js';
import type { AssignedWork } from './assigned-reads.js';

type AssignmentsMessage = NonNullable<ServerFrame['assignments']>;

/** Bytes of one frame, roughly: half of what a frame may hold. */
const MAX_FRAME_BYTES = 512 * 1024;
const OVERHEAD_BYTES = 64;
/** Each is a field of its frame: half of what a frame may have. */
const MAX_DROPPED = MAX_FRAME_FIELDS / 2;

/** Change of a node's assignments. */
export interface AssignmentsDifference {
  readonly set: readonly AssignedWork[];
  /** Ids of monitors. */
  readonly dropped: readonly string[];
}

/** Messages that a change takes; none for no change. */
export function changeMessages({ set, dropped }: AssignmentsDifference): AssignmentsMessage[] {
  const messages: AssignmentsMessage[] = inPieces(set).map((piece) => ({ set: piece }));
  for (let at = 0; at < dropped.length; at += MAX_DROPPED)
    messages.push({ dropped: dropped.slice(at, at + MAX_DROPPED) });
  return messages;
}

/** Messages of one part of all assignments, as many as necessary; an empty part is a message, too. */
export function partMessages(
  part: readonly AssignedWork[],
  { isFirst, isLast }: { readonly isFirst: boolean; readonly isLast: boolean },
): AssignmentsMessage[] {
  const pieces = part.length === 0 ? [[]] : inPieces(part);
  return pieces.map((set, index) => ({
    set,
    begins: isFirst && index === 0,
    ends: isLast && index === pieces.length - 1,
  }));
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
