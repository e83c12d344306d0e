import fc from 'fast-check';
import { Secret, TOTP } from 'otpauth';
import t from 'tap';
import { requireFresh } from '../src/http/access.js';
import { ApiError } from '../src/http/errors.js';
import { ACCESS_TOKEN_SECONDS } from '../src/modules/accounts/sessions/lifetimes.js';
import { FRESH_MS } from '../src/modules/accounts/sessions/sessions.js';
import { password as firstPassword, from, type People, peopleInTurn } from './_support/people.js';

// Sequences of calls by people who have some of the secrets of an account. A model of the table of docs/accounts.md says before each call
// if it may open a session, or make one fresh; afterwards the sessions in the database are those of the model.

const SECOND = 1_000;
const STEP_MS = 30 * SECOND;
const codes = ['none', 'right', 'replayed', 'wrong', 'foreign', 'recovery', 'used recovery'] as const;
type Code = (typeof codes)[number];
type Age = 'newest' | 'earlier';

type Call =
  | { readonly kind: 'login'; readonly password: 'right' | 'wrong' | 'earlier'; readonly otp: Code }
  | { readonly kind: 'answer'; readonly challenge: Age | 'foreign'; readonly otp: Code }
  | { readonly kind: 'request code' }
  | { readonly kind: 'code login'; readonly code: Age | 'wrong'; readonly otp: Code }
  | { readonly kind: 'step up'; readonly session: number; readonly by: 'password' | 'wrong password' | Code }
  | { readonly kind: 'enable' | 'renew codes' | 'log out'; readonly session: number }
  | { readonly kind: 'disable'; readonly session: number; readonly otp: Code }
  | { readonly kind: 'change password'; readonly session: number; readonly isRight: boolean }
  | { readonly kind: 'request reset' | 'restore' | 'turn off' | 'turn on' }
  | { readonly kind: 'reset'; readonly token: Age }
  | { readonly kind: 'delete'; readonly session: number; readonly isRight: boolean }
  | { readonly kind: 'refresh'; readonly session: number; readonly token: Age }
  | { readonly kind: 'wait'; readonly seconds: number };

const otp = fc.constantFrom(...codes);
const session = fc.nat(3);
const isRight = fc.boolean();
const age = fc.constantFrom<Age>('newest', 'newest', 'earlier');
const kindOf = <K extends Call['kind']>(kind: K) => fc.constant(kind);
const login = fc.record({
  kind: kindOf('login'),
  password: fc.constantFrom('right' as const, 'right' as const, 'right' as const, 'wrong' as const, 'earlier' as const),
  otp,
});
const answer = fc.record({ kind: kindOf('answer'), challenge: fc.oneof(age, fc.constant('foreign' as const)), otp });
const call: fc.Arbitrary<Call> = fc.oneof(
  { arbitrary: login, weight: 5 },
  { arbitrary: answer, weight: 4 },
  { arbitrary: fc.record({ kind: kindOf('request code') }), weight: 2 },
  {
    arbitrary: fc.record({ kind: kindOf('code login'), code: fc.oneof(age, age, fc.constant('wrong' as const)), otp }),
    weight: 3,
  },
  {
    arbitrary: fc.record({
      kind: kindOf('step up'),
      session,
      by: fc.constantFrom('password', 'wrong password', ...codes),
    }),
    weight: 2,
  },
  { arbitrary: fc.record({ kind: fc.constantFrom('enable', 'renew codes', 'log out'), session }), weight: 3 },
  fc.record({ kind: kindOf('disable'), session, otp }),
  fc.record({ kind: kindOf('change password'), session, isRight }),
  fc.record({ kind: fc.constantFrom('request reset', 'restore', 'restore', 'turn off', 'turn on', 'turn on') }),
  fc.record({ kind: kindOf('reset'), token: age }),
  fc.record({ kind: kindOf('delete'), session, isRight }),
  { arbitrary: fc.record({ kind: kindOf('refresh'), session, token: age }), weight: 2 },
  { arbitrary: fc.record({ kind: kindOf('wait'), seconds: fc.constantFrom(1, 30, 60, 300, 601) }), weight: 4 },
) as fc.Arbitrary<Call>;

