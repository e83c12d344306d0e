// Peers of the measurement, each a process of its own: what they cost must not hide in the figures.
//   node servers.js target   an HTTP server that answers "ok" and closes
//   node servers.js koa      a bare Koa that answers {"ok":true}
import http from 'node:http';
import type { AddressInfo } from 'node:net';
import Koa from 'koa';

function target(): http.Server {
  const server = http.createServer((_request, response) => response.end('ok'));
  server.keepAliveTimeout = 1;
  return server;
}

function koa(): http.Server {
  const app = new Koa();
  app.use((ctx) => {
    ctx.body = { ok: true };
  });
  return http.createServer(app.callback());
}

const server = process.argv[2] === 'koa' ? koa() : target();
server.listen(0, '127.0.0.1', () => process.send?.({ port: (server.address() as AddressInfo).port }));
process.once('disconnect', () => process.exit());
