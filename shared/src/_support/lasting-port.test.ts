import { createServer } from 'node:net';
import t from 'tap';
import { lastingPort } from './lasting-port.js';

t.test('no port is given twice, and each can be listened at', async (t) => {
  const ports: number[] = [];
  while (ports.length < 400) ports.push(await lastingPort());
  t.equal(new Set(ports).size, ports.length);
  const server = createServer();
  await new Promise<void>((resolve, reject) => server.once('error', reject).listen(ports[0], '127.0.0.1', resolve));
  await new Promise((resolve) => server.close(resolve));
});
