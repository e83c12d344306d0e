import type { ProbeResults, ProbeSpecs } from '@vantage/shared/probe-types/index.js';
import { ntpPort } from '@vantage/shared/probe-types/ntp.js';
import { roundMs } from '@vantage/shared/probe-types/statistics.js';
import { targetHost } from '@vantage/shared/target-policy/spec.js';
import type { ProbeContext, ProbeEngine } from '../engine.js';
import { ProbeFailure, refusing, toProbeError } from '../failure.js';
import { endingOf, resolveOne } from '../one-target.js';
import { Ledger } from './ledger.js';
import type { NtpReply } from './packet.js';
import { askTime } from './questions.js';
import { kissCode, referenceOf, stratumOf } from './reference.js';
import { bestOf, jitterOf, type Sample } from './sample.js';

type NtpSpec = ProbeSpecs['ntp'];
type NtpResult = ProbeResults['ntp'];

/** Queries a time server several times and trusts the fastest reply. Sets no clock. */
export const ntp: ProbeEngine<'ntp'> = {
  // between its requests it waits: measured, 0.08 to 0.23 units
  load: { units: ({ params }) => (params.count > 1 ? 0.5 : 1) },
  async run(spec, context) {
    const ledger = new Ledger();
    try {
      await measure(spec, context, ledger);
      return describe(ledger, null);
    } catch (error) {
      return describe(ledger, endingOf(error, ledger.address));
    }
  },
};

async function measure(spec: NtpSpec, context: ProbeContext, ledger: Ledger): Promise<void> {
  const { count, interval_ms, timeout_ms, ip_version } = spec.params;
  const port = refusing(() => ntpPort(spec));
  const host = refusing(() => targetHost('ntp', spec));
  const { address } = (ledger.address = await resolveOne(host, ip_version, context));
  const { signal, clock } = context;
  await askTime({ address, port }, ledger, { count, intervalMs: interval_ms, timeoutMs: timeout_ms, signal, clock });
  const failure = refusalOf(ledger);
  if (failure !== null) throw failure;
  if (ledger.received > 0) return;
  const strangers = ledger.ignored === 0 ? '' : `; ${ledger.ignored} datagrams did not reply to them`;
  throw new ProbeFailure('no_reply', `no reply to ${ledger.samples.length} requests${strangers}`);
}

/**
 * Failure of a server that gave no time, or says that its time is not to be used. One that asks to stop after it gave the
 * time has given it.
 */
function refusalOf({ refusal, answered }: Ledger): ProbeFailure | null {
  if (refusal === null) return null;
  const code = kissCode(refusal);
  if (code === null) return new ProbeFailure('ntp_kod', 'the time server reports that it is not synchronised');
  return answered.length > 0 ? null : new ProbeFailure('ntp_kod', `the time server replied with the kiss code ${code}`);
}

function describe(ledger: Ledger, failure: ProbeFailure | null): NtpResult {
  const best = bestOf(ledger.answered);
  const kiss = ledger.refusal && kissCode(ledger.refusal);
  return {
    success: failure === null,
    error: failure === null ? null : toProbeError(failure),
    resolved_ip: ledger.address?.address ?? null,
    ip_version: ledger.address?.family ?? null,
    packets_sent: ledger.samples.length,
    packets_received: ledger.received,
    offset_ms: roundMs(best?.offsetMs ?? null),
    offset_error_ms: roundMs(best?.offsetErrorMs ?? null),
    delay_ms: roundMs(best?.delayMs ?? null),
    jitter_ms: roundMs(jitterOf(ledger.answered)),
    ...describeServer((failure === null ? null : ledger.refusal) ?? best?.reply ?? null),
    ...(kiss === null ? {} : { kiss_code: kiss }),
    samples: ledger.samples.map(describeSample),
  };
}

function describeServer(reply: NtpReply | null) {
  return {
    stratum: reply === null ? null : stratumOf(reply),
    refid: reply === null ? null : referenceOf(reply),
    refid_hex: reply === null ? null : reply.referenceId.toString('hex').toUpperCase(),
    leap: reply?.leap ?? null,
    root_delay_ms: roundMs(reply?.rootDelayMs ?? null),
    root_dispersion_ms: roundMs(reply?.rootDispersionMs ?? null),
    precision: reply?.precision ?? null,
    poll: reply?.poll ?? null,
    version: reply?.version ?? null,
  };
}

function describeSample(sample: Sample | null): NtpResult['samples'][number] {
  return { offset_ms: roundMs(sample?.offsetMs ?? null), delay_ms: roundMs(sample?.delayMs ?? null) };
}
