import { Secret, TOTP } from 'otpauth';
import t from 'tap';
import { PageVisitor } from './_support/page-visitor.js';
import { startStack } from './_support/stack.js';

const password = 'correct horse battery staple';
const { api, controlPlane, database } = await startStack(t);
const { accounts } = controlPlane.services;
let people = 0;

/** A visitor who has created an account on the page, and verified its address. */
async function signedUp() {
  const visitor = new PageVisitor(api.url);
  const email = `ada-${++people}@example.com`;
  await visitor.get('/sign-up');
  await visitor.submit({ email, password });
  const { setCookies } = visitor;
  await database.db('users').where({ email }).update({ email_verified_at: new Date() });
  await visitor.get('/account/security');
  return { visitor, email, setCookies };
}

t.test('an account whose address is not verified is shown so, and changes nothing that protects it', async (t) => {
  const { visitor, email } = await signedUp();
  const form = visitor.forms().find(({ hidden }) => hidden['act'] === 'set-up');
  await database.db('users').where({ email }).update({ email_verified_at: null });
  await visitor.get('/account/security');
  t.match(visitor.page.html, /not verified yet/);
  t.notMatch(visitor.page.html, 'value="set-up"');
  t.match(
    await visitor.submit({ ...form?.hidden }, { act: 'resend' }),
    { status: 403 },
    'not by a form of before either',
  );
  t.match((await visitor.get('/account/security')).status, 200);
  t.match((await visitor.submit({}, { act: 'resend' })).status, 200);
});

