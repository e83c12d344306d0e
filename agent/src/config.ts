import { isIP } from 'node:net';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { parseCidr } from '@vantage/shared/target-policy/address-ranges.js';

/** Every environment variable the agent reads, and what it is for. An empty one counts as unset. */
export const environmentVariables = {
  VANTAGE_STATE_DIR:
    'directory of the node’s identity and of results not yet delivered (default: /var/lib/vantage-agent as root, else ~/.local/state/vantage-agent)',
  VANTAGE_AGENT_BIND: 'source address of the link to the control plane (default: chosen by the system)',
  VANTAGE_ALLOW_TARGETS: 'comma-separated CIDRs that probes may reach although they are private (default: none)',
  VANTAGE_DNS_ROOT_HINTS:
    'comma-separated addresses of the root servers that DNS traces begin at, for a private root (default: the public ones)',
  VANTAGE_LOG_LEVEL: 'trace, debug, info, warn, error or silent (default: info)',
  VANTAGE_EXIT_WITH_PARENT: '1: stop when standard input ends, because whoever started this agent is gone',
} as const;

export type EnvironmentVariable = keyof typeof environmentVariables;

export const logLevels = ['trace', 'debug', 'info', 'warn', 'error', 'silent'] as const;
export type LogLevel = (typeof logLevels)[number];

export interface AgentConfig {
  readonly stateDir: string;
  /** Source address of the link; null: the system chooses. */
  readonly bindAddress: string | null;
  /** CIDRs. */
  readonly allowTargets: readonly string[];
  /** Addresses; none: the public root servers. */
  readonly rootHints: readonly string[];
  readonly logLevel: LogLevel;
  readonly exitWithParent: boolean;
  /** Variables with our prefix that nothing reads: probably typing mistakes. */
  readonly unknownVariables: readonly string[];
}

/** Everything that is wrong with the environment, at once. */
export class ConfigError extends Error {
  override readonly name = 'ConfigError';

  constructor(readonly complaints: readonly string[]) {
    super(complaints.join('; '));
  }
}

/** The environment of this process. */
export function readEnv(): Readonly<Record<string, string | undefined>> {
  return process.env;
}

/** The configuration in an environment. @throws ConfigError */
export function parseConfig(env: Readonly<Record<string, string | undefined>>): AgentConfig {
  const value = (name: EnvironmentVariable) => (env[name] === '' ? undefined : env[name]);
  const complaints: string[] = [];
  const bindAddress = value('VANTAGE_AGENT_BIND') ?? null;
  if (bindAddress !== null && isIP(bindAddress) === 0)
    complaints.push(`VANTAGE_AGENT_BIND: "${bindAddress}" is not an address`);
  const allowTargets = splitList(value('VANTAGE_ALLOW_TARGETS') ?? '');
  for (const entry of allowTargets.filter((cidr) => parseCidr(cidr) === null))
    complaints.push(`VANTAGE_ALLOW_TARGETS: "${entry}" is not a CIDR`);
  const rootHints = splitList(value('VANTAGE_DNS_ROOT_HINTS') ?? '');
  for (const entry of rootHints.filter((address) => isIP(address) === 0))
    complaints.push(`VANTAGE_DNS_ROOT_HINTS: "${entry}" is not an address`);
  const logLevel = logLevels.find((level) => level === (value('VANTAGE_LOG_LEVEL') ?? 'info'));
  if (logLevel === undefined) complaints.push(`VANTAGE_LOG_LEVEL: must be one of ${logLevels.join(', ')}`);
  if (complaints.length > 0) throw new ConfigError(complaints);
  return Object.freeze({
    stateDir: value('VANTAGE_STATE_DIR') ?? defaultStateDir(env),
    bindAddress,
    allowTargets,
    rootHints,
    logLevel: logLevel ?? 'info',
    exitWithParent: value('VANTAGE_EXIT_WITH_PARENT') === '1',
    unknownVariables: Object.keys(env).filter(
      (name) => name.startsWith('VANTAGE_') && !Object.hasOwn(environmentVariables, name),
    ),
  });
}

function splitList(text: string): string[] {
  return text
    .split(',')
    .map((entry) => entry.trim())
    .filter((entry) => entry !== '');
}

/** Where services keep state: FHS for root, the XDG base directories for people. */
function defaultStateDir(env: Readonly<Record<string, string | undefined>>): string {
  if (process.getuid?.() === 0) return '/var/lib/vantage-agent';
  return join(env['XDG_STATE_HOME'] || join(env['HOME'] || homedir(), '.local', 'state'), 'vantage-agent');
}
