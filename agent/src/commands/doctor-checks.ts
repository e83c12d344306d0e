import { Resolver } from 'node:dns/promises';
import { access, constants, stat } from 'node:fs/promises';
import { isReservedAddress } from '@vantage/shared/probe-types/dns-pollution.js';
import type { SelfTestCheck, SelfTestName } from '@vantage/shared/self-test.js';
import type { DoctorCheck } from '@vantage/shared/terminal/check-lines.js';
import type { CapabilityReport } from '../capabilities.js';
import type { AgentConfig } from '../config.js';
import { WrongPinError } from '../identity/tls-pins.js';
import { type ControlPlaneAnswer, UntrustedCertificateError } from '../link/ask-control-plane.js';
import { type Endpoint, formatEndpoint } from '../net/endpoint.js';

/** Date has whole seconds: below this a difference says nothing. */
const CLOCK_TOLERANCE_MS = 2000;

/** Judges one capability beyond plain sockets. */
export function checkCapability(report: CapabilityReport): DoctorCheck {
  const name = `capability ${report.name}`;
  if (report.isAvailable) return { name, status: 'ok', detail: report.reason ?? 'available', remedy: report.remedy };
  return { name, status: 'warning', detail: report.reason ?? 'not available', remedy: report.remedy };
}

/** Checks that the state directory exists, belongs to this user and cannot be read by others. */
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
        ? '`vantage-agent enroll` creates it'
        : `make ${stateDir} writable for this user, or choose another with --state-dir`;
    return { name, status: 'failed', detail: `${stateDir}: ${code}`, remedy };
  }
}

/**
 * Judges whether the control plane responds at this URL. `rootsFile`: file of additional authorities that this process
 * trusts; null: none.
 */
