import { type Static, Type } from 'typebox';
import { nullableMilliseconds, nullableString } from './fields.js';

/** Outcomes of a query to one server of one zone. */
export const traceOutcomes = {
  answer: 'the server has the records, or an alias',
  nodata: 'the name exists without such records',
  nxdomain: 'the name does not exist',
  referral: 'the server referred to the servers of a zone below its own',
  lame: 'the server does not serve the zone that was delegated to it',
  timeout: 'the server did not respond in time',
  unreachable: 'nothing listens at the address, or it is unreachable',
  not_allowed: 'the target policy refuses its address',
  unresolved: 'the name of the server has no address',
  malformed: 'the response could not be decoded',
} as const;

export type TraceOutcome = keyof typeof traceOutcomes;

/** One server asked on the way from the root to the answer. */
export const TraceStep = Type.Object(
  {
    zone: Type.String({ description: 'Zone for which the server was queried; `.` is the root.' }),
    server: Type.String({ description: 'Name of the server, as in the delegation.' }),
    address: nullableString('Address that was queried, with its port; null if none was.'),
    query_ms: nullableMilliseconds('Time from sending to receiving; null without a response.'),
    rcode: nullableString('Null without a response.'),
    outcome: Type.Enum(Object.keys(traceOutcomes) as TraceOutcome[], { type: 'string' }),
    message: nullableString('Problem of a server that gave no useful response.'),
    delegated_zone: nullableString('Of a referral: the zone below.'),
    delegated_servers: Type.Array(Type.String(), { maxItems: 32, description: 'Of a referral: its servers.' }),
  },
  { additionalProperties: false },
);

export type DnsTraceStep = Static<typeof TraceStep>;
