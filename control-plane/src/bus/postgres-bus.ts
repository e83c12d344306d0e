import type { Clock } from '@vantage/shared/clock.js';
import pg from 'pg';
import type { Logger } from 'pino';
import { type Bus, type BusMessage, isBusMessage } from './bus.js';
import { Outbox } from './outbox.js';

// One LISTEN channel per replica and one for all, never one per node. NOTIFY runs in its own autocommit statement on
// its own connection: inside writers' transactions its cluster-wide lock would serialise their commits. Messages
// leave at once when idle; what arrives while a NOTIFY runs is joined into the next.

const BROADCAST_CHANNEL = 'vantage_all';
const RECONNECT_MS = { first: 100, most: 5_000 };

interface PostgresBusOptions {
  readonly url: string;
  readonly replicaId: string;
  /** False for commands that only tell others. */
  readonly isListening: boolean;
  /** False while this replica knows it is alone: then a broadcast has nobody to hear it. */
  readonly hasOthers: () => boolean;
  readonly log: Logger;
  readonly clock: Clock;
}

/** The bus over PostgreSQL's LISTEN and NOTIFY. */
export class PostgresBus implements Bus {
  readonly #outbox = new Outbox();
  readonly #messageListeners: ((message: BusMessage) => void)[] = [];
  readonly #resyncListeners: (() => void)[] = [];
  #client: pg.Client | null = null;
  #sending: Promise<void> | null = null;
  #isStopped = false;
  #retryMs = RECONNECT_MS.first;
  #cancelRetry: (() => void) | null = null;

  constructor(private readonly options: PostgresBusOptions) {}

  send(replicaId: string, message: BusMessage): void {
    this.#enqueue(channelOf(replicaId), message);
  }

  broadcast(message: BusMessage): void {
    if (this.options.hasOthers()) this.#enqueue(BROADCAST_CHANNEL, message);
  }

  onMessage(listener: (message: BusMessage) => void): void {
    this.#messageListeners.push(listener);
  }

  onResync(listener: () => void): void {
    this.#resyncListeners.push(listener);
  }

  async start(): Promise<void> {
    try {
      await this.#connect();
    } catch (error) {
      await this.stop();
      throw error;
    }
  }

  async stop(): Promise<void> {
    if (this.#isStopped) return;
    this.#isStopped = true;
    this.#cancelRetry?.();
    await this.#drain();
    await this.#client?.end().catch(() => {});
    this.#client = null;
  }

  async #connect(): Promise<void> {
    const client = new pg.Client({
      connectionString: this.options.url,
      application_name: 'vantage-bus',
      keepAlive: true,
    });
    client.on('error', () => {});
    client.on('end', () => this.#onLost(client));
    client.on('notification', ({ payload }) => this.#onNotification(payload));
    try {
      await client.connect();
      if (this.options.isListening) {
        await client.query(`LISTEN "${BROADCAST_CHANNEL}"; LISTEN "${channelOf(this.options.replicaId)}"`);
      }
    } catch (error) {
      await client.end().catch(() => {});
      throw error;
    }
    // stopped meanwhile: nobody else would end it
    if (this.#isStopped) return client.end();
    this.#client = client;
    this.#retryMs = RECONNECT_MS.first;
    this.#flush();
  }

  #onLost(client: pg.Client): void {
    if (this.#client === client) this.#client = null;
    else if (this.#client !== null) return;
    if (this.#isStopped || this.#cancelRetry) return;
    this.options.log.warn('bus connection lost');
    this.#retryLater();
  }

  #retryLater(): void {
    this.#cancelRetry = this.options.clock.after(this.#retryMs, () => {
      this.#cancelRetry = null;
      this.#connect().then(
        () => {
          if (!this.#isStopped) for (const listener of this.#resyncListeners) listener();
        },
        () => {
          if (!this.#isStopped && !this.#cancelRetry) this.#retryLater();
        },
      );
    });
    this.#retryMs = Math.min(RECONNECT_MS.most, this.#retryMs * 2);
  }

  #onNotification(payload: string | undefined): void {
    const received = parsePayload(payload);
    if (received === null) return this.options.log.warn({ payload }, 'bus message of somebody else');
    if (received.from === this.options.replicaId) return;
    for (const listener of this.#messageListeners) listener(received.message);
  }

  #enqueue(channel: string, message: BusMessage): void {
    if (this.#isStopped || message.ids.length === 0) return;
    this.#outbox.add(channel, message);
    this.#flush();
  }

  #flush(): void {
    if (this.#sending || this.#outbox.isEmpty || !this.#client) return;
    this.#sending = this.#notify(this.#client, this.#outbox.take()).finally(() => {
      this.#sending = null;
      this.#flush();
    });
  }

  /** Resolves when everything queued has left, or can't. */
  async #drain(): Promise<void> {
    this.#flush();
    while (this.#sending !== null) await this.#sending;
  }

  async #notify(client: pg.Client, messages: ReturnType<Outbox['take']>): Promise<void> {
    const channels = messages.map(({ channel }) => channel);
    const payloads = messages.map(({ message }) => JSON.stringify({ from: this.options.replicaId, message }));
    try {
      await client.query('SELECT pg_notify(c, p) FROM unnest($1::text[], $2::text[]) AS m(c, p)', [channels, payloads]);
    } catch (error) {
      // lost hints are made up for by the receivers' sweeps
      this.options.log.warn({ err: error, messages: messages.length }, 'bus messages lost');
    }
  }
}

/** What another replica sent; null for what anybody else put on the channel: every user of the database may. */
function parsePayload(payload: string | undefined): { from: string; message: BusMessage } | null {
  try {
    const { from, message } = JSON.parse(payload ?? '');
    return typeof from === 'string' && isBusMessage(message) ? { from, message } : null;
  } catch {
    return null;
  }
}

function channelOf(replicaId: string): string {
  return `vantage_${replicaId}`;
}