/** The account gets a second factor first. */
const protect: readonly Call[] = [
  { kind: 'login', password: 'right', otp: 'none' },
  { kind: 'enable', session: 0 },
  { kind: 'wait', seconds: 60 },
];
const history = fc
  .tuple(fc.boolean(), fc.array(call, { minLength: 20, maxLength: 40 }))
  .map(([isProtected, calls]) => (isProtected ? [...protect, ...calls] : calls));

/** Each act succeeds once. */
const everything: readonly Call[] = [
  ...protect,
  { kind: 'login', password: 'right', otp: 'none' },
  { kind: 'answer', challenge: 'newest', otp: 'right' },
  { kind: 'wait', seconds: 60 },
  { kind: 'step up', session: 0, by: 'right' },
  { kind: 'request code' },
  { kind: 'code login', code: 'newest', otp: 'none' },
  { kind: 'answer', challenge: 'newest', otp: 'recovery' },
  { kind: 'renew codes', session: 0 },
  { kind: 'disable', session: 0, otp: 'recovery' },
  { kind: 'request code' },
  { kind: 'code login', code: 'newest', otp: 'none' },
  { kind: 'request reset' },
  { kind: 'reset', token: 'newest' },
  { kind: 'login', password: 'right', otp: 'none' },
  { kind: 'change password', session: 0, isRight: true },
  { kind: 'refresh', session: 0, token: 'newest' },
  { kind: 'delete', session: 0, isRight: true },
  { kind: 'restore' },
];

/** A session as the model knows it. */
interface Session {
  readonly id: string;
  access: string;
  /** When the access token ends. */
  accessUntil: number;
  refresh: string;
  readonly earlier: string[];
  isLive: boolean;
  freshUntil: number;
}

/** A secret that is used once. */
interface Once {
  readonly secret: string;
  readonly until: number;
  isOpen: boolean;
}

const client = { address: '192.0.2.1', userAgent: 'test' };
const by = { client, actor: from(client.address) };
const ada = 'ada@example.com';

/** Plays calls against the real parts and the model at once. */
class Play {
  readonly #sessions: Session[] = [];
  readonly #challenges: (Once & { answers: number })[] = [];
  readonly #mailed: Once[] = [];
  readonly #resets: Once[] = [];
  readonly #passwords = [firstPassword];
  #restore: Once | null = null;
  #totp: { readonly code: (ms: number) => string; lastStep: number } | null = null;
  #recovery: string[] = [];
  #usedRecovery = '';
  #isOff = false;
  #isLeaving = false;

  constructor(
    private readonly people: People,
    private readonly userId: string,
    private readonly foreign: { readonly challenge: string; readonly code: () => string },
  ) {}

  /** @throws Error if the outcome of a call is not the one of the model */
  async play(call: Call): Promise<string> {
    const { people } = this;
    await people.db('sign_in_failures').delete();
    people.letters.splice(0);
    const outcome = await this.#call(call);
    await this.#compare(call);
    return outcome;
  }

