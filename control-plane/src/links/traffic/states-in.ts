import type { Clock } from '@vantage/shared/clock.js';
import { type DecodedAgentFrame, MalformedFrameError } from '@vantage/shared/protocol/codec.js';
import { parseDelivered } from '@vantage/shared/protocol/delivered-json.js';
import { isStorableText } from '@vantage/shared/text.js';
import type { NewestState, StateKind } from '../records/state-kinds.js';
import type { LiveLink, StoredStates } from '../records/state-store.js';

type StatesFrame = NonNullable<DecodedAgentFrame['states']>;
type StateMessage = StatesFrame['states'][number];

/** Greatest distance of a slot ahead of now. */
const MAX_AHEAD_MS = 120_000;
const MAX_ID_LENGTH = 64;
/** Frames that may wait for the database: an honest agent sends its snapshot once in a link's life. */
const MAX_WAITING = 32;

/** Destination of states, for all links of a replica. */
export interface StatesPorts {
  readonly kinds: readonly StateKind[];
  readonly store: (link: LiveLink, states: readonly NewestState[]) => Promise<StoredStates>;
  /** Counts states that were skipped: of a kind this build does not know, malformed, or from the future. */
  readonly countPassedOver: (states: number) => void;
}

interface StatesInParts {
  readonly ports: StatesPorts;
  readonly link: LiveLink;
  readonly clock: Clock;
  /** Counts bytes that are kept until they are stored. */
  readonly hold: <T>(bytes: number, work: Promise<T>) => Promise<T>;
  /** Called if the database has another live link of the node. */
  readonly onReplaced: () => void;
}

/** Takes the newest states that the node of one link sends before its backlog: one frame after another. */
export class StatesIn {
  readonly #parts: StatesInParts;
  #waiting = 0;
  #stored: Promise<unknown> = Promise.resolve();

  constructor(parts: StatesInParts) {
    this.#parts = parts;
  }

  /** Resolves when everything received is stored or has failed. */
  async settled(): Promise<void> {
    await this.#stored;
  }

  /** @throws MalformedFrameError */
  async take({ states }: StatesFrame): Promise<void> {
    if (this.#waiting >= MAX_WAITING) throw new MalformedFrameError('more states than a node can have');
    const { ports, link, hold, onReplaced } = this.#parts;
    const known = this.#known(states);
    if (known.length === 0) return;
    this.#waiting += 1;
    const storing = this.#stored.then(() => ports.store(link, known));
    this.#stored = storing.catch(() => {});
    const bytes = known.reduce((sum, { bodyJson }) => sum + bodyJson.length, 0);
    const { isLive, newer } = await hold(bytes, storing).finally(() => (this.#waiting -= 1));
    if (!isLive) return onReplaced();
    const isNewer = new Set(newer.map(keyOf));
    for (const kind of ports.kinds) {
      const newStates = known.filter((state) => state.kind === kind.name && isNewer.has(keyOf(state)));
      if (newStates.length > 0) kind.onNewer(link.nodeId, newStates);
    }
  }

  /** States of a frame that can be stored, the newest of each subject. */
  #known(messages: readonly StateMessage[]): NewestState[] {
    const { ports, clock } = this.#parts;
    const newest = new Map<string, NewestState>();
    let passedOver = 0;
    for (const message of messages) {
      const state = parseState(message, ports.kinds, clock.now());
      if (state === null) passedOver += 1;
      else if ((newest.get(keyOf(state))?.slotMs ?? -1) < state.slotMs) newest.set(keyOf(state), state);
    }
    if (passedOver > 0) ports.countPassedOver(passedOver);
    return [...newest.values()];
  }
}

function keyOf({ kind, subject }: { readonly kind: string; readonly subject: string }): string {
  return `${kind} ${subject}`;
}

function parseState(message: StateMessage, kinds: readonly StateKind[], nowMs: number): NewestState | null {
  const { kind: name = '', subject = '', generation = 0, slotMs = -1, stateJson } = message;
  const kind = kinds.find((candidate) => candidate.name === name);
  const isSound = isSubject(subject) && Number.isSafeInteger(generation);
  if (kind === undefined || !isSound || !(slotMs >= 0 && slotMs <= nowMs + MAX_AHEAD_MS)) return null;
  const body = kind.parse(subject, parseDelivered(stateJson ?? new Uint8Array())) ?? null;
  if (body === null) return null;
  return { kind: name, subject, generation, slotMs, bodyJson: JSON.stringify(body) };
}

function isSubject(subject: string): boolean {
  return subject !== '' && subject.length <= MAX_ID_LENGTH && isStorableText(subject);
}
