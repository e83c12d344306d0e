import { type ConnectionOptions, connect, type NatsConnection } from '@nats-io/transport-node';

// in a separate file, so that the library is loaded only if it is used

/** Connects to the first server that replies. @throws errors of the library */
export function dialNats(options: ConnectionOptions): Promise<NatsConnection> {
  return connect(options);
}
