import { type AddNote, type DraftMonitor, EntryError } from '../entry/entry.js';
import { Fields, isRecord } from '../entry/fields.js';
import { hostPort, httpTypeOf, splitCredentials } from '../entry/targets.js';
import { gatusClient } from './gatus-client.js';
import { type EndpointKind, type Expectations, readConditions } from './gatus-conditions.js';
import { milliseconds } from './gatus-fields.js';
import { gatusRequest } from './gatus-request.js';

/** Defaults of alerts, by type of alert. */
export type DefaultAlerts = ReadonlyMap<string, Readonly<Record<string, unknown>>>;

/** Default number of failures after which Gatus alerts. */
const GATUS_FAILURES = 3;
const GATUS_SUCCESSES = 2;
const MOST_CHECKS = 20;

interface EndpointContext {
  readonly defaults: DefaultAlerts;
  readonly note: AddNote;
}

/** Monitor of an endpoint. @throws EntryError */
export function endpointDraft(fields: Fields, { defaults, note }: EndpointContext): Omit<DraftMonitor, 'group'> {
  const intervalMs = milliseconds(fields, 'interval') ?? 60_000;
  const rule = triggerRule(fields.list('alerts'), defaults, note);
  const isPaused = fields.flag('enabled') === false;
  if (fields.list('maintenance-windows').length > 0)
    note('maintenance-windows', 'were not imported: create maintenance windows');
  const counterpart = counterpartOf(fields, note);
  return {
    body: { ...counterpart, ...(rule === null ? {} : { trigger_rule: rule }) },
    intervalSeconds: intervalMs / 1_000,
    isPaused,
    leftOut: [],
  };
}

/** Defaults of alerts in the section `alerting`, by provider. */
export function defaultAlertsIn(alerting: unknown): DefaultAlerts {
  const providers = isRecord(alerting) ? Object.entries(alerting) : [];
  return new Map(
    providers.flatMap(([name, provider]) => {
      const standard = isRecord(provider) ? provider['default-alert'] : null;
      return isRecord(standard) ? [[name, standard] as const] : [];
    }),
  );
}

/** Trigger rule of the alert that fires first; null if no alert is enabled. */
function triggerRule(alerts: readonly unknown[], defaults: DefaultAlerts, note: AddNote) {
  const rules = alerts.flatMap((alert, index) => {
    const own = isRecord(alert) ? alert : {};
    const fields = new Fields({ ...defaults.get(String(own['type'])), ...own }, `alerts.${index}`);
    if (fields.flag('enabled') === false) return [];
    note('alerts', `the alert by "${fields.text('type') ?? ''}" was not imported: create an alert channel`);
    return {
      consecutive_fail: atMost(fields.number('failure-threshold') ?? GATUS_FAILURES),
      consecutive_ok: atMost(fields.number('success-threshold') ?? GATUS_SUCCESSES),
    };
  });
  const [first, ...others] = rules.sort((a, b) => a.consecutive_fail - b.consecutive_fail);
  if (others.some(({ consecutive_fail }) => consecutive_fail !== first?.consecutive_fail))
    note('alerts', `the smallest of several thresholds applies: ${first?.consecutive_fail} failures`);
  return first ?? null;
}

function atMost(checks: number): number {
  return Math.min(MOST_CHECKS, Math.max(1, Math.round(checks)));
}

interface Counterpart {
  readonly type: string;
  readonly target: string;
  readonly config: Readonly<Record<string, unknown>>;
}

function withoutSlashes(text: string): string {
  let end = text.length;
  while (text[end - 1] === '/') end -= 1;
  return text.slice(0, end);
}

