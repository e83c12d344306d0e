import { Type } from 'typebox';
import { defineRoute } from '../../../http/route.js';

const SignInMethodsSchema = Type.Object(
  {
    registration: Type.Boolean({ description: 'True if anyone may create an account.' }),
    email_code: Type.Boolean({ description: 'True if a code can be sent by mail.' }),
    passkey: Type.Boolean({
      description: 'True if passkeys work at this address: they need https, or http on localhost.',
    }),
    qr: Type.Boolean({ description: 'True if a device that is signed in can approve another by a QR code.' }),
    providers: Type.Array(
      Type.Object(
        { id: Type.String({ examples: ['github'] }), name: Type.String({ examples: ['GitHub'] }) },
        { additionalProperties: false },
      ),
      { description: 'External providers.' },
    ),
  },
  { additionalProperties: false, title: 'SignInMethods' },
);

/** GET /v1/auth/methods: what the sign-in page offers. */
export const getSignInMethods = defineRoute({
  operationId: 'getSignInMethods',
  method: 'GET',
  path: '/v1/auth/methods',
  summary: 'List the ways to sign in',
  tag: 'Authentication',
  auth: { kind: 'public' },
  replies: { 200: SignInMethodsSchema },
  errors: [],
  async handle(_request, { accounts: { methods } }) {
    return { status: 200, data: methods };
  },
});
