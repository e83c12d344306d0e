import { type ConnectionOptions, connect, type NatsConnection } from '@nats-io/transport-node';

// apart, so that the library is loaded by those alone who use it

/** Connects to the first server that answers. @throws errors of the library */
export function dialNats(options: ConnectionOptions): Promise<NatsConnection> {
  return connect(options);
}
