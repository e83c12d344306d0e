import { until } from '@vantage/shared/_support/until.js';
import t, { type Test } from 'tap';
import type { ProviderSettings } from '../src/config/oauth-settings.js';
import type { CallbackAnswer } from '../src/modules/accounts/providers/provider-requests.js';
import { githubPerson, startGithub, startOidc, walk } from './_support/external/providers.js';
import { from, type People, peopleInTurn, publicUrl } from './_support/people.js';

const oidc = await startOidc(t, `${publicUrl}/sign-in/oauth/oidc/callback`);
const github = await startGithub(t);
// nothing listens at the address of the last one
const absent = { ...oidc.settings, id: 'absent', name: 'Absent', issuer: 'http://127.0.0.1:9' } as ProviderSettings;
const providers = [oidc.settings, github.settings, absent];
const open = await peopleInTurn(t);
const openPeople = (t: Test, options: Parameters<typeof open>[1] = {}) => open(t, { providers, ...options });

const client = { address: '192.0.2.1', userAgent: 'curl/8' };
const by = { client, actor: from(client.address), sessionId: null, locale: 'en' } as const;

/** People of GitHub by login. */
const ids: Readonly<Record<string, number>> = { grace: 1, ben: 2, late: 3, linus: 7, torvalds: 7 };

/** Goes to a provider and back as a person with this name; null declines. */
async function toProvider(
  { externalSignIn }: People,
  login: string | null,
  provider = 'oidc',
  session: Session = null,
) {
  if (provider === 'github' && login !== null) await github.set({ person: githubPerson(ids[login] ?? 0, login) });
  const { authorizationUrl, challenge } = await externalSignIn.start(provider, { session });
  return { challenge, ...(await walk(authorizationUrl, login)) };
}
type Session = Parameters<People['externalSignIn']['start']>[1]['session'];

async function signIn(people: People, login: string, provider = 'oidc') {
  const outcome = await people.externalSignIn.finish(provider, await toProvider(people, login, provider), by);
  if (!('signedIn' in outcome)) throw new Error('was linked');
  return outcome.signedIn;
}

/** A user in a session that may link; `finish` is a callback of that session. */
async function openLinking(t: Test, options: Parameters<typeof open>[1] = {}) {
  const people = await openPeople(t, options);
  const { id: userId } = await people.add('ada@people.example');
  const { tokens } = await people.login('ada@people.example');
  const { sessionId } = tokens;
  const mine = { ...by, actor: { ...by.actor, userId, credentialId: sessionId }, sessionId };
  const link = async (login: string, provider = 'github') =>
    people.externalSignIn.finish(provider, await toProvider(people, login, provider, { userId, sessionId }), mine);
  return { ...people, people, userId, sessionId, mine, link };
}

/** Everything that a refused response could have changed. */
async function stateOf({ db, letters }: People) {
  const rows = (table: string) => db(table).count<{ count: number }[]>('* as count');
  return [await rows('users'), await rows('identities'), await rows('sessions'), letters.length];
}

/** Checks that a response is refused with this error, changes nothing and writes one line into the audit log. */
async function refuses(t: Test, people: People, answer: CallbackAnswer, error: { code: string }, provider = 'oidc') {
  const [before, lines] = [await stateOf(people), await people.db('audit_log')];
  await t.rejects(people.externalSignIn.finish(provider, answer, by), error);
  t.strictSame(await stateOf(people), before, 'nothing changed');
  const after = await people.db('audit_log').orderBy('id', 'desc');
  t.match(after[0], { action: 'session.refused', details: { what: provider } });
  t.equal(after.length - lines.length, 1, 'one line in the audit log');
}

const away = { code: 'UNAVAILABLE', status: 503, details: { provider: [{ message: /does not work at the moment/ }] } };
const stateInvalid = { code: 'AUTH_OAUTH_STATE_INVALID' };

t.test(
  'a person who is new gets an account with a verified address and no password, and is known from then on',
  async (t) => {
    const people = await openPeople(t);
    const { user, tokens } = await signIn(people, 'grace');
    t.match(user, { email: 'grace@people.example', email_verified: true, has_password: false });
    const again = await signIn(people, 'grace');
    t.equal(again.user.id, user.id);
    const [row] = await people.db('users');
    t.ok(row.proven_at, 'one person has the address and the credential');
    t.match(await people.secondFactor.list(user.id), {
      identities: [{ provider: 'oidc', label: 'grace', last_used_at: String }],
    });
    t.match(await people.sessions.list(user.id), [{ methods: ['oauth'] }, { methods: ['oauth'] }]);
    const lines = await people.db('audit_log').where({ account_id: user.id }).orderBy('id');
    t.strictSame(
      lines.map(({ action }) => action),
      ['account.registered', 'session.created', 'session.created'],
    );
    t.strictSame(people.letters, [], 'no address is left to verify');
    t.not(again.tokens.sessionId, tokens.sessionId);
  },
);

