import type { Socket } from 'node:net';

interface Connection {
  readonly socket: Socket;
  /** Removes the connection from the count of its address. */
  readonly leave: () => void;
  isGreeting: boolean;
}

/**
 * Connections of a listener from the moment they are accepted. node:https reports a connection only after its TLS
 * handshake, and as another object than the one below TLS: until then no other part knows it, or would close it.
 */
export class Connections {
  readonly #open = new Map<string, Connection>();

  /** A connection was accepted; `leave` is called once it is closed or handed over. */
  begin(socket: Socket, leave: () => void): void {
    const name = nameOf(socket);
    const connection = { socket, leave, isGreeting: true };
    this.#open.set(name, connection);
    socket.once('close', () => {
      leave();
      if (this.#open.get(name) === connection) this.#open.delete(name);
    });
  }

  /** The handshake is complete; `socket` is the one above TLS. */
  greeted(socket: Socket): void {
    const connection = this.#open.get(nameOf(socket));
    if (connection !== undefined) connection.isGreeting = false;
  }

  /** The connection is no longer one of HTTP. */
  handOver(socket: Socket): void {
    this.#open.get(nameOf(socket))?.leave();
  }

  /** Closes all connections whose handshake is not complete. */
  cutGreeting(): void {
    for (const { socket, isGreeting } of this.#open.values()) if (isGreeting) socket.destroy();
  }
}

/** Identity of a connection, the same below and above TLS. */
function nameOf({ remoteAddress, remotePort, localAddress, localPort }: Socket): string {
  return `${remoteAddress} ${remotePort} ${localAddress} ${localPort}`;
}
