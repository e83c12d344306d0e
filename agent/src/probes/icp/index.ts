import type { ProbeResults, ProbeSpecs } from '@vantage/shared/probe-types/index.js';
import { roundMs } from '@vantage/shared/probe-types/statistics.js';
import { targetHost } from '@vantage/shared/target-policy/spec.js';
import { within } from '../../net/deadline.js';
import { KnownNames } from '../../net/known-names.js';
import type { ProbeContext, ProbeEngine } from '../engine.js';
import { ProbeFailure, refusing, toProbeError } from '../failure.js';
import type { IcpProvider } from './provider.js';

type IcpSpec = ProbeSpecs['icp'];
type IcpResult = ProbeResults['icp'];

/** Queries a provider for the ICP filing of a target's registered domain. Nothing is sent to the target. */
export class IcpEngine implements ProbeEngine<'icp'> {
  readonly load = { units: () => 1, maxConcurrent: 4 };

  constructor(private readonly provider: IcpProvider) {}

  async run({ target, params }: IcpSpec, context: ProbeContext): Promise<IcpResult> {
    const { clock, policy, resolver } = context;
    const startedAt = clock.monotonicMs();
    const reason = () => new ProbeFailure('timeout', `no response within ${params.timeout_ms} ms`);
    let domain: string | null = null;
    const end = (filing: IcpResult['filing'], failure: ProbeFailure | null): IcpResult => ({
      success: failure === null,
      error: failure === null ? null : toProbeError(failure),
      domain,
      filing,
      source: this.provider.host,
      lookup_ms: roundMs(clock.monotonicMs() - startedAt),
    });
    try {
      const host = refusing(() => targetHost('icp', { target, params }));
      refusing(() => policy.checkHost(host));
      if (host.kind === 'address') throw new ProbeFailure('target_not_allowed', 'an address has no ICP filing');
      const { registrableDomain } = await import('@vantage/shared/target-policy/registrable-domain.js');
      const registered = registrableDomain(host.name);
      domain = registered;
      const filing = await within({ clock, ms: params.timeout_ms, reason }, context.signal, (signal) => {
        const names = new KnownNames(resolver, { ipVersion: 'auto', policy, signal });
        return this.provider.find(registered, { ...context, signal, names });
      });
      return end(filing, null);
    } catch (error) {
      if (!(error instanceof ProbeFailure)) throw error;
      return end(null, error);
    }
  }
}
