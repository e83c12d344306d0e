import { createServer, type Server } from 'node:net';
import type { ListenAddress } from '../../config/setting-values.js';

export interface ReservedAddress extends ListenAddress {
  /** Holds a port that the operating system chose, until a server listens by it; null if the port was given. */
  readonly holder: Server | null;
}

/**
 * The same address with port 0 replaced by a free one: the public URL, which agents sign, must be known before
 * anything is ready to answer. The port is held from then on, so that no other process gets it in between.
 */
export async function reservePort(address: ListenAddress): Promise<ReservedAddress> {
  if (address.port !== 0) return { ...address, holder: null };
  // a client that connects before there is anything to answer is refused, and does not wait
  const holder = createServer((socket) => socket.destroy());
  await new Promise<void>((resolve, reject) => {
    holder.once('error', reject);
    holder.listen(0, address.host ?? '::', resolve);
  });
  const bound = holder.address();
  if (bound === null || typeof bound === 'string') throw new Error('listening socket has no address');
  return { host: address.host, port: bound.port, holder };
}
