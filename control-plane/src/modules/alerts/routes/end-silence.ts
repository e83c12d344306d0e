import { Type } from 'typebox';
import { actorOf } from '../../../audit-log/actor.js';
import { defineRoute } from '../../../http/route.js';
import { queueAlertsOf } from '../events/due-store.js';
import { alertSilences } from '../silences/alert-silences.js';
import { silenceStatus } from '../silences/silence.js';
import { silenceIn } from '../silences/silence-row.js';
import { idParams as params, writes } from './alert-access.js';

/** DELETE /v1/alert-silences/{id} (API specification 2.5). */
export const endAlertSilence = defineRoute({
  operationId: 'deleteAlertSilence',
  method: 'DELETE',
  path: '/v1/alert-silences/{id}',
  summary: 'End an alert silence',
  description:
    'A silence that has not begun is deleted. One that has ends now, and is listed as expired for 90 days; one that is over stays as it is.',
  tag: 'Alert silences',
  auth: writes,
  params,
  replies: { 200: Type.Null() },
  errors: ['ALERT_NOISE_RULE_NOT_FOUND'],
  async handle(request, { resources: { db, clock } }) {
    const at = new Date(clock.now());
    await db.transaction(async (trx) => {
      const silence = await alertSilences.lock(trx, request.params.id, request.account);
      const { id, owner_id: ownerId, reason } = silence;
      const status = silenceStatus(silenceIn(silence), at.getTime());
      if (status === 'expired') return;
      if (status === 'upcoming') await alertSilences.store.delete(trx, silence);
      else await alertSilences.store.update(trx, silence, { ends_at: at }, at);
      const act = status === 'upcoming' ? 'deleted' : 'ended';
      await alertSilences.record(trx, id, act, { actor: actorOf(request), ownerId }, { reason });
      await queueAlertsOf(trx, [ownerId]);
    });
    return { status: 200, data: null };
  },
});
