import { Type } from 'typebox';
import { type AnyRoute, defineRoute, type RouteRequest, type Services } from '../../../http/route.js';
import { KEPT_BODY_BYTES } from './check-in.js';

const params = Type.Object({ token: Type.String({ maxLength: 200, description: 'The check-in token.' }) });
// no ping is lost because of its parameters, however long they are
const query = Type.Object({
  status: Type.Optional(Type.String({ description: '`up` or empty: success; anything else: failure.' })),
  msg: Type.Optional(Type.String({ description: 'Message that is stored in place of a body.' })),
  ping: Type.Optional(Type.String({ description: 'Duration in milliseconds; text that is not a number is ignored.' })),
});
const Taken = Type.Object({ ok: Type.Literal(true) }, { additionalProperties: false });
const Unknown = Type.Object({ ok: Type.Literal(false), msg: Type.String() }, { additionalProperties: false });
const JSON_TYPE = 'application/json; charset=utf-8';

/** Check-ins by clients of push monitors of Uptime Kuma. */
export const pushRoutes: readonly AnyRoute[] = (['GET', 'POST'] as const).map((method) =>
  defineRoute({
    operationId: `${method.toLowerCase()}Push`,
    method,
    path: '/api/push/{token}',
    summary: 'Check in as a client of Uptime Kuma',
    description:
      'For jobs written for a push monitor of Uptime Kuma: takes the same query and sends the same responses. Otherwise the same as `/hb/{token}`.',
    tag: 'Check-ins',
    auth: { kind: 'none' },
    params,
    query,
    ...(method === 'POST' ? { rawBody: { keepBytes: 0 } } : {}),
    replies: { 200: Taken, 404: Unknown },
    replyKind: 'raw',
    errors: [],
    handle: (request, services) => push(request, services),
  }),
);

async function push(
  {
    params: { token },
    query: { status, msg = '', ping },
    address,
  }: RouteRequest<{ token: string }, { status?: string; msg?: string; ping?: string }, unknown>,
  { monitors: { heartbeats } }: Services,
) {
  const isKnown = await heartbeats.checkIns.take(token, {
    kind: (status || 'up') === 'up' ? 'success' : 'fail',
    exitCode: null,
    body: Buffer.from(msg).subarray(0, KEPT_BODY_BYTES),
    ip: address,
    via: 'push',
    rid: null,
    durationMs: millisecondsOf(ping),
  });
  if (!isKnown)
    return { status: 404, raw: { contentType: JSON_TYPE, body: '{"ok":false,"msg":"Monitor not found."}' } };
  return { status: 200, raw: { contentType: JSON_TYPE, body: '{"ok":true}' } };
}

/** Reads a duration as the server of Uptime Kuma does; null if the text is not a number. */
function millisecondsOf(text = ''): number | null {
  const value = Number.parseFloat(text);
  return value >= 0 && value <= Number.MAX_SAFE_INTEGER ? Math.round(value) : null;
}
