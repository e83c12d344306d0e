import t from 'tap';
import { routes } from '../src/wiring/modules.js';
import { operations, sampleBody } from './_support/all-samples.js';
import { sendRaw } from './_support/raw-http.js';
import { startStack } from './_support/stack.js';

const KIB = 1024;
const { api } = await startStack(t);

t.test('an operation without a body refuses a request that has one, and does nothing', async (t) => {
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
  t.equal((await send('DELETE', '/v1/account/sessions', '{}')).status, 200, 'an empty object means nothing');
  t.equal((await send('DELETE', '/v1/account/sessions')).status, 200);
});

t.test('a POST that requires no field of its body may be sent without one, and any other may not', async (t) => {
  const send = (method: string, path: string, headers: Record<string, string> = {}) =>
    fetch(new URL(path, api.url), { method, headers: { authorization: `Bearer ${api.token}`, ...headers } });
  const json = { 'content-type': 'application/json' };
  for (const headers of [{}, json]) {
    const made = await send('POST', '/v1/nodes/enrollment-tokens', headers);
    t.equal(made.status, 201, JSON.stringify(await made.json()));
  }
  const body = sampleBody('POST /v1/webhooks', { text: 'Shop', userId: api.userId });
  const { id } = (await api.call('POST', '/v1/webhooks', { body })).body.data.endpoint;
  const rotated = await send('POST', `/v1/webhooks/${id}/rotate-secret`);
  t.match([rotated.status, await rotated.json()], [200, { data: { previous_secret_expires_at: String } }], 'defaults');
  for (const [method, path] of [
    ['POST', '/v1/webhooks'],
    ['POST', '/v1/alert-channels'],
    ['PATCH', `/v1/webhooks/${id}`],
  ] as const) {
    const refused = await send(method, path, json);
    const details = { body: [{ code: 'required' }] };
    t.match([refused.status, await refused.json()], [400, { error: { details } }], `${method} ${path}`);
  }
});

t.test('a body that is too large is refused with the limit of its own operation, and no other', async (t) => {
  const port = Number(new URL(api.url).port);
  // check-ins accept a body of any size
  const sized = routes.filter(({ body, file, rawBody }) => (body ?? file) !== undefined && rawBody === undefined);
  for (const [index, { method, path }] of sized.entries()) {
    const limit = operations.get(`${method} ${path}`)?.maxBodyBytes ?? 32 * KIB;
    const named = {
      en: `must be at most ${limit} bytes`,
      'zh-CN': `不能超过 ${limit} 字节`,
      'zh-TW': `不得超過 ${limit} 位元組`,
    };
    for (const [language, sentence] of Object.entries(named).slice(0, index === 0 ? 3 : 1)) {
      const head = `Host: a\r\nContent-Length: ${limit + 1}\r\nAccept-Language: ${language}`;
      const answer = await sendRaw(port, `${method} ${path.replace(/\{\w+\}/, 'x')} HTTP/1.1\r\n${head}\r\n\r\n`);
      const { message, details } = JSON.parse(answer.body).error;
      t.strictSame([answer.status, details.body[0].message], [413, sentence], `${method} ${path}`);
      t.notMatch(message, /\d/, `${method} ${path}: ${language}`);
    }
  }
  t.ok(sized.length > 20);
});
