import { idPrefixes, newId } from '@vantage/shared/ids.js';
import type pg from 'pg';
import { createSealer } from 'vantage-control/crypto/sealing.js';
import { splitSecrets } from 'vantage-control/modules/alerts/channels/channel-config.js';
import { sealSecrets } from 'vantage-control/modules/alerts/channels/channel-secrets.js';
import { blankPolicy, catchAll } from 'vantage-control/modules/alerts/policies/policy-defaults.js';
import { webhookType } from 'vantage-control/modules/alerts/types/webhook.js';

/** Secret key of the control planes that the benchmarks start. */
export const secretKey = Buffer.alloc(32, 7);

/** Settings of a control plane that sends to receivers on this machine, and opens what the benchmark seals. */
export const sendingSettings: Readonly<Record<string, string>> = {
  VANTAGE_ALLOW_TARGETS: '127.0.0.0/8',
  VANTAGE_SECRET_KEY: secretKey.toString('hex'),
};

/** Policy with one channel of type webhook. */
export interface MadePolicy {
  readonly policyId: string;
  readonly channelId: string;
}

/** Stores policies that send everything to a channel of their own each, at `url` followed by its id. */
export async function insertPolicies(
  database: pg.Pool,
  { count, url }: { readonly count: number; readonly url: string },
): Promise<MadePolicy[]> {
  const sealer = createSealer(secretKey, 'alert channels');
  const made = Array.from({ length: count }, () => ({
    policyId: newId(idPrefixes.alertPolicy),
    channelId: newId(idPrefixes.alertChannel),
  }));
  const configs = made.map(({ channelId }) =>
    splitSecrets(webhookType, {
      url: `${url}/${channelId}`,
      method: 'POST',
      headers: {},
      content_type: 'application/json',
      sign: false,
    }),
  );
  await database.query(
    `INSERT INTO alert_channels (id, owner_id, created_by, is_test, name, type, config, sealed_secrets)
     SELECT c.id, u.id, u.id, false, c.id, 'webhook', c.config, c.sealed
     FROM unnest($1::text[], $2::jsonb[], $3::bytea[]) AS c(id, config, sealed), (SELECT id FROM users LIMIT 1) u`,
    [
      made.map(({ channelId }) => channelId),
      configs.map(({ shown }) => JSON.stringify(shown)),
      configs.map(({ secrets }) => sealSecrets(secrets, sealer)),
    ],
  );
  await database.query(
    `INSERT INTO alert_policies (id, owner_id, created_by, is_test, name, rules, escalation, on_recovery, suppression)
     SELECT p.id, u.id, u.id, false, p.id, p.rules, $3, $4, $5
     FROM unnest($1::text[], $2::jsonb[]) AS p(id, rules), (SELECT id FROM users LIMIT 1) u`,
    [
      made.map(({ policyId }) => policyId),
      made.map(({ channelId }) => JSON.stringify([catchAll([{ type: 'webhook', channel_id: channelId, to: null }])])),
      JSON.stringify(blankPolicy.escalation),
      JSON.stringify(blankPolicy.on_recovery),
      JSON.stringify(blankPolicy.suppression),
    ],
  );
  return made;
}

/** Has monitors use a policy. */
export async function usePolicy(
  database: pg.Pool,
  monitorIds: readonly string[],
  { policyId }: MadePolicy,
): Promise<void> {
  await database.query('UPDATE monitors SET alert_policy_id = $2 WHERE id = ANY($1)', [monitorIds, policyId]);
}
