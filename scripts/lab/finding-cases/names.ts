import { byNode, type FindingCase } from '@vantage/shared/diagnose/_support/finding-case.js';
import type { CodeOf } from '@vantage/shared/diagnose/finding-table.js';
import type { resolvingFindings } from '@vantage/shared/diagnose/findings/dns-findings.js';
import type { ProbeResults } from '@vantage/shared/probe-types/index.js';
import { type ZoneFindingCode, zoneFindingCodes } from '@vantage/shared/probe-types/zone-audit.js';
import type { Lab } from '../lab.js';
import type { Prober } from '../prober.js';
import { faultyZones } from '../servers/dns/faulty-zones.js';

/** Audit of a zone by a prober, as a report requests it. */
export async function auditZone(prober: Prober, target: string): Promise<ProbeResults['zone_audit']> {
  const result: unknown = await prober.probeRaw('zone_audit', { target, params: { timeout_ms: 15_000 } });
  return result as ProbeResults['zone_audit'];
}

/** Names for each finding about resolving one. */
function resolvingCases(lab: Lab, prober: Prober): Readonly<Record<keyof typeof resolvingFindings, FindingCase>> {
  const name = (text: string) => async () => ({ dns: byNode<'dns'>(await prober.probe('dns', text)) });
  const over = (settings: Parameters<Lab['setLink']>[2], usual: typeof settings) => async () => {
    await lab.setLink(2, 'both', settings);
    const result = await prober.probe('dns', 'www.lab.test');
    await lab.setLink(2, 'both', usual);
    return { dns: byNode<'dns'>(result) };
  };
  return {
    dns_nxdomain: name('nowhere.lab.test'),
    dns_failed: name('www.bogus.test'),
    dns_timeout: over({ lossRatio: 1 }, { lossRatio: 0 }),
    // a private address cannot be that of a public site
    dns_contradictory: name('private.hostile.test'),
    dns_no_ipv4: name('v6.lab.test'),
    dns_slow: over({ delayMs: 300 }, { delayMs: 0 }),
    dns_ok: name('www.lab.test'),
  };
}

/** Names and zones for each finding of section `dns`. */
export function nameCases(lab: Lab, prober: Prober): Readonly<Record<CodeOf<'dns'>, FindingCase>> {
  const audited =
    (code: ZoneFindingCode): FindingCase =>
    async () => {
      const { origin } = faultyZones[code];
      const zone = await auditZone(prober, origin);
      const dns = await prober.probe('dns', 'www.lab.test');
      return { dns: byNode<'dns'>(dns), zone: { nodeId: 'n1', error: zone.error, value: zone } };
    };
  const zones = Object.fromEntries(zoneFindingCodes.map((code) => [code, audited(code)]));
  return { ...resolvingCases(lab, prober), ...(zones as Record<ZoneFindingCode, FindingCase>) };
}