t.test('a person signs up, turns a second factor on, signs out, and signs in with it, without scripts', async (t) => {
  const { visitor, email } = await signedUp();
  t.match(visitor.page, { status: 200, path: '/account/security', html: `You are signed in as ${email}.` });
  await visitor.submit({}, { act: 'set-up' });
  const [, secret = ''] = /<code>([A-Z2-7]{32})<\/code>/.exec(visitor.page.html) ?? [];
  t.match(visitor.page.html, /<img class="qr" src="data:image\/svg\+xml,/);
  const totp = new TOTP({ secret: Secret.fromBase32(secret) });
  t.match(await visitor.submit({ otp: '000000' }, { act: 'enable' }), {
    status: 401,
    html: 'The two-factor code is wrong.',
  });
  const before = visitor.cookies.get('vantage_session');
  await visitor.submit({ otp: totp.generate({ timestamp: Date.now() - 30_000 }) }, { act: 'enable' });
  const [, codes = ''] = /<pre>([^<]+)<\/pre>/.exec(visitor.page.html) ?? [];
  t.equal(codes.split('\n').length, 10);
  t.not(visitor.cookies.get('vantage_session'), before, 'a copied cookie ends');
  await t.rejects(accounts.sessions.findBrowser(before ?? ''), { code: 'AUTH_SESSION_INVALID' });
  await visitor.submit({}, { action: '/sign-out' });
  t.equal(visitor.page.path, '/sign-in');
  t.equal(visitor.cookies.has('vantage_session'), false);
  t.equal((await visitor.get('/account/security')).path, '/sign-in?next=%2Faccount%2Fsecurity');
  await visitor.submit({ email, password });
  t.equal(visitor.page.path, '/sign-in/factor?next=%2Faccount%2Fsecurity');
  t.match(await visitor.submit({ otp: '000000' }), { status: 401, html: /The two-factor code is wrong/ });
  await visitor.submit({ otp: codes.split('\n')[0] ?? '' });
  t.match(visitor.page, { status: 200, path: '/account/security', html: /9 recovery codes are left/ });
  t.match((await visitor.get('/sign-in')).path, '/account/security', 'who is signed in is led on');
});

t.test('the cookies are for this site alone, not for scripts, and the API reads none', async (t) => {
  const { visitor, setCookies } = await signedUp();
  const [session = '', cleared = ''] = setCookies;
  t.match(session, /^vantage_session=vcs_[\w-]{61}; Max-Age=15552000; Path=\/; HttpOnly; SameSite=Lax$/);
  t.match(cleared, /^vantage_sign_in=; Max-Age=0;/);
  const headers = { Cookie: `vantage_session=${visitor.cookies.get('vantage_session')}` };
  t.match(await api.call('GET', '/v1/account/profile', { as: null, headers }), { status: 401 });
  const stored = JSON.stringify(await database.db('sessions'));
  t.notOk(stored.includes(visitor.cookies.get('vantage_session')?.slice(-20) ?? ''), 'kept as a hash');
});

t.test(
  'a form is refused from another site, without its token, and with that of another form or browser',
  async (t) => {
    const { visitor } = await signedUp();
    const { visitor: other } = await signedUp();
    const setUp = (target: PageVisitor, from: PageVisitor, headers: Record<string, string> = {}) => {
      const token = from.forms().find(({ hidden }) => hidden['act'] === 'set-up')?.hidden['form_token'] ?? '';
      return target.submit({ form_token: token }, { act: 'set-up', headers });
    };
    for (const headers of [
      { 'Sec-Fetch-Site': 'cross-site' },
      { 'Sec-Fetch-Site': 'same-site' },
      { 'Sec-Fetch-Site': 'none' },
    ]) {
      t.match(await setUp(visitor, visitor, headers), { status: 403 }, JSON.stringify(headers));
      await visitor.get('/account/security');
    }
    t.match(await setUp(visitor, other), { status: 403 }, 'token of another browser');
    await visitor.get('/account/security');
    const signOutToken = visitor.forms().find(({ action }) => action === '/sign-out')?.hidden['form_token'] ?? '';
    t.match(await visitor.submit({ form_token: signOutToken }, { act: 'set-up' }), { status: 403 }, 'of another form');
    await visitor.get('/account/security');
    t.match(await visitor.submit({ form_token: '' }, { act: 'set-up' }), { status: 403 }, 'none');
    t.strictSame(await database.db('totp_secrets').whereNull('enabled_at'), [], 'nothing was changed');
    // browsers send no cookie with the form of another site, but keep those of the response
    const forged = await fetch(new URL('/sign-out', api.url), { method: 'POST', redirect: 'manual' });
    t.strictSame(forged.headers.getSetCookie(), [], 'another site signs no one out');
  },
);

t.test(
  'a session of a browser is listed and ended like any other, and needs a proof when it is no longer fresh',
  async (t) => {
    const { visitor, email } = await signedUp();
    const { body } = await api.call('POST', '/v1/auth/login', { as: null, body: { email, password } });
    const as = body.data.access_token;
    const listed = await api.call('GET', '/v1/account/sessions', { as });
    const browser = listed.body.data.items.find(({ kind }: { kind: string }) => kind === 'browser');
    t.match(browser, { id: /^ses_/, methods: ['password'], is_current: false });
    await database
      .db('sessions')
      .where({ id: browser.id })
      .update({ fresh_until: new Date(0) });
    await visitor.get('/account/security');
    t.notMatch(visitor.page.html, 'value="set-up"');
    t.match(await visitor.submit({ password: 'wrong horse' }, { act: 'confirm' }), { status: 401, html: /wrong/ });
    t.match(await visitor.submit({ password }, { act: 'confirm' }), { status: 200, html: /value="set-up"/ });
    await api.call('DELETE', `/v1/account/sessions/${browser.id}`, { as });
    t.match((await visitor.get('/account/security')).path, '/sign-in?next=%2Faccount%2Fsecurity');
  },
);

t.test('a wrong password and a request for a new one are the form again, and say no more than the API', async (t) => {
  const { email } = await signedUp();
  const visitor = new PageVisitor(api.url);
  const answers = [];
  for (const address of [email, 'nobody@example.com']) {
    await visitor.get('/sign-in?lang=zh-CN');
    const { status, html } = await visitor.submit({ email: address, password: 'wrong horse' });
    answers.push([status, html.replaceAll(address, '').replace(/value="[\w-]{43}"/g, '')]);
  }
  t.strictSame(answers[0], answers[1]);
  t.match(answers[0], [401, /邮箱或密码错误/]);
  await visitor.get('/forgot-password');
  t.match(await visitor.submit({ email }), {
    status: 200,
    html: /<p class="good"[^>]*>This installation sends no mail/,
  });
});

t.test('a person downloads the data, changes the address by a mail, and deletes the account on the page', async (t) => {
  const { visitor, email } = await signedUp();
  const file = await visitor.submit({}, { act: 'export' });
  t.match(file.headers.get('content-disposition'), 'attachment; filename="vantage-account.json"');
  t.match(JSON.parse(file.html), { data: { profile: { email }, sessions: [{ is_current: true }], monitors: [] } });
  await visitor.get('/account/security');
  t.match(await visitor.submit({ email: `new-${email}` }, { act: 'change-email' }), {
    status: 200,
    html: /<p class="good"/,
  });
  await visitor.submit({}, { act: 'delete' });
  t.match(visitor.page, { status: 200, path: '/sign-in' });
  t.match(await visitor.submit({ email, password }), { status: 403, html: /has been deleted.*is erased on \d{4}-/s });
});
