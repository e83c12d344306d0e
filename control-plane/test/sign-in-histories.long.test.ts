import fc from 'fast-check';
import t from 'tap';
import { accountKey } from '../src/modules/accounts/sign-in/sign-in-keys.js';
import { accountWaits, networkWaits } from '../src/modules/accounts/sign-in/sign-in-waits.js';
import { deleteOutdated } from '../src/modules/accounts/upkeep.js';
import { cheapHasher } from './_support/cheap-hasher.js';
import { from, openPeople, type People, password } from './_support/people.js';
import { besiege, confirm, DAY_MS, mailedToken, mostGuesses, seed, seen } from './_support/sieges.js';

type Step =
  | { readonly kind: 'guess'; readonly network: number; readonly count: number }
  | { readonly kind: 'wait'; readonly seconds: number }
  | { readonly kind: 'siege' }
  | { readonly kind: 'owner'; readonly way: 'new network' | 'known network' | 'reset' };

const NETWORKS = 12;
const guessStep = fc.record({
  kind: fc.constant('guess' as const),
  network: fc.nat(NETWORKS - 1),
  count: fc.integer({ min: 1, max: 4 }),
});
const waitStep = fc.record({
  kind: fc.constant('wait' as const),
  seconds: fc.oneof(
    { arbitrary: fc.integer({ min: 0, max: 70 }), weight: 5 },
    { arbitrary: fc.constantFrom(900, 3_600, 90_000), weight: 1 },
  ),
});
const ownerStep = fc.record({
  kind: fc.constant('owner' as const),
  way: fc.constantFrom('new network' as const, 'new network' as const, 'known network' as const, 'reset' as const),
});
const schedule = fc.record({
  before: fc.constantFrom(0, 95, 100, 112),
  steps: fc.array(
    fc.oneof(
      { arbitrary: guessStep as fc.Arbitrary<Step>, weight: 6 },
      { arbitrary: waitStep as fc.Arbitrary<Step>, weight: 3 },
      { arbitrary: ownerStep as fc.Arbitrary<Step>, weight: 2 },
      { arbitrary: fc.constant<Step>({ kind: 'siege' }), weight: 1 },
    ),
    { minLength: 10, maxLength: 30 },
  ),
});

/** Owners who sign in while the account waits, in each way. */
const surrounded: { readonly before: number; readonly steps: readonly Step[] } = {
  before: 112,
  steps: (['new network', 'known network', 'reset', 'new network'] as const).flatMap(
    (way, network): readonly Step[] => [
      { kind: 'wait', seconds: 900 },
      { kind: 'guess', network, count: 4 },
      { kind: 'owner', way },
    ],
  ),
};

/** The owner, with nothing but the right password and the mailbox. @returns the number of passwords needed */
async function ownerGetsIn(people: People, email: string, owner: { secret: string; address: string }): Promise<number> {
  const { login } = people;
  people.letters.splice(0);
  if ((await seen(login(email, { password: owner.secret, address: owner.address }))) === 'in') return 1;
  await confirm(people);
  await login(email, { password: owner.secret, address: owner.address });
  return 2;
}

