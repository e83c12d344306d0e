import { Type } from 'typebox';
import { type Actor, actorOf } from '../../../audit-log/actor.js';
import { defineRoute } from '../../../http/route.js';
import type { CountedRollout, Rollouts } from '../rollouts.js';
import { RolloutSchema } from '../schema.js';
import { rolloutView } from '../view.js';

interface RolloutAct {
  readonly name: 'pause' | 'resume' | 'abort';
  readonly summary: string;
  readonly description: string;
  act(rollouts: Rollouts, id: string, actor: Actor): Promise<CountedRollout>;
}

export const pauseRollout = rolloutAct({
  name: 'pause',
  summary: 'Pause a roll-out',
  description: 'No further upgrades are requested; those that run go on.',
  act: (rollouts, id, actor) => rollouts.pause(id, actor),
});

export const resumeRollout = rolloutAct({
  name: 'resume',
  summary: 'Resume a roll-out',
  description: 'Of one that has halted, the failures up to now do not count any more.',
  act: (rollouts, id, actor) => rollouts.resume(id, actor),
});

export const abortRollout = rolloutAct({
  name: 'abort',
  summary: 'Abort a roll-out',
  description: 'Ends it; upgrades that run go on, and nodes that wait keep their version.',
  act: (rollouts, id, actor) => rollouts.abort(id, actor),
});

function rolloutAct({ name, act, ...documented }: RolloutAct) {
  return defineRoute({
    operationId: `${name}Rollout`,
    method: 'POST',
    path: `/v1/admin/rollouts/{id}/${name}`,
    tag: 'Administration',
    auth: { kind: 'admin' },
    params: Type.Object({ id: Type.String({ maxLength: 64 }) }),
    replies: { 200: RolloutSchema },
    errors: ['NOT_FOUND', 'CONFLICT'],
    ...documented,
    async handle(request, { rollouts }) {
      return { status: 200, data: rolloutView(await act(rollouts, request.params.id, actorOf(request))) };
    },
  });
}
