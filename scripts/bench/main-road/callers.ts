import { ApiClient } from 'vantage-control/client/api-client.js';
import { runToEnd } from '../../demo/program.js';

// Limits are counted as for any account, and never reached.
const UNREACHED = 1_000_000_000;

/** Caller whose requests are measured. */
export type CallerName = 'anonymous' | 'anonymous-quota' | 'key' | 'key-quota';

const planOf = { key: 'business', 'key-quota': 'pro' } as const;

/**
 * Value of VANTAGE_PLANS for a control plane: the plan of each caller says how many requests and node tests are allowed, and
 * the limit of waiting GETs follows from that of requests.
 */
export function plansWith({ hasAnonymousQuota }: { readonly hasAnonymousQuota: boolean }): string {
  const plan = (hasDayQuota: boolean) => ({
    requests_per_minute: UNREACHED,
    node_tests_per_day: hasDayQuota ? UNREACHED : null,
  });
  return JSON.stringify({
    anonymous: plan(hasAnonymousQuota),
    [planOf.key]: plan(false),
    [planOf['key-quota']]: plan(true),
  });
}

/** Creates an account with the plan of a caller, and returns an API key of it; null: the caller has none. */
export async function createKey(
  caller: CallerName,
  { script, environment, url }: { script: string; environment: Readonly<Record<string, string>>; url: string },
): Promise<string | null> {
  if (caller === 'anonymous' || caller === 'anonymous-quota') return null;
  const plan = planOf[caller];
  const email = `${plan}@example.com`;
  const run = (...args: string[]) => runToEnd(script, args, environment);
  await run('user', 'create', '--email', email);
  await run('user', 'set-plan', '--email', email, '--plan', plan);
  const token = (await run('token', 'create', '--user', email, '--scopes', 'probe,account')).trim();
  const client = new ApiClient({ url, token });
  const { key } = await client.call<{ key: string }>('POST', '/v1/account/api-keys', { name: plan, scopes: ['probe'] });
  return key;
}
