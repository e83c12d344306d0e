import { createSocket, type Socket } from 'node:dgram';
import type { FlowTarget } from './flow.js';

/** This machine's end of a flow, as the routing table decides it. */
export interface LocalEndpoint {
  readonly address: string;
  /** A UDP port that is ours until `close`. */
  readonly port: number;
  close(): void;
}

/**
 * Connects a UDP socket, which sends nothing but finds the source address and takes a port.
 * @throws NodeJS.ErrnoException, ENETUNREACH where there is no route, EACCES for a broadcast address
 */
export function openLocalEndpoint({ address, family }: FlowTarget, port: number): Promise<LocalEndpoint> {
  const socket = createSocket(family === 4 ? 'udp4' : 'udp6');
  return new Promise((resolve, reject) => {
    const refuse = (error: Error) => {
      socket.close();
      reject(error);
    };
    socket.once('error', refuse);
    socket.connect(port, address, () => {
      socket.off('error', refuse);
      resolve(endpointOf(socket));
    });
  });
}

function endpointOf(socket: Socket): LocalEndpoint {
  // errors of the path reach this socket too; the raw one reads them with all their details
  socket.on('error', () => {});
  const { address, port } = socket.address();
  return { address, port, close: () => socket.close() };
}
