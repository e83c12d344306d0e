import { Type } from 'typebox';
import { actorOf } from '../../../actor.js';
import { defineRoute } from '../../../http/route.js';
import { type MonitorStatus, monitorStatuses } from '../schema.js';
import { idParams as params, tag, writes } from './monitor-access.js';

interface Act {
  readonly verb: 'pause' | 'resume' | 'archive';
  readonly status: MonitorStatus;
  readonly summary: string;
  readonly description: string;
}

const acts: readonly Act[] = [
  {
    verb: 'pause',
    status: 'paused',
    summary: 'Pause a monitor',
    description:
      'Its nodes stop checking at once, nothing is known of it any more, and its open event ends. Pausing it again does nothing.',
  },
  {
    verb: 'resume',
    status: 'active',
    summary: 'Resume a monitor',
    description: 'Also one that is archived. Resuming it again does nothing.',
  },
  {
    verb: 'archive',
    status: 'archived',
    summary: 'Archive a monitor',
    description: 'As pausing, for those that are kept for their history alone.',
  },
];

/** POST /v1/monitors/{id}/pause, /resume and /archive (API specification 3.1, 4.5). */
export const statusActs = acts.map(({ verb, status, summary, description }) =>
  defineRoute({
    operationId: `${verb}Monitor`,
    method: 'POST',
    path: `/v1/monitors/{id}/${verb}`,
    summary,
    description,
    tag,
    auth: writes,
    params,
    replies: {
      200: Type.Object(
        { id: Type.String(), status: Type.Enum([...monitorStatuses], { type: 'string' }) },
        { additionalProperties: false },
      ),
    },
    errors: ['MONITOR_NOT_FOUND'],
    async handle(request, { monitors }) {
      const { id } = request.params;
      await monitors.setStatus(id, status, { account: request.account, actor: actorOf(request) });
      return { status: 200, data: { id, status } };
    },
  }),
);
