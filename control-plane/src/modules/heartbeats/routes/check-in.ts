import { Type } from 'typebox';
import { tooLarge } from '../../../http/body.js';
import { ApiError } from '../../../http/errors.js';
import { type AnyRoute, defineRoute, type RouteRequest, type Services } from '../../../http/route.js';
import type { PingKind } from '../heartbeat-state.js';
import type { PingVia } from '../ping-store.js';

/** Bytes of a body that are kept. */
export const KEPT_BODY_BYTES = 10_000;

const Token = Type.String({ maxLength: 200, description: 'The check-in token.' });
/** Characters of the name of a run that are kept. */
const RID_LENGTH = 200;
// no ping is lost for what comes along with it: what is too much of it is cut off
const query = Type.Object({
  rid: Type.Optional(
    Type.String({
      description: `Any name of this run: the same at its start and its end. The first ${RID_LENGTH} characters count.`,
    }),
  ),
});

interface Ending {
  /** Of the operation: `getStart` and `postStart`. */
  readonly name: string;
  readonly path: string;
  readonly kind: PingKind;
  readonly summary: string;
  readonly description: string;
}

const endings: readonly Ending[] = [
  {
    name: 'CheckIn',
    path: '/hb/{token}',
    kind: 'success',
    summary: 'Say that a job is done',
    description: 'The next ping is expected by the schedule of the monitor; an outage ends.',
  },
  {
    name: 'CheckInStart',
    path: '/hb/{token}/start',
    kind: 'start',
    summary: 'Say that a job begins',
    description:
      'From here a run is measured, and is down when it takes longer than `max_duration_s`. No deadline moves and no outage ends before it is done.',
  },
  {
    name: 'CheckInFail',
    path: '/hb/{token}/fail',
    kind: 'fail',
    summary: 'Say that a job failed',
    description: 'The monitor is down at once.',
  },
  {
    name: 'CheckInExit',
    path: '/hb/{token}/{exit_code}',
    kind: 'exit',
    summary: 'Say how a job ended',
    description: 'By its exit code: 0 is success, any other a failure, also one that no command has.',
  },
];

const rules =
  'Answers `OK` for any token that exists, whatever state its monitor is in, also while it is paused. Needs no credentials and counts against no limit of the API; of a token with more than 60 pings in a minute only the newest of each second is stored. A body may be of any type; one of more than 32 KiB is refused after the ping has counted.';

/** Check-ins of jobs, by GET, HEAD and POST. API specification 2.3. */
export const checkInRoutes: readonly AnyRoute[] = endings.flatMap((ending) => [
  checkIn('GET', ending),
  checkIn('POST', ending),
]);

function checkIn(method: 'GET' | 'POST', { name, path, kind, summary, description }: Ending): AnyRoute {
  const common = {
    operationId: `${method.toLowerCase()}${name}`,
    method,
    path,
    summary,
    description: `${description}\n\n${rules}`,
    tag: 'Check-ins',
    auth: { kind: 'none' },
    query,
    ...(method === 'POST' ? { rawBody: { keepBytes: KEPT_BODY_BYTES } } : {}),
    replies: { 200: Type.String() },
    replyKind: 'text',
    errors: ['NOT_FOUND'],
  } as const;
  if (kind !== 'exit') {
    const params = Type.Object({ token: Token });
    return defineRoute({
      ...common,
      params,
      handle: (request, services) => take(request, services, { kind, exitCode: null }),
    });
  }
  const ExitCode = Type.Integer({ description: 'Of the command: 0 to 255.' });
  return defineRoute({
    ...common,
    params: Type.Object({ token: Token, exit_code: ExitCode }),
    handle: (request, services) => take(request, services, endOf(request.params.exit_code)),
  });
}

interface End {
  readonly kind: PingKind;
  readonly exitCode: number | null;
}

/** Programs of other systems end with more than a byte: that is no code to keep, and no success. */
function endOf(exitCode: number): End {
  return exitCode >= 0 && exitCode <= 255 ? { kind: 'exit', exitCode } : { kind: 'fail', exitCode: null };
}

async function take(
  { params, query: { rid }, method, address, rawBody }: RouteRequest<{ token: string }, { rid?: string }, unknown>,
  { heartbeats }: Services,
  { kind, exitCode }: End,
) {
  const isKnown = await heartbeats.checkIns.take(params.token, {
    kind,
    exitCode,
    body: rawBody.bytes,
    ip: address,
    via: method as PingVia,
    rid: rid?.slice(0, RID_LENGTH) || null,
    durationMs: null,
  });
  if (!isKnown) throw new ApiError('NOT_FOUND');
  if (rawBody.isTooLarge) throw tooLarge();
  return { status: 200, raw: { contentType: 'text/plain; charset=utf-8', body: 'OK' } };
}
