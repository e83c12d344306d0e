// Peers of the measurement, each a separate process, so that their cost is not part of the figures.
//   node servers.js target   an HTTP server that answers "ok" and closes
//   node servers.js https    the same over TLS, with the certificate of the demo
//   node servers.js bare     an HTTP server that answers "OK" and keeps connections
//   node servers.js koa      a bare Koa that answers {"ok":true}
//   node servers.js select   a bare Koa that reads one row by a prepared statement, of the database in DATABASE_URL
import { readFileSync } from 'node:fs';
import http from 'node:http';
import https from 'node:https';
import type { AddressInfo } from 'node:net';
import Koa from 'koa';
import pg from 'pg';

function target(): http.Server {
  const server = http.createServer((_request, response) => response.end('ok'));
  server.keepAliveTimeout = 1;
  return server;
}

function secure(): https.Server {
  const read = (name: string) => readFileSync(new URL(`../../demo/certificate/${name}`, import.meta.url));
  const certificate = { cert: read('cert.pem'), key: read('key.pem') };
  return https.createServer(certificate, (_request, response) => response.end('ok'));
}

function bare(): http.Server {
  return http.createServer((_request, response) => response.end('OK'));
}

function koa(): http.Server {
  const app = new Koa();
  app.use((ctx) => {
    ctx.body = { ok: true };
  });
  return http.createServer(app.callback());
}

function select(): http.Server {
  const pool = new pg.Pool({ connectionString: process.env['DATABASE_URL'], max: 12 });
  const app = new Koa();
  app.use(async (ctx) => {
    const { rows } = await pool.query({
      name: 'one-user',
      text: 'SELECT * FROM users WHERE id = $1',
      values: [ctx.path.slice(1)],
    });
    ctx.body = { data: rows[0] };
  });
  return http.createServer(app.callback());
}

const servers: Readonly<Record<string, () => http.Server | https.Server>> = {
  target,
  https: secure,
  bare,
  koa,
  select,
};
const server = (servers[process.argv[2] ?? ''] ?? target)();
server.listen(0, '127.0.0.1', () => process.send?.({ port: (server.address() as AddressInfo).port }));
process.once('disconnect', () => process.exit());
