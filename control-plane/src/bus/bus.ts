import type { Clock } from '@vantage/shared/clock.js';
import type { Logger } from 'pino';

/** What replicas tell each other. Ids only: whoever receives one reads the rest from PostgreSQL. */
export type BusMessage =
  /** To the replica that holds the nodes' links: these node tasks are stored and wait to be sent. */
  | { readonly type: 'jobs'; readonly ids: readonly string[] }
  /** To everybody: these probe tasks have a new result. */
  | { readonly type: 'finished'; readonly ids: readonly string[] }
  /** To everybody: these nodes' records changed (linked, gone, banned, …). */
  | { readonly type: 'nodes'; readonly ids: readonly string[] }
  /** To everybody: these replicas came or went. */
  | { readonly type: 'replicas'; readonly ids: readonly string[] }
  /** To everybody: these users, or some of their credentials, may no longer be what was read of them. */
  | { readonly type: 'credentials'; readonly ids: readonly string[] }
  /** To everybody: what these nodes are to watch has changed. */
  | { readonly type: 'assignments'; readonly ids: readonly string[] }
  /** To everybody: these nodes are asked to check something at once; each id is node, monitor, generation and request. */
  | { readonly type: 'check-now'; readonly ids: readonly string[] };

const messageTypes: Readonly<Record<BusMessage['type'], true>> = {
  jobs: true,
  finished: true,
  nodes: true,
  replicas: true,
  credentials: true,
  assignments: true,
  'check-now': true,
};

/** Whether a value is a message of this version; a newer replica may send others. */
export function isBusMessage(value: unknown): value is BusMessage {
  if (typeof value !== 'object' || value === null || !('type' in value) || !('ids' in value)) return false;
  const { type, ids } = value;
  const isKnown = typeof type === 'string' && Object.hasOwn(messageTypes, type);
  return isKnown && Array.isArray(ids) && ids.every((id) => typeof id === 'string');
}

/**
 * How replicas reach each other, at most once: a message may be lost, so every receiver also re-reads on `onResync`
 * and by its own sweep.
 */
export interface Bus {
  /** Tells one replica; returns at once, messages of one kind to one replica travel together. */
  send(replicaId: string, message: BusMessage): void;
  /** Tells every other replica; returns at once. */
  broadcast(message: BusMessage): void;
  /** Calls back for every message from another replica. */
  onMessage(listener: (message: BusMessage) => void): void;
  /** Calls back after messages may have been missed: read again what you cache. */
  onResync(listener: () => void): void;
  start(): Promise<void>;
  /** Sends what is queued and stops listening. May be called twice. */
  stop(): Promise<void>;
}

/** What a bus is opened with, whatever carries its messages. */
export interface BusOptions {
  readonly replicaId: string;
  /** False for commands that only tell others. */
  readonly isListening: boolean;
  /** False while this replica knows it is alone: then a broadcast has nobody to hear it. */
  readonly hasOthers: () => boolean;
  readonly log: Logger;
  readonly clock: Clock;
}
