import { createHash } from 'node:crypto';
import type { ConnectionOptions, errors, NatsConnection, Status } from '@nats-io/transport-node';
import type { Bus, BusMessage, BusOptions } from './bus.js';
import type { NatsAddress } from './bus-address.js';
import { Envelopes, MAX_PAYLOAD_BYTES } from './envelopes.js';
import { MessageServerError } from './errors.js';
import { Listeners } from './listeners.js';
import { Sender } from './sender.js';
import type { Addressed } from './unsent-messages.js';

//   subjects: vantage.INSTALLATION.all          every replica listens
//             vantage.INSTALLATION.REPLICA_ID   that replica listens
//
// INSTALLATION is derived from the identity key: installations that share a message server do not receive each other's
// messages. The library reconnects by itself; messages wait here meanwhile, since it drops those that it could not
// send.

const CONNECT_TIMEOUT_MS = 5_000;
const RECONNECT_MS = 1_000;
// a half-open connection is detected after three of them
const PING_MS = 5_000;
const MAX_PINGS_OUT = 2;

/** The bus over a NATS server: core subjects, at most once, nothing kept there. */
export class NatsBus implements Bus {
  readonly #prefix: string;
  readonly #envelopes: Envelopes;
  readonly #listeners: Listeners;
  readonly #sender: Sender;
  #connection: NatsConnection | null = null;
  #isConnected = false;
  #isStopped = false;
  /** Reason why listening was refused; null if it was not. */
  #refusal: Error | null = null;

  /** `identityKey`: the installation's public key. */
  constructor(private readonly options: BusOptions & { address: NatsAddress; identityKey: Uint8Array }) {
    this.#prefix = `vantage.${createHash('sha256').update(options.identityKey).digest('hex').slice(0, 16)}`;
    this.#envelopes = new Envelopes(options);
    this.#listeners = new Listeners({ ...options, envelopes: this.#envelopes });
    this.#sender = new Sender({
      ...options,
      deliver: (messages) => this.#publish(messages),
      isConnected: () => this.#isConnected,
    });
  }

  send(replicaId: string, message: BusMessage): void {
    this.#sender.add(`${this.#prefix}.${replicaId}`, message);
  }

  broadcast(message: BusMessage): void {
    if (this.options.hasOthers()) this.#sender.add(`${this.#prefix}.all`, message);
  }

  onMessage(listener: (message: BusMessage) => void): void {
    this.#listeners.onMessage(listener);
  }

  onResync(listener: () => void): void {
    this.#listeners.onResync(listener);
  }

  /** @throws MessageServerError */
  async start(): Promise<void> {
    try {
      await this.#connect();
    } catch (error) {
      await this.stop();
      throw new MessageServerError(explain(error, this.options.address), { cause: error });
    }
  }

  async stop(): Promise<void> {
    if (this.#isStopped) return;
    this.#isStopped = true;
    await this.#sender.stop();
    await this.#connection?.close();
    this.#connection = null;
    this.#isConnected = false;
  }

  async #connect(): Promise<void> {
    const { dialNats } = await import('./dial-nats.js');
    const connection = await dialNats(this.#connectionOptions());
    this.#connection = connection;
    void this.#follow(connection);
    if (this.options.isListening) {
      this.#listen(connection, `${this.#prefix}.all`);
      this.#listen(connection, `${this.#prefix}.${this.options.replicaId}`);
    }
    // the server has accepted the subscription, or refused it
    await connection.flush();
    if (this.#refusal !== null) throw this.#refusal;
    this.#isConnected = true;
    this.#sender.flush();
  }

  #connectionOptions(): ConnectionOptions {
    const { address, replicaId, connectMs = CONNECT_TIMEOUT_MS } = this.options;
    const { credentials } = address;
    return {
      servers: [...address.servers],
      name: `vantage-control ${replicaId}`,
      timeout: connectMs,
      maxReconnectAttempts: -1,
      reconnectTimeWait: RECONNECT_MS,
      // a server that was just set up may temporarily refuse subscriptions
      ignoreAuthErrorAbort: true,
      pingInterval: PING_MS,
      maxPingOut: MAX_PINGS_OUT,
      noEcho: true,
      ...(address.isTls ? { tls: {} } : {}),
      ...(credentials?.kind === 'password' ? { user: credentials.user, pass: credentials.password } : {}),
      ...(credentials?.kind === 'token' ? { token: credentials.token } : {}),
    };
  }

  #listen(connection: NatsConnection, subject: string): void {
    connection.subscribe(subject, {
      callback: (error, message) => {
        if (error !== null) this.#refusal = error;
        else if (message.data.length <= MAX_PAYLOAD_BYTES) this.#listeners.receive(subject, message.string());
      },
    });
  }

  async #follow(connection: NatsConnection): Promise<void> {
    for await (const status of connection.status()) await this.#onStatus(connection, status);
    if (!this.#isStopped) this.options.log.error('bus connection closed for good');
  }

  async #onStatus(connection: NatsConnection, status: Status): Promise<void> {
    const { log } = this.options;
    if (status.type === 'error') log.warn({ err: status.error }, 'message server reported an error');
    if (status.type === 'disconnect' && this.#isConnected) {
      this.#isConnected = false;
      if (!this.#isStopped) log.warn({ server: status.server }, 'bus connection lost');
    }
    if (status.type === 'reconnect') await this.#onBack(connection, status.server);
  }

  async #onBack(connection: NatsConnection, server: string): Promise<void> {
    try {
      // from now on messages arrive: nothing is lost between listening and reading again
      await connection.flush();
    } catch {
      // lost again: another 'reconnect' follows
      return;
    }
    if (this.#isStopped) return;
    this.#isConnected = true;
    this.options.log.info({ server }, 'bus connection restored');
    this.#listeners.resync();
    this.#sender.flush();
  }

  /** Publishes messages and waits for the server's reply to a flush; messages that arrive meanwhile are joined. */
  async #publish(messages: readonly Addressed[]): Promise<void> {
    for (const { channel, message } of messages) {
      this.#connection?.publish(channel, this.#envelopes.seal(channel, message));
    }
    await this.#connection?.flush();
  }
}

function explain(error: unknown, { servers }: NatsAddress): string {
  const where = servers.join(', ');
  if (error instanceof Error && error.name === 'AuthorizationError') {
    return `the message server at ${where} refuses these credentials; check VANTAGE_BUS_URL`;
  }
  if (isPermissionViolation(error)) {
    return `the message server at ${where} does not permit this user: ${error.operation} "${error.subject}"; permit "vantage.>"`;
  }
  const reason = error instanceof Error ? error.message : String(error);
  return `no message server at ${where}: ${reason}; check VANTAGE_BUS_URL and that nats-server is running there`;
}

function isPermissionViolation(error: unknown): error is InstanceType<typeof errors.PermissionViolationError> {
  return error instanceof Error && error.name === 'PermissionViolationError';
}
