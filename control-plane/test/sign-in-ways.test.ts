import { until } from '@vantage/shared/_support/until.js';
import t from 'tap';
import { PageVisitor } from './_support/page-visitor.js';
import { readMail, startSmtpServer } from './_support/smtp-server.js';
import { startReplica, startStack } from './_support/stack.js';

// Further ways to sign in, over HTTP, on two replicas.

const password = 'correct horse battery staple';
const smtp = await startSmtpServer(t);
const settings = { VANTAGE_SMTP_URL: `smtp://${smtp.host}`, VANTAGE_TRUSTED_PROXIES: '127.0.0.1/32' };
const { api, controlPlane, database } = await startStack(t, settings);
const other = await startReplica(t, database.url, { ...settings, VANTAGE_PUBLIC_URL: api.url });
const { accounts } = controlPlane.services;

async function addUser(email: string): Promise<{ email: string; userId: string }> {
  const { id: userId } = await accounts.users.createUser({ email, role: 'user', password });
  return { email, userId };
}

/** Code of the newest mail to an address, once it has arrived. */
async function mailedCode(email: string): Promise<string> {
  const mails = () => smtp.mails.filter(({ to }) => to.includes(email));
  await until('a mail', () => mails().length > 0);
  const [mail] = mails().slice(-1);
  const { text = '' } = mail === undefined ? {} : await readMail(mail);
  return /\b\d{6}\b/.exec(text)?.[0] ?? '';
}

interface Target {
  readonly url?: string;
  /** Further headers. */
  readonly more?: Readonly<Record<string, string>>;
}

/** Status, headers and body of a response, without durations and what is left of the caller's limit. */
async function post(path: string, body: unknown, { url = api.url, more = {} }: Target = {}) {
  const headers = { 'content-type': 'application/json', 'x-request-id': 'request-1', ...more };
  const response = await fetch(new URL(path, url), { method: 'POST', headers, body: JSON.stringify(body) });
  const shown = [...response.headers].filter(([name]) => !/ratelimit|content-length|^date|retry-after/.test(name));
  const { meta: _, ...text } = (await response.json()) as { meta?: unknown };
  return { status: response.status, headers: shown, text };
}

/** Responses to sixteen requests at once from as many networks, half of them to either replica. */
function sixteen<T>(send: (target: Required<Target>) => Promise<T>): Promise<T[]> {
  const targets = Array.from({ length: 16 }, (_, i) => ({
    url: i % 2 === 0 ? api.url : other.listenUrl,
    more: { 'x-forwarded-for': `198.51.100.${i}` },
  }));
  return Promise.all(targets.map(send));
}

const winners = (responses: readonly { status: number }[]) => responses.filter(({ status }) => status === 200).length;

t.test('a known and an unknown address get the same, to the last header, and a code signs in once', async (t) => {
  t.match((await api.call('GET', '/v1/auth/methods')).body.data, { email_code: true, qr: true });
  const { email, userId } = await addUser('ada@example.com');
  const [unknown, path] = ['unknown@example.com', '/v1/auth/otp/login'];
  const requested = await post('/v1/auth/otp/request', { email });
  t.equal(requested.status, 200);
  t.strictSame(await post('/v1/auth/otp/request', { email: unknown }), requested);
  const code = await mailedCode(email);
  const wrong = code === '000000' ? '000001' : '000000';
  const refused = await post(path, { email, code: wrong });
  t.match(refused, { status: 400, text: { error: { code: 'AUTH_OTP_INVALID' } } });
  t.strictSame(await post(path, { email: unknown, code: wrong }), refused);
  for (const [way, body, status] of [
    ['login', { password: 'wrong horse' }, 401],
    ['password/forgot', {}, 200],
  ] as const) {
    const known = await post(`/v1/auth/${way}`, { email, ...body });
    t.equal(known.status, status);
    t.strictSame(await post(`/v1/auth/${way}`, { email: unknown, ...body }), known, way);
  }
  t.notOk(
    smtp.mails.some(({ to }) => to.includes(unknown)),
    'the unknown one got no mail',
  );
  t.equal(winners(await sixteen((target) => post(path, { email, code }, target))), 1);
  t.equal((await database.db('sessions').where({ user_id: userId })).length, 1);
});

