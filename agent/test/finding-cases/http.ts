import type { ServerResponse } from 'node:http';
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { FakeClock } from '@vantage/shared/_support/fake-clock.js';
import { byNode, type FindingCase } from '@vantage/shared/diagnose/_support/finding-case.js';
import type { CodeOf } from '@vantage/shared/diagnose/finding-table.js';
import type { ProbeResults } from '@vantage/shared/probe-types/index.js';
import type { Test } from 'tap';
import { http } from '../../src/probes/http/index.js';
import { tlsIdentity } from '../_support/certificates.js';
import { startHttpServer } from '../_support/http-server.js';
import { aContext, aSpec } from '../_support/probe-context.js';
import { startTcpServer, unusedPort } from '../_support/tcp-server.js';

type Serve = Parameters<typeof startHttpServer>[1];

/** By a clock that stands still unless the site moves it: a busy machine is slow as well. */
const probe = (url: string, clock = new FakeClock(Date.now())): Promise<ProbeResults['http']> =>
  http.run(aSpec('http', url), aContext({ clock }));

async function probeSite(t: Test, serve: Serve, clock?: FakeClock): Promise<ProbeResults['http']> {
  const { port } = await startHttpServer(t, serve);
  return probe(`http://127.0.0.1:${port}/`, clock);
}

/** A site that responds by `serve`. */
const site =
  (serve: Serve): FindingCase =>
  async (t) => ({ http: byNode<'http'>(await probeSite(t, serve)) });

/** A site that lets time pass before it ends its response. */
const late =
  (wait: (response: ServerResponse, pass: (ms: number) => void) => void): FindingCase =>
  async (t) => {
    const clock = new FakeClock(Date.now());
    const serve: Serve = (_request, response) => {
      wait(response, (ms) => clock.advance(ms));
      response.end('last');
    };
    return { http: byNode<'http'>(await probeSite(t, serve, clock)) };
  };

/** A server of TCP that sends these bytes once it has a request. */
const raw =
  (bytes: string): FindingCase =>
  async (t) => {
    const { port } = await startTcpServer(t, (socket) => socket.once('data', () => socket.end(bytes)));
    return { http: byNode<'http'>(await probe(`http://127.0.0.1:${port}/`)) };
  };

const status = (code: number) => site((_request, response) => void response.writeHead(code).end('no'));
const redirect = (location: string) => site((_request, response) => void response.writeHead(302, { location }).end());

async function probeNothing(): Promise<ProbeResults['http']> {
  return probe(`http://127.0.0.1:${await unusedPort()}/`);
}

/** A server for each finding of section `http`. */
export const httpCases: Readonly<Record<CodeOf<'http'>, FindingCase>> = {
  http_unreachable: async () => ({ http: byNode<'http'>(await probeNothing()) }),
  http_no_answer: raw('SSH-2.0-OpenSSH_9.2\r\n'),
  http_too_many_redirects: redirect('/'),
  http_server_error: status(503),
  http_redirect_refused: redirect('http://10.0.0.1/'),
  http_certificate_invalid: async (t) => {
    const server = createServer(tlsIdentity('expired'), (_request, response) => response.end('hello'));
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    t.teardown(() => {
      server.closeAllConnections();
      server.close();
    });
    const { port } = server.address() as AddressInfo;
    return { http: byNode<'http'>(await probe(`https://127.0.0.1:${port}/`)) };
  },
  http_client_error: status(404),
  http_challenge: status(403),
  http_plain_only: async (t) => ({
    http: byNode<'http'>(await probeNothing()),
    plainHttp: byNode<'http'>(await probeSite(t, (_request, response) => response.end('hello'))),
  }),
  http_slow: late((response, pass) => {
    response.write('first ');
    pass(3_200);
  }),
  http_body_invalid: raw('HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nContent-Length: 5\r\n\r\nplain'),
  http_first_byte_slow: late((_response, pass) => pass(1_200)),
  http_old_version: raw('HTTP/1.0 200 OK\r\n\r\nhello'),
  http_ok: site((_request, response) => response.end('hello')),
};
