import { Type } from 'typebox';
import { defineRoute } from '../../../http/route.js';

const Jwk = Type.Object(
  {
    kty: Type.Literal('OKP'),
    crv: Type.Literal('Ed25519'),
    x: Type.String({ examples: ['11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo'] }),
    kid: Type.String({ examples: ['kPrK_qmxVWaYVA9wwBF6Iu'] }),
    alg: Type.Literal('EdDSA'),
    use: Type.Literal('sig'),
  },
  { title: 'Jwk' },
);

/** GET /.well-known/jwks.json (RFC 7517, RFC 8037). */
export const getJwks = defineRoute({
  operationId: 'getJwks',
  method: 'GET',
  path: '/.well-known/jwks.json',
  summary: 'Get the keys that verify access tokens',
  description:
    'Returns a JSON Web Key Set, without an envelope. Keys rotate every month; a new key is published two minutes before it signs.',
  tag: 'Authentication',
  auth: { kind: 'public' },
  limit: 'none',
  replies: { 200: Type.Object({ keys: Type.Array(Jwk) }) },
  replyKind: 'raw',
  errors: [],
  async handle(_request, { accounts: { signingKeys } }) {
    return {
      status: 200,
      raw: { contentType: 'application/json; charset=utf-8', body: JSON.stringify({ keys: signingKeys.jwks() }) },
      headers: { 'Cache-Control': 'public, max-age=60' },
    };
  },
});
