import type { ProbeResults, ProbeSpecs } from '@vantage/shared/probe-types/index.js';
import { roundMs } from '@vantage/shared/probe-types/statistics.js';
import { parseHost } from '@vantage/shared/target-policy/host.js';
import { targetHost } from '@vantage/shared/target-policy/spec.js';
import { within } from '../../net/deadline.js';
import { askTcp, askUdpThenTcp, type DnsReply } from '../../net/dns-exchange.js';
import { type DnsMessage, type DnsQuestion, rcodeFailure } from '../../net/dns-message.js';
import { type Endpoint, formatEndpoint, parseEndpoint } from '../../net/endpoint.js';
import type { ProbeContext, ProbeEngine } from '../engine.js';
import { ProbeFailure, refusing, toProbeError } from '../failure.js';
import { arpaName } from './arpa-name.js';
import { libraryType } from './presentation.js';
import { presentRecords } from './records.js';

type DnsSpec = ProbeSpecs['dns'];
type DnsResult = ProbeResults['dns'];

/** Port of a server given without one. */
const DNS_PORT = 53;
const flagNames = ['aa', 'tc', 'rd', 'ra', 'ad', 'cd'] as const;

/** Whom was asked, and what came back, as far as it went. */
interface Asked {
  server: Endpoint | null;
  reply: DnsReply | null;
}

/** One question to one server. NOERROR with a record of the type asked for is a success; anything else says its code. */
export const dns: ProbeEngine<'dns'> = {
  async run(spec, context) {
    const { timeout_ms: timeoutMs } = spec.params;
    const asked: Asked = { server: null, reply: null };
    const reason = () => new ProbeFailure('timeout', `no answer within ${timeoutMs} ms`);
    try {
      await within({ clock: context.clock, ms: timeoutMs, reason }, context.signal, async (signal) => {
        const limited = { ...context, signal };
        const question = questionOf(spec);
        asked.server = await chooseServer(spec, limited);
        asked.reply = await ask(question, asked.server, spec, limited);
        checkAnswer(asked.reply.message, question, spec);
      });
      return describe(spec, asked, null);
    } catch (error) {
      if (!(error instanceof ProbeFailure)) throw error;
      return describe(spec, asked, error);
    }
  },
};

function questionOf(spec: DnsSpec): DnsQuestion {
  const host = refusing(() => targetHost('dns', spec));
  const name = host.kind === 'address' ? arpaName(host.address) : host.name;
  return { name, type: libraryType(spec.params.record_type) };
}

/** The node's own resolver on its own port is the one server that the policy does not judge. */
async function chooseServer({ params }: DnsSpec, { resolver, policy, signal }: ProbeContext): Promise<Endpoint> {
  if (params.server !== undefined) {
    const host = refusing(() => parseHost(params.server ?? '', 'params.server'));
    const { addresses } = await resolver.resolve({ host, ipVersion: 'auto', policy, signal, field: 'params.server' });
    return { address: addresses[0]?.address ?? '', port: params.port ?? DNS_PORT };
  }
  const own = parseEndpoint(resolver.servers[0] ?? '');
  if (params.port === undefined || params.port === own.port) return own;
  refusing(() => policy.checkAddress(own.address, 'params.port'));
  return { address: own.address, port: params.port };
}

function ask(
  question: DnsQuestion,
  server: Endpoint,
  { params }: DnsSpec,
  { signal, clock }: ProbeContext,
): Promise<DnsReply> {
  const options = { signal, clock, resendAfterMs: params.timeout_ms / 2 };
  return params.transport === 'tcp' ? askTcp(question, server, options) : askUdpThenTcp(question, server, options);
}

function checkAnswer({ rcode, answers = [] }: DnsMessage, { type }: DnsQuestion, { target, params }: DnsSpec): void {
  const failure = rcodeFailure(rcode, target);
  if (failure !== null) throw failure;
  const hasAnswer = answers.some((answer) => type === 'ANY' || answer.type === type);
  if (!hasAnswer) throw new ProbeFailure('dns_nodata', `"${target}" has no ${params.record_type} record`);
}

function describe(spec: DnsSpec, { server, reply }: Asked, failure: ProbeFailure | null): DnsResult {
  const message = reply?.message;
  return {
    success: failure === null,
    error: failure === null ? null : toProbeError(asDnsTimeout(failure)),
    records: presentRecords(message?.answers ?? []),
    rcode: message?.rcode ?? null,
    flags: flagNames.filter((name) => message?.[`flag_${name}`] === true),
    resolver: server === null ? null : formatEndpoint(server),
    transport: reply?.transport ?? spec.params.transport,
    query_ms: roundMs(reply?.ms ?? null),
    size: reply?.bytes ?? null,
  };
}

function asDnsTimeout(failure: ProbeFailure): ProbeFailure {
  if (failure.code !== 'timeout') return failure;
  return new ProbeFailure('dns_timeout', failure.message, { cause: failure });
}