t.test('a response of another browser, client, provider, issuer or time is refused, and changes nothing', async (t) => {
  const people = await openPeople(t);
  const { externalSignIn, clock } = people;
  const [mine, theirs] = [await toProvider(people, 'grace'), await toProvider(people, 'mallory')];
  await refuses(t, people, { ...theirs, challenge: mine.challenge }, stateInvalid);
  await refuses(t, people, { ...mine, state: theirs.state }, stateInvalid);
  await refuses(t, people, { ...mine, challenge: 'svc_ch_nonsense' }, stateInvalid);
  await refuses(t, people, mine, stateInvalid, 'github');
  await t.resolves(externalSignIn.finish('oidc', mine, by), 'the right one still works');
  const cases: [name: string, change: (answer: CallbackAnswer) => Partial<CallbackAnswer>][] = [
    ['code of a person who is elsewhere', () => ({ code: theirs.code })],
    ['issuer of a mix-up', () => ({ iss: 'https://evil.example' })],
    ['no issuer, where the provider always sends it', () => ({ iss: undefined })],
    ['code that was never given', () => ({ code: 'nonsense' })],
  ];
  for (const [name, change] of cases) {
    const answer = await toProvider(people, 'grace');
    await t.test(name, (t) => refuses(t, people, { ...answer, ...change(answer) }, stateInvalid));
    await t.test(`${name}: used up`, (t) => refuses(t, people, answer, stateInvalid));
  }
  const { authorizationUrl, challenge } = await externalSignIn.start('oidc', { session: null });
  const elsewhere = authorizationUrl.replace('client_id=vantage', 'client_id=other');
  await refuses(t, people, { challenge, ...(await walk(elsewhere, 'grace')) }, stateInvalid);
  const late = await toProvider(people, 'grace');
  clock.advance(600_000);
  await refuses(t, people, late, stateInvalid);
});

t.test('a response signs in once, however many send it at once to two replicas', async (t) => {
  const people = await openPeople(t);
  const other = await openPeople(t, { database: { db: people.db } as never });
  const answer = await toProvider(people, 'grace');
  const tries = Array.from({ length: 16 }, (_, i) =>
    (i % 2 ? people : other).externalSignIn.finish('oidc', answer, by),
  );
  const outcomes = await Promise.allSettled(tries);
  t.equal(outcomes.filter(({ status }) => status === 'fulfilled').length, 1);
  t.equal((await people.db('sessions')).length, 1);
});

t.test('an account is made for a verified address alone that no account has, where registration is open', async (t) => {
  const people = await openPeople(t);
  await people.add('ada@people.example');
  const unverified = { code: 'AUTH_EMAIL_NOT_VERIFIED', status: 403 };
  await refuses(t, people, await toProvider(people, 'unverified-grace'), unverified);
  await refuses(t, people, await toProvider(people, 'no address'), unverified);
  const taken = { code: 'ACCOUNT_EMAIL_TAKEN', status: 409, details: { email: [{ message: /sign in, and link/ }] } };
  await refuses(t, people, await toProvider(people, 'ADA'), taken);
  await github.set({ person: githubPerson(7, 'ada', { verified: false }) });
  await refuses(t, people, await toProvider(people, null, 'github'), unverified, 'github');
  const closed = await openPeople(t, { isRegistrationOpen: false });
  await refuses(t, closed, await toProvider(closed, 'grace'), { code: 'FORBIDDEN' });
});

