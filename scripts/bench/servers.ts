// Peers of the measurement, each a separate process, so that their cost is not part of the figures: `node servers.js NAME`.
import { readFileSync } from 'node:fs';
import http from 'node:http';
import https from 'node:https';
import type { AddressInfo } from 'node:net';
import Koa from 'koa';
import pg from 'pg';

const servers: Readonly<Record<string, () => http.Server | https.Server>> = {
  /** Answers "ok" and closes. */
  target: () => Object.assign(http.createServer(answer('ok')), { keepAliveTimeout: 1 }),
  /** The same over TLS, with the certificate of the demo. */
  https() {
    const read = (name: string) => readFileSync(new URL(`../../demo/certificate/${name}`, import.meta.url));
    return https.createServer({ cert: read('cert.pem'), key: read('key.pem') }, answer('ok'));
  },
  /** Answers "OK" and keeps connections. */
  bare: () => http.createServer(answer('OK')),
  /** A bare Koa that answers {"ok":true}. */
  koa: () =>
    koa((ctx) => {
      ctx.body = { ok: true };
    }),
  /** A bare Koa that reads one row by a prepared statement, of the database in DATABASE_URL. */
  select() {
    const pool = new pg.Pool({ connectionString: process.env['DATABASE_URL'], max: 12 });
    return koa(async (ctx) => {
      const statement = { name: 'one-user', text: 'SELECT * FROM users WHERE id = $1', values: [ctx.path.slice(1)] };
      ctx.body = { data: (await pool.query(statement)).rows[0] };
    });
  },
};

function answer(text: string): http.RequestListener {
  return (_request, response) => void response.end(text);
}

function koa(middleware: Koa.Middleware): http.Server {
  const app = new Koa();
  app.use(middleware);
  return http.createServer(app.callback());
}

const server = servers[process.argv[2] ?? '']?.();
if (server === undefined) throw new Error(`unknown server "${process.argv[2]}"`);
server.listen(0, '127.0.0.1', () => process.send?.({ port: (server.address() as AddressInfo).port }));
process.once('disconnect', () => process.exit());
