import { randomBytes } from 'node:crypto';
import { HIDDEN_VALUE } from '@vantage/shared/probe-types/dns-hidden.js';
import { within } from '../../net/deadline.js';
import { askUdpThenTcp, plainQuery } from '../../net/dns/ask.js';
import { ownServers } from '../../net/dns/dns-server.js';
import { hasHiddenAlias } from '../../net/dns/hidden-alias.js';
import type { DnsMessage } from '../../net/dns/message.js';
import { isSameName } from '../../net/dns/name.js';
import { addressOf } from '../../net/dns/record-data.js';
import { askServers } from '../../net/name-lookup.js';
import { hidePrivate } from '../dns/hidden-values.js';
import { presentRecords } from '../dns/records.js';
import { ProbeFailure } from '../failure.js';
import { type AuditContext, shownName } from './audit-context.js';
import type { MailServer, Validation, ZoneFacts } from './facts.js';
import { dsKeyOf, mailServerOf, textOf } from './record-values.js';

/** Mail servers that are looked up. */
const MAX_MAIL_SERVERS = 3;
const UNCHECKED_MS = 2500;

/** Facts that the node's own resolver gives. */
export type ResolvedFacts = Pick<
  ZoneFacts,
  'mail' | 'ds' | 'validation' | 'caaCount' | 'spf' | 'hasDmarc' | 'wildcard'
>;

/**
 * Records of a zone by the node's own resolver; `onFact` hears of each as it is known, so that an audit whose time ends
 * keeps what it has. Never rejects: null is what has no valid response.
 */
export async function collectRecords(
  zone: string,
  context: AuditContext,
  onFact: (facts: Partial<ResolvedFacts>) => void,
): Promise<void> {
  const ask = (name: string, type: string) => askResolver(name, type, context);
  const random = `${randomBytes(8).toString('hex')}.${zone}`;
  await Promise.all([
    ask(zone, 'DS').then((message) => onFact({ ds: message && message.answers.flatMap((one) => dsKeyOf(one) ?? []) })),
    validate(zone, context).then((validation) => onFact({ validation })),
    ask(zone, 'TXT').then((message) => onFact({ spf: message && textsIn(message).filter(isSpf) })),
    ask(`_dmarc.${zone}`, 'TXT').then((message) => onFact({ hasDmarc: message && textsIn(message).some(isDmarc) })),
    ask(zone, 'CAA').then((message) =>
      onFact({ caaCount: message && message.answers.filter(({ type }) => type === 'CAA').length }),
    ),
    ask(random, 'A').then((message) => onFact({ wildcard: message && valuesIn(message, random, context) })),
    ask(zone, 'MX').then(async (message) => onFact({ mail: message && (await mailServersIn(message, context)) })),
  ]);
}

/** Null without a valid response, and for one that leads to a private network. */
async function askResolver(name: string, type: string, context: AuditContext): Promise<DnsMessage | null> {
  const message = await askRaw(name, type, context);
  if (message === null || hasHiddenAlias(message, context.policy)) return null;
  return message.rcode === 'NOERROR' || message.rcode === 'NXDOMAIN' ? message : null;
}

async function askRaw(name: string, type: string, context: AuditContext): Promise<DnsMessage | null> {
  const { resolver, signal, clock, budget } = context;
  return ignoringFailure(async () => {
    const servers = ownServers(resolver.servers);
    return (await askServers({ name, type }, { servers, signal, clock, budget })).message;
  });
}

/** The same question once more without validation distinguishes a bogus zone from one that is down. */
async function validate(zone: string, context: AuditContext): Promise<Validation | null> {
  const message = await askRaw(zone, 'SOA', context);
  if (message === null) return null;
  const isServerFailure = message.rcode === 'SERVFAIL';
  const uncheckedRcode = isServerFailure ? await ignoringFailure(() => askUnchecked(zone, context)) : null;
  return { rcode: message.rcode, isAuthenticated: message.flags.has('ad'), uncheckedRcode };
}

async function askUnchecked(zone: string, { resolver, clock, budget, signal }: AuditContext): Promise<string | null> {
  const [server] = ownServers(resolver.servers);
  if (server === undefined) return null;
  const querySpec = { ...plainQuery({ name: zone, type: 'SOA' }), isUnchecked: true };
  const reason = () => new ProbeFailure('dns_timeout', `no response within ${UNCHECKED_MS} ms`);
  const reply = await within({ clock, ms: UNCHECKED_MS, reason }, signal, (limited) =>
    askUdpThenTcp(querySpec, server, { signal: limited, clock, budget, resendAfterMs: null }),
  );
  return reply.message.rcode;
}

function mailServersIn({ answers }: DnsMessage, context: AuditContext): Promise<MailServer[]> {
  const names = new Set(answers.flatMap((record) => mailServerOf(record) ?? []));
  return Promise.all([...names].slice(0, MAX_MAIL_SERVERS).map((name) => lookUpMailServer(name, context)));
}

/** Names of private networks are not asked about: the response would show whether they exist. */
async function lookUpMailServer(name: string, context: AuditContext): Promise<MailServer> {
  if (context.policy.isHiddenName(name)) return { name: HIDDEN_VALUE, isAlias: false, hasAddress: null };
  const shown = shownName(name, context);
  const v4 = await askResolver(name, 'A', context);
  const isAlias = v4?.answers.some((record) => record.type === 'CNAME' && isSameName(record.name, name)) ?? false;
  if (v4 === null || hasAddress(v4)) return { name: shown, isAlias, hasAddress: v4 && true };
  if (v4.rcode === 'NXDOMAIN') return { name: shown, isAlias, hasAddress: false };
  const v6 = await askResolver(name, 'AAAA', context);
  return { name: shown, isAlias, hasAddress: v6 && hasAddress(v6) };
}

function hasAddress({ answers }: DnsMessage): boolean {
  return answers.some((record) => addressOf(record) !== null);
}

function valuesIn({ answers }: DnsMessage, name: string, { policy }: AuditContext): string[] {
  return presentRecords(answers, name).map((record) => hidePrivate(record, name, policy).value);
}

function textsIn({ answers }: DnsMessage): string[] {
  return answers.flatMap((record) => textOf(record) ?? []);
}

function isSpf(text: string): boolean {
  return /^v=spf1(?: |$)/i.test(text);
}

function isDmarc(text: string): boolean {
  return /^v=DMARC1\s*(?:;|$)/i.test(text);
}

async function ignoringFailure<T>(ask: () => Promise<T>): Promise<T | null> {
  try {
    return await ask();
  } catch (error) {
    if (error instanceof ProbeFailure) return null;
    throw error;
  }
}
