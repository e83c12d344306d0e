import t from 'tap';
import { afterAttempt, type Consequence, type Ended, type Health } from './health.js';

const HOUR_MS = 3_600_000;
const fresh: Health = {
  failingSinceMs: null,
  failingEvent: null,
  hasFailedAgain: false,
  warnedAtMs: null,
  lastSuccessAtMs: null,
  lastFailureAtMs: null,
  isSlow: false,
};

/** Attempts `[hour, event, 'ok' | 'fails' | 'gone']` one after another. */
function follow(attempts: readonly (readonly [number, string, 'ok' | 'fails' | 'gone'])[]) {
  let health = fresh;
  const consequences: Consequence[] = [];
  for (const [hour, eventId, what] of attempts) {
    const ended: Ended = {
      eventId,
      atMs: hour * HOUR_MS,
      isSuccess: what === 'ok',
      isGone: what === 'gone',
      isSlow: what === 'fails',
    };
    const next = afterAttempt(health, ended);
    health = next.health;
    consequences.push(next.consequence);
  }
  return { health, consequences };
}

t.test('an owner is warned once after a day of failures, and again only after a success', async (t) => {
  const { consequences } = follow([
    [0, 'evt_1', 'fails'],
    [23.9, 'evt_1', 'fails'],
    [24, 'evt_1', 'fails'],
    [30, 'evt_2', 'fails'],
    [31, 'evt_3', 'ok'],
    [32, 'evt_4', 'fails'],
    [56, 'evt_4', 'fails'],
  ]);
  t.same(consequences, ['none', 'none', 'warn', 'none', 'none', 'none', 'warn']);
});

t.test('an endpoint is disabled after 120 hours without success, if two events failed 12 hours apart', async (t) => {
  const cases: readonly (readonly [string, Parameters<typeof follow>[0], Consequence])[] = [
    [
      'two events',
      [
        [0, 'evt_1', 'fails'],
        [12, 'evt_2', 'fails'],
        [120, 'evt_2', 'fails'],
      ],
      'disable-failing',
    ],
    [
      'too early',
      [
        [0, 'evt_1', 'fails'],
        [12, 'evt_2', 'fails'],
        [119.9, 'evt_2', 'fails'],
      ],
      'warn',
    ],
    [
      'one event',
      [
        [0, 'evt_1', 'fails'],
        [24, 'evt_1', 'fails'],
        [121, 'evt_1', 'fails'],
      ],
      'none',
    ],
    [
      'close together',
      [
        [0, 'evt_1', 'fails'],
        [11.9, 'evt_2', 'fails'],
        [121, 'evt_1', 'fails'],
      ],
      'warn',
    ],
    [
      'a success between',
      [
        [0, 'evt_1', 'fails'],
        [60, 'evt_2', 'ok'],
        [121, 'evt_3', 'fails'],
      ],
      'none',
    ],
  ];
  for (const [name, attempts, consequence] of cases) t.equal(follow(attempts).consequences.at(-1), consequence, name);
});

t.test('410 disables an endpoint at once', async (t) => {
  t.same(follow([[0, 'evt_1', 'gone']]).consequences, ['disable-gone']);
});

t.test('the health shows the first failure since the last success, and the last of both', async (t) => {
  const attempts = [
    [1, 'evt_1', 'ok'],
    [2, 'evt_2', 'fails'],
    [3, 'evt_3', 'fails'],
  ] as const;
  t.match(follow(attempts).health, {
    failingSinceMs: 2 * HOUR_MS,
    failingEvent: 'evt_2',
    lastSuccessAtMs: HOUR_MS,
    lastFailureAtMs: 3 * HOUR_MS,
    isSlow: true,
  });
  t.match(follow([...attempts, [4, 'evt_4', 'ok']]).health, { failingSinceMs: null, isSlow: false });
});
