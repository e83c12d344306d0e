import fc from 'fast-check';
import t from 'tap';
import { judgeSignIn, type Proof, proofs, type SignInFacts } from './judge-sign-in.js';

const now = Date.UTC(2026, 10, 30);
const day = 24 * 3_600_000;
const plain: SignInFacts = {
  deleted_at: null,
  deleting_at: null,
  disabled_at: null,
  email_verified_at: new Date(now - day),
  secondFactors: [],
};
const outcome = (of: Partial<SignInFacts>, proven: readonly Proof[], needsVerifiedEmail = false) => {
  const judgement = judgeSignIn({ ...plain, ...of }, new Set(proven), { now, needsVerifiedEmail });
  return judgement.kind === 'refused' ? judgement.code : judgement.kind;
};

t.test('each first proof completes without a second factor, and with one only those that prove two', async (t) => {
  const protectedBy: Partial<SignInFacts> = { secondFactors: ['totp'] };
  for (const [proof, without, protectedOne] of [
    ['registration', 'complete', 'needs-factor'],
    ['password', 'complete', 'needs-factor'],
    ['email_code', 'complete', 'needs-factor'],
    ['oauth', 'complete', 'needs-factor'],
    ['passkey', 'complete', 'complete'],
    ['qr', 'complete', 'complete'],
    ['totp', 'AUTH_CREDENTIALS_INVALID', 'AUTH_CREDENTIALS_INVALID'],
    ['recovery_code', 'AUTH_CREDENTIALS_INVALID', 'AUTH_CREDENTIALS_INVALID'],
  ] as const) {
    t.equal(outcome({}, [proof]), without, proof);
    t.equal(outcome(protectedBy, [proof]), protectedOne, `${proof}, protected`);
  }
  for (const second of ['totp', 'recovery_code'] as const)
    t.equal(outcome(protectedBy, ['password', second]), 'complete', second);
  t.equal(outcome(protectedBy, []), 'AUTH_CREDENTIALS_INVALID');
});

t.test('an account is refused for one reason: deleted, then disabled, then unverified', async (t) => {
  const [deleted_at, disabled_at, email_verified_at] = [new Date(now), new Date(now), null];
  const right: readonly Proof[] = ['passkey'];
  t.equal(outcome({ deleted_at, disabled_at, email_verified_at }, right, true), 'ACCOUNT_DELETED');
  t.equal(outcome({ deleting_at: new Date(now + day), disabled_at }, right), 'ACCOUNT_DELETED');
  t.equal(outcome({ disabled_at, email_verified_at }, right, true), 'AUTH_ACCOUNT_DISABLED');
  t.equal(outcome({ email_verified_at }, right, true), 'AUTH_EMAIL_NOT_VERIFIED');
  t.equal(outcome({ email_verified_at }, right), 'complete', 'where addresses need not be verified');
  t.equal(outcome({ email_verified_at }, ['registration'], true), 'complete', 'to verify it');
  const judge = (deleting_at: Date) =>
    judgeSignIn({ ...plain, deleting_at }, new Set(right), { now, needsVerifiedEmail: false });
  t.match(judge(new Date(now + 1)), { restorableUntil: new Date(now + 1) });
  t.notMatch(judge(new Date(now)), { restorableUntil: Date });
});

t.test('no set of proofs is granted without a first proof, and none of a protected account without two', async () => {
  const dates = fc.option(fc.date({ min: new Date(now - day), max: new Date(now + day), noInvalidDate: true }));
  const facts = fc.record({
    deleted_at: dates,
    deleting_at: dates,
    disabled_at: dates,
    email_verified_at: dates,
    secondFactors: fc.subarray(['totp', 'recovery_code'] as const),
  });
  fc.assert(
    fc.property(facts, fc.subarray([...proofs]), fc.boolean(), (account, proven, needsVerifiedEmail) => {
      const { kind } = judgeSignIn(account, new Set(proven), { now, needsVerifiedEmail });
      if (kind !== 'complete') return true;
      const strong = proven.some((proof) => proof === 'passkey' || proof === 'qr');
      const first =
        strong || proven.some((proof) => ['registration', 'password', 'email_code', 'oauth'].includes(proof));
      const second = proven.some((proof) => proof === 'totp' || proof === 'recovery_code');
      const isOpen = account.deleted_at === null && account.deleting_at === null && account.disabled_at === null;
      return first && isOpen && (strong || second || account.secondFactors.length === 0);
    }),
  );
});
