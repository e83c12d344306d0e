import type { Clock } from '@vantage/shared/clock.js';
import type { Logger } from 'pino';
import type { Bus } from '../../src/bus/bus.js';

/** Key with which the replicas of every test sign. */
export const busSecretKey = Buffer.alloc(32, 7);

/** Settings in which the bus of a test differs from that of an ordinary replica. */
export interface BusSettings {
  readonly clock?: Clock;
  readonly hasOthers?: boolean;
  readonly isListening?: boolean;
  /** Default: silent. */
  readonly log?: Logger;
}

/** One kind of bus, as the contract suite drives it. */
export interface BusDriver {
  /** Creates the bus of a replica, not started yet; stopped with the test. */
  open(replicaId: string, settings?: BusSettings): Bus;
  /** Creates a bus whose address leads nowhere. */
  openNowhere(settings?: BusSettings): Bus;
  /** Interrupts the transport of messages: every connection ends, new ones are refused. */
  lose(): Promise<void>;
  /** Restores the transport. */
  restore(): Promise<void>;
  /** Channel that a replica listens on; null for the channel of all replicas. */
  channelOf(replicaId: string | null): string;
  /** Publishes a message as any client of the transport may, to all replicas or to one. */
  say(replicaId: string | null, payload: string): Promise<void>;
  /** Number of open connections of buses. */
  connections(): Promise<number>;
}
