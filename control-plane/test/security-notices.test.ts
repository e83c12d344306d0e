import t from 'tap';
import { Tokens } from '../src/modules/tokens/index.js';
import { from, password, peopleInTurn } from './_support/people.js';

const openPeople = await peopleInTurn(t);

t.test('a sign-in from a network or with a program that the account never had is mailed to its owner', async (t) => {
  const { add, signIn, letters } = await openPeople(t);
  const { email } = await add('ada@example.com');
  const login = async (address: string, userAgent: string) => {
    letters.length = 0;
    await signIn.login({ email, password, client: { address, userAgent }, actor: from(address) });
    return letters.map(({ template, data }) => [template, data]);
  };
  t.strictSame(await login('192.0.2.1', 'Firefox/140.0'), [], 'none for the first one');
  t.strictSame(await login('192.0.2.1', 'Firefox/141.2'), [], 'a newer version is the same program');
  const notice = { kind: 'sign_in.new_place', name: 'curl/8', address: '192.0.2.1' };
  t.match(await login('192.0.2.1', 'curl/8'), [['security-notice', notice]]);
  t.match(await login('198.51.100.7', 'curl/8'), [['security-notice', { ...notice, address: '198.51.100.7' }]]);
  t.strictSame(await login('198.51.100.7', 'curl/9'), []);
  t.strictSame(await login('2001:db8::1', 'curl/8').then(() => login('2001:db8::2', 'curl/8')), [], 'the same /64');
});

t.test('a new key or token is mailed to its owner, without the secret', async (t) => {
  const { add, db, clock, notices, letters, breakMail } = await openPeople(t);
  const { id: userId, email } = await add('ada@example.com');
  const notify: typeof notices.enqueueTo = (...to) => notices.enqueueTo(...to);
  const tokens = new Tokens({ db, clock, authentication: { revoked: () => {} }, notify });
  const actor = from('192.0.2.1');
  const { token } = await tokens.personal.create({ userId, scopes: null }, { name: 'ci' }, actor);
  const maker = { owner: { id: userId }, createdBy: userId, scopes: null };
  const { key } = await tokens.apiKeys.create(maker, { name: 'site' }, actor);
  t.match(letters, [
    { to: email, data: { kind: 'token.created', name: 'ci', address: '192.0.2.1' } },
    { to: email, data: { kind: 'api_key.created', name: 'site' } },
  ]);
  for (const secret of [token, key]) t.notOk(JSON.stringify(letters).includes(secret));
  breakMail();
  await t.rejects(tokens.personal.create({ userId, scopes: null }, { name: 'unseen' }, actor));
  t.equal((await tokens.personal.list(userId, { limit: 9, offset: 0 })).total, 1, 'neither exists without the other');
});

t.test(
  'factors that an administrator resets are mailed to their owner, without a trace of the administrator',
  async (t) => {
    const { add, administration, letters } = await openPeople(t);
    const { id, email } = await add('ada@example.com');
    await administration.resetFactors(id, { actor: from('198.51.100.9'), reason: 'lost phone' });
    t.match(letters, [{ to: email, data: { kind: 'factors.reset', address: '' } }]);
  },
);
