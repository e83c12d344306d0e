import t from 'tap';
import { from, type People, peopleInTurn } from './_support/people.js';

const openPeople = await peopleInTurn(t);
const ada = 'ada@example.com';
const device = { client: { address: '198.51.100.9', userAgent: 'SmartTV/1 <b>' }, actor: from('198.51.100.9') };

/** A person who is signed in, and a device that shows a QR code. */
async function openScene(t: Parameters<typeof openPeople>[0]) {
  const people = await openPeople(t);
  const { id: userId } = await people.add(ada);
  const { tokens } = await people.login(ada);
  const { sessionId } = tokens;
  const actor = { ...from('192.0.2.1'), userId, credentialId: sessionId };
  return { ...people, person: { userId, sessionId, actor }, ...(await start(people)) };
}

async function start({ qrSignIn }: Pick<People, 'qrSignIn'>) {
  const { challenge, code, url } = await qrSignIn.start(device.client);
  return { challenge, code, token: new URL(url).hash.slice(1) };
}

const wrongOf = (code: string) => (code === '00' ? '01' : '00');

t.test('a device is signed in once, after the person typed the digits that it shows', async (t) => {
  const { qrSignIn, challenge, code, token, person, db, sessions } = await openScene(t);
  t.match(code, /^\d{2}$/);
  t.equal(await qrSignIn.poll(challenge, device), 'pending');
  t.strictSame(await qrSignIn.look(token), { address: '198.51.100.9', userAgent: 'SmartTV/1 <b>' });
  await qrSignIn.approve({ token, code }, person);
  await t.rejects(qrSignIn.approve({ token, code }, person), { code: 'AUTH_OTP_INVALID' }, 'decided');
  const signedIn = await qrSignIn.poll(challenge, device);
  if (typeof signedIn === 'string') throw new Error('no session');
  t.match(signedIn.user, { email: ada });
  t.match((await sessions.find(signedIn.tokens.accessToken)).freshness, { isFresh: false });
  t.strictSame(await db('sessions').where({ id: signedIn.tokens.sessionId }).pluck('methods'), [['qr']]);
  await t.rejects(qrSignIn.poll(challenge, device), { code: 'AUTH_OTP_INVALID' }, 'used');
  const actions = await db('audit_log').orderBy('id').pluck('action');
  t.strictSame(actions.slice(-2), ['qr_sign_in.approved', 'session.created']);
});

t.test('the picture alone gets no session, and the secret of the device approves nothing', async (t) => {
  const { qrSignIn, challenge, code, token, person } = await openScene(t);
  const other = await start({ qrSignIn });
  const forged = token.slice(0, 12) + other.token.slice(12);
  for (const wrong of ['', 'nonsense', challenge, forged, token.slice(0, -1)]) {
    await t.rejects(qrSignIn.look(wrong), { code: 'AUTH_OTP_INVALID' });
    await t.rejects(qrSignIn.approve({ token: wrong, code }, person), { code: 'AUTH_OTP_INVALID' });
  }
  await qrSignIn.approve({ token, code }, person);
  for (const wrong of [token, other.challenge.slice(0, -1)])
    await t.rejects(qrSignIn.poll(wrong, device), { code: 'AUTH_OTP_INVALID' });
  t.equal(await qrSignIn.poll(other.challenge, device), 'pending', 'no other device');
});

t.test('three wrong digits, two minutes, a refusal and the end of the approving session end it', async (t) => {
  const { qrSignIn, challenge, code, token, person, clock, sessions, db } = await openScene(t);
  for (let i = 0; i < 3; i++)
    await t.rejects(qrSignIn.approve({ token, code: wrongOf(code) }, person), { code: 'AUTH_OTP_INVALID' });
  await t.rejects(qrSignIn.approve({ token, code }, person), { code: 'AUTH_OTP_INVALID' });
  t.equal(await qrSignIn.poll(challenge, device), 'denied');
  t.strictSame(
    await db('audit_log').where({ action: 'session.refused' }).pluck('subject'),
    Array(3).fill(person.userId),
  );
  const refused = await start({ qrSignIn });
  await qrSignIn.deny(refused.token, person);
  t.equal(await qrSignIn.poll(refused.challenge, device), 'denied');
  const late = await start({ qrSignIn });
  clock.advance(120_000);
  await t.rejects(qrSignIn.approve(late, person), { code: 'AUTH_OTP_EXPIRED' });
  await t.rejects(qrSignIn.poll(late.challenge, device), { code: 'AUTH_OTP_EXPIRED' });
  const orphaned = await start({ qrSignIn });
  await qrSignIn.approve(orphaned, person);
  await sessions.endAllBut(person.userId, null, person.actor);
  await t.rejects(qrSignIn.poll(orphaned.challenge, device), { code: 'AUTH_OTP_INVALID' });
});
