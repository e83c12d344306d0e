import { type Clock, delay } from '@vantage/shared/clock.js';
import { Type } from 'typebox';
import type { Logger } from '../log.js';
import { type AnyRoute, defineRoute, type RawReply } from './route.js';

/** Something this process cannot serve without. */
export interface ReadinessCheck {
  /** One word, shown to anybody: `database`. */
  readonly name: string;
  /** Rejects when it is not there. */
  check(): Promise<void>;
}

/** A check that takes longer has failed. */
const CHECK_TIMEOUT_MS = 3_000;

const Health = Type.Object({
  status: Type.Enum(['ok', 'unavailable'], { type: 'string' }),
  checks: Type.Array(Type.Object({ name: Type.String(), ok: Type.Boolean() })),
  notices: Type.Optional(Type.Array(Type.String())),
});

interface HealthOptions {
  readonly checks: readonly ReadinessCheck[];
  /** What somebody should see to although all works; shown to anybody. */
  readonly notices: () => readonly string[];
  readonly clock: Clock;
  readonly log: Logger;
}

/** `/healthz`: the process answers. `/readyz`: and everything it needs is there, else 503. Neither is enveloped. */
export function healthRoutes({ checks, notices, clock, log }: HealthOptions): AnyRoute[] {
  const common = {
    method: 'GET',
    tag: 'Health',
    auth: { kind: 'none' },
    replies: { 200: Health, 503: Health },
    replyKind: 'raw',
    errors: [],
    isDocumented: false,
  } as const;
  const alive = defineRoute({
    ...common,
    operationId: 'getHealth',
    path: '/healthz',
    summary: 'Whether the process answers',
    handle: async () => reply([], []),
  });
  const ready = defineRoute({
    ...common,
    operationId: 'getReadiness',
    path: '/readyz',
    summary: 'Whether the process can serve',
    handle: async () => reply(await Promise.all(checks.map((check) => run(check, clock, log))), notices()),
  });
  return [alive, ready];
}

async function run({ name, check }: ReadinessCheck, clock: Clock, log: Logger): Promise<{ name: string; ok: boolean }> {
  const done = new AbortController();
  const timeout = delay(clock, CHECK_TIMEOUT_MS, done.signal).then(() => Promise.reject(new Error('timed out')));
  try {
    await Promise.race([check(), timeout]);
    return { name, ok: true };
  } catch (err) {
    log.warn({ err, check: name }, 'not ready');
    return { name, ok: false };
  } finally {
    timeout.catch(() => {});
    done.abort();
  }
}

function reply(
  checks: readonly { readonly name: string; readonly ok: boolean }[],
  notices: readonly string[],
): RawReply {
  const isReady = checks.every((check) => check.ok);
  return {
    status: isReady ? 200 : 503,
    raw: {
      contentType: 'application/json; charset=utf-8',
      body: JSON.stringify({
        status: isReady ? 'ok' : 'unavailable',
        checks,
        ...(notices.length === 0 ? {} : { notices }),
      }),
    },
    headers: isReady ? {} : { 'Retry-After': '5' },
  };
}
