import { hostname } from 'node:os';
import { type Clock, delay } from '@vantage/shared/clock.js';
import { rawPublicKey, signBytes } from '@vantage/shared/protocol/ed25519.js';
import { enrollmentProofBytes } from '@vantage/shared/protocol/transcript.js';
import { parseToken, tokenPrefixes } from '@vantage/shared/tokens.js';
import { Agent, Pool, ProxyAgent } from 'undici';
import { parseControlPlaneUrl } from './control-plane-url.js';
import {
  type DeclaredPlace,
  type EnrollmentReply,
  type EnrollmentRequest,
  requestEnrollment,
} from './enrollment-request.js';
import { AlreadyEnrolledError, EnrollmentInputError, EnrollmentUnansweredError } from './errors.js';
import { findIdentity, type Identity, saveIdentity } from './identity.js';
import { loadOrMakeKey } from './key.js';
import { lockStateDirectory, openStateDirectory } from './state-directory.js';
import { judgePinnedUrl, pinnedTls } from './tls-pins.js';

export interface EnrollOptions {
  readonly stateDir: string;
  /** URL of the control plane, as the operator typed it. */
  readonly url: string;
  /** `ent_…`, shown once by the control plane. */
  readonly token: string;
  readonly name?: string;
  readonly declared?: DeclaredPlace;
  /** Version of this agent. */
  readonly version: string;
  readonly capabilities: readonly string[];
  /** Allows http to another machine. */
  readonly isInsecureAllowed: boolean;
  /** Source address; null for the system's choice. */
  readonly bindAddress: string | null;
  /** HTTP proxy that tunnels by CONNECT; null for a direct connection. */
  readonly proxyUrl: string | null;
  /** Pins of the control plane's TLS key that apply now; none or absent: any key that verifies. */
  readonly tlsPins?: readonly string[];
  /** True if the node stores the pins. */
  readonly keepsPins?: boolean;
  readonly clock: Clock;
  /** 0 <= r < 1. */
  readonly random: () => number;
  /** Hears of every try that will be repeated, with the wait before the next, milliseconds. */
  readonly onRetry: (error: EnrollmentUnansweredError, waitMs: number) => void;
}

const TRIES = 5;
const FIRST_WAIT_MS = 1_000;
/** A server that asks for more than this is left to the operator. */
const LONGEST_WAIT_MS = 5 * 60_000;

/**
 * Enrolls this machine as a node: creates a key, then exchanges the token for an identity. A repetition after a lost
 * response, by this command or the next, uses the same key, for which the control plane returns the same node.
 * @throws EnrollmentInputError, AlreadyEnrolledError, StateDirectoryError, StateDirectoryInUseError, StateFileError,
 * EnrollmentRefusedError, and EnrollmentUnansweredError after five tries or when the server asks for a longer wait
 */
export async function enroll(options: EnrollOptions): Promise<Identity> {
  const token = options.token.trim();
  if (parseToken(tokenPrefixes.enrollment, token) === null) throw new EnrollmentInputError(describeToken(token));
  const origin = parseControlPlaneUrl(options.url, options.isInsecureAllowed);
  const unpinned = judgePinnedUrl(new URL(origin), options.tlsPins ?? []);
  if (unpinned !== null) throw new EnrollmentInputError(unpinned.message);
  await openStateDirectory(options.stateDir);
  const lock = lockStateDirectory(options.stateDir);
  try {
    const existing = await findIdentity(options.stateDir);
    if (existing !== null) throw new AlreadyEnrolledError(existing, options.stateDir);
    const body = await makeRequest(options, origin, token);
    const identity = makeIdentity(options, await requestWithRetries(options, origin, body));
    await saveIdentity(options.stateDir, identity);
    return identity;
  } finally {
    lock.release();
  }
}

/** Error of a token, without revealing any part of it. */
function describeToken(token: string): string {
  if (token === '') return 'the token is empty';
  if (!token.startsWith(tokenPrefixes.enrollment))
    return `this is not an enrollment token, which begins with "${tokenPrefixes.enrollment}"`;
  return 'the token is mistyped or incomplete: its checksum does not match; copy it again';
}

async function makeRequest(options: EnrollOptions, origin: string, token: string): Promise<EnrollmentRequest> {
  const { name, declared, version, capabilities, stateDir } = options;
  const key = await loadOrMakeKey(stateDir);
  const publicKey = rawPublicKey(key);
  return {
    token,
    public_key: publicKey.toString('base64'),
    proof: signBytes(key, enrollmentProofBytes(origin, token, publicKey)).toString('base64'),
    ...(name === undefined ? {} : { name }),
    hostname: hostname(),
    version,
    os: process.platform,
    arch: process.arch,
    capabilities,
    ...(declared === undefined ? {} : { declared }),
  };
}

function makeIdentity({ name, clock, tlsPins, keepsPins }: EnrollOptions, reply: EnrollmentReply): Identity {
  const pins = keepsPins === true && tlsPins !== undefined ? { tlsPins } : {};
  return { ...reply, name: name ?? null, enrolledAt: new Date(clock.now()).toISOString(), ...pins };
}

async function requestWithRetries(
  options: EnrollOptions,
  origin: string,
  body: EnrollmentRequest,
): Promise<EnrollmentReply> {
  const { clock, random, onRetry } = options;
  const dispatcher = openDispatcher(options);
  try {
    for (let failures = 1; ; failures += 1) {
      try {
        return await requestEnrollment(origin, body, { dispatcher, clock });
      } catch (error) {
        if (!(error instanceof EnrollmentUnansweredError) || failures === TRIES) throw error;
        if ((error.retryAfterMs ?? 0) > LONGEST_WAIT_MS) throw error;
        const waitMs = waitBeforeRetry(failures, error.retryAfterMs, random());
        onRetry(error, waitMs);
        await delay(clock, waitMs);
      }
    }
  } finally {
    await dispatcher.destroy();
  }
}

function openDispatcher({ bindAddress, proxyUrl, tlsPins = [] }: EnrollOptions): Agent | ProxyAgent {
  const local = bindAddress === null ? {} : { localAddress: bindAddress };
  // a resumed session would skip the verification
  const tls = { ...pinnedTls(tlsPins), maxCachedSessions: 0 };
  if (proxyUrl === null) return new Agent({ connect: tls, ...local });
  // the connection that leaves this machine is the one to the proxy
  return new ProxyAgent({
    uri: proxyUrl,
    requestTls: tls,
    clientFactory: (origin, options) => new Pool(origin, { ...options, ...local }),
  });
}

/** Full jitter over a doubling span, on top of what the server asks for. Pure. */
function waitBeforeRetry(failures: number, retryAfterMs: number | null, random: number): number {
  return (retryAfterMs ?? 0) + random * FIRST_WAIT_MS * 2 ** failures;
}
