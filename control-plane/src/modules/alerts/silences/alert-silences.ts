import { idPrefixes } from '@vantage/shared/ids.js';
import { Type } from 'typebox';
import { resource } from '../../../http/resource/resource.js';
import { checkScope } from '../../monitors/index.js';
import { queueAlertsOf } from '../events/due-store.js';
import { silenceStatuses } from './silence.js';
import { type SilenceFields, type SilenceRow, silenceView } from './silence-row.js';
import {
  type AlertSilenceChange,
  AlertSilenceChangeSchema,
  type AlertSilenceCreate,
  AlertSilenceCreateSchema,
  AlertSilenceSchema,
} from './silence-schema.js';
import { changedSilence, newSilence } from './silence-settings.js';
import { countSilences } from './silence-store.js';

/** Silences of an account that have not expired: every alert asks all of them. */
const MAX_SILENCES = 500;

/** Silences (API specification 2.5). One that has begun is not deleted, but ended: routes/end-silence.ts. */
export const alertSilences = resource<
  SilenceFields,
  AlertSilenceCreate & AlertSilenceChange,
  Pick<SilenceRow, 'updated_at'>
>({
  name: 'alert_silence',
  operation: 'AlertSilence',
  words: ['alert silence', 'alert silences'],
  path: '/v1/alert-silences',
  tag: 'Alert silences',
  scopes: { read: 'alert:read', write: 'alert:write' },
  table: 'alert_silences',
  idPrefix: idPrefixes.alertSilence,
  form: {
    item: AlertSilenceSchema,
    create: AlertSilenceCreateSchema,
    change: AlertSilenceChangeSchema,
    columns: ['scope_type', 'scope_ids', 'severities', 'reason', 'starts_at', 'ends_at'],
    columnsOf: (body, { before, nowMs }) =>
      before === null ? newSilence(body, nowMs) : changedSilence(body, before, nowMs),
    view: silenceView,
  },
  cap: {
    most: MAX_SILENCES,
    field: 'alert_silences',
    count: (trx, ownerId, nowMs) => countSilences(trx, ownerId, new Date(nowMs)),
  },
  notFound: 'ALERT_NOISE_RULE_NOT_FOUND',
  filters: {
    status: {
      schema: Type.Enum([...silenceStatuses], { type: 'string', description: 'Silences in this state.' }),
      // NOTE: in step with `silenceStatus` in silence.ts
      where: {
        upcoming: 'starts_at > :now AND ends_at > :now',
        active: 'starts_at <= :now AND ends_at > :now',
        expired: 'ends_at <= :now',
      },
    },
  },
  texts: {
    list: 'Newest first. Silences that have expired are listed for 90 days.',
    create: `Alerts in the scope open and resolve as usual, but nothing about them is sent, except the end of an alert that was sent before. An alert that still fires when the silence ends, and was never sent, is sent then. An account may have ${MAX_SILENCES} silences that have not expired.`,
    get: 'Monitors and groups that have been deleted are still listed in `scope_ids`, without effect.',
    change:
      'Fields that are left out do not change. `starts_at` can be changed until the silence begins; a silence that has expired is refused with CONFLICT.',
  },
  examples: {
    create: {
      reason: 'Planned change of the switches',
      scope_type: 'tag',
      scope_ids: ['production'],
      severities: ['warning', 'info'],
      duration_sec: 7200,
    },
    change: { reason: 'The change takes longer', ends_at: '2026-11-22T01:00:00Z' },
  },
  errors: { change: ['CONFLICT'] },
  audited: ({ scope_type, reason }) => ({ scope_type, reason }),
  rules: async (trx, fields, { body, before, account }) => {
    // members of the scope may be deleted later, which is not an error of a change
    if (before !== null) return;
    const isOne = typeof body.monitor_id === 'string';
    await checkScope(trx, fields, account.owner, (index) => (isOne ? 'monitor_id' : `scope_ids.${index}`));
  },
  after: (trx, { ownerId }) => queueAlertsOf(trx, [ownerId]),
});