function counterpartOf(fields: Fields, note: AddNote): Counterpart {
  const url = fields.required('url');
  const dns = fields.fields('dns');
  if (dns !== null) return dnsCounterpart(fields, { url, dns, note });
  const scheme = /^([a-z][a-z0-9+.-]*):\/\//i.exec(url)?.[1]?.toLowerCase() ?? '';
  const rest = withoutSlashes(url.slice(scheme.length + 3));
  switch (scheme) {
    case 'http':
    case 'https':
      return httpCounterpart(fields, url, note);
    case 'icmp': {
      const said = expectations(fields, 'other', note);
      return { type: 'ping', target: rest, config: { ...said.common, ...gatusClient(fields, 'ping', note) } };
    }
    case 'tcp':
      return tcpCounterpart(fields, rest, note);
    case 'ssh':
      fields.ignore('ssh', 'body');
      note('url', 'only the connection is checked: checks do not sign in over SSH');
      return tcpCounterpart(fields, /:\d+$/.test(rest) ? rest : hostPort(rest, 22), note);
    case 'tls':
      return tlsCounterpart(fields, rest, note);
    default:
      throw new EntryError('url', 'not_supported', `the scheme "${scheme}" of Gatus is not supported`);
  }
}

function expectations(fields: Fields, kind: EndpointKind, note: AddNote) {
  const texts = fields.list('conditions').map(String);
  const said = readConditions(texts, kind, note);
  const assertions = said.assertions.map((assertion) => ({ ...assertion, severity: 'down' }));
  const common = {
    ...(assertions.length === 0 ? {} : { assertions }),
    ...(said.isFailureWanted ? { upside_down: true } : {}),
  };
  return { said, common };
}

function httpCounterpart(fields: Fields, written: string, note: AddNote): Counterpart {
  const { url, credentials } = splitCredentials(written);
  const { said, common } = expectations(fields, 'http', note);
  return {
    type: httpTypeOf(url),
    target: url,
    config: {
      ...gatusRequest(
        fields,
        { name: fields.text('name') ?? '', group: fields.text('group') ?? '', url: written },
        note,
      ),
      ...(credentials === null ? {} : { auth: { type: 'basic', ...credentials } }),
      ...gatusClient(fields, 'http', note),
      ...anyStatus(said),
      ...common,
    },
  };
}

/** Accepts every status if no condition is about the status. */
function anyStatus({ hasStatus }: Expectations): object {
  return hasStatus ? {} : { expected_status: '100-999' };
}

function tcpCounterpart(fields: Fields, target: string, note: AddNote): Counterpart {
  const { common } = expectations(fields, 'other', note);
  return { type: 'tcp', target, config: { ...gatusClient(fields, 'tcp', note), ...common } };
}

function tlsCounterpart(fields: Fields, target: string, note: AddNote): Counterpart {
  const { said, common } = expectations(fields, 'tls', note);
  // a check fails when exactly this number of days is left, but the condition requires more
  const critical = Math.max(0, (said.certificateDays ?? 0) - 1);
  if ((said.certificateDays ?? 0) < 1) note('url', 'the monitor is down in the last day of the certificate');
  const days = { warn_days: critical, critical_days: critical };
  return { type: 'ssl_expiry', target, config: { ...days, ...gatusClient(fields, 'ssl', note), ...common } };
}

function dnsCounterpart(
  fields: Fields,
  { url, dns, note }: { readonly url: string; readonly dns: Fields; readonly note: AddNote },
): Counterpart {
  const { said, common } = expectations(fields, 'dns', note);
  const type = dns.required('query-type').toUpperCase();
  const expected = expectedAnswers(said.answers, type, note);
  if (expected.length === 0)
    note('conditions', `the monitor is also down if the response has no record of type ${type}`);
  const [, host = url, port = '53'] = /^(?:\w+:\/\/)?(\[[^\]]+\]|[^:]+|[^:]*:[^:]*:.*?)(?::(\d+))?$/.exec(url) ?? [];
  return {
    type: 'dns',
    target: dns.required('query-name').replace(/\.$/, ''),
    config: {
      record_type: type,
      server: host.replace(/^\[|\]$/g, ''),
      ...(port === '53' ? {} : { port: Number(port) }),
      ...(expected.length === 0 ? {} : { expected }),
      ...gatusClient(fields, 'dns', note),
      ...common,
    },
  };
}

/** Values of records that a check can have. Gatus knows those of MX by the host alone, those of SRV as `host:port`. */
function expectedAnswers(answers: readonly string[], type: string, note: AddNote): string[] {
  return answers.filter((answer) => {
    const isComparable = type !== 'SRV' || /^\S+:\d+$/.test(answer);
    if (!isComparable)
      note('conditions', `"[BODY] == ${answer}" was not imported: a record of type SRV is compared as host:port`);
    return isComparable;
  });
}
