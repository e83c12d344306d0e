import pg from 'pg';
import type { Bus, BusMessage, BusOptions } from './bus.js';
import { Envelopes } from './envelopes.js';
import { Listeners } from './listeners.js';
import { Sender } from './sender.js';
import type { Addressed } from './unsent-messages.js';

// One LISTEN channel per replica and one for all, never one per node. NOTIFY runs in its own autocommit statement on
// its own connection: inside transactions of writers, its cluster-wide lock would serialise their commits.

const BROADCAST_CHANNEL = 'vantage_all';
const RECONNECT_MS = { first: 100, most: 5_000 };
/**
 * Longest wait for a connection, in milliseconds: lost packets must not delay the next attempt, nor the end of the
 * process.
 */
const CONNECT_MS = 5_000;

/** The bus over PostgreSQL's LISTEN and NOTIFY. */
export class PostgresBus implements Bus {
  readonly #envelopes: Envelopes;
  readonly #listeners: Listeners;
  readonly #sender: Sender;
  #client: pg.Client | null = null;
  #isStopped = false;
  #retryMs = RECONNECT_MS.first;
  #cancelRetry: (() => void) | null = null;

  constructor(private readonly options: BusOptions & { readonly url: string }) {
    this.#envelopes = new Envelopes(options);
    this.#listeners = new Listeners({ ...options, envelopes: this.#envelopes });
    this.#sender = new Sender({
      ...options,
      deliver: (messages) => this.#notify(messages),
      isConnected: () => this.#client !== null,
    });
  }

  send(replicaId: string, message: BusMessage): void {
    this.#sender.add(channelOf(replicaId), message);
  }

  broadcast(message: BusMessage): void {
    if (this.options.hasOthers()) this.#sender.add(BROADCAST_CHANNEL, message);
  }

  onMessage(listener: (message: BusMessage) => void): void {
    this.#listeners.onMessage(listener);
  }

  onResync(listener: () => void): void {
    this.#listeners.onResync(listener);
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
    await this.#sender.stop();
    await this.#client?.end().catch(() => {});
    this.#client = null;
  }

  async #connect(): Promise<void> {
    const client = new pg.Client({
      connectionString: this.options.url,
      application_name: 'vantage-bus',
      connectionTimeoutMillis: this.options.connectMs ?? CONNECT_MS,
      keepAlive: true,
    });
    client.on('error', () => {});
    client.on('end', () => this.#onLost(client));
    client.on('notification', ({ channel, payload }) => this.#listeners.receive(channel, payload ?? ''));
    try {
      await client.connect();
      if (this.options.isListening) {
        await client.query(`LISTEN "${BROADCAST_CHANNEL}"; LISTEN "${channelOf(this.options.replicaId)}"`);
      }
    } catch (error) {
      await client.end().catch(() => {});
      throw error;
    }
    // stopped meanwhile: nothing else would end it
    if (this.#isStopped) return client.end();
    this.#client = client;
    this.#retryMs = RECONNECT_MS.first;
    this.#sender.flush();
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
          if (!this.#isStopped) this.#listeners.resync();
        },
        () => {
          if (!this.#isStopped && !this.#cancelRetry) this.#retryLater();
        },
      );
    });
    this.#retryMs = Math.min(RECONNECT_MS.most, this.#retryMs * 2);
  }

  async #notify(messages: readonly Addressed[]): Promise<void> {
    const channels = messages.map(({ channel }) => channel);
    const payloads = messages.map(({ channel, message }) => this.#envelopes.seal(channel, message));
    await this.#client?.query('SELECT pg_notify(c, p) FROM unnest($1::text[], $2::text[]) AS m(c, p)', [
      channels,
      payloads,
    ]);
  }
}

function channelOf(replicaId: string): string {
  return `vantage_${replicaId}`;
}
