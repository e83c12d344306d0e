import type { Clock } from '@vantage/shared/clock.js';
import type { Capability } from '@vantage/shared/probe-types/definition.js';
import { type IcmpEngine, openIcmpEngine, RawSocketError, rawSocketRemedy } from './net/icmp.js';

/** One capability as `vantage-agent doctor` prints it. */
export interface CapabilityReport {
  readonly name: Capability;
  readonly isAvailable: boolean;
  /** Why not, or what is missing of it; null: nothing to say. */
  readonly reason: string | null;
  /** One line that mends it; null: nothing to do. */
  readonly remedy: string | null;
}

/** What this node can do beyond plain sockets. */
export interface NodeCapabilities {
  /** Open, and to be closed by whoever asked; null where raw sockets are not to be had. */
  readonly icmp: IcmpEngine | null;
  /** For the hello of a link. */
  list(): Capability[];
  /** A row for every capability there is. */
  explain(): CapabilityReport[];
}

/** Tries each capability for real, by opening what it needs. `onFault` hears of receive errors later on. */
export function detectCapabilities(options: {
  readonly clock: Clock;
  readonly onFault: (error: Error) => void;
}): NodeCapabilities {
  const { engine, report } = detectIcmp(options);
  // a capability without a row here does not compile
  const rows: Readonly<Record<Capability, CapabilityReport>> = { icmp: report };
  return {
    icmp: engine,
    list: () =>
      Object.values(rows)
        .filter((row) => row.isAvailable)
        .map((row) => row.name),
    explain: () => Object.values(rows),
  };
}

function detectIcmp(options: { readonly clock: Clock; readonly onFault: (error: Error) => void }): {
  readonly engine: IcmpEngine | null;
  readonly report: CapabilityReport;
} {
  try {
    const engine = openIcmpEngine(options);
    const reason = engine.supports(6) ? null : 'IPv4 only: this system has no raw IPv6 sockets';
    return { engine, report: { name: 'icmp', isAvailable: true, reason, remedy: null } };
  } catch (error) {
    if (!(error instanceof RawSocketError)) throw error;
    const remedy = rawSocketRemedy(error.fault);
    return { engine: null, report: { name: 'icmp', isAvailable: false, reason: error.message, remedy } };
  }
}