t.test('a QR code is approved once and signs one device in, of sixteen requests at once', async (t) => {
  const { email, userId } = await addUser('ben@example.com');
  const { body } = await api.call('POST', '/v1/auth/login', { as: null, body: { email, password } });
  const as = body.data.access_token;
  const started = await api.call('POST', '/v1/auth/qr/start', { as: null, headers: { 'user-agent': 'SmartTV/1' } });
  const { challenge, code, qr_url: url, qr_svg: picture, expires_in: seconds } = started.body.data;
  t.match({ picture, seconds, url }, { picture: /^<svg/, seconds: 120, url: `${api.url}/qr#` });
  const token = new URL(url).hash.slice(1);
  const looked = await api.call('POST', '/v1/auth/qr/look', { as, body: { token } });
  t.strictSame(looked.body.data, { address: '127.0.0.1', user_agent: 'SmartTV/1' });
  const poll = { challenge };
  t.match((await post('/v1/auth/qr/poll', poll)).text, { data: { status: 'pending' } });
  const approval = { token, code, approve: true };
  const approvals = await sixteen(({ url: to, more }) =>
    post('/v1/auth/qr/approve', approval, { url: to, more: { ...more, authorization: `Bearer ${as}` } }),
  );
  t.equal(winners(approvals), 1);
  t.equal(winners(await sixteen((target) => post('/v1/auth/qr/poll', poll, target))), 1);
  const [session] = await database.db('sessions').where({ user_id: userId }).orderBy('id', 'desc');
  t.strictSame([session.methods, session.fresh_until], [['qr'], null]);
});

t.test(
  'a person signs in by a code on the page, without scripts, and no address contains the mail address',
  async (t) => {
    const { email } = await addUser('cleo@example.com');
    const visitor = new PageVisitor(api.url);
    t.match(await visitor.get('/sign-in?next=%2Fqr'), { html: /href="\/sign-in\/code\?next=%2Fqr"/ });
    await visitor.get('/sign-in/code?next=%2Fqr');
    t.match(await visitor.submit({ email: 'no address' }), { status: 400, html: /must be an e-mail address/ });
    t.match(await visitor.submit({ email }), { status: 200, path: '/sign-in/code?next=%2Fqr' });
    const code = await mailedCode(email);
    const wrong = code === '000000' ? '000001' : '000000';
    t.match(await visitor.submit({ code: wrong }, { act: 'enter' }), {
      status: 400,
      html: /The code or link is wrong/,
    });
    t.match(await visitor.submit({ code }, { act: 'enter' }), { status: 200, path: '/qr' });
  },
);

t.test(
  'a device is approved on the page of a person who is signed in, without scripts but for the token',
  async (t) => {
    const { email, userId } = await addUser('dan@example.com');
    const [device, person] = [new PageVisitor(api.url), new PageVisitor(api.url)];
    const begin = async () => {
      await device.get('/sign-in/qr');
      await device.submit({});
      const [, digits = ''] = /<strong>(\d\d)<\/strong>/.exec(device.page.html) ?? [];
      const { url } = await accounts.qrSignIn.shown(device.cookies.get('vantage_sign_in') ?? '');
      return { digits, token: new URL(url).hash.slice(1) };
    };
    const first = await begin();
    t.match(await device.submit({}, { act: 'wait' }), { status: 200, html: /I have approved it/ }, 'not yet');
    await person.get('/qr');
    t.match(person.page.html, 'href="/sign-in?next=%2Fqr"');
    await person.get('/sign-in?next=%2Fqr');
    await person.submit({ email, password });
    t.match(await person.submit({ token: first.token }), { status: 200, html: /127\.0\.0\.1.*node/s });
    const wrong = first.digits === '00' ? '01' : '00';
    const refused = await person.submit({ act: 'approve', code: wrong });
    t.match(refused, { status: 400, html: /is not what the other device shows.*The two digits that it shows/s });
    t.match(await person.submit({ act: 'deny' }), { status: 200, html: /The other device was refused/ });
    t.match(await device.submit({}, { act: 'wait' }), { status: 403, html: /The sign-in was refused/ });
    await database.db('users').where({ id: userId }).update({ email_verified_at: null });
    t.match(await person.get('/qr'), { status: 403, html: /Verify your e-mail address/ });
    await database.db('users').where({ id: userId }).update({ email_verified_at: new Date() });
    const second = await begin();
    await person.get('/qr');
    await person.submit({ token: second.token });
    t.match(await person.submit({ act: 'approve', code: second.digits }), { html: /The other device is signed in/ });
    await device.submit({}, { act: 'wait' });
    t.match(device.page, { status: 200, path: '/account/security', html: `You are signed in as ${email}.` });
    t.match(await device.get('/qr'), { html: /Confirm first that it is you/ }, 'a session by QR is not fresh');
    await database.db('users').where({ id: userId }).update({ password_hash: null });
    await device.get('/account/security');
    await device.submit({}, { act: 'send-code' });
    await device.submit({ code: await mailedCode(email) }, { act: 'confirm' });
    t.notMatch((await device.get('/qr')).html, /Confirm first that it is you/, 'a mailed code confirms it');
  },
);
