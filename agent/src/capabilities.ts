import type { Clock } from '@vantage/shared/clock.js';
import { type Capability, capabilities } from '@vantage/shared/probe-types/definition.js';
import { type IcmpEngine, openIcmpEngine, RawSocketError, rawSocketRemedy } from './net/icmp.js';
import {
  type ChromiumLack,
  type ChromiumWish,
  findChromium,
  isUsable,
  type UsableChromium,
} from './probes/browser/chromium.js';

/** One capability as `vantage-agent doctor` prints it. */
export interface CapabilityReport {
  readonly name: Capability;
  readonly isAvailable: boolean;
  /** Reason why it is missing or incomplete, or null. */
  readonly reason: string | null;
  /** One line that mends it; null if there is nothing to do. */
  readonly remedy: string | null;
}

/** Capabilities of this node beyond plain sockets. */
export interface NodeCapabilities {
  /** Open, and closed by the caller; null if raw sockets are not available. */
  readonly icmp: IcmpEngine | null;
  /** Capabilities for the hello of a link. */
  list(): Capability[];
  /** A row for every capability there is. */
  explain(): CapabilityReport[];
}

/**
 * Tries each capability for real, by opening what it needs; of Chromium what it needs is looked for. `onFault` hears of receive
 * errors later on.
 */
export function detectCapabilities(options: {
  readonly clock: Clock;
  readonly chromium?: ChromiumWish;
  readonly onFault: (error: Error) => void;
}): NodeCapabilities {
  const found = tryIcmp(options);
  const icmp = found instanceof RawSocketError ? null : found;
  // a capability without a row here does not compile
  const browser = browserRow(findChromium(options.chromium ?? { path: 'none', hasSandbox: true }));
  const rows: Rows = { ...(found instanceof RawSocketError ? missing(found) : icmpRows(found)), browser };
  const reports = capabilities.map((name) => ({ name, ...rows[name] }));
  return {
    icmp,
    list: () => reports.filter((row) => row.isAvailable).map((row) => row.name),
    explain: () => reports,
  };
}

type Row = Omit<CapabilityReport, 'name'>;
type Rows = Readonly<Record<Capability, Row>>;

function tryIcmp(options: { readonly clock: Clock; readonly onFault: (error: Error) => void }) {
  try {
    return openIcmpEngine(options);
  } catch (error) {
    if (error instanceof RawSocketError) return error;
    throw error;
  }
}

function browserRow(found: UsableChromium | ChromiumLack): Row {
  if (!isUsable(found)) return { isAvailable: false, ...found };
  const reason = found.hasSandbox ? found.path : `${found.path}, without its sandbox`;
  return { isAvailable: true, reason, remedy: null };
}

function missing({ fault, message }: RawSocketError): Omit<Rows, 'browser'> {
  const row = { isAvailable: false, reason: message, remedy: rawSocketRemedy(fault) };
  return { icmp: row, icmp_echo: row };
}

const means: Readonly<Record<IcmpEngine['kind'], string>> = {
  addon: 'raw sockets of the addon, times of the kernel',
  'raw-socket': 'raw sockets of raw-socket, times of the event loop, no hop limit of IPv6: the addon is not built',
  datagram: 'ICMP sockets without privileges: ICMP errors are not received',
};

function icmpRows(engine: IcmpEngine): Omit<Rows, 'browser'> {
  const noV6 = engine.supports(6) ? '' : '; IPv4 only: this system has no such IPv6 sockets';
  const remedy = engine.kind === 'raw-socket' ? 'npm rebuild' : null;
  const echo = { isAvailable: true, reason: `${means[engine.kind]}${noV6}`, remedy };
  if (engine.kind !== 'datagram') return { icmp: echo, icmp_echo: echo };
  const reason = 'the system does not permit raw sockets';
  return { icmp: { isAvailable: false, reason, remedy: rawSocketRemedy('not_permitted') }, icmp_echo: echo };
}
