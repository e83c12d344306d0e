import { createServer } from 'node:net';
import type { ListenAddress } from '../../config/setting-values.js';

/**
 * The same address with port 0 replaced by a free one: the public URL, which agents sign, must be known before
 * anything listens. Another process could take the port in between; then listening fails and says so.
 */
export async function reservePort(address: ListenAddress): Promise<ListenAddress> {
  if (address.port !== 0) return address;
  const server = createServer();
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(0, address.host ?? '::', resolve);
  });
  const bound = server.address();
  await new Promise((resolve) => server.close(resolve));
  if (bound === null || typeof bound === 'string') throw new Error('listening socket has no address');
  return { host: address.host, port: bound.port };
}
