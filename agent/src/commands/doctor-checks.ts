import { Resolver } from 'node:dns/promises';
import { access, constants, stat } from 'node:fs/promises';
import type { SelfTestCheck, SelfTestName } from '@vantage/shared/self-test.js';
import type { CapabilityReport } from '../capabilities.js';
import type { AgentConfig } from '../config.js';
import { WrongPinError } from '../identity/tls-pins.js';
import type { ControlPlaneAnswer } from '../link/ask-control-plane.js';

/** One line of `vantage-agent doctor`. `warning`: the agent works, but not fully; `failed`: it does not. */
export interface DoctorCheck {
  readonly name: string;
  readonly status: 'ok' | 'warning' | 'failed';
  readonly detail: string;
  /** What to do about it. */
  readonly remedy: string | null;
}

/** Date has whole seconds: below this a difference says nothing. */
const CLOCK_TOLERANCE_MS = 2000;

/** What this node can do beyond plain sockets. */
export function checkCapability(report: CapabilityReport): DoctorCheck {
  const name = `capability ${report.name}`;
  if (report.isAvailable) return { name, status: 'ok', detail: report.reason ?? 'available', remedy: report.remedy };
  return { name, status: 'warning', detail: report.reason ?? 'not available', remedy: report.remedy };
}

/** Whether the state directory is there, ours, and nobody else's to read. */
export async function checkStateDir(stateDir: string): Promise<DoctorCheck> {
  const name = 'state directory';
  try {
    const { mode } = await stat(stateDir);
    await access(stateDir, constants.R_OK | constants.W_OK | constants.X_OK);
    if ((mode & 0o077) === 0) return { name, status: 'ok', detail: stateDir, remedy: null };
    return { name, status: 'warning', detail: `${stateDir} is open to other users`, remedy: `chmod 700 ${stateDir}` };
  } catch (error) {
    const code = (error as NodeJS.ErrnoException).code ?? String(error);
    const remedy =
      code === 'ENOENT'
        ? 'vantage-agent enroll makes it'
        : `make ${stateDir} writable for this user, or choose another with --state-dir`;
    return { name, status: 'failed', detail: `${stateDir}: ${code}`, remedy };
  }
}

/** Whether the control plane answers at this URL. */
export function judgeControlPlane(url: string, answer: ControlPlaneAnswer | Error): DoctorCheck {
  const name = `control plane ${url}`;
  if (answer instanceof WrongPinError) {
    const remedy = 'ask its operator, over another way, for its key; do not take the pin away before';
    return { name, status: 'failed', detail: answer.message, remedy };
  }
  if (answer instanceof Error) {
    return {
      name,
      status: 'failed',
      detail: answer.message,
      remedy: 'check the network, firewalls between here and there, and VANTAGE_AGENT_BIND',
    };
  }
  if (answer.status === 200) return { name, status: 'ok', detail: 'answers', remedy: null };
  return {
    name,
    status: 'failed',
    detail: `answers ${answer.status}`,
    remedy: 'ask the operator of the control plane',
  };
}

/** Which way the link goes: a proxy of the environment that is not used may be why it does not come about. */
export function judgeProxy(config: Pick<AgentConfig, 'proxyUrl' | 'ignoredProxies'>): DoctorCheck {
  const name = 'way of the link';
  const { proxyUrl, ignoredProxies } = config;
  if (proxyUrl !== null)
    return { name, status: 'ok', detail: `through the proxy ${new URL(proxyUrl).host}`, remedy: null };
  if (ignoredProxies.length === 0) return { name, status: 'ok', detail: 'straight, without a proxy', remedy: null };
  const detail = `straight: ${ignoredProxies.join(', ')} of the environment is not used`;
  return { name, status: 'ok', detail, remedy: 'if the link needs that proxy: set VANTAGE_AGENT_PROXY' };
}

