import { Type } from 'typebox';
import { actorOf } from '../../../audit-log/actor.js';
import { defineRoute } from '../../../http/route.js';
import { type MonitorStatus, monitorStatuses } from '../definition/schema.js';
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
      'Its nodes stop checking immediately, its health becomes `unknown`, and its open event ends. Pausing a paused monitor does nothing.',
  },
  {
    verb: 'resume',
    status: 'active',
    summary: 'Resume a monitor',
    description: 'Resumes a paused or archived monitor. Resuming an active monitor does nothing.',
  },
  {
    verb: 'archive',
    status: 'archived',
    summary: 'Archive a monitor',
    description: 'Same as pausing, for a monitor that is kept only for its history.',
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
      await monitors.acts.setStatus(id, status, { account: request.account, actor: actorOf(request) });
      return { status: 200, data: { id, status } };
    },
  }),
);
