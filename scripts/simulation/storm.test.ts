import t from 'tap';
import type { LinkEnd } from 'vantage-agent/link/link-end.js';
import { planReconnect } from 'vantage-agent/link/reconnect.js';
import { type AdmissionState, planAdmission } from 'vantage-control/links/sockets/admission.js';
import { SeededRandom } from '../seeded-random.js';

const AGENTS = 10_000;
const AWAY_MS = 5_000;
const PER_SECOND = 500;
const STABLE_LINK_MS = 60_000;
const LONGEST_MS = 600_000;

interface Dial {
  readonly atMs: number;
  readonly failures: number;
}

/** Times at which each agent whose control plane was away is admitted again, by the rules of both sides. */
function comeBack(random: SeededRandom): number[] {
  let admission: AdmissionState = { tokens: PER_SECOND, atMs: AWAY_MS, bookedMs: 0 };
  const dialAfter = (nowMs: number, end: Partial<LinkEnd>, failures: number): Dial => {
    const whole: LinkEnd = { kind: 'unreachable', message: '', retryAfterMs: 0, openMs: 0, controlUrls: [], ...end };
    const next = planReconnect(whole, { failures, awayMs: nowMs, hasOther: false, random: random.next() });
    if (next.kind === 'give-up') throw new Error('an agent stays away');
    return { atMs: nowMs + next.delayMs, failures: next.failures };
  };
  const dials = new Map<number, Dial[]>();
  const plan = (dial: Dial) => dials.set(dial.atMs, [...(dials.get(dial.atMs) ?? []), dial]);
  for (let i = 0; i < AGENTS; i += 1) plan(dialAfter(0, { kind: 'lost', openMs: STABLE_LINK_MS }, 0));
  const admitted: number[] = [];
  for (let nowMs = 0; admitted.length < AGENTS && nowMs < LONGEST_MS; nowMs += 1) {
    for (const { failures } of dials.get(nowMs) ?? []) {
      if (nowMs < AWAY_MS) {
        plan(dialAfter(nowMs + 1, {}, failures));
        continue;
      }
      const asked = planAdmission(admission, nowMs, PER_SECOND);
      admission = asked.state;
      // Retry-After has whole seconds (RFC 9110 section 10.2.3)
      const retryAfterMs = Math.ceil(asked.waitMs / 1_000) * 1_000;
      if (asked.waitMs === 0) admitted.push(nowMs);
      else plan(dialAfter(nowMs + 1, { retryAfterMs }, failures));
    }
    dials.delete(nowMs);
  }
  return admitted;
}

t.test('ten thousand agents are back within a minute, at no more than the accepted rate', async (t) => {
  for (const seed of [1, 2, 3]) {
    const admitted = comeBack(new SeededRandom(seed));
    t.equal(admitted.length, AGENTS);
    t.ok((admitted.at(-1) ?? 0) < 60_000, `the last after ${admitted.at(-1)} ms`);
    const perSecond = new Map<number, number>();
    for (const ms of admitted) perSecond.set(Math.floor(ms / 1_000), (perSecond.get(Math.floor(ms / 1_000)) ?? 0) + 1);
    const most = Math.max(...perSecond.values());
    t.ok(most <= 2 * PER_SECOND, `${most} within a second`);
  }
});
