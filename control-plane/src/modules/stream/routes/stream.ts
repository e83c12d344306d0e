import { Type } from 'typebox';
import { fieldError } from '../../../http/errors.js';
import { defineRoute } from '../../../http/route.js';
import { FrameSchema } from '../schema.js';
import { type Topic, topicNames } from '../topics.js';

/** Greatest number of monitors that a stream watches. */
const MAX_WATCHED = 50;

export const streamEvents = defineRoute({
  operationId: 'streamEvents',
  method: 'GET',
  path: '/v1/events/stream',
  summary: 'Stream the events of an account',
  description:
    'Server-Sent Events, until the token expires. The first frame is `hello`. Frames of events have an id, the kind of the event as their name, and the `data` of its webhook in the full form next to `type`, `timestamp` and `test`; a frame that would be larger than 16 KiB has ids alone and `truncated`. They come at least once, and those of one subject in order: drop ids that you have seen. With `Last-Event-ID`, a stream continues after that event, if it happened in the last hour and at most 1 000 followed; otherwise it begins with `reset`: read again what you show. Frames without an id are not repeated: `state` has fields of monitors whose status has changed, within about two seconds, and `checks` the checks of monitors that you `watch`, when they arrive within two minutes. `reset` also comes when you read too slowly. The last frame is `bye` with a reason: connect again, with a new token where it is `expired` or `revoked`. An account has at most 10 streams, 50 in the plan `unlimited`, and an address 200, for each replica. Test keys get events of test resources only.',
  tag: 'Events',
  auth: { kind: 'any', of: ['monitor:read', 'alert:read', 'account'] },
  query: Type.Object({
    watch: Type.Optional(
      Type.String({
        maxLength: 3_300,
        description: `Comma-separated ids of at most ${MAX_WATCHED} monitors whose checks are sent (scope \`monitor:read\`).`,
      }),
    ),
    topics: Type.Optional(
      Type.String({
        maxLength: 100,
        description:
          'Comma-separated: `monitors` (scope `monitor:read`), `alerts` (`alert:read`), `nodes` and `account` (`account`), `admin` (administrators). Default: all that the credentials may have.',
      }),
    ),
  }),
  replies: { 200: FrameSchema },
  replyKind: 'events',
  errors: ['VALIDATION_FAILED', 'FORBIDDEN', 'MONITOR_NOT_FOUND', 'RATE_LIMIT_EXCEEDED', 'UNAVAILABLE'],
  async handle(request, { stream }) {
    const { query, account, address, onEnding } = request;
    return stream.open({
      account,
      token: (request.header('authorization') ?? '').replace(/^\S+ +/, ''),
      address,
      topics: query.topics === undefined ? null : query.topics.split(',').map(topicOf),
      watch: watchedOf(query.watch ?? ''),
      lastEventId: request.header('last-event-id') || null,
      onEnding: onEnding.bind(request),
    });
  },
});

/** @throws ApiError VALIDATION_FAILED */
function topicOf(name: string): Topic {
  const topic = topicNames.find((known) => known === name);
  if (topic === undefined) throw fieldError('topics', 'unknown', `must be one of ${topicNames.join(', ')}`);
  return topic;
}

/** @throws ApiError VALIDATION_FAILED */
function watchedOf(list: string): string[] {
  const ids = list.split(',').filter((id) => id !== '');
  if (ids.length > MAX_WATCHED) throw fieldError('watch', 'range', `must be at most ${MAX_WATCHED} ids`);
  return ids;
}
