import { type Static, Type } from 'typebox';
import { nullableMilliseconds, nullableString } from './fields.js';

/** What came of asking one server of one zone. */
export const traceOutcomes = {
  answer: 'it has the records, or an alias',
  nodata: 'the name exists without such records',
  nxdomain: 'the name does not exist',
  referral: 'it named the servers of a zone below its own',
  lame: 'it does not serve the zone that was delegated to it',
  timeout: 'it did not answer in time',
  unreachable: 'nothing listens there, or there is no way to it',
  not_allowed: 'the target policy refuses its address',
  unresolved: 'its name has no address',
  malformed: 'its answer could not be read',
} as const;

export type TraceOutcome = keyof typeof traceOutcomes;

/** One server asked on the way from the root to the answer. */
export const TraceStep = Type.Object(
  {
    zone: Type.String({ description: 'The zone the server was asked as a server of; `.` is the root.' }),
    server: Type.String({ description: 'Its name, as the delegation has it.' }),
    address: nullableString('The address asked, with its port; null when none was asked.'),
    query_ms: nullableMilliseconds('Sent to received; null without an answer.'),
    rcode: nullableString('Null without an answer.'),
    outcome: Type.Enum(Object.keys(traceOutcomes) as TraceOutcome[], { type: 'string' }),
    message: nullableString('What is wrong with a server that did not help.'),
    delegated_zone: nullableString('Of a referral: the zone below.'),
    delegated_servers: Type.Array(Type.String(), { maxItems: 32, description: 'Of a referral: its servers.' }),
  },
  { additionalProperties: false },
);

export type DnsTraceStep = Static<typeof TraceStep>;
