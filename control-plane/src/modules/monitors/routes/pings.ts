import { Type } from 'typebox';
import { cursorList, cursorQuery, limitOfPage } from '../../../http/cursor.js';
import { fieldError } from '../../../http/errors.js';
import { defineRoute } from '../../../http/route.js';
import { timeRangeOf, timeRangeQuery } from '../../../http/time-range.js';
import { pingKinds } from '../heartbeats/heartbeat-state.js';
import { HeartbeatPingSchema, pingView } from '../heartbeats/ping-view.js';
import { KEPT_BODY_BYTES } from './check-in.js';
import { idParams as params, reads, tag } from './monitor-access.js';

const list = cursorList(
  'pings',
  Type.Object({ seq: Type.Integer({ minimum: 1, maximum: Number.MAX_SAFE_INTEGER }) }, { additionalProperties: false }),
);

/** Bytes of a body that a list has, unless it is asked for all. */
const EXCERPT_BYTES = 1_000;
/** Greatest page with whole bodies: with more of them a response would have megabytes. */
const MAX_FULL = 20;

/** GET /v1/monitors/{id}/pings: log of the pings of a heartbeat. */
export const listPings = defineRoute({
  operationId: 'listMonitorPings',
  method: 'GET',
  path: '/v1/monitors/{id}/pings',
  summary: 'List the pings of a heartbeat',
  description: `Pings in the order in which they were taken, newest first, of the last 30 days. Pings that arrived while the monitor was paused are among them. \`body\` has the first ${EXCERPT_BYTES} bytes of what the job sent, with \`body=full\` the first ${KEPT_BODY_BYTES}. Monitors of other types have no pings (422).`,
  tag,
  auth: reads,
  params,
  query: Type.Object({
    ...cursorQuery,
    kind: Type.Optional(Type.Enum([...pingKinds], { type: 'string', description: 'Only pings of this kind.' })),
    ...timeRangeQuery,
    body: Type.Optional(
      Type.Enum(['excerpt', 'full'], {
        type: 'string',
        description: `\`full\`: whole stored bodies, at most ${MAX_FULL} pings per page. Default: \`excerpt\`.`,
      }),
    ),
  }),
  replies: { 200: Type.Object({ items: Type.Array(HeartbeatPingSchema) }, { additionalProperties: false }) },
  errors: ['VALIDATION_FAILED', 'MONITOR_NOT_FOUND'],
  async handle({ params: { id }, query, account }, { monitors }) {
    const limit = limitOfPage(query);
    const isFull = query.body === 'full';
    if (isFull && limit > MAX_FULL)
      throw fieldError(
        query.limit === undefined ? 'page_size' : 'limit',
        'range',
        `must be at most ${MAX_FULL} with body=full`,
      );
    const after = list.parse(query.cursor);
    const range = timeRangeOf(query, monitors.now());
    const monitor = await monitors.reading.get(id, account);
    const rows = await monitors.heartbeats.acts.pings(monitor, {
      ...range,
      kind: query.kind ?? null,
      afterSeq: after?.seq ?? null,
      limit: limit + 1,
      bodyBytes: isFull ? KEPT_BODY_BYTES : EXCERPT_BYTES,
    });
    const { items, pagination } = list.page(rows, limit, ({ seq }) => ({ seq }));
    return { status: 200, data: { items: items.map(pingView) }, pagination };
  },
});