t.test(
  'whatever others try, an owner signs in with two passwords and a mail, and guesses stay within their limits',
  async (t) => {
    const people = await openPeople(t);
    const { add, login, clock, db, recovery } = people;
    let runs = 0;
    let owners = 0;
    let byMail = 0;
    const run = async ({ before, steps }: { before: number; steps: readonly Step[] }) => {
      const email = `owner${++runs}@example.com`;
      const known = `172.16.${runs}.1`;
      let secret = password;
      await add(email);
      await login(email, { address: known });
      await db('sign_in_failures').delete();
      await seed(people, email, { failures: before });
      const startedAt = clock.now();
      let lastOwnerAt = 0;
      // a password by mail makes every network a new one
      let isKnown = true;
      let besiegers = 0;
      const looked = new Map<number, number>();
      let clear = { at: startedAt, answered: 0, before };
      for (const step of steps) {
        if (step.kind === 'wait') clock.advance(step.seconds * 1_000);
        if (step.kind === 'siege') {
          besiegers++;
          await besiege(people, email, { failures: 110 });
          clear = { at: clock.now(), answered: 1, before: 110 };
        }
        if (step.kind === 'guess') {
          const address = `10.${runs}.${step.network}.1`;
          for (let n = 0; n < step.count; n++) {
            const response = await seen(login(email, { password: 'wrong horse', address }));
            if (/CREDENTIALS|mailed/.test(response)) looked.set(step.network, (looked.get(step.network) ?? 0) + 1);
            if (/CREDENTIALS/.test(response)) clear.answered++;
          }
        }
        if (step.kind === 'owner') {
          // five mails an hour: an owner who signs in more often than that has sessions
          clock.advance(Math.max(0, lastOwnerAt + 721_000 - clock.now()));
          lastOwnerAt = clock.now();
          const address = step.way === 'known network' ? known : `172.20.${runs}.${++owners % 250}`;
          if (step.way === 'reset') {
            people.letters.splice(0);
            await recovery.requestReset(email, from(address));
            const token = (await mailedToken(people, 'reset-password')) ?? '';
            secret = `${secret}!`;
            await recovery.resetPassword({ token, password: secret }, from(address));
          }
          const passwords = await ownerGetsIn(people, email, { secret, address });
          const isNew = step.way === 'new network' || (step.way === 'known network' && !isKnown);
          isKnown = step.way === 'known network' || (step.way === 'new network' && isKnown);
          if (passwords > (isNew ? 2 : 1)) throw new Error(`${step.way}: ${passwords} passwords`);
          if (passwords === 2) byMail++;
          if (passwords === 2 || step.way === 'reset') clear = { at: clock.now(), answered: 0, before: 0 };
        }
        const now = clock.now();
        const mostAnswered = mostGuesses(accountWaits, now - clear.at, clear.before);
        if (clear.answered > mostAnswered) throw new Error(`${clear.answered} of ${mostAnswered} guesses answered`);
        const mostLooked = mostGuesses(networkWaits, now - startedAt);
        for (const [network, count] of looked) {
          if (count > mostLooked) throw new Error(`network ${network}: ${count} of ${mostLooked} guesses evaluated`);
        }
        const rows = (await db('sign_in_failures')).length;
        if (rows > 2 * (looked.size + besiegers) + 1) throw new Error(`${rows} rows for ${looked.size} networks`);
      }
      clock.advance(DAY_MS);
      await deleteOutdated(db, clock.now() + 1);
      const left = [...(await db('sign_in_failures')), ...(await db('sign_in_passes'))];
      if (left.length > 0) throw new Error(`${left.length} rows left after a day`);
    };
    await fc.assert(fc.asyncProperty(schedule, run), { numRuns: 8, examples: [[surrounded]] });
    t.ok(byMail > 0, `${owners} owners in ${runs} schedules, ${byMail} by mail`);
  },
);

t.test('guesses during a wait of the account reveal nothing, at once or later', async (t) => {
  const people = await openPeople(t);
  const { add, login, clock, db } = people;
  let runs = 0;
  let rightOnes = 0;
  const attack = fc.array(fc.oneof(guessStep as fc.Arbitrary<Step>, waitStep as fc.Arbitrary<Step>), {
    minLength: 10,
    maxLength: 20,
  });
  await fc.assert(
    fc.asyncProperty(attack, async (steps) => {
      runs++;
      const twins = [`a${runs}@example.com`, `b${runs}@example.com`] as const;
      const [hit, missed] = twins;
      for (const email of twins) {
        await add(email);
        await seed(people, email, { failures: 102 });
      }
      await db('users')
        .where({ email: missed })
        .update({ password_hash: await cheapHasher().hash('something else') });
      const key = `${accountKey(hit)} by strangers`;
      for (const step of steps) {
        if (step.kind === 'wait') clock.advance(step.seconds * 1_000);
        for (let n = 0; step.kind === 'guess' && n < step.count; n++) {
          const row = await db('sign_in_failures').where({ key }).first();
          const isHeld = row?.blocked_until?.getTime() > clock.now();
          if (isHeld) rightOnes++;
          const tried = { password: isHeld ? password : 'wrong horse' };
          const inOne = await seen(login(hit, { ...tried, address: `10.${runs}.${step.network}.1` }));
          const inOther = await seen(login(missed, { ...tried, address: `11.${runs}.${step.network}.1` }));
          if (inOne !== inOther) throw new Error(`${inOne} is not ${inOther}`);
        }
      }
    }),
    { numRuns: 6 },
  );
  t.ok(rightOnes > 0, `${rightOnes} right passwords among the guesses of ${runs} schedules`);
});
