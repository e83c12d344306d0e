import { systemClock } from '@vantage/shared/clock.js';
import { judgeSynchronisation, readKernelClock } from '@vantage/shared/kernel-clock.js';
import { type DoctorCheck, doctorText } from '@vantage/shared/terminal/check-lines.js';
import { jsonText } from '@vantage/shared/terminal/plain-text.js';
import { screenOf } from '@vantage/shared/terminal/screen.js';
import { detectCapabilities } from '../capabilities.js';
import { type AgentConfig, extraRootsFile, readEnv } from '../config.js';
import { effectivePins, findIdentity, type Identity } from '../identity/identity.js';
import { askControlPlane } from '../link/ask-control-plane.js';
import { LinkAddresses } from '../link/link-addresses.js';
import { type LinkWay, systemLookUp } from '../link/link-way.js';
import { hasWorldRoute } from '../net/route.js';
import { readStatus } from '../status-file.js';
import {
  checkCapability,
  checkDns,
  checkStateDir,
  judgeClock,
  judgeControlPlane,
  judgeProxy,
  judgeRoutes,
  selfTestChecks,
} from './doctor-checks.js';

/** Tries everything the agent needs and says what is missing, why, and what to do. Sends nothing but to the control plane and the resolver. */
export async function doctor(config: AgentConfig, options: { readonly json: boolean }): Promise<'ok' | 'failed'> {
  const checks = await runChecks(config);
  const env = readEnv();
  process.stdout.write(
    options.json ? `${jsonText({ checks })}\n` : doctorText(checks, screenOf(process.stdout, env), env),
  );
  return checks.some((check) => check.status === 'failed') ? 'failed' : 'ok';
}

async function runChecks(config: AgentConfig): Promise<DoctorCheck[]> {
  const capabilities = detectCapabilities({
    clock: systemClock,
    chromium: config.engines.chromium,
    onFault: () => undefined,
  });
  capabilities.icmp?.close();
  const identity = await findIdentity(config.stateDir).catch((error: Error) => error);
  const controlUrls = identity === null || identity instanceof Error ? [] : identity.controlUrls;
  const [stateDir, dns, ipv4, ipv6, isSynchronised, answers] = await Promise.all([
    checkStateDir(config.stateDir),
    checkDns(config.engines.dnsServers),
    hasWorldRoute(4),
    hasWorldRoute(6),
    readKernelClock(),
    openWay(config, pinsOf(config, identity)).then((way) =>
      Promise.all(controlUrls.map((url) => askControlPlane(url, way))),
    ),
  ]);
  const dates = answers.flatMap((answer) => (answer instanceof Error ? [] : [answer.dateMs]));
  return [
    ...capabilities.explain().map(checkCapability),
    stateDir,
    judgeIdentity(identity),
    judgeProxy(config),
    ...answers.map((answer, index) => judgeControlPlane(controlUrls[index] ?? '', answer, extraRootsFile())),
    judgeClock(systemClock.now(), dates[0] ?? null),
    judgeSynchronisation(isSynchronised),
    ...judgeRoutes({ ipv4, ipv6 }),
    dns,
    ...selfTestChecks((await readStatus(config.stateDir))?.self_test?.checks ?? []),
  ];
}

/** Path of the link: also by addresses that worked before, but nothing is written to disk. */
async function openWay({ stateDir, bindAddress, proxyUrl }: AgentConfig, tlsPins: readonly string[]): Promise<LinkWay> {
  const onFallback = () => undefined;
  const known = await LinkAddresses.open({ stateDir, clock: systemClock, lookUp: systemLookUp, onFallback });
  const addresses = { find: (host: string) => known.find(host), worked: () => undefined, failed: () => undefined };
  return { bindAddress, proxyUrl, tlsPins, addresses, clock: systemClock };
}

function pinsOf({ tlsPins }: AgentConfig, identity: Identity | Error | null): readonly string[] {
  return effectivePins(tlsPins, identity instanceof Error ? null : identity);
}

function judgeIdentity(identity: Identity | Error | null): DoctorCheck {
  const name = 'identity';
  if (identity instanceof Error) return { name, status: 'failed', detail: identity.message, remedy: null };
  if (identity !== null) return { name, status: 'ok', detail: `enrolled as ${identity.nodeId}`, remedy: null };
  return {
    name,
    status: 'failed',
    detail: 'not enrolled',
    remedy: '`vantage-agent enroll --url URL --token-file FILE`',
  };
}
