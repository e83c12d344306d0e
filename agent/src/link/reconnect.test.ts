import t from 'tap';
import type { LinkEnd, LinkEndKind } from './link-end.js';
import { planReconnect } from './reconnect.js';

function end(kind: LinkEndKind, parts: Partial<LinkEnd> = {}): LinkEnd {
  return { kind, message: '', retryAfterMs: 0, openMs: 0, ...parts };
}

/** Longest delays of so many ends in a row, each before any link was stable. */
function longestDelays(kind: LinkEndKind, count: number): number[] {
  const delays: number[] = [];
  let failures = 0;
  for (let i = 0; i < count; i += 1) {
    const next = planReconnect(end(kind), failures, 1);
    if (next.kind !== 'dial') break;
    delays.push(next.delayMs);
    failures = next.failures;
  }
  return delays;
}

t.test('the first try comes within half a second, the next ones double up to a minute', async (t) => {
  t.same(longestDelays('lost', 9), [500, 2000, 4000, 8000, 16_000, 32_000, 60_000, 60_000, 60_000]);
});

t.test('jitter is full: any moment from now on', async (t) => {
  t.match(planReconnect(end('unreachable'), 5, 0), { delayMs: 0 });
  t.match(planReconnect(end('unreachable'), 5, 0.5), { delayMs: 16_000 });
});

t.test('where only a person can help the tries thin out to one in ten minutes', async (t) => {
  for (const kind of ['unauthenticated', 'wrong_server', 'cloned'] as const) {
    t.equal(longestDelays(kind, 20).at(-1), 600_000, kind);
  }
});

t.test('a link that was stable for half a minute begins anew', async (t) => {
  t.match(planReconnect(end('lost', { openMs: 30_000 }), 9, 1), { delayMs: 500, failures: 1 });
  t.match(planReconnect(end('lost', { openMs: 29_999 }), 9, 1), { delayMs: 60_000, failures: 10 });
});

t.test('a replica that drains and a new epoch invite back at once', async (t) => {
  for (const kind of ['draining', 'new_epoch'] as const)
    t.match(planReconnect(end(kind), 9, 1), { delayMs: 500 }, kind);
});

t.test('never before the control plane said', async (t) => {
  t.match(planReconnect(end('overloaded', { retryAfterMs: 7000 }), 0, 0), { delayMs: 7000 });
  t.match(planReconnect(end('draining', { retryAfterMs: 7000 }), 0, 1), { delayMs: 7500 });
});

t.test('an agent that was replaced waits five seconds at least', async (t) => {
  t.match(planReconnect(end('replaced'), 0, 0), { delayMs: 5000 });
});

t.test('a ban and a protocol that is too old are final', async (t) => {
  for (const kind of ['banned', 'upgrade_required'] as const)
    t.same(planReconnect(end(kind), 0, 0), { kind: 'give-up' }, kind);
});
