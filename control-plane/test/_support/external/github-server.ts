import { createHash, randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

// A program: a stand-in for GitHub Enterprise on a free port, written from
// https://docs.github.com/en/apps/oauth-apps/building-oauth-apps/authorizing-oauth-apps and https://docs.github.com/en/rest/users.
// Its first line is its address. PUT /stand-in sets the person at the browser and a fault of it.

interface Person {
  readonly id: number;
  readonly login: string;
  readonly emails: readonly { readonly email: string; readonly primary: boolean; readonly verified: boolean }[];
}

type Fault = 'denied' | 'other state' | 'slow' | '500' | 'wrong secret' | null;

let person: Person | null = null;
let fault: Fault = null;
const codes = new Map<string, { readonly person: Person; readonly redirectUri: string; readonly challenge: string }>();
const tokens = new Map<string, Person>();

async function bodyOf(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks).toString();
}

function json(response: ServerResponse, status: number, body: unknown): void {
  response.writeHead(status, { 'content-type': 'application/json; charset=utf-8' }).end(JSON.stringify(body));
}

function authorize(url: URL, response: ServerResponse): void {
  const asked = url.searchParams;
  const redirectUri = asked.get('redirect_uri') ?? '';
  if (person === null || asked.get('client_id') !== 'vantage') return json(response, 404, { message: 'Not Found' });
  const back = new URL(redirectUri);
  if (fault === 'denied') {
    back.searchParams.set('error', 'access_denied');
    back.searchParams.set('error_description', 'The user has denied your application access.');
  } else {
    const code = randomBytes(10).toString('hex');
    codes.set(code, { person, redirectUri, challenge: asked.get('code_challenge') ?? '' });
    back.searchParams.set('code', code);
  }
  back.searchParams.set('state', fault === 'other state' ? 'other' : (asked.get('state') ?? ''));
  response.writeHead(302, { location: back.href }).end();
}

function token(form: URLSearchParams, request: IncomingMessage, response: ServerResponse): void {
  const known = codes.get(form.get('code') ?? '');
  const challenge = createHash('sha256')
    .update(form.get('code_verifier') ?? '')
    .digest('base64url');
  const isClient = form.get('client_id') === 'vantage' && form.get('client_secret') === 'secret of vantage';
  codes.delete(form.get('code') ?? '');
  if (!/json/.test(request.headers.accept ?? '')) return void response.end('error=only+JSON+is+spoken+here');
  if (!isClient || fault === 'wrong secret') return json(response, 200, { error: 'incorrect_client_credentials' });
  if (known === undefined || known.challenge !== challenge || known.redirectUri !== form.get('redirect_uri'))
    return json(response, 200, {
      error: 'bad_verification_code',
      error_description: 'The code passed is incorrect or expired.',
    });
  const accessToken = `gho_${randomBytes(18).toString('hex')}`;
  tokens.set(accessToken, known.person);
  json(response, 200, { access_token: accessToken, scope: 'read:user,user:email', token_type: 'bearer' });
}

const server = createServer(async (request, response) => {
  const url = new URL(request.url ?? '/', 'http://github.example');
  const body = await bodyOf(request);
  if (url.pathname === '/stand-in') {
    ({ person = person, fault = null } = JSON.parse(body) as { person?: Person; fault?: Fault });
    return json(response, 200, {});
  }
  if (url.pathname === '/login/oauth/authorize') return authorize(url, response);
  if (fault === 'slow') return;
  if (fault === '500') return void response.writeHead(500, { 'content-type': 'text/html' }).end('<h1>Unicorn!</h1>');
  if (url.pathname === '/login/oauth/access_token') return token(new URLSearchParams(body), request, response);
  const reader = tokens.get(/^Bearer (.*)$/.exec(request.headers.authorization ?? '')?.[1] ?? '');
  if (reader === undefined) return json(response, 401, { message: 'Bad credentials' });
  const { id, login, emails } = reader;
  if (url.pathname === '/api/v3/user') return json(response, 200, { id, login, email: null, name: null });
  if (url.pathname === '/api/v3/user/emails')
    return json(
      response,
      200,
      emails.map((email) => ({ ...email, visibility: 'private' })),
    );
  json(response, 404, { message: 'Not Found' });
});
server.listen(0, '127.0.0.1');
await once(server, 'listening');
// the program ends with the process that started it
process.once('disconnect', () => process.exit());
process.stdout.write(`http://127.0.0.1:${(server.address() as AddressInfo).port}\n`);
