import { createServer } from 'node:net';
import t from 'tap';
import { thingRoutes } from '../../../test/_support/http-routes.js';
import { startTestServer } from '../../../test/_support/http-server.js';
import { reservePort } from './reserve-port.js';

t.test(
  'a reserved port cannot be taken by another program until the server listens at it, and is free once the server stops',
  async (t) => {
    const reserved = await reservePort({ host: '127.0.0.1', port: 0 });
    const others = () =>
      new Promise<string>((resolve) => {
        const other = createServer();
        other.once('error', (error: NodeJS.ErrnoException) => resolve(error.code ?? ''));
        other.listen(reserved.port, '127.0.0.1', () => other.close(() => resolve('listened')));
      });
    t.equal(await others(), 'EADDRINUSE');
    const { url, server } = await startTestServer(t, thingRoutes(), { ...reserved, host: '127.0.0.1' });
    t.equal(url, `http://127.0.0.1:${reserved.port}`);
    t.equal((await fetch(`${url}/v1/nothing`)).status, 404);
    t.equal(await others(), 'EADDRINUSE');
    await server.stop();
    reserved.holder?.close();
    t.equal(await others(), 'listened');
  },
);

t.test('a given port is left as it is, and nothing listens at it', async (t) => {
  t.strictSame(await reservePort({ host: null, port: 8443 }), { host: null, port: 8443, holder: null });
});
