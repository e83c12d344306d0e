import { rounds } from '@vantage/shared/_support/rounds.js';
import fc from 'fast-check';
import t from 'tap';
import type { LinkEnd, LinkEndKind } from './link-end.js';
import { finalEnds, planReconnect } from './reconnect.js';

function end(kind: LinkEndKind, parts: Partial<LinkEnd> = {}): LinkEnd {
  return { kind, message: '', retryAfterMs: 0, controlUrls: [], openMs: 0, ...parts };
}

/** A control plane that starts gives up what agents without a link were doing after this long. */
const LINK_GIVEN_UP_MS = 15_000;
const STABLE_LINK_MS = 60_000;
const LONG_AWAY_MS = 3_600_000;

const plan = (ended: LinkEnd, failures: number, random: number, { hasOther = false, awayMs = LONG_AWAY_MS } = {}) =>
  planReconnect(ended, { failures, awayMs, random, hasOther });

/** Longest delays of so many ends in a row, each before any link was stable. */
function longestDelays(kind: LinkEndKind, count: number): number[] {
  const delays: number[] = [];
  let failures = 0;
  for (let i = 0; i < count; i += 1) {
    const next = plan(end(kind), failures, 1);
    if (next.kind !== 'dial') break;
    delays.push(next.delayMs);
    failures = next.failures;
  }
  return delays;
}

t.test('the first try comes within half a second, the next ones double up to half a minute', async (t) => {
  t.same(longestDelays('unreachable', 7), [500, 2000, 4000, 8000, 16_000, 30_000, 30_000]);
});

t.test('the delay before the next attempt is no longer than the outage so far, or two seconds', async (t) => {
  t.match(plan(end('unreachable'), 9, 1, { awayMs: 100 }), { delayMs: 2_000, failures: 10 });
  t.match(plan(end('unreachable'), 9, 1, { awayMs: 6_000 }), { delayMs: 6_000 });
  t.match(plan(end('unreachable'), 9, 1, { awayMs: 60_000 }), { delayMs: 30_000 });
  t.match(plan(end('unreachable'), 0, 1, { awayMs: 0 }), { delayMs: 500 });
  t.match(plan(end('protocol_error'), 9, 1, { awayMs: 0 }), { delayMs: 30_000 }, 'who answers is no outage');
});

t.test(
  'agents are back before their work is given up, however their tries fall, after up to fifteen seconds',
  async (t) => {
    const property = fc.property(
      fc.array(fc.double({ min: 0, max: 1, noNaN: true, maxExcluded: true }), { minLength: 100, maxLength: 100 }),
      fc.integer({ min: 0, max: LINK_GIVEN_UP_MS }),
      (randoms, backAtMs) => {
        let failures = 0;
        let atMs = 0;
        let kind: LinkEndKind = 'lost';
        for (const random of randoms) {
          const openMs = kind === 'lost' ? STABLE_LINK_MS : 0;
          const next = plan(end(kind, { openMs }), failures, random, { awayMs: atMs });
          if (next.kind !== 'dial') return false;
          atMs += next.delayMs;
          if (atMs >= backAtMs) return atMs - backAtMs <= LINK_GIVEN_UP_MS;
          failures = next.failures;
          kind = 'unreachable';
        }
        return true;
      },
    );
    fc.assert(property, { numRuns: rounds(2_000) });
    t.pass();
  },
);

t.test('jitter is full: any moment from now on', async (t) => {
  t.match(plan(end('unreachable'), 5, 0), { delayMs: 0 });
  t.match(plan(end('unreachable'), 5, 0.5), { delayMs: 15_000 });
});

t.test('where only a person can help, attempts are reduced to one in ten minutes', async (t) => {
  for (const kind of ['unauthenticated', 'wrong_server', 'cloned'] as const) {
    t.equal(longestDelays(kind, 20).at(-1), 600_000, kind);
  }
});

t.test('a link that was stable for half a minute resets the delay', async (t) => {
  t.match(plan(end('lost', { openMs: 30_000 }), 9, 1), { delayMs: 500, failures: 1 });
});

t.test('a control plane that was killed soon after a link opened is dialled again within seconds', async (t) => {
  t.match(plan(end('lost', { openMs: 50 }), 9, 1), { delayMs: 8_000, failures: 4 });
  t.match(plan(end('lost', { openMs: 2_500 }), 3, 1), { delayMs: 2_000, failures: 2 });
  t.match(plan(end('silent', { openMs: 9_000 }), 9, 1), { delayMs: 500, failures: 1 });
});

t.test('a link that repeatedly opens and is refused is dialled at growing intervals', async (t) => {
  const opened = { openMs: 5_000 };
  t.match(plan(end('protocol_error', opened), 9, 1), { delayMs: 30_000, failures: 10 });
  t.match(plan(end('replaced', opened), 9, 1), { delayMs: 35_000, failures: 10 });
});

t.test('another control URL is tried at once, and the tries count when all have failed', async (t) => {
  t.match(plan(end('unreachable'), 5, 1, { hasOther: true }), { delayMs: 500, failures: 5 });
  t.match(plan(end('unreachable'), 5, 1, { hasOther: false }), { delayMs: 30_000, failures: 6 });
});

t.test('a requested delay is followed by an attempt soon after it, after any number of failures', async (t) => {
  t.match(plan(end('overloaded', { retryAfterMs: 7000 }), 20, 1), { delayMs: 14_000 });
  t.match(plan(end('unreachable', { retryAfterMs: 100 }), 20, 1), { delayMs: 1_100 });
});

t.test('a replica that drains and a new epoch invite back at once', async (t) => {
  for (const kind of ['draining', 'new_epoch'] as const) t.match(plan(end(kind), 9, 1), { delayMs: 500 }, kind);
});

t.test('no attempt is made before the time that the control plane requested', async (t) => {
  t.match(plan(end('overloaded', { retryAfterMs: 7000 }), 0, 0), { delayMs: 7000 });
  t.match(plan(end('draining', { retryAfterMs: 7000 }), 0, 1), { delayMs: 7500 });
});

t.test('an agent that was replaced waits five seconds at least', async (t) => {
  t.match(plan(end('replaced'), 0, 0), { delayMs: 5000 });
});

t.test('a ban and a protocol that is too old are final', async (t) => {
  for (const kind of finalEnds) t.same(plan(end(kind), 0, 0), { kind: 'give-up', end: kind }, kind);
});