  async #call(call: Call): Promise<string> {
    const { signIn, completion, emailCodeSignIn, clock, users, recovery, deletion, sessions } = this.people;
    switch (call.kind) {
      case 'wait':
        clock.advance(call.seconds * SECOND);
        return 'waited';
      case 'login': {
        const isRight = call.password === 'right';
        const password = isRight
          ? this.#password
          : call.password === 'wrong'
            ? 'wrong horse'
            : (this.#passwords[0] ?? '');
        const isProven = password === this.#password;
        const { typed, use } = this.#otp(call.otp);
        return this.#signIn(isProven, use, () => signIn.login({ email: ada, password, ...typed, ...by }));
      }
      case 'code login': {
        const code = call.code === 'wrong' ? null : call.code === 'newest' ? this.#mailed.at(-1) : this.#mailed.at(-2);
        const isNewest = code !== undefined && code !== null && code.secret === this.#mailed.at(-1)?.secret;
        const isProven = isNewest && this.#isUsable(this.#mailed.at(-1));
        const { typed, use } = this.#otp(call.otp);
        const right = this.#mailed.at(-1)?.secret;
        const wrong = right === '000000' ? '000001' : '000000';
        const request = { email: ada, code: code?.secret ?? wrong, ...typed, ...by };
        const used = () => this.#close(this.#mailed.at(-1));
        return this.#signIn(isProven, use, () => emailCodeSignIn.login(request), used);
      }
      case 'answer': {
        const own = call.challenge === 'earlier' ? this.#challenges.at(-2) : this.#challenges.at(-1);
        const challenge = call.challenge === 'foreign' ? undefined : own;
        const token = call.challenge === 'foreign' ? this.foreign.challenge : (own?.secret ?? 'svc_ch_none');
        // both of the stranger: signs the stranger in
        const isOwnOfStranger = call.challenge === 'foreign' && call.otp === 'foreign';
        const { typed, use } = this.#otp(isOwnOfStranger ? 'wrong' : call.otp);
        const given = typed.otp ?? '000000';
        const isOpen = challenge !== undefined && this.#isUsable(challenge) && challenge.answers < 5;
        if (isOpen) challenge.answers += 1;
        const isGranted = isOpen && use() && this.#isStateOpen;
        if (challenge !== undefined && isGranted) challenge.isOpen = false;
        return this.#opens(isGranted, () => completion.answer({ challenge: token, otp: given }, by));
      }
      case 'request code':
        return this.#requestCode();
      case 'step up':
        return this.#stepUp(call);
      case 'enable':
        return this.#enable(call.session);
      case 'renew codes':
        return this.#fresh(call.session, this.#totp !== null, async (actor) => {
          this.#recovery = await this.people.secondFactor.renewCodes(this.userId, actor);
        });
      case 'disable': {
        const { typed, use } = this.#otp(call.otp);
        const isOpen = this.#isFresh(call.session) && this.#totp !== null && use();
        return this.#fresh(call.session, isOpen, async (actor) => {
          await this.people.secondFactor.disable(this.userId, typed.otp ?? '000000', actor);
          this.#totp = null;
          this.#recovery = [];
        });
      }
      case 'change password': {
        const next = `another horse ${this.#passwords.length}`;
        const current = call.isRight ? this.#password : 'wrong horse';
        const needsFresh = this.#totp !== null;
        const mine = this.#session(call.session);
        const isAllowed = this.#isLive(call.session) && call.isRight && (!needsFresh || this.#isFresh(call.session));
        return this.#act(call.session, isAllowed, async (actor, account) => {
          await this.people.secondFactor.requireFresh(account as never);
          const passwords = { current, next };
          await signIn.changePassword(this.userId, passwords, {
            actor,
            keepSession: mine?.id ?? null,
            hasAllScopes: true,
          });
          this.#newPassword(next, mine);
        });
      }
      case 'request reset': {
        await recovery.requestReset(ada, by.actor);
        this.#keep(this.#resets, 'reset-password', 30 * 60 * SECOND);
        return 'requested';
      }
      case 'reset': {
        const token = call.token === 'newest' ? this.#resets.at(-1) : this.#resets.at(-2);
        const next = `another horse ${this.#passwords.length}`;
        const isAllowed = this.#isUsable(token) && !this.#isOff;
        return this.#expect(isAllowed, async () => {
          await recovery.resetPassword({ token: token?.secret ?? 'svc_ch_none', password: next }, by.actor);
          this.#newPassword(next);
        });
      }
      case 'turn off':
      case 'turn on':
        this.#isOff = call.kind === 'turn off';
        await users.setDisabled(this.userId, this.#isOff, by.actor);
        if (this.#isOff) this.#end();
        return call.kind;
      case 'delete': {
        // the password stands for freshness where there is no second factor
        const isProven = this.#totp === null ? call.isRight : this.#isFresh(call.session);
        return this.#act(call.session, this.#isLive(call.session) && isProven, async (actor, { freshness }) => {
          const password = call.isRight ? this.#password : 'wrong horse';
          await deletion.delete(this.userId, { password, freshness: freshness as never }, actor);
          this.#isLeaving = true;
          this.#end();
          const letter = this.people.letters.findLast(({ template }) => template === 'account-deleting');
          this.#restore = { secret: tokenOf(letter), until: clock.now() + 14 * 86_400 * SECOND, isOpen: true };
        });
      }
      case 'restore': {
        const token = this.#restore;
        return this.#expect(this.#isUsable(token ?? undefined), async () => {
          await deletion.restore(token?.secret ?? 'svc_ch_none', by.actor);
          this.#isLeaving = false;
          this.#restore = null;
        });
      }
      case 'log out': {
        const mine = this.#session(call.session);
        return this.#act(call.session, this.#isLive(call.session), async (actor) => {
          await sessions.end(this.userId, mine?.id ?? '', { actor, isLogout: true });
          if (mine !== undefined) mine.isLive = false;
        });
      }
      case 'refresh':
        return this.#refresh(call);
    }
  }

  get #password(): string {
    return this.#passwords.at(-1) ?? '';
  }

  get #isStateOpen(): boolean {
    return !this.#isOff && !this.#isLeaving;
  }

  get #now(): number {
    return this.people.clock.now();
  }

  #session(index: number): Session | undefined {
    return this.#sessions.at(-1 - (index % Math.max(1, this.#sessions.length)));
  }

  #isLive(index: number): boolean {
    const mine = this.#session(index);
    return this.#isStateOpen && mine?.isLive === true && mine.accessUntil > this.#now;
  }

  #isFresh(index: number): boolean {
    return this.#isLive(index) && (this.#session(index)?.freshUntil ?? 0) > this.#now;
  }

  #isUsable(once: Once | undefined): boolean {
    return once?.isOpen === true && once.until > this.#now;
  }

  #close(once: Once | undefined): void {
    if (once !== undefined) once.isOpen = false;
  }

  /** Text of a caller as the second factor; `use` says if that is one now, and uses it up. */
  #otp(code: Code): { typed: { otp?: string }; use: () => boolean } {
    const totp = this.#totp;
    const step = Math.floor(this.#now / STEP_MS);
    const spent = totp === null ? '000000' : totp.code(totp.lastStep * STEP_MS);
    if (code === 'none') return { typed: {}, use: () => false };
    const recovery = this.#recovery[0] ?? '7k3m9-x2p4q';
    const texts = {
      right: totp?.code(this.#now) ?? '000000',
      replayed: spent,
      wrong: '12345',
      foreign: this.foreign.code(),
      recovery,
      'used recovery': this.#usedRecovery || '7k3m9-x2p4q',
    };
    const use = () => {
      if (totp === null || this.#totp !== totp) return false;
      if (code === 'right' && step > totp.lastStep) {
        totp.lastStep = step;
        return true;
      }
      if (code !== 'recovery' || this.#recovery[0] !== recovery) return false;
      this.#usedRecovery = recovery;
      this.#recovery.shift();
      return true;
    };
    return { typed: { otp: texts[code] }, use };
  }

  /** A way to sign in with a first proof. The model: docs/accounts.md. */
  #signIn(
    isProven: boolean,
    use: () => boolean,
    open: () => Promise<Opened>,
    used: () => void = () => {},
  ): Promise<string> {
    // a code is not asked for, and stays unused, where the sign-in is refused or complete without it
    const needsFactor = isProven && this.#isStateOpen && this.#totp !== null;
    const isGranted = isProven && this.#isStateOpen && (!needsFactor || use());
    if (isProven && this.#isStateOpen && isGranted) used();
    return this.#opens(isGranted, async () => {
      try {
        return await open();
      } catch (error) {
        if (
          error instanceof ApiError &&
          ['AUTH_2FA_REQUIRED', 'ACCOUNT_DELETED', 'AUTH_ACCOUNT_DISABLED'].includes(error.code)
        )
          used();
        if (error instanceof ApiError && error.code === 'AUTH_2FA_REQUIRED') {
          if (!needsFactor) throw new Error('a challenge without a first proof', { cause: error });
          const secret = String((error.meta as { challenge: string }).challenge);
          this.#challenges.push({ secret, until: this.#now + 600 * SECOND, isOpen: true, answers: 0 });
        }
        throw error;
      }
    });
  }

  #opens(isGranted: boolean, open: () => Promise<Opened>): Promise<string> {
    return this.#expect(isGranted, async () => {
      const { tokens } = await open();
      if (tokens.userId !== this.userId) throw new Error('the session of another account');
      const { sessionId: id, accessToken: access, refreshToken: refresh } = tokens;
      this.#sessions.push({
        id,
        access,
        refresh,
        earlier: [],
        isLive: true,
        accessUntil: this.#now + ACCESS_TOKEN_SECONDS * SECOND,
        freshUntil: this.#now + FRESH_MS,
      });
    });
  }

  async #expect(isAllowed: boolean, act: () => Promise<void>): Promise<string> {
    const outcome = await act().then(
      () => 'done',
      (error: unknown) => {
        if (error instanceof ApiError) return error.code;
        throw error;
      },
    );
    if ((outcome === 'done') !== isAllowed)
      throw new Error(`${outcome}, but the model ${isAllowed ? 'grants' : 'refuses'} it`);
    return outcome;
  }

  /** An act in a session, checked as the API checks its credentials. */
  #act(
    index: number,
    isAllowed: boolean,
    act: (actor: typeof by.actor, account: Found) => Promise<void>,
  ): Promise<string> {
    const mine = this.#session(index);
    return this.#expect(isAllowed, async () => {
      if (mine === undefined) throw new ApiError('AUTH_SESSION_INVALID');
      const found = await this.people.sessions.find(mine.access);
      if (found.refusal !== null || found.owner.state !== 'active') throw new ApiError('AUTH_SESSION_INVALID');
      await act({ ...by.actor, userId: this.userId, credentialId: mine.id }, {
        ...found,
        user: { id: this.userId },
      } as never);
    });
  }

  /** As `#act`, of an operation that needs a fresh session. */
  #fresh(index: number, isAllowed: boolean, act: (actor: typeof by.actor) => Promise<void>): Promise<string> {
    return this.#act(index, this.#isFresh(index) && isAllowed, (actor, { freshness }) => {
      requireFresh({ freshness: freshness ?? null });
      return act(actor);
    });
  }

  async #requestCode(): Promise<string> {
    const { people } = this;
    // the newest one is known by its time
    people.clock.advance(SECOND);
    await people.emailCodes.request(ada, by.actor);
    const secret = await people.mailCode();
    if (secret === null) return 'no mail';
    if (this.#isOff) throw new Error('a code for an account that is off');
    this.#mailed.push({ secret, until: this.#now + 600 * SECOND, isOpen: true });
    return 'mailed';
  }

  #stepUp({ session: index, by: way }: Extract<Call, { kind: 'step up' }>): Promise<string> {
    const mine = this.#session(index);
    const isPassword = way === 'password' || way === 'wrong password';
    const { typed, use } = isPassword ? { typed: {}, use: () => false } : this.#otp(way);
    const isLive = this.#isLive(index);
    const isProven = this.#totp === null ? way === 'password' : isLive && !isPassword && use();
    return this.#act(index, isLive && isProven, async (actor, { freshness }) => {
      const proof = isPassword
        ? { password: way === 'password' ? this.#password : 'wrong horse' }
        : { otp: '000000', ...typed };
      const session = { userId: this.userId, sessionId: mine?.id ?? '', freshness: freshness as never, actor };
      await this.people.stepUp.prove(proof, session);
      if (mine !== undefined) mine.freshUntil = this.#now + FRESH_MS;
    });
  }

  #enable(index: number): Promise<string> {
    return this.#fresh(index, this.#totp === null, async (actor) => {
      const { secondFactor } = this.people;
      const { secret } = await secondFactor.setUp(this.userId, actor);
      const totp = new TOTP({ secret: Secret.fromBase32(secret) });
      const code = (timestamp: number) => totp.generate({ timestamp });
      this.#recovery = await secondFactor.enable(this.userId, code(this.#now), actor);
      this.#totp = { code, lastStep: Math.floor(this.#now / STEP_MS) };
    });
  }

  #refresh({ session: index, token: age }: Extract<Call, { kind: 'refresh' }>): Promise<string> {
    const mine = this.#session(index);
    const token = age === 'newest' ? mine?.refresh : mine?.earlier[0];
    // an earlier one ends the session, but for the grace of a lost response, which no call here is in
    const isAllowed = this.#isStateOpen && mine?.isLive === true && age === 'newest';
    return this.#expect(isAllowed, async () => {
      try {
        const { accessToken, refreshToken } = await this.people.sessions.refresh(token ?? 'svc_rt_none', by.actor);
        if (mine === undefined) throw new Error('refreshed without a session');
        mine.earlier.push(mine.refresh);
        mine.refresh = refreshToken;
        mine.access = accessToken;
        mine.accessUntil = this.#now + ACCESS_TOKEN_SECONDS * SECOND;
        this.people.clock.advance(11 * SECOND);
      } catch (error) {
        if (mine !== undefined && token !== undefined && age === 'earlier' && this.#isStateOpen) mine.isLive = false;
        throw error;
      }
    });
  }

  #newPassword(next: string, except?: Session): void {
    this.#passwords.push(next);
    this.#end(except);
    for (const once of [...this.#resets, ...this.#challenges]) once.isOpen = false;
  }

  #end(except?: Session): void {
    for (const each of this.#sessions) if (each !== except) each.isLive = false;
  }

  #keep(list: Once[], template: string, lifeMs: number): void {
    const secret = tokenOf(this.people.letters.findLast((letter) => letter.template === template));
    if (secret !== '') list.push({ secret, until: this.#now + lifeMs, isOpen: true });
  }

  /** The sessions in the database are those of the model, as live and as fresh. */
  async #compare(call: Call): Promise<void> {
    const rows = await this.people.db('sessions').where({ user_id: this.userId }).orderBy('id');
    const stored = rows.map(
      ({ id, revoked_at, fresh_until }) => `${id} ${revoked_at === null} ${fresh_until.getTime()}`,
    );
    const known = this.#sessions.map(({ id, isLive, freshUntil }) => `${id} ${isLive} ${freshUntil}`);
    if (stored.sort().join() !== known.sort().join())
      throw new Error(`after ${call.kind}: stored ${stored.join(', ')}; granted ${known.join(', ')}`);
  }
}

