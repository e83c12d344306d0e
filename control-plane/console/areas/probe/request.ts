import { signal } from '@preact/signals';
import type { ProbeType } from '@vantage/shared/probe-types/index.js';
import { shellWord } from '../../texts/format.js';
import { isProbeType, secretParams, valuesOf } from './params.js';

/** A request as the address of its view keeps it. `params` is JSON of what was entered. */
export const noRequest = { type: 'http', target: '', country: '', city: '', asn: '', node: '', count: '3', params: '' };
export type ProbeRequest = typeof noRequest;

/** Values entered for parameters that may be secret, while the page is open. */
export const secrets = signal<Readonly<Record<string, string>>>({});

export function typeOf({ type }: ProbeRequest): ProbeType {
  return isProbeType(type) ? type : 'http';
}

/** Values entered for the parameters. */
export function enteredParams({ params }: ProbeRequest): Readonly<Record<string, string>> {
  return { ...parsed(params), ...secrets.value };
}

/** Part of the state of a view that keeps a parameter. */
export function withParam(request: ProbeRequest, name: string, text: string): Partial<ProbeRequest> {
  if (secretParams.includes(name)) {
    secrets.value = { ...secrets.value, [name]: text };
    return {};
  }
  const { [name]: _before, ...others } = parsed(request.params);
  const entered = text === '' ? others : { ...others, [name]: text };
  return { params: Object.keys(entered).length === 0 ? '' : JSON.stringify(entered) };
}

function parsed(params: string): Readonly<Record<string, string>> {
  try {
    const value: unknown = JSON.parse(params);
    return Object.fromEntries(Object.entries(value ?? {}).map(([name, text]) => [name, String(text)]));
  } catch {
    return {};
  }
}

/** Body of the operation that runs a request. */
export function bodyOfRequest(request: ProbeRequest) {
  const { target, country, city, asn, node, count } = request;
  const params = valuesOf(typeOf(request), enteredParams(request));
  const nodes = {
    ...(country === '' ? {} : { countries: [country] }),
    ...(city === '' ? {} : { cities: [city] }),
    ...(asn === '' ? {} : { asns: [Number(asn)] }),
    limit: Number(count),
  };
  return {
    target: target.trim(),
    ...(Object.keys(params).length === 0 ? {} : { params }),
    ...(node === '' ? { nodes } : { node_id: node }),
  };
}

/** The request as a command of curl. The token is a variable of the shell. */
export function curlLine(request: ProbeRequest): string {
  const lines = [
    `curl -s ${shellWord(`${location.origin}/v1/probe/${typeOf(request)}`)}`,
    `-H "Authorization: Bearer $VANTAGE_TOKEN"`,
    `-H 'Content-Type: application/json'`,
    `-d ${shellWord(JSON.stringify(bodyOfRequest(request)))}`,
  ];
  return lines.join(' \\\n  ');
}

/** The request as a command of the client. */
export function clientLine(request: ProbeRequest): string {
  const { country, city, asn, node, count } = request;
  const params = valuesOf(typeOf(request), enteredParams(request));
  const places = node === '' ? [country, city, asn && `AS${asn}`].filter((place) => place !== '') : [node];
  const words = [
    'vantage',
    typeOf(request),
    request.target.trim(),
    ...Object.entries(params).flatMap(([name, value]) => flagOf(name, value)),
    ...(places.length === 0 ? [] : ['--from', places.join(',')]),
    ...(node === '' ? ['--limit', count] : []),
    '--url',
    location.origin,
  ];
  return words.map(shellWord).join(' ');
}

/** Words of the client for a parameter: `record_type` is `--record-type`, `timeout_ms` is `--timeout` with a unit. */
function flagOf(name: string, value: unknown): readonly string[] {
  const flag = `--${name.replace(/_ms$/, '').replaceAll('_', '-')}`;
  if (name.endsWith('_ms')) return [flag, `${value}ms`];
  if (typeof value === 'boolean') return [flag, value ? 'yes' : 'no'];
  const values = typeof value === 'object' && value !== null ? listOf(value) : [String(value)];
  return values.flatMap((one) => [flag, one]);
}

function listOf(value: object): readonly string[] {
  if (Array.isArray(value)) return value as readonly string[];
  return Object.entries(value).map(([name, content]) => `${name}: ${content}`);
}

/** Type of the monitor that watches what a probe measures; null if there is none. */
export function monitorTypeOf(type: ProbeType, target: string): string | null {
  if (type === 'http') return /^http:/i.test(target) ? 'http' : 'https';
  const same: Partial<Record<ProbeType, string>> = {
    ping: 'ping',
    dns: 'dns',
    tcp: 'tcp',
    traceroute: 'traceroute',
    mtr: 'traceroute',
    ssl: 'ssl_expiry',
  };
  return same[type] ?? null;
}
