import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Provider } from 'oidc-provider';

// A program: npm's oidc-provider on a free port, with its own pages for development, where any name signs in. Its first line is the issuer.
// Arguments: redirect URIs of its clients.

const server = createServer();
server.listen(0, '127.0.0.1');
await once(server, 'listening');
const issuer = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
const client = (id: string) => ({
  client_id: id,
  client_secret: `secret of ${id}`,
  redirect_uris: process.argv.slice(2),
});
const provider = new Provider(issuer, {
  clients: [client('vantage'), client('other')],
  claims: { openid: ['sub'], email: ['email', 'email_verified'], profile: ['preferred_username'] },
  cookies: { keys: ['a key'] },
  findAccount: (_context: unknown, id: string) => ({
    accountId: id,
    claims: () => ({
      sub: id,
      preferred_username: id,
      email: id.includes('@') ? id : `${id}@People.example`,
      email_verified: !id.startsWith('unverified'),
    }),
  }),
});
const respond = provider.callback();
server.on('request', (request, response) => {
  // its pages would load a font from elsewhere
  response.setHeader('Content-Security-Policy', "style-src 'unsafe-inline'");
  respond(request, response);
});
// the program ends with the process that started it
process.once('disconnect', () => process.exit());
process.stdout.write(`${issuer}\n`);