type Opened = {
  readonly tokens: {
    readonly sessionId: string;
    readonly userId: string;
    readonly accessToken: string;
    readonly refreshToken: string;
  };
};
type Found = Awaited<ReturnType<People['sessions']['find']>>;

function tokenOf(letter: object | undefined): string {
  return (letter as { data?: { token?: string } } | undefined)?.data?.token ?? '';
}

const openPeople = await peopleInTurn(t);

t.test('no sequence of calls opens a session, or makes one fresh, that the table does not grant', async (t) => {
  const outcomes = new Map<string, number>();
  const runs = Number(process.env['VANTAGE_TEST_RUNS'] ?? 40);
  await fc.assert(
    fc.asyncProperty(history, async (calls) => {
      const people = await openPeople(t);
      const { id } = await people.add(ada);
      const play = new Play(people, id, await stranger(people));
      for (const each of calls) {
        const outcome = `${each.kind}: ${await play.play(each)}`;
        outcomes.set(outcome, (outcomes.get(outcome) ?? 0) + 1);
      }
    }),
    { numRuns: runs, examples: [[everything]] },
  );
  t.comment([...outcomes].map(([outcome, count]) => `${outcome} ${count}`).join(', '));
  const acts = new Set(everything.map(({ kind }) => kind).filter((kind) => !/^(wait|request)/.test(kind)));
  for (const kind of acts) t.ok(outcomes.has(`${kind}: done`), kind);
});

/** Another account with a second factor, whose owner knows the address of the first one: a challenge of it, and its codes. */
async function stranger({ add, secondFactor, signIn, clock }: People) {
  const { id, email } = await add('mallory@example.com');
  const { secret } = await secondFactor.setUp(id, by.actor);
  const totp = new TOTP({ secret: Secret.fromBase32(secret) });
  const code = () => totp.generate({ timestamp: clock.now() });
  await secondFactor.enable(id, code(), by.actor);
  const refused = await signIn.login({ email, password: firstPassword, ...by }).catch((error: ApiError) => error);
  const { challenge } = (refused as ApiError).meta as { challenge: string };
  return { challenge, code };
}
