import { afterInput, type Clock, delay } from '@vantage/shared/clock.js';
import { Type } from 'typebox';
import type { Logger } from '../../runtime/log.js';
import { type AnyRoute, defineRoute, type RawReply } from '../route.js';

/** Dependency without which this process cannot serve. */
export interface ReadinessCheck {
  /** One word, shown to anyone: `database`. */
  readonly name: string;
  /** Rejects if the dependency is unavailable. */
  check(): Promise<void>;
}

/** Time after which a check has failed, in milliseconds. */
const CHECK_TIMEOUT_MS = 3_000;

const Health = Type.Object({
  status: Type.Enum(['ok', 'unavailable'], { type: 'string' }),
  checks: Type.Array(Type.Object({ name: Type.String(), ok: Type.Boolean() })),
  notices: Type.Optional(Type.Array(Type.String())),
});

interface HealthOptions {
  readonly checks: readonly ReadinessCheck[];
  /** Conditions that need an operator's attention although the service works; shown to anyone. */
  readonly notices: () => readonly string[];
  readonly clock: Clock;
  readonly log: Logger;
}

/**
 * Routes of health: `/healthz` replies while the process runs; `/readyz` replies 503 unless every dependency is
 * available. Neither is enveloped.
 */
export function healthRoutes({ checks, notices, clock, log }: HealthOptions): AnyRoute[] {
  const common = {
    method: 'GET',
    tag: 'Health',
    auth: { kind: 'none' },
    replies: { 200: Health, 503: Health },
    replyKind: 'raw',
    errors: [],
    isDocumented: false,
    // a load balancer without a reply takes the replica out of service
    queuesItself: true,
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
  const timeout = delay(clock, CHECK_TIMEOUT_MS, done.signal)
    // a reply that arrived while this process stood still counts
    .then(() => afterInput(clock))
    .then(() => Promise.reject(new Error('timed out')));
  try {
    await Promise.race([check(), timeout]);
    return { name, ok: true };
  } catch (err) {
    log.warn({ err, check: name }, 'readiness check failed');
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