export function judgeControlPlane(
  url: string,
  answer: ControlPlaneAnswer | Error,
  rootsFile: string | null = null,
): DoctorCheck {
  const name = `control plane ${url}`;
  if (answer instanceof UntrustedCertificateError) {
    return { name, status: 'failed', ...judgeCertificate(answer, rootsFile) };
  }
  if (answer instanceof WrongPinError) {
    const remedy = 'confirm its key with its operator over another channel; do not remove the pin before that';
    return { name, status: 'failed', detail: answer.message, remedy };
  }
  if (answer instanceof Error) {
    return {
      name,
      status: 'failed',
      detail: answer.message,
      remedy: 'check the network, firewalls on the path, and VANTAGE_AGENT_BIND',
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

function judgeCertificate(
  { message, certificate }: UntrustedCertificateError,
  rootsFile: string | null,
): Pick<DoctorCheck, 'detail' | 'remedy'> {
  const from = rootsFile === null ? '' : `, which is ${rootsFile} now`;
  const remedy = `if it is the right one: put it, or that of its authority, into the file that NODE_EXTRA_CA_CERTS names${from}, in the settings of the agent (/etc/vantage/agent.env), and restart the agent`;
  if (certificate === null) return { detail: `its certificate is not trusted: ${message}`, remedy };
  const { subject, issuer, subjectAltName = 'no name', fingerprint256, validFrom, validTo } = certificate;
  const detail =
    `its certificate is not trusted: ${message}; subject ${oneLine(subject)}, for ${subjectAltName}, ` +
    `issued by ${issuer === subject ? 'itself' : oneLine(issuer)}, valid from ${validFrom} to ${validTo}, SHA-256 ${fingerprint256}`;
  return { detail, remedy: otherRemedy(message) ?? remedy };
}

/** Remedy where the authority may well be trusted; null: that is what fails. */
function otherRemedy(message: string): string | null {
  if (/expired|not yet valid/.test(message))
    return 'check the clock of this machine; else its operator has to renew it';
  if (/altnames/.test(message))
    return 'its operator has to use a certificate with this name, or enroll with a name of it';
  return null;
}

/** Names of a certificate have a line for each part. */
function oneLine(name: string): string {
  return name.replaceAll('\n', ', ');
}

/** Judges the path of the link: a proxy of the environment that is not used may be the reason why it fails. */
export function judgeProxy(config: Pick<AgentConfig, 'proxyUrl' | 'ignoredProxies'>): DoctorCheck {
  const name = 'path of the link';
  const { proxyUrl, ignoredProxies } = config;
  if (proxyUrl !== null)
    return { name, status: 'ok', detail: `through the proxy ${new URL(proxyUrl).host}`, remedy: null };
  if (ignoredProxies.length === 0) return { name, status: 'ok', detail: 'direct, without a proxy', remedy: null };
  const detail = `direct: ${ignoredProxies.join(', ')} in the environment is ignored`;
  return { name, status: 'ok', detail, remedy: 'if the link requires that proxy, set VANTAGE_AGENT_PROXY' };
}

/** Judges whether this machine's clock agrees with the control plane's; results are corrected in any case. */
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

/** Judges whether there is a route over each family: one is enough, but probes over the other fail on this node. */
export function judgeRoutes(has: { readonly ipv4: boolean; readonly ipv6: boolean }): DoctorCheck[] {
  const isCutOff = !has.ipv4 && !has.ipv6;
  return (['ipv4', 'ipv6'] as const).map((family) => {
    const name = `network ${family === 'ipv4' ? 'IPv4' : 'IPv6'}`;
    if (has[family]) return { name, status: 'ok', detail: 'has a default route', remedy: null };
    const remedy = `if this machine should have ${family === 'ipv4' ? 'IPv4' : 'IPv6'}: give it an address and a default route`;
    return { name, status: isCutOff ? 'failed' : 'warning', detail: 'no default route', remedy };
  });
}

/** Results of the newest self-test of the agent that runs on this machine, made with the control plane's canaries. */
export function selfTestChecks(checks: readonly SelfTestCheck[]): DoctorCheck[] {
  return checks.map(({ name, status, detail }) => ({
    name: `self-test ${name}`,
    status: status === 'failed' ? 'warning' : 'ok',
    detail: status === 'unknown' ? `unknown: ${detail}` : detail,
    remedy: status === 'failed' ? remedies[name] : null,
  }));
}

const remedies: Readonly<Record<SelfTestName, string>> = {
  ipv4: 'check the default route and firewalls on the path to the canary',
  ipv6: 'check the default route and firewalls on the path to the canary, or use IPv4 only',
  resolver: 'check VANTAGE_DNS_SERVERS, or /etc/resolv.conf if it is not set',
  clock: 'turn on time synchronisation: timedatectl set-ntp true',
  icmp: 'see capability icmp above',
};

/**
 * Checks that a resolver of probes responds, with a name that cannot exist (RFC 6761), so that a negative answer
 * counts. `configured`: those of VANTAGE_DNS_SERVERS; empty: those of the system.
 */
export async function checkDns(configured: readonly Endpoint[]): Promise<DoctorCheck> {
  const name = 'dns';
  const resolver = new Resolver({ timeout: 2000, tries: 1 });
  if (configured.length > 0) resolver.setServers(configured.map(formatEndpoint));
  const source = configured.length > 0 ? 'VANTAGE_DNS_SERVERS' : '/etc/resolv.conf';
  const addresses = resolver.getServers();
  const servers = `${addresses.join(', ')} of ${source}`;
  try {
    await resolver.resolve4('vantage.invalid');
  } catch (error) {
    const code = (error as NodeJS.ErrnoException).code ?? '';
    if (!['ENOTFOUND', 'ENODATA', 'ESERVFAIL', 'EREFUSED'].includes(code))
      return {
        name,
        status: 'failed',
        detail: `no resolver responds (${servers}): ${code}`,
        remedy: `check ${source}`,
      };
  }
  const isInside = configured.length === 0 && addresses.some((address) => isReservedAddress(address));
  const remedy = isInside ? 'on a public node, set VANTAGE_DNS_SERVERS to a public resolver' : null;
  return { name, status: 'ok', detail: `resolver responds (${servers})`, remedy };
}
