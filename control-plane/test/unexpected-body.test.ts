import t from 'tap';
import { startStack } from './_support/stack.js';

t.test('an operation that takes no body does nothing for a request that has one', async (t) => {
  const { api } = await startStack(t);
  const send = (method: string, path: string, body?: string) =>
    fetch(new URL(path, api.url), {
      method,
      headers: { authorization: `Bearer ${api.token}`, 'content-type': 'application/json' },
      ...(body === undefined ? {} : { body }),
    });
  const refused = await send('DELETE', '/v1/account/sessions', '{"id": "ses_x"}');
  t.equal(refused.status, 400);
  t.match(await refused.json(), { error: { code: 'VALIDATION_FAILED', details: { id: [{ code: 'unknown' }] } } });
  t.equal((await send('DELETE', '/v1/account/sessions', 'garbage')).status, 400);
  t.equal((await send('POST', '/v1/auth/verify-email/resend', '{"all": true}')).status, 400);
  t.equal((await send('DELETE', '/v1/account/sessions', '{}')).status, 200, 'an empty object says nothing');
  t.equal((await send('DELETE', '/v1/account/sessions')).status, 200);
});
