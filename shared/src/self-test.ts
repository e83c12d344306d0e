import { type Host, parseHost, parseHostPort } from './target-policy/host.js';
import { TargetError } from './target-policy/target-error.js';

/** Subjects of a node's self-test: its two networks, resolver, clock and raw sockets. */
export const selfTestNames = ['ipv4', 'ipv6', 'resolver', 'clock', 'icmp'] as const;
export type SelfTestName = (typeof selfTestNames)[number];

/** `unknown`: nothing speaks for or against it, for example where no canary is configured. */
export const selfTestStatuses = ['ok', 'failed', 'unknown'] as const;
export type SelfTestStatus = (typeof selfTestStatuses)[number];

/** One line of a self-test. */
export interface SelfTestCheck {
  readonly name: SelfTestName;
  readonly status: SelfTestStatus;
  /** One sentence for people. */
  readonly detail: string;
}

/** A self-test as a node reports it. */
export interface SelfTestReport {
  /** Time at which it ended, milliseconds since the epoch, the node's own clock. */
  readonly finishedAt: number;
  readonly checks: readonly SelfTestCheck[];
}

/** A target that nodes check their own network with. */
export interface Canary {
  /** Text of the canary as configured. */
  readonly text: string;
  readonly type: 'tcp' | 'ping';
  /** Target of a probe of that type. */
  readonly target: string;
  readonly host: Host;
}

/** Canaries a node takes at most. */
export const MAX_CANARIES = 8;

/** `tcp://host:port` or `icmp://host`; null for anything else. */
export function parseCanary(text: string): Canary | null {
  const [, scheme, target = ''] = /^(tcp|icmp):\/\/([^/]{1,260})$/.exec(text) ?? [];
  try {
    if (scheme === 'icmp') return { text, type: 'ping', target, host: parseHost(target) };
    const { host, port } = parseHostPort(target);
    return scheme === 'tcp' && port !== null ? { text, type: 'tcp', target, host } : null;
  } catch (error) {
    if (error instanceof TargetError) return null;
    throw error;
  }
}
