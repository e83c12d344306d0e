import type { Clock } from '@vantage/shared/clock.js';
import { type AssignmentKey, assignmentsDigest } from '@vantage/shared/monitor-types/assignments-digest.js';
import type { ServerFrame } from '@vantage/shared/protocol/codec.js';
import type { Logger } from 'pino';
import { laterTurn } from '../../runtime/slices.js';
import type { AssignedKeys, AssignedReads, AssignedWork } from './assigned-reads.js';
import { type AssignmentsDifference, changeMessages, partMessages } from './assignment-frames.js';
import { HeldAssignments } from './held-assignments.js';

// Assignments of a node, sent over one link:
//
//   welcome ──the digests agree──> held ──these changed──> they are read, and sent if they differ ──> held
//      └────they do not──> everything is sent ──> held ──something may have changed──> the sums agree ──> held
//                                                            └──they do not──> keys are read, and what differs in them
//
// A link that breaks forgets what it had sent: the next one compares digests again. Nothing depends on a notice: every
// change is followed by a comparison of sums within seconds. All that grows with the assignments of a node is read, built and
// sent in parts, between which the event loop turns.

interface AssignmentsOutParts {
  readonly nodeId: string;
  /** Digest of the assignments that the node reported when it connected. */
  readonly heldDigest: Uint8Array;
  readonly reads: AssignedReads;
  readonly send: (frame: ServerFrame) => void;
  readonly clock: Clock;
  readonly log: Logger;
}

/** Number of assignments whose specifications are read together. */
const PART = 200;
const RETRY_MS = 1_000;

/** Keeps the assignments of the node of one link up to date. */
export class AssignmentsOut {
  readonly #parts: AssignmentsOutParts;
  /** Assignments that the node has; null before the first comparison. */
  #held: HeldAssignments | null = null;
  /** Monitors whose assignments may have changed. */
  readonly #changed = new Set<string>();
  #isAsked = false;
  #isRunning = false;
  #isEnded = false;
  /** True once the node was sent a part of everything: its digest is no longer the one that it reported. */
  #hasSentPart = false;
  #cancelRetry: () => void = () => {};

  constructor(parts: AssignmentsOutParts) {
    this.#parts = parts;
  }

  /** Schedules a comparison of all assignments, any of which may have changed. */
  look(): void {
    this.#isAsked = true;
    this.#begin();
  }

  /** Schedules a read of the assignments of these monitors, which may have changed. */
  lookAt(monitorIds: readonly string[]): void {
    for (const monitorId of monitorIds) this.#changed.add(monitorId);
    this.#begin();
  }

  end(): void {
    this.#isEnded = true;
    this.#cancelRetry();
  }

  #begin(): void {
    if (!this.#isRunning && !this.#isEnded) void this.#run();
  }

  async #run(): Promise<void> {
    const { nodeId, clock, log } = this.#parts;
    this.#isRunning = true;
    try {
      while ((this.#isAsked || this.#changed.size > 0) && !this.#isEnded) await this.#step();
    } catch (error) {
      log.warn({ err: error, nodeId }, 'cannot read assignments, retrying');
      this.#cancelRetry();
      this.#cancelRetry = clock.after(RETRY_MS, () => this.look(), { unref: true });
    }
    // in the same turn as the last test of the loop: a later call starts another loop
    this.#isRunning = false;
  }

  #step(): Promise<void> {
    if (this.#held === null) return this.#compareDigests();
    return this.#changed.size > 0 ? this.#sendChanged(this.#held) : this.#compareSums(this.#held);
  }

  async #compareDigests(): Promise<void> {
    const { nodeId, heldDigest, reads } = this.#parts;
    this.#isAsked = false;
    this.#changed.clear();
    const { keys, sum } = await reads.keys(nodeId);
    // the keys of many links are read together
    await laterTurn();
    const withheld = await this.#findWithheld(keys);
    if (this.#isEnded) return;
    const sent = keys.filter(({ monitorId }) => !withheld.has(monitorId));
    const isSame = !this.#hasSentPart && assignmentsDigest(sent).equals(heldDigest);
    this.#held = isSame ? new HeldAssignments(keys, sum, withheld) : await this.#sendAll(keys);
  }

  /** Monitors whose secrets the node may not have. */
  async #findWithheld(keys: AssignedKeys['keys']): Promise<ReadonlySet<string>> {
    const { nodeId, reads } = this.#parts;
    const withheld: string[] = [];
    for (const part of inParts(keys.filter(({ hasSecrets }) => hasSecrets))) {
      const found = await Promise.all(part.map(({ monitorId }) => reads.find(nodeId, monitorId)));
      const ids = part.map(({ monitorId }) => monitorId);
      withheld.push(...ids.filter((_, index) => found[index]?.specJson === null));
    }
    return new Set(withheld);
  }

  /** Sends everything; null if the link ended before. */
  async #sendAll(keys: readonly AssignmentKey[]): Promise<HeldAssignments | null> {
    const held = new HeldAssignments();
    const parts = keys.length === 0 ? [[]] : inParts(keys);
    for (const [index, part] of parts.entries()) {
      const ids = part.map(({ monitorId }) => monitorId);
      const { set } = await this.#read(ids, held);
      this.#hasSentPart = true;
      await this.#send(partMessages(set, { isFirst: index === 0, isLast: index === parts.length - 1 }));
      if (this.#isEnded) return null;
    }
    return held;
  }

  async #sendChanged(held: HeldAssignments): Promise<void> {
    const ids = [...this.#changed].slice(0, PART);
    for (const id of ids) this.#changed.delete(id);
    await this.#send(changeMessages(await this.#read(ids, held)));
  }

  async #compareSums(held: HeldAssignments): Promise<void> {
    const { nodeId, reads } = this.#parts;
    this.#isAsked = false;
    if ((await reads.sum(nodeId)) === held.sum) return;
    const { keys } = await reads.keys(nodeId);
    await laterTurn();
    for (const monitorId of held.differencesTo(keys)) this.#changed.add(monitorId);
  }

  /** Reads these assignments and notes them; returns those that differ from what the node was sent. */
  async #read(monitorIds: readonly string[], held: HeldAssignments): Promise<AssignmentsDifference> {
    const { nodeId, reads } = this.#parts;
    const found = await Promise.all(monitorIds.map((monitorId) => reads.find(nodeId, monitorId)));
    const set: AssignedWork[] = [];
    const dropped: string[] = [];
    for (const [index, monitorId] of monitorIds.entries()) {
      const { generation, specJson } = found[index] ?? { generation: 0, specJson: null };
      const before = held.sentGeneration(monitorId);
      if (specJson !== null && before !== generation) set.push({ monitorId, generation, specJson });
      if (specJson === null && before !== null) dropped.push(monitorId);
      held.put(monitorId, found[index] ? { generation, isWithheld: specJson === null } : null);
    }
    return { set, dropped };
  }

  /** Sends messages, each in a turn of its own, unless the link ends. */
  async #send(messages: readonly NonNullable<ServerFrame['assignments']>[]): Promise<void> {
    for (const [index, assignments] of messages.entries()) {
      if (index > 0) await laterTurn();
      if (this.#isEnded) return;
      this.#parts.send({ assignments });
    }
  }
}

function inParts<T>(items: readonly T[]): T[][] {
  const count = Math.ceil(items.length / PART);
  return Array.from({ length: count }, (_, index) => items.slice(index * PART, (index + 1) * PART));
}
