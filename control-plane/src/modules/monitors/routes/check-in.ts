import { Type } from 'typebox';
import { ApiError } from '../../../http/errors.js';
import { type AnyRoute, defineRoute, type RouteRequest, type Services } from '../../../http/route.js';
import type { PingKind } from '../heartbeats/heartbeat-state.js';
import type { PingVia } from '../heartbeats/ping-store.js';

/** Bytes of a body that are kept. */
export const KEPT_BODY_BYTES = 10_000;

const Token = Type.String({ maxLength: 200, description: 'The check-in token.' });
/** Characters of the name of a run that are kept. */
const RID_LENGTH = 200;
// no ping is lost because of its parameters: a value that is too long is cut off
const query = Type.Object({
  rid: Type.Optional(
    Type.String({
      description: `Name of the run, chosen by you; send the same at its start and at its end. Only the first ${RID_LENGTH} characters are used.`,
    }),
  ),
});

interface Ending {
  /** End of the name of the operation: `Start` in `getStart` and `postStart`. */
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
    summary: 'Report that a job succeeded',
    description: 'Ends an outage. The next ping is expected according to the schedule of the monitor.',
  },
  {
    name: 'CheckInStart',
    path: '/hb/{token}/start',
    kind: 'start',
    summary: 'Report that a job started',
    description:
      'Begins to measure a run; the monitor is down if the run takes longer than `max_duration_s`, also while runs with another `rid` start and end. The deadline of the next ping stays the same, and an outage continues until the job succeeds.',
  },
  {
    name: 'CheckInFail',
    path: '/hb/{token}/fail',
    kind: 'fail',
    summary: 'Report that a job failed',
    description: 'The monitor is down immediately.',
  },
  {
    name: 'CheckInLog',
    path: '/hb/{token}/log',
    kind: 'log',
    summary: 'Log a message of a job',
    description: 'The ping and its body are kept with the others. The state and the deadline stay the same.',
  },
  {
    name: 'CheckInExit',
    path: '/hb/{token}/{exit_code}',
    kind: 'exit',
    summary: 'Report the exit code of a job',
    description:
      '0 is a success; any other number is a failure, also one outside the range of exit codes. `failed`, `failure`, `fails`, `error`, `err` and `fail` in any letter case are a failure, `start` is a start, and `log` is a log message. Any other word is a 404: the ping is kept with kind `unknown`, and changes neither state nor deadline.',
  },
];

const rules =
  'Responds with `OK` to every token that exists, in any state of its monitor, also while it is paused. Requires no credentials and does not count against the rate limits of the API; if a token sends more than 60 pings in a minute, only the newest ping of each second is stored. The body may be of any type and size; what follows its first 10 kB is dropped. A slash at the end of the address changes nothing.';

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
  const ExitCode = Type.String({ description: 'Exit code of the command: 0 to 255.' });
  return defineRoute({
    ...common,
    params: Type.Object({ token: Token, exit_code: ExitCode }),
    handle: (request, services) => take(request, services, endOf(request.params.exit_code)),
  });
}

const UNKNOWN_WORD = { code: 'enum', message: 'must be start, fail, log or an exit code' } as const;

interface End {
  readonly kind: PingKind;
  readonly exitCode: number | null;
}

/** Words that other programs write for `fail`: taken for a success, they would hide an outage. */
const failureWords: ReadonlySet<string> = new Set(['fail', 'failed', 'failure', 'fails', 'error', 'err']);

/** Reads the last part of a check-in address. Exit codes of other systems may exceed a byte: such a code is not stored, and counts as a failure. */
function endOf(text: string): End {
  const word = text.toLowerCase();
  if (failureWords.has(word)) return { kind: 'fail', exitCode: null };
  if (word === 'start' || word === 'log') return { kind: word, exitCode: null };
  if (!/^-?\d+$/.test(text)) return { kind: 'unknown', exitCode: null };
  const exitCode = Number(text);
  return exitCode >= 0 && exitCode <= 255 ? { kind: 'exit', exitCode } : { kind: 'fail', exitCode: null };
}

async function take(
  { params, query: { rid }, method, address, rawBody }: RouteRequest<{ token: string }, { rid?: string }, unknown>,
  { monitors: { heartbeats } }: Services,
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
  if (kind === 'unknown') throw new ApiError('NOT_FOUND', { details: { exit_code: [UNKNOWN_WORD] } });
  return { status: 200, raw: { contentType: 'text/plain; charset=utf-8', body: 'OK' } };
}