/** Whether this machine's clock agrees with the control plane's; results are corrected anyway. */
export function judgeClock(nowMs: number, dateMs: number | null): DoctorCheck {
  const name = 'clock';
  if (dateMs === null) return { name, status: 'warning', detail: 'nothing to compare with', remedy: null };
  const differenceMs = nowMs - dateMs;
  if (Math.abs(differenceMs) <= CLOCK_TOLERANCE_MS)
    return { name, status: 'ok', detail: 'agrees with the control plane', remedy: null };
  const side = differenceMs > 0 ? 'ahead of' : 'behind';
  const detail = `${Math.round(Math.abs(differenceMs) / 1000)} s ${side} the control plane`;
  return { name, status: 'warning', detail, remedy: 'turn on time synchronisation: timedatectl set-ntp true' };
}

/** Whether the system keeps its clock right; null: it does not say, and that is no reason to worry. */
export function judgeSynchronisation(isSynchronised: boolean | null): DoctorCheck {
  const name = 'time synchronisation';
  if (isSynchronised === true) return { name, status: 'ok', detail: 'the system clock is synchronised', remedy: null };
  if (isSynchronised === null) return { name, status: 'ok', detail: 'this system does not say', remedy: null };
  return {
    name,
    status: 'warning',
    detail: 'the system clock is not synchronised',
    remedy: 'turn on time synchronisation: timedatectl set-ntp true',
  };
}

/** Whether there is a way out over each family: one is enough, but probes of the other fail on this node. */
export function judgeRoutes(has: { readonly ipv4: boolean; readonly ipv6: boolean }): DoctorCheck[] {
  const isCutOff = !has.ipv4 && !has.ipv6;
  return (['ipv4', 'ipv6'] as const).map((family) => {
    const name = `network ${family === 'ipv4' ? 'IPv4' : 'IPv6'}`;
    if (has[family]) return { name, status: 'ok', detail: 'there is a route to the world', remedy: null };
    const remedy = `if this machine should have ${family === 'ipv4' ? 'IPv4' : 'IPv6'}: give it an address and a default route`;
    return { name, status: isCutOff ? 'failed' : 'warning', detail: 'no route to the world', remedy };
  });
}

/** What the agent that runs here last found when it checked itself with the control plane's canaries. */
export function toldChecks(checks: readonly SelfTestCheck[]): DoctorCheck[] {
  return checks.map(({ name, status, detail }) => ({
    name: `self-test ${name}`,
    status: status === 'failed' ? 'warning' : 'ok',
    detail: status === 'unknown' ? `not known: ${detail}` : detail,
    remedy: status === 'failed' ? remedies[name] : null,
  }));
}

const remedies: Readonly<Record<SelfTestName, string>> = {
  ipv4: 'check the default route and firewalls between here and the canary',
  ipv6: 'check the default route and firewalls between here and the canary, or live with IPv4 alone',
  resolver: 'check /etc/resolv.conf',
  clock: 'turn on time synchronisation: timedatectl set-ntp true',
  icmp: 'see capability icmp above',
};

/** Whether a resolver of this machine answers at all: to a name that cannot exist (RFC 6761), so that no is an answer. */
export async function checkDns(): Promise<DoctorCheck> {
  const name = 'dns';
  const resolver = new Resolver({ timeout: 2000, tries: 1 });
  const servers = resolver.getServers().join(', ');
  try {
    await resolver.resolve4('vantage.invalid');
  } catch (error) {
    const code = (error as NodeJS.ErrnoException).code ?? '';
    if (!['ENOTFOUND', 'ENODATA', 'ESERVFAIL', 'EREFUSED'].includes(code)) {
      return {
        name,
        status: 'failed',
        detail: `no resolver answers (${servers}): ${code}`,
        remedy: 'check /etc/resolv.conf',
      };
    }
  }
  return { name, status: 'ok', detail: `resolver answers (${servers})`, remedy: null };
}
