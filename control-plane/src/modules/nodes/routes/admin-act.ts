import { type Static, type TSchema, Type } from 'typebox';
import { actorOf } from '../../../audit-log/actor.js';
import type { ErrorCode } from '../../../http/error-table.js';
import { defineRoute } from '../../../http/route.js';
import type { ActOn, NodeActs } from '../acts.js';
import { AdminNodeSchema } from '../record-schema.js';

interface AdminAct<B extends TSchema> {
  readonly operationId: string;
  /** Last part of the path. */
  readonly name: string;
  readonly summary: string;
  readonly description?: string;
  readonly body?: B;
  readonly bodyExample?: unknown;
  /** 202: requested only; default: 200, done. */
  readonly status?: 200 | 202;
  /** Errors of `act`, in addition to NODE_NOT_FOUND. */
  readonly errors: readonly ErrorCode[];
  act(acts: NodeActs, on: ActOn, body: Static<B>): Promise<void>;
}

/** Defines an act of an admin on any node, POST /v1/admin/nodes/{id}/NAME. The response is the updated node. */
export function adminAct<B extends TSchema>({ name, status = 200, errors, act, ...documented }: AdminAct<B>) {
  return defineRoute({
    method: 'POST',
    path: `/v1/admin/nodes/{id}/${name}`,
    tag: 'Administration',
    auth: { kind: 'admin' },
    params: Type.Object({ id: Type.String({ maxLength: 64 }) }),
    replies: { [status]: AdminNodeSchema },
    errors: ['NODE_NOT_FOUND', ...errors],
    ...documented,
    async handle(request, { nodes }) {
      const { id } = request.params;
      await act(nodes.acts, { id, ownerId: null, actor: actorOf(request) }, request.body);
      return { status, data: await nodes.describe(id) };
    },
  });
}
