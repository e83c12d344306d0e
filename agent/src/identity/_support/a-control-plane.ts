import { generateKeyPairSync } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { idPrefixes, newId } from '@vantage/shared/ids.js';
import { isSignatureValid, publicKeyFromRaw, rawPublicKey } from '@vantage/shared/protocol/ed25519.js';
import { enrollmentProofBytes } from '@vantage/shared/protocol/transcript.js';
import type { Test } from 'tap';
import type { EnrollmentRequest } from '../enrollment-request.js';

/** Responds to one request; the default checks the proof as a control plane does, and enrolls. */
export type Answer = (body: EnrollmentRequest, response: ServerResponse) => void;

/** The enrollment side of a control plane on a port of its own. `requests` grows, `answers` are used up one by one. */
export interface ControlPlane {
  readonly url: string;
  readonly requests: { readonly path: string; readonly body: EnrollmentRequest }[];
  readonly answers: Answer[];
  readonly serverPublicKey: string;
}

/** Starts one that ends with the test; `publicUrl` is what it calls itself where that differs from its address. */
export async function aControlPlane(
  t: Test,
  options: { publicUrl?: string; host?: string } = {},
): Promise<ControlPlane> {
  const serverPublicKey = rawPublicKey(generateKeyPairSync('ed25519').publicKey).toString('base64');
  const requests: ControlPlane['requests'] = [];
  const answers: Answer[] = [];
  const nodes = new Map<string, string>();
  const server = createServer(async (request, response) => {
    const body = JSON.parse(await readBody(request)) as EnrollmentRequest;
    requests.push({ path: `${request.method} ${request.url}`, body });
    const answer = answers.shift() ?? enrolling({ audience: options.publicUrl ?? url, serverPublicKey, nodes });
    answer(body, response);
  });
  server.listen(0, options.host ?? '127.0.0.1');
  await once(server, 'listening');
  const url = `http://${options.host ?? '127.0.0.1'}:${portOf(server)}`;
  t.teardown(() => {
    server.closeAllConnections();
    server.close();
  });
  return { url, requests, answers, serverPublicKey };
}

/** An answer with this status and body, once. */
export function replying(status: number, body: unknown, headers: Record<string, string> = {}): Answer {
  return (_body, response) => {
    response.writeHead(status, { 'content-type': 'application/json', ...headers });
    response.end(typeof body === 'string' ? body : JSON.stringify(body));
  };
}

/** An error envelope. */
export function refusing(
  status: number,
  code: string,
  details: unknown = {},
  headers: Record<string, string> = {},
): Answer {
  return replying(status, { error: { code, message: `it is ${code}`, details }, request_id: 'r' }, headers);
}

/** The connection breaks before a word of the answer. */
export const hangingUp: Answer = (_body, response) => {
  response.destroy();
};

function enrolling(parts: { audience: string; serverPublicKey: string; nodes: Map<string, string> }): Answer {
  return (body, response) => {
    const publicKey = Buffer.from(body.public_key, 'base64');
    const bytes = enrollmentProofBytes(parts.audience, body.token, publicKey);
    if (!isSignatureValid(publicKeyFromRaw(publicKey), bytes, Buffer.from(body.proof, 'base64'))) {
      const details = {
        proof: [{ code: 'format', message: `does not verify; the control plane's URL is "${parts.audience}"` }],
      };
      return refusing(400, 'VALIDATION_FAILED', details)(body, response);
    }
    const holder = parts.nodes.get(body.token) ?? body.public_key;
    if (holder !== body.public_key) return refusing(401, 'NODE_ENROLLMENT_TOKEN_INVALID')(body, response);
    parts.nodes.set(body.token, holder);
    const data = {
      node_id: newId(idPrefixes.node),
      control_urls: [parts.audience],
      server_public_key: parts.serverPublicKey,
      audience: parts.audience,
      config: { heartbeat_ms: 15_000 },
    };
    replying(201, { data, request_id: 'r', meta: { request_id: 'r', took_ms: 1 } })(body, response);
  };
}

async function readBody(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk);
  return Buffer.concat(chunks).toString('utf8');
}

function portOf(server: Server): number {
  return (server.address() as AddressInfo).port;
}
