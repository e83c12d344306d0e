import { readFile } from 'node:fs/promises';
import { text as readAll } from 'node:stream/consumers';
import { systemClock } from '@vantage/shared/clock.js';
import { textCell } from '@vantage/shared/probe-types/cells.js';
import { jsonLine, plainText } from '@vantage/shared/terminal/plain-text.js';
import { programCall } from '@vantage/shared/terminal/program-call.js';
import { screenOf } from '@vantage/shared/terminal/screen.js';
import { wrapText } from '@vantage/shared/terminal/wrap-text.js';
import { detectCapabilities } from '../capabilities.js';
import { type AgentConfig, defaultStateDir, programPlaces, readEnv } from '../config.js';
import { CommandError } from '../exit-codes.js';
import { enroll } from '../identity/enrollment.js';
import type { DeclaredPlace } from '../identity/enrollment-request.js';
import { AlreadyEnrolledError, EnrollmentRefusedError, EnrollmentUnansweredError } from '../identity/errors.js';
import { findIdentity } from '../identity/identity.js';
import { isTlsPin } from '../identity/tls-pins.js';
import { AGENT_VERSION } from '../version.js';
import { ownCommand } from './own-command.js';

export interface EnrollCommandOptions {
  readonly url: string;
  readonly token?: string;
  readonly tokenFile?: string;
  readonly name?: string;
  readonly country?: string;
  readonly province?: string;
  readonly city?: string;
  readonly asn?: number;
  readonly provider?: string;
  readonly tag: readonly string[];
  readonly tlsPin?: readonly string[];
  readonly insecure: boolean;
  readonly json: boolean;
}

/**
 * Enrolls this machine as a node and prints the next step. With `json` a failure is also JSON on standard output; it
 * is still thrown, for its exit code and its line for people.
 */
export async function enrollNode(config: AgentConfig, options: EnrollCommandOptions): Promise<'ok'> {
  try {
    return await makeNode(config, options);
  } catch (error) {
    if (options.json) process.stdout.write(`${jsonLine({ error: describeFailure(error) })}\n`);
    throw error;
  }
}

/** `code` is the control plane's, null where it refused nothing; `is_retryable`: the same command may work later. */
function describeFailure(error: unknown) {
  return {
    code: error instanceof EnrollmentRefusedError ? error.code : null,
    message: error instanceof Error ? error.message : String(error),
    is_retryable: error instanceof EnrollmentUnansweredError,
  };
}

async function makeNode(config: AgentConfig, options: EnrollCommandOptions): Promise<'ok'> {
  const { url, name, insecure } = options;
  // before the token is read: the one of the first time may be gone
  const existing = await findIdentity(config.stateDir);
  if (existing !== null) throw new AlreadyEnrolledError(existing, config.stateDir);
  const declared = declaredPlace(options);
  const identity = await enroll({
    stateDir: config.stateDir,
    url,
    token: await readToken(options),
    ...(name === undefined ? {} : { name }),
    ...(Object.keys(declared).length === 0 ? {} : { declared }),
    version: AGENT_VERSION,
    capabilities: listCapabilities(),
    isInsecureAllowed: insecure,
    bindAddress: config.bindAddress,
    proxyUrl: config.proxyUrl,
    ...pinsOf(config, options),
    clock: systemClock,
    random: Math.random,
    onRetry: (error, waitMs) =>
      process.stderr.write(`vantage-agent: ${textCell(error.message)}; retrying in ${(waitMs / 1000).toFixed(1)} s\n`),
  });
  const { nodeId, controlUrls } = identity;
  if (options.json)
    process.stdout.write(`${jsonLine({ node_id: nodeId, control_urls: controlUrls, state_dir: config.stateDir })}\n`);
  else process.stdout.write(plainText(enrolledText(nodeId, config.stateDir)));
  return 'ok';
}

/** The node, the command that starts its agent, and how a shell finds that. */
function enrolledText(nodeId: string, stateDir: string): string {
  const env = readEnv();
  const option = stateDir === defaultStateDir(env) ? '' : ` --state-dir ${stateDir}`;
  const { command, advice } = ownCommand(programPlaces());
  const wrapped = wrapText(`enrolled as ${nodeId} in ${stateDir}`, screenOf(process.stdout, env).width);
  const lines = [...wrapped, `start it with: ${advice === null ? programCall(command, env) : command} run${option}`];
  return `${[...lines, ...(advice === null ? [] : [advice])].join('\n')}\n`;
}

/**
 * Pins for the enrollment: those of the command line are stored with the node; those of the setting apply as long as
 * it is set.
 */
function pinsOf({ tlsPins }: AgentConfig, { tlsPin = [] }: EnrollCommandOptions) {
  const wrong = tlsPin.find((pin) => !isTlsPin(pin));
  if (wrong !== undefined) throw new CommandError('usage', `--tls-pin: "${wrong}" is not the base64 of a SHA-256`);
  return tlsPin.length > 0 ? { tlsPins: tlsPin, keepsPins: true } : { tlsPins };
}

/** The token from where the operator keeps it; only `--token ent_…` itself shows in the process list. */
async function readToken({ token, tokenFile }: EnrollCommandOptions): Promise<string> {
  if (token !== undefined && tokenFile !== undefined)
    throw new CommandError('usage', 'give --token or --token-file, not both');
  if (token === '-') return (await readAll(process.stdin)).trim();
  if (token !== undefined) return token;
  if (tokenFile === undefined)
    throw new CommandError('usage', 'no token: give --token-file FILE, --token - (standard input) or --token ent_…');
  try {
    return (await readFile(tokenFile, 'utf8')).trim();
  } catch (cause) {
    throw new CommandError(
      'usage',
      `cannot read the token from "${tokenFile}": ${(cause as NodeJS.ErrnoException).code}`,
      { cause },
    );
  }
}

function declaredPlace({ country, province, city, asn, provider, tag }: EnrollCommandOptions): DeclaredPlace {
  return {
    ...(country === undefined ? {} : { country: country.toUpperCase() }),
    ...(province === undefined ? {} : { province: province.toUpperCase() }),
    ...(city === undefined ? {} : { city }),
    ...(asn === undefined ? {} : { asn }),
    ...(provider === undefined ? {} : { provider }),
    ...(tag.length === 0 ? {} : { tags: tag }),
  };
}

function listCapabilities(): readonly string[] {
  const capabilities = detectCapabilities({ clock: systemClock, onFault: () => undefined });
  capabilities.icmp?.close();
  return capabilities.list();
}
