import { generateKeyPairSync } from 'node:crypto';
import { until } from '@vantage/shared/_support/until.js';
import t from 'tap';
import { commandLine } from '../src/audit-log/actor.js';
import { asUser } from './_support/owners.js';
import { enrollBody } from './_support/peer-agent.js';
import { password } from './_support/people.js';
import { readMail, startSmtpServer } from './_support/smtp-server.js';
import { startStack } from './_support/stack.js';

t.test(
  'an agent that enrolls while its token is revoked with everything else gets no node, and there is no deadlock',
  async (t) => {
    const smtp = await startSmtpServer(t);
    const { api, controlPlane, database } = await startStack(t, { VANTAGE_SMTP_URL: `smtp://${smtp.host}` });
    const { db } = database;
    const { enrollmentTokens } = controlPlane.services.nodes;
    const post = (path: string, body: unknown) => api.call('POST', path, { body, as: null });
    const { body: registered } = await post('/v1/auth/register', { email: 'viola@example.com', password });
    const userId: string = registered.data.user_id;
    await until('the mail', () => smtp.mails.length > 0);
    const [mail] = await Promise.all(smtp.mails.map(readMail));
    const token = /#(svc_ch_\S+)/.exec(mail?.text ?? '')?.[1] ?? '';
    for (let round = 0; round < 5; round += 1) {
      const tokens = [];
      for (let n = 0; n < 3; n += 1)
        tokens.push((await enrollmentTokens.create(asUser(userId), {}, commandLine)).token);
      await db('users').where({ id: userId }).update({ email_verified_at: null, proven_at: null });
      await db('challenges').update({ consumed_at: null });
      const enroll = (secret: string) => {
        const { privateKey } = generateKeyPairSync('ed25519');
        return post('/v1/nodes/enroll', enrollBody(secret, privateKey, api.url));
      };
      const [verified, ...enrolled] = await Promise.all([
        post('/v1/auth/verify-email', { token }),
        ...tokens.map(enroll),
      ]);
      t.equal(verified?.status, 200);
      // 429: a network that sends many revoked tokens has to wait
      for (const { status } of enrolled) t.ok([201, 401, 429].includes(status), `${status}`);
      t.strictSame(await db('nodes').where({ owner_id: userId, deleted_at: null }), [], `round ${round}`);
    }
  },
);
