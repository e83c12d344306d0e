import { startDeafServer } from '../_support/deaf-server.js';
import { startHttpServer } from '../_support/http-server.js';
import { aSpec } from '../_support/probe-context.js';
import type { ProbeTrial } from '../_support/probe-trial.js';

/** How type `http` is tried: docs/adding-a-probe-type.md. */
export const trial: ProbeTrial<'http'> = {
  contacts: [
    aSpec('http', 'http://site.example.com/'),
    aSpec('http', 'http://other.example.com/', { resolver: 'site.example.com' }),
  ],
  answered: async (t) =>
    aSpec('http', `http://127.0.0.1:${(await startHttpServer(t, (_request, response) => response.end('ok'))).port}/`),
  silent: async (t) => aSpec('http', `http://127.0.0.1:${await startDeafServer(t)}/`),
  report: async (t) => ({
    target: `http://127.0.0.1:${(await startHttpServer(t, (_request, response) => response.end('hello'))).port}/`,
    params: ['keywords=hello'],
    lines: [
      /^ {2}body +hello$/,
      /^ {2}200 {2}HTTP\/1\.1 {2}http:/,
      /^ {2}First byte +[\d.]+ ms/,
      /^ {2}Total +[\d.]+ ms/,
    ],
  }),
};
