import type { Clock } from '@vantage/shared/clock.js';
import type { Logger } from 'pino';

/** Message between replicas. It has ids only: the receiver reads the rest from PostgreSQL. */
export type BusMessage =
  /** To the replica that holds the nodes' links: these node tasks are stored and wait to be sent. */
  | { readonly type: 'jobs'; readonly ids: readonly string[] }
  /** To every replica: these probe tasks have a new result. */
  | { readonly type: 'finished'; readonly ids: readonly string[] }
  /** To every replica: these nodes' records changed (linked, gone, banned, …). */
  | { readonly type: 'nodes'; readonly ids: readonly string[] }
  /** To every replica: these replicas came or went. */
  | { readonly type: 'replicas'; readonly ids: readonly string[] }
  /** To every replica: these users, or some of their credentials, may have changed since they were read. */
  | { readonly type: 'credentials'; readonly ids: readonly string[] }
  /** To every replica: assignments have changed; each id is a node, followed by the monitor if it is named. */
  | { readonly type: 'assignments'; readonly ids: readonly string[] }
  /**
   * To every replica: these nodes are asked to check something at once; each id is node, monitor, generation and
   * request.
   */
  | { readonly type: 'check-now'; readonly ids: readonly string[] }
  /** To every replica: events were published; each id is a kind of event. */
  | { readonly type: 'events'; readonly ids: readonly string[] }
  /** To every replica: events of these owners were published. */
  | { readonly type: 'owner-events'; readonly ids: readonly string[] }
  /** To every replica: lookups of these keys have ended. */
  | { readonly type: 'lookups'; readonly ids: readonly string[] }
  /** To every replica: these diagnose reports have changed. */
  | { readonly type: 'reports'; readonly ids: readonly string[] }
  /** To every replica: these lists of addresses have another version. */
  | { readonly type: 'reputation-lists'; readonly ids: readonly string[] };

const messageTypes: Readonly<Record<BusMessage['type'], true>> = {
  jobs: true,
  finished: true,
  nodes: true,
  replicas: true,
  credentials: true,
  assignments: true,
  'check-now': true,
  events: true,
  'owner-events': true,
  lookups: true,
  reports: true,
  'reputation-lists': true,
};

/** True if a value is a message of this version; a newer replica may send others. */
export function isBusMessage(value: unknown): value is BusMessage {
  if (typeof value !== 'object' || value === null || !('type' in value) || !('ids' in value)) return false;
  const { type, ids } = value;
  const isKnown = typeof type === 'string' && Object.hasOwn(messageTypes, type);
  return isKnown && Array.isArray(ids) && ids.every((id) => typeof id === 'string');
}

/**
 * Connection between replicas, at most once: a message may be lost, so every receiver also reads again on `onResync`
 * and in its own sweep.
 */
export interface Bus {
  /** Sends a message to one replica; returns at once, messages of one kind to one replica are joined. */
  send(replicaId: string, message: BusMessage): void;
  /** Sends a message to every other replica; returns at once. */
  broadcast(message: BusMessage): void;
  /** Calls back for every message from another replica. */
  onMessage(listener: (message: BusMessage) => void): void;
  /** Calls back after messages may have been missed: the listener must read its cached data again. */
  onResync(listener: () => void): void;
  start(): Promise<void>;
  /** Sends what is queued and stops listening. May be called twice. */
  stop(): Promise<void>;
}

/** Options of a bus, whatever carries its messages. */
export interface BusOptions {
  readonly replicaId: string;
  /** Secret key of the installation, 32 bytes: only messages of its holders are accepted. */
  readonly secretKey: Uint8Array;
  /** False for commands that only send. */
  readonly isListening: boolean;
  /** False while this replica knows it is alone: a broadcast then has no receiver. */
  readonly hasOthers: () => boolean;
  /** Longest wait for a connection when it starts or reconnects, in ms; default: 5 000. */
  readonly connectMs?: number | undefined;
  readonly log: Logger;
  readonly clock: Clock;
}
