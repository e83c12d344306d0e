import type { ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { ProbeResults } from '@vantage/shared/probe-types/index.js';
import { measurements } from '@vantage/shared/probe-types/index.js';
import { compileSchema } from '@vantage/shared/validation.js';
import type { Test } from 'tap';
import { DomainEngine, type DomainEngineOptions } from '../../src/probes/domain/index.js';
import type { ProbeContext } from '../../src/probes/engine.js';
import { type SeenRequest, startHttpServer } from './http-server.js';
import { aContext, aSpec } from './probe-context.js';
import { startTcpServer, unusedPort } from './tcp-server.js';

/** Answer of an RDAP server: a JSON document, or a function that answers itself. */
export type RdapAnswer = Readonly<Record<string, unknown>> | RdapHandler;
type RdapHandler = (request: SeenRequest, response: ServerResponse) => void;
/** Answer of a WHOIS server to a question, or a function that answers itself. */
export type WhoisAnswer = string | Buffer | ((question: string, socket: Socket) => void);

const isResult = compileSchema(measurements.domain.Result);

/** Options of registries on loopback. */
export interface RegistriesOptions {
  /** Entries of the bootstrap files, labels and blocks, that the RDAP server serves. */
  readonly entries?: readonly string[];
  /** Answer of the RDAP server; absent: no file has a server. */
  readonly rdap?: RdapAnswer;
  /** WHOIS servers by address, on one port; 127.0.0.1 is the root. */
  readonly whois?: Readonly<Record<string, WhoisAnswer>>;
  readonly bundled?: DomainEngineOptions['bundled'];
  /** Path at which the engine looks for the bootstrap files; default: that of the files. */
  readonly bootstrapPath?: string;
  /** Port of the WHOIS servers; default: an unused one. */
  readonly whoisPort?: number;
}

/** Real RDAP and WHOIS servers on loopback, and an engine that asks them. */
export async function startRegistries(t: Test, options: RegistriesOptions) {
  const { entries = [], rdap, whois = {}, bundled, bootstrapPath = '/bootstrap.json' } = options;
  const http = await startHttpServer(t, (request, response) => {
    if (request.path === '/bootstrap.json') {
      const services = rdap === undefined ? [[['none'], ['https://rdap.invalid/']]] : [[entries, [`${base()}/rdap`]]];
      return response.end(JSON.stringify({ version: '1.0', services }));
    }
    handlerOf(rdap ?? {})(request, response);
  });
  const base = () => `http://127.0.0.1:${http.port}`;
  const questions: [server: string, question: string][] = [];
  // unused on every loopback address: each server has one
  const port = options.whoisPort ?? (await unusedPort('0.0.0.0'));
  const servers: Readonly<Record<string, WhoisAnswer>> = { '127.0.0.1': 'refer:\r\n', ...whois };
  for (const [address, answer] of Object.entries(servers)) {
    const serve = (socket: Socket) => {
      socket.once('data', (bytes) => {
        const question = bytes.toString().trim();
        questions.push([address, question]);
        if (typeof answer === 'function') answer(question, socket);
        else socket.end(answer);
      });
    };
    await startTcpServer(t, serve, address, port);
  }
  const file = `${base()}${bootstrapPath}`;
  const engine = new DomainEngine(
    {
      rdapBootstrap: { dns: file, ipv4: file, ipv6: file },
      whois: { byZone: new Map(), root: '127.0.0.1' },
    },
    { whoisPort: port, ...(bundled === undefined ? {} : { bundled }) },
  );
  const look = async (
    target: string,
    { skip, ...parts }: Partial<ProbeContext> & { readonly skip?: string[] } = {},
  ): Promise<ProbeResults['domain']> => {
    const spec = aSpec('domain', target, skip === undefined ? {} : { skip_servers: skip });
    const result = await engine.run(spec, aContext(parts));
    const checked = isResult(structuredClone(result));
    if (!checked.ok) throw new Error(JSON.stringify(checked.details));
    return result;
  };
  return { engine, look, requests: http.requests, questions, rdapHost: `127.0.0.1:${http.port}` };
}

function handlerOf(answer: RdapAnswer): RdapHandler {
  if (typeof answer === 'function') return answer as RdapHandler;
  return (_request, response) => {
    response.writeHead(200, { 'content-type': 'application/rdap+json' });
    response.end(JSON.stringify(answer));
  };
}

/** A root of WHOIS that refers everybody to one server. */
export function refersTo(server: string): string {
  return `% IANA WHOIS server\r\n\r\nrefer:        ${server}\r\n`;
}

export function rdapStatus(status: number, headers: Record<string, string> = {}, body: object = {}): RdapAnswer {
  return (_request, response) => {
    response.writeHead(status, { 'content-type': 'application/rdap+json', ...headers });
    response.end(JSON.stringify(body));
  };
}

/** A contact of RDAP (RFC 7095): properties by name. */
export function aCard(properties: Readonly<Record<string, unknown>>): readonly unknown[] {
  const list = Object.entries(properties).map(([name, value]) => [name, {}, 'text', value]);
  return ['vcard', [['version', {}, 'text', '4.0'], ...list]];
}
