import { Secret, TOTP } from 'otpauth';
import t from 'tap';
import { commandLine } from '../src/audit-log/actor.js';
import { startOidc, walk } from './_support/external/providers.js';
import { PageVisitor } from './_support/page-visitor.js';
import { password, publicUrl } from './_support/people.js';
import { startStack } from './_support/stack.js';

const CALLBACK = '/sign-in/oauth/oidc/callback';
const oidc = await startOidc(t, publicUrl + CALLBACK);
// nothing listens at the address of the second one
const absent = { ...oidc.settings, id: 'absent', name: 'Absent', issuer: 'http://127.0.0.1:65535' };
const { api, controlPlane, database } = await startStack(t, {
  VANTAGE_PUBLIC_URL: publicUrl,
  VANTAGE_OAUTH: JSON.stringify([oidc.settings, absent]),
  VANTAGE_TRUSTED_PROXIES: '127.0.0.1/32',
});
const { db } = database;
const { accounts } = controlPlane.services;
let visitors = 0;

const newVisitor = () => new PageVisitor(api.url, `192.0.2.${++visitors}`);

/** Goes to the provider by an address of this site, and is sent back as a person with this name; null declines. */
async function goes(visitor: PageVisitor, path: string, login: string | null): Promise<string> {
  await visitor.get(path);
  const sentBack = await walk(visitor.page.headers.get('location') ?? '', login);
  return `${CALLBACK}?${new URLSearchParams({ ...sentBack })}`;
}

/** A visitor whom the provider signed in. */
async function signedIn(login: string, path = '/sign-in/oauth/oidc') {
  const visitor = newVisitor();
  await visitor.get(await goes(visitor, path, login));
  return visitor;
}

/** Link of the page to this provider. */
function linkOf({ page }: PageVisitor): string | undefined {
  return /href="(\/sign-in\/oauth\/oidc\?[^"]*)"/.exec(page.html)?.[1];
}

const counts = async () => [(await db('users')).length, (await db('identities')).length, (await db('sessions')).length];

t.test('a provider signs a new person up, and the known one in, to the page that they asked for', async (t) => {
  const visitor = newVisitor();
  await visitor.get('/sign-in?next=%2Fqr');
  await visitor.get(await goes(visitor, linkOf(visitor) ?? '', 'grace'));
  t.match(visitor.page, { status: 200, path: '/qr' });
  const before = await counts();
  const again = await signedIn('grace');
  t.match(again.page, { status: 200, path: '/account/security', html: 'You are signed in as grace@people.example.' });
  t.match(again.page.html, 'Example ID: grace');
  const [users = 0, identities = 0, sessions = 0] = before;
  t.strictSame(await counts(), [users, identities, sessions + 1], 'no second account');
});

t.test('a response in another browser is refused and changes nothing, and still works in the right one', async (t) => {
  const [mine, other] = [newVisitor(), newVisitor()];
  const response = await goes(mine, '/sign-in/oauth/oidc', 'mallory');
  const before = await counts();
  for (const begins of [async () => {}, () => goes(other, '/sign-in/oauth/oidc', 'mallory')]) {
    await begins();
    t.match(await other.get(response), { status: 400, html: /role="alert".*href="\/sign-in\?next=/s });
  }
  t.strictSame(await counts(), before);
  t.equal(other.cookies.has('__Host-vantage_session'), false);
  t.match(await mine.get(response), { status: 200, path: '/account/security' });
});

t.test('a provider that declines or is away leads back to the other ways, and to the page asked for', async (t) => {
  const visitor = newVisitor();
  const declined = await visitor.get(await goes(visitor, '/sign-in/oauth/oidc?next=%2Fqr', null));
  t.match(declined, { status: 403, html: /declined at the provider; start again.*href="\/sign-in\?next=%2Fqr"/s });
  const away = await visitor.get('/sign-in/oauth/absent?next=%2Fqr&lang=zh-CN');
  t.match(away, { status: 503, html: /href="\/sign-in\?next=%2Fqr&amp;lang=zh-CN"/ });
  t.equal(away.headers.get('retry-after'), '5', 'as the API says');
  t.match(await visitor.get('/sign-in/oauth/none'), { status: 404 });
});

t.test('a provider is a first proof: an account with a second factor is asked for its code', async (t) => {
  await signedIn('linus');
  const { id } = await db('users').where({ email: 'linus@people.example' }).first();
  const totp = new TOTP({ secret: Secret.fromBase32((await accounts.secondFactor.setUp(id, commandLine)).secret) });
  await accounts.secondFactor.enable(id, totp.generate({ timestamp: Date.now() - 30_000 }), commandLine);
  const visitor = await signedIn('linus', '/sign-in/oauth/oidc?next=%2Fqr');
  t.equal(visitor.page.path, '/sign-in/factor?next=%2Fqr');
  t.equal(visitor.cookies.has('__Host-vantage_session'), false);
  t.match(await visitor.submit({ otp: totp.generate() }), { status: 200, path: '/qr' });
});

t.test('an external account is linked and unlinked on the page, by its fresh session alone', async (t) => {
  const visitor = newVisitor();
  const email = 'ada@example.com';
  const { id } = await accounts.users.createUser({ email, role: 'user', password });
  await visitor.get('/sign-in');
  await visitor.submit({ email, password });
  const link = linkOf(visitor) ?? '';
  t.match(await visitor.get('/sign-in/oauth/oidc?link'), { status: 403 }, 'not by a link of another site');
  await db('sessions')
    .where({ user_id: id })
    .update({ fresh_until: new Date(0) });
  t.match(await visitor.get(link), { status: 401, html: /href="\/account\/security"/ });
  await visitor.get('/account/security');
  t.equal(linkOf(visitor), undefined);
  await visitor.submit({ password }, { act: 'confirm' });
  const response = await goes(visitor, linkOf(visitor) ?? '', 'torvalds');
  const elsewhere = await signedIn('ben');
  t.match(await elsewhere.get(response), { status: 400 }, 'not to the account of another session');
  t.match(await visitor.get(response), { status: 200, path: '/account/security', html: 'Example ID: torvalds' });
  t.match((await signedIn('torvalds')).page.html, `You are signed in as ${email}.`);
  t.match(await visitor.get(await goes(visitor, link, 'ben')), { status: 409, html: /role="alert"/ });
  await visitor.get('/account/security');
  await visitor.submit({}, { act: 'unlink' });
  t.notMatch(visitor.page.html, 'torvalds');
  t.match(await elsewhere.get('/account/security'), { status: 200 });
  t.match(await elsewhere.submit({}, { act: 'unlink' }), {
    status: 409,
    html: /last way to sign in.*Example ID: ben/s,
  });
});
