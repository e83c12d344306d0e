import { isRounded } from '@vantage/shared/exact-number.js';
import { bounded } from '../entry/bounds.js';
import { EntryError } from '../entry/entry.js';
import type { Fields } from '../entry/fields.js';
import { pushTiming } from '../entry/push-timing.js';
import { hostPort, httpTypeOf } from '../entry/targets.js';
import { valuesMeant } from '../entry/values-meant.js';
import { kumaHttpConfig } from './kuma-http.js';
import { jsonataToJsonPath } from './kuma-json.js';
import { type KumaTiming, timeoutOf } from './kuma-timing.js';

/** Type, target and settings of an imported monitor. */
interface Counterpart {
  readonly type: string;
  readonly target?: string;
  readonly config: Readonly<Record<string, unknown>>;
}

type ToCounterpart = (fields: Fields, timing: KumaTiming) => Counterpart;

/** Supported types of Uptime Kuma; others are refused by name. NOTE: docs/import.md */
export const kumaTypes = {
  http: (fields, timing) => {
    const { target, config } = kumaHttpConfig(fields, timing);
    return { type: httpTypeOf(target), target, config };
  },
  keyword: (fields, timing) => {
    const { target, config } = kumaHttpConfig(fields, timing);
    const mode = fields.flag('invertKeyword') === true ? 'absent' : 'contains';
    return { type: 'keyword', target, config: { ...config, keyword: fields.required('keyword'), mode } };
  },
  'json-query': jsonQuery,
  port: (fields, timing) => ({
    type: 'tcp',
    target: hostPort(fields.required('hostname'), Number(fields.required('port'))),
    config: timeoutOf(fields, timing, 100),
  }),
  ping: (fields, { note }) => {
    const size = fields.number('packetSize') ?? KUMA_PACKET_SIZE;
    const own = size === KUMA_PACKET_SIZE ? {} : { size: bounded(size, { ...SIZE, field: 'packetSize' }, note) };
    return { type: 'ping', target: fields.required('hostname'), config: own };
  },
  dns: dnsQuestion,
  push: (fields, { note, intervalSeconds, retries }) => {
    const token = fields.text('pushToken');
    // NOTE: commands/import-report-text.ts shows the old token next to the new URL
    const old = token === null ? 'a token' : `"${token}"`;
    note('pushToken', `${old} is replaced by the token and URL of the monitor`);
    const { graceSeconds } = retries;
    return { type: 'heartbeat', config: pushTiming({ intervalSeconds, graceSeconds }, 'interval', note) };
  },
  'real-browser': (fields) => ({ type: 'browser', target: fields.required('url'), config: {} }),
} as const satisfies Record<string, ToCounterpart>;

const KUMA_PACKET_SIZE = 56;
const SIZE = { least: 0, most: 64, unit: 'bytes' };

function jsonQuery(fields: Fields, timing: KumaTiming): Counterpart {
  const { target, config } = kumaHttpConfig(fields, timing);
  const path = jsonataToJsonPath(fields.text('jsonPath') ?? '$');
  const comparison = comparisonOf(fields.text('jsonPathOperator') ?? '==', fields.text('expectedValue') ?? '');
  return { type: 'json', target, config: { ...config, path, ...comparison } };
}

const ordering: Readonly<Record<string, string>> = { '>': 'gt', '>=': 'gte', '<': 'lt', '<=': 'lte' };

/** Assertion equal to a comparison of texts in Uptime Kuma: a number or literal of JSON in the response must equal its text too. */
function comparisonOf(operator: string, expected: string): { readonly op: string; readonly value: unknown } {
  const order = ordering[operator];
  if (order !== undefined && isRounded(expected.trim())) return { op: order, value: expected.trim() };
  if (order !== undefined && Number.isFinite(Number(expected)) && expected.trim() !== '')
    return { op: order, value: Number(expected) };
  if (operator === '==') return { op: 'in', value: valuesMeant(expected) };
  if (operator === '!=') return { op: 'not_in', value: valuesMeant(expected) };
  if (operator === 'contains') return { op: 'contains', value: expected };
  throw new EntryError('jsonPathOperator', 'not_supported', `"${operator}" with "${expected}" is not supported`);
}

function dnsQuestion(fields: Fields, timing: KumaTiming): Counterpart {
  const { note } = timing;
  const servers = (fields.text('dns_resolve_server') ?? '').split(/[\s,]+/).filter((server) => server !== '');
  if (servers.length > 1) note('dns_resolve_server', `only the first of ${servers.length} servers is queried`);
  const [server] = servers;
  const port = fields.number('port');
  if (fields.list('conditions').length > 0)
    note(
      'conditions',
      'were not imported: any response of this type is accepted; write the expected values into config.expected',
    );
  return {
    type: 'dns',
    target: fields.required('hostname'),
    config: {
      record_type: (fields.text('dns_resolve_type') ?? 'A').toUpperCase(),
      ...(server === undefined ? {} : { server }),
      ...(port === null || port === 0 || port === 53 ? {} : { port }),
      ...timeoutOf(fields, timing, 100),
    },
  };
}