t.test(
  'an external account is linked in its session alone, to one user, and unlinked unless it is the last way in',
  async (t) => {
    const { people, userId, sessionId, mine, link, externalSignIn, letters, sessions, db } = await openLinking(t);
    const answer = await toProvider(people, 'grace', 'github', { userId, sessionId });
    await refuses(t, people, answer, stateInvalid, 'github');
    const linked = await link('grace');
    t.match(linked, { linked: { provider: 'github', label: 'grace' } });
    t.strictSame(await link('grace'), linked, 'again: the same');
    t.equal((await signIn(people, 'grace', 'github')).user.id, userId, 'whatever its address');
    const ben = (await signIn(people, 'ben', 'github')).user.id;
    await t.rejects(link('ben'), { code: 'AUTH_OAUTH_LINKED_OTHER_USER', status: 409 });
    const late = await toProvider(people, 'late', 'github', { userId, sessionId });
    await sessions.end(userId, sessionId, { actor: mine.actor, isLogout: true });
    await t.rejects(externalSignIn.finish('github', late, mine), { code: 'AUTH_SESSION_INVALID' });
    const { identities } = await people.secondFactor.list(ben);
    // no code can be mailed to it
    await db('users').where({ id: ben }).update({ email_verified_at: null });
    await t.rejects(externalSignIn.unlink(ben, identities[0]?.id ?? '', by.actor), { code: 'CONFLICT' });
    const { id } = 'linked' in linked ? linked.linked : { id: '' };
    await t.rejects(externalSignIn.unlink(ben, id, by.actor), { code: 'NOT_FOUND' });
    await t.rejects(externalSignIn.unlink(userId, id, mine.actor), { code: 'AUTH_SESSION_INVALID' });
    await externalSignIn.unlink(userId, id, by.actor);
    t.match((await people.secondFactor.list(userId)).identities, []);
    const kindOf = ({ data }: (typeof letters)[number]) => ('kind' in data ? data.kind : '');
    t.match(
      letters.filter((letter) => kindOf(letter).startsWith('identity.')),
      [
        { to: 'ada@people.example', data: { kind: 'identity.linked', name: 'GitHub (grace)' } },
        { data: { kind: 'identity.unlinked', name: 'GitHub (grace)' } },
      ],
    );
    const actions = await db('audit_log').where({ subject: id }).orderBy('id').pluck('action');
    t.strictSame(actions, ['identity.linked', 'identity.unlinked']);
    await db('users').where({ id: userId }).update({ email_verified_at: null });
    const start = externalSignIn.start('github', { session: { userId, sessionId } });
    await t.rejects(start, { code: 'ACCOUNT_EMAIL_UNVERIFIED' });
  },
);

t.test('the secrets of a request are sealed, and the browser is sent to addresses of the operator only', async (t) => {
  const { externalSignIn, db, methods } = await openPeople(t);
  const { authorizationUrl } = await externalSignIn.start('oidc', { session: null });
  const asked = new URL(authorizationUrl).searchParams;
  t.match(Object.fromEntries(asked), { response_type: 'code', code_challenge_method: 'S256', scope: /openid email/ });
  const stored = JSON.stringify(await db('challenges'));
  for (const name of ['state', 'nonce', 'code_challenge']) t.notOk(stored.includes(asked.get(name) ?? '?'), name);
  const own = await externalSignIn.start('oidc', { redirectUri: 'com.example.app:/signed-in', session: null });
  t.match(own.authorizationUrl, /redirect_uri=com\.example\.app%3A%2Fsigned-in/);
  const evil = externalSignIn.start('oidc', { redirectUri: 'https://evil.example/', session: null });
  await t.rejects(evil, { code: 'VALIDATION_FAILED', details: { redirect_uri: [{ message: /must be https/ }] } });
  await t.rejects(externalSignIn.start('gitlab', { session: null }), { code: 'NOT_FOUND' });
  t.strictSame(methods.providers, [
    { id: 'oidc', name: 'Example ID' },
    { id: 'github', name: 'GitHub' },
    { id: 'absent', name: 'Absent' },
  ]);
});

t.test(
  'a provider that declines, mixes up, is slow, broken or away signs no one in, and disturbs nothing else',
  async (t) => {
    const people = await openPeople(t);
    await github.set({ person: githubPerson(7, 'linus') });
    const faults: [fault: string, error: { code: string; details?: object }][] = [
      ['denied', { code: 'FORBIDDEN', details: { sign_in: [{ message: /declined at the provider/ }] } }],
      ['other state', stateInvalid],
      ['500', away],
      ['wrong secret', away],
    ];
    for (const [fault, error] of faults) {
      await github.set({ fault });
      const answer = await toProvider(people, null, 'github');
      await t.test(fault, (t) => refuses(t, people, answer, error, 'github'));
    }
    await github.set({ fault: 'slow' });
    const answer = await toProvider(people, null, 'github');
    const before = people.clock.begun(5_000);
    const slow = people.externalSignIn.finish('github', answer, by);
    const settled = t.rejects(slow, away, 'slow');
    await until('the request to wait', () => people.clock.begun(5_000) > before);
    people.clock.advance(5_000);
    await settled;
    await t.rejects(people.externalSignIn.start('absent', { session: null }), away, 'no one listens');
    t.match(await signIn(people, 'linus', 'github'), { user: { email: 'linus@people.example' } });
    t.match(await signIn(people, 'torvalds', 'github'), { user: { email: 'linus@people.example' } }, 'by its id alone');
    t.match(await people.db('identities'), [{ subject: '7', label: 'torvalds' }]);
  },
);
