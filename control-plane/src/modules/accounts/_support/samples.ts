import { idPrefixes, newId } from '@vantage/shared/ids.js';
import { storePasskey } from '../../../../test/_support/authenticator.js';
import { admin, anybody, type Callers, open, type Samples, scope } from '../../../../test/_support/samples.js';

const account = scope('account');
const session: Callers = { kind: 'session' };
const fresh: Callers = { kind: 'session', isFresh: true };

export const samples: Samples = {
  operations: {
    'GET /v1/auth/methods': { callers: anybody },
    'POST /v1/auth/otp/request': { callers: open(anybody) },
    'POST /v1/auth/otp/login': { callers: open(anybody) },
    'POST /v1/auth/qr/start': { callers: open(anybody) },
    'POST /v1/auth/qr/poll': { callers: open(anybody) },
    'POST /v1/auth/qr/look': { callers: session },
    'POST /v1/auth/qr/approve': { callers: fresh },
    'POST /v1/auth/2fa/verify': { callers: open(anybody) },
    'POST /v1/auth/step-up': { callers: open(session) },
    'POST /v1/auth/2fa/setup': { callers: fresh },
    'POST /v1/auth/2fa/enable': { callers: fresh },
    'POST /v1/auth/2fa/disable': { callers: fresh },
    'POST /v1/auth/2fa/recovery-codes': { callers: fresh },
    'POST /v1/auth/oauth/{provider}/start': { callers: open(anybody) },
    'POST /v1/auth/oauth/{provider}/callback': { callers: open(anybody) },
    'DELETE /v1/account/identities/{id}': { callers: fresh },
    'POST /v1/auth/passkey/register/options': { callers: fresh },
    'POST /v1/auth/passkey/register/verify': { callers: session },
    'POST /v1/auth/passkey/login/options': { callers: open(anybody) },
    'POST /v1/auth/passkey/login/verify': { callers: open(anybody) },
    'GET /v1/account/factors': { callers: account },
    'PATCH /v1/account/passkeys/{id}': { callers: account },
    'DELETE /v1/account/passkeys/{id}': { callers: fresh },
    'POST /v1/auth/register': { callers: open(anybody) },
    'POST /v1/auth/login': { callers: open(anybody) },
    'POST /v1/auth/login/confirm': { callers: open(anybody) },
    'POST /v1/auth/refresh': { callers: open(anybody) },
    'POST /v1/auth/logout': { callers: open(session) },
    'POST /v1/auth/verify-email': { callers: open(anybody) },
    'POST /v1/auth/verify-email/resend': { callers: open(account) },
    'POST /v1/auth/password/forgot': { callers: open(anybody) },
    'POST /v1/auth/password/reset': { callers: open(anybody) },
    'POST /v1/auth/password/change': { callers: open(account) },
    'GET /.well-known/jwks.json': { callers: anybody },
    'GET /v1/account/profile': { callers: account },
    'PATCH /v1/account/profile': { callers: open(account) },
    'DELETE /v1/account': { callers: open(session) },
    'POST /v1/account/email': { callers: open(fresh) },
    'POST /v1/account/email/confirm': { callers: open(anybody) },
    'GET /v1/admin/users': { callers: admin },
    'GET /v1/admin/users/{id}': { callers: admin },
    'PATCH /v1/admin/users/{id}': { callers: admin },
    'DELETE /v1/admin/users/{id}': { callers: admin },
    'POST /v1/admin/users/{id}/reset-factors': { callers: admin },
    'POST /v1/admin/users/{id}/end-sessions': { callers: admin },
    'POST /v1/admin/users/{id}/restore': { callers: admin },
    'GET /v1/account/export': { callers: fresh },
    'POST /v1/auth/restore': { callers: open(anybody) },
    'GET /v1/account/sessions': { callers: account },
    'DELETE /v1/account/sessions': { callers: open(account) },
    'DELETE /v1/account/sessions/{id}': { callers: open(account) },
    'GET /v1/account/limits': { callers: account },
  },
  // providers are the operator's
  publicPaths: ['/v1/auth/oauth'],
  rows: [
    {
      table: 'identities',
      paths: ['/v1/account/identities'],
      async create({ db, userId, text }) {
        const id = newId(idPrefixes.identity);
        const identity = {
          id,
          user_id: userId,
          provider: 'github',
          subject: text,
          label: text,
          created_at: new Date(),
        };
        await db('identities').insert(identity);
        return id;
      },
    },
    {
      table: 'passkeys',
      paths: ['/v1/account/passkeys'],
      create: ({ db, userId, text }) => storePasskey(db, userId, text),
    },
    {
      table: 'sessions',
      paths: ['/v1/account/sessions'],
      async create({ services, db, userId }) {
        const client = { address: '192.0.2.1', userAgent: null };
        const { sessions } = services.accounts;
        return (await db.transaction((trx) => sessions.open(trx, userId, { methods: ['password'], client }))).sessionId;
      },
    },
  ],
};
