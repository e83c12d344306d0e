import { createSecureContext, type SecureContext } from 'node:tls';
import type { ProbeResults, ProbeSpecs } from '@vantage/shared/probe-types/index.js';
import { targetHost } from '@vantage/shared/target-policy/spec.js';
import { within } from '../../net/deadline.js';
import { askTcp, askUdpThenTcp, noProgress, type QuerySpec } from '../../net/dns/ask.js';
import type { DnsReply } from '../../net/dns/ask-options.js';
import { askEncrypted } from '../../net/dns/encrypted.js';
import { hasHiddenAlias } from '../../net/dns/hidden-alias.js';
import type { DnsMessage, DnsQuestion } from '../../net/dns/message.js';
import { measureResolverRtt } from '../../net/dns/resolver-rtt.js';
import { describeReasons, rcodeFailure } from '../../net/dns/response-codes.js';
import { QueryBudget } from '../../net/query-budget.js';
import type { ProbeContext, ProbeEngine } from '../engine.js';
import { ProbeFailure, refusing } from '../failure.js';
import { arpaName } from './arpa-name.js';
import { type Asked, describe, nothingAsked } from './describe.js';
import { type ChosenServer, chooseServer } from './server-choice.js';
import { walkDelegations } from './trace.js';

type DnsSpec = ProbeSpecs['dns'];
type DnsResult = ProbeResults['dns'];

interface Run {
  readonly querySpec: QuerySpec;
  readonly spec: DnsSpec;
  readonly asked: Asked;
  readonly budget: QueryBudget;
}

/**
 * One question to one server, or a walk from the root. NOERROR with a record of the type asked for is a success;
 * anything else says its code.
 */
export class DnsEngine implements ProbeEngine<'dns'> {
  readonly #trustedCertificates: readonly string[] | undefined;
  readonly #tracePort: number | undefined;
  #secureContext: SecureContext | undefined;

  /** `trustedCertificates` (PEM) stand in for the public roots, `tracePort` for the port of all servers of a trace. */
  constructor(options: { readonly trustedCertificates?: readonly string[]; readonly tracePort?: number } = {}) {
    this.#trustedCertificates = options.trustedCertificates;
    this.#tracePort = options.tracePort;
  }

  async run(spec: DnsSpec, context: ProbeContext): Promise<DnsResult> {
    const { timeout_ms: timeoutMs } = spec.params;
    const asked = nothingAsked(spec);
    const reason = () => new ProbeFailure('timeout', `no response within ${timeoutMs} ms`);
    try {
      await within({ clock: context.clock, ms: timeoutMs, reason }, context.signal, async (signal) => {
        const querySpec = querySpecOf(spec);
        asked.name = querySpec.question.name;
        const run = { spec, asked, querySpec, budget: new QueryBudget() };
        const limited = { ...context, signal };
        const { message } = await (spec.params.trace ? this.#trace(run, limited) : this.#askServer(run, limited));
        if (spec.params.server === undefined) refuseHiddenAlias(message, run, context);
        checkAnswer(message, run);
      });
      return describe(spec, asked, { failure: null, policy: context.policy });
    } catch (error) {
      if (!(error instanceof ProbeFailure)) throw error;
      return describe(spec, asked, { failure: error, policy: context.policy });
    } finally {
      asked.watch.close();
    }
  }

  async #askServer(run: Run, context: ProbeContext): Promise<DnsReply> {
    const { asked, budget, spec } = run;
    const server = await chooseServer(spec, context, budget);
    asked.server = server.endpoint;
    const reply = await this.#exchange(run, server, context);
    // its sockets keep listening meanwhile: the true response to a query that got a forged one arrives within this time
    if (reply.transport === 'udp') asked.rttMs = await measureResolverRtt(server.endpoint, reply.ms, context);
    return reply;
  }

  #exchange({ querySpec, spec, asked, budget }: Run, server: ChosenServer, context: ProbeContext): Promise<DnsReply> {
    const { timeout_ms: timeoutMs, transport, verify_tls: isVerified } = spec.params;
    const { signal, clock, userAgent } = context;
    const { progress, watch } = asked;
    const options = { signal, clock, budget, watch, resendAfterMs: timeoutMs / 2 };
    switch (transport) {
      case 'udp':
        return askUdpThenTcp(querySpec, server.endpoint, options, progress);
      case 'tcp':
        return askTcp(querySpec, server.endpoint, options, progress);
      default: {
        const secure = { ...server, secureContext: this.#tlsSettings(), isVerified, userAgent };
        return askEncrypted(querySpec, transport, { ...options, server: secure, progress });
      }
    }
  }

  async #trace({ querySpec, spec, asked, budget }: Run, context: ProbeContext): Promise<DnsReply> {
    const steps: DnsResult['trace'] = [];
    asked.steps = steps;
    const { server, progress } = await walkDelegations({
      querySpec,
      transport: spec.params.transport === 'tcp' ? 'tcp' : 'udp',
      signal: context.signal,
      clock: context.clock,
      budget,
      watch: asked.watch,
      context,
      ...(this.#tracePort === undefined ? {} : { port: this.#tracePort }),
      onStep: (step) => steps.push(step),
    });
    asked.server = server;
    asked.progress = progress;
    if (progress.reply === null) throw new RangeError('a walk ended without a result');
    return progress.reply;
  }

  /** Made once: loading the roots takes longer than a handshake on loopback. */
  #tlsSettings(): SecureContext {
    this.#secureContext ??= createSecureContext(
      this.#trustedCertificates === undefined ? {} : { ca: [...this.#trustedCertificates] },
    );
    return this.#secureContext;
  }
}

/** The engine with the public roots (and those of NODE_EXTRA_CA_CERTS). */
export const dns = new DnsEngine();

function querySpecOf(spec: DnsSpec): QuerySpec {
  const { trace, dnssec } = spec.params;
  return { question: questionOf(spec), isRecursive: !trace, wantsSignatures: dnssec, wantsNsid: true };
}

function questionOf(spec: DnsSpec): DnsQuestion {
  const host = refusing(() => targetHost('dns', spec));
  return { name: host.kind === 'address' ? arpaName(host.address) : host.name, type: spec.params.record_type };
}

/**
 * Refuses a reply with a hidden alias: nothing of it is kept, including its code and the last step of a trace.
 * @throws ProbeFailure
 */
function refuseHiddenAlias(message: DnsMessage, { asked, spec }: Run, { policy }: ProbeContext): void {
  if (!hasHiddenAlias(message, policy)) return;
  asked.progress = noProgress();
  asked.steps?.pop();
  throw new ProbeFailure('target_not_allowed', `"${spec.target}" resolves to a name that is not allowed`);
}

/**
 * Checks that a reply is an answer. At the end of a trace an alias counts too: its target has a delegation of its
 * own.
 */
function checkAnswer(message: DnsMessage, { querySpec: { question }, spec: { target, params } }: Run): void {
  const failure = rcodeFailure(message, target);
  if (failure !== null) throw failure;
  const { type } = question;
  const isAnswer = (found: string) => type === 'ANY' || found === type || (params.trace && found === 'CNAME');
  if (message.answers.some((record) => isAnswer(record.type))) return;
  throw new ProbeFailure('dns_nodata', `"${target}" has no ${params.record_type} record${describeReasons(message)}`);
}
