import type { KeyObject } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { idPrefixes, isId } from '@vantage/shared/ids.js';
import { publicKeyFromRaw } from '@vantage/shared/protocol/ed25519.js';
import { writeFileDurably } from './durable-file.js';
import { NotEnrolledError, StateFileError } from './errors.js';
import { GenerationCounter } from './generation.js';
import { type Keyring, NodeKeys } from './node-keys.js';
import { isTlsPin } from './tls-pins.js';

/** Result of enrollment: this node's identity and the control plane that it trusts. Contains no secret. */
export interface Identity {
  readonly nodeId: string;
  /** Name given at enrollment; null if the control plane chose it. */
  readonly name: string | null;
  /** http or https URLs to dial, at least one. */
  readonly controlUrls: readonly string[];
  /** The control plane's Ed25519 key, pinned: raw, base64. */
  readonly serverPublicKey: string;
  /** The control plane's public URL, as both sides sign it. */
  readonly audience: string;
  /** ISO 8601. */
  readonly enrolledAt: string;
  /** Pins of the control plane's TLS key, as the operator gave them at enrollment; absent: none. */
  readonly tlsPins?: readonly string[];
}

/** An identity with its keys, ready to connect. */
export interface NodeIdentity {
  readonly nodeId: string;
  readonly keys: Keyring;
  readonly serverPublicKey: KeyObject;
  readonly audience: string;
  readonly controlUrls: readonly string[];
  /** Keeps these URLs for the next process, durably. */
  keepControlUrls(urls: readonly string[]): Promise<void>;
  /** The next generation, durable before it is returned. */
  nextGeneration(): Promise<number>;
}

/** The identity in `stateDir`, or null before enrollment. @throws StateFileError when the file is damaged */
export async function findIdentity(stateDir: string): Promise<Identity | null> {
  const path = identityPath(stateDir);
  let text: string;
  try {
    text = await readFile(path, 'utf8');
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return null;
    throw error;
  }
  const identity = parseIdentity(text);
  if (identity === null) throw new StateFileError(`"${path}" is damaged: restore it, or enroll this node again`);
  return identity;
}

/** Writes the identity; once it is there, the node is enrolled. */
export async function saveIdentity(stateDir: string, identity: Identity): Promise<void> {
  const document = {
    node_id: identity.nodeId,
    name: identity.name,
    control_urls: identity.controlUrls,
    server_public_key: identity.serverPublicKey,
    audience: identity.audience,
    enrolled_at: identity.enrolledAt,
    ...(identity.tlsPins === undefined ? {} : { tls_pins: identity.tlsPins }),
  };
  await writeFileDurably(identityPath(stateDir), `${JSON.stringify(document, null, 2)}\n`);
}

/**
 * Opens the parts of the state directory that a link needs.
 * @throws NotEnrolledError, StateFileError
 */
export async function openIdentity(stateDir: string): Promise<NodeIdentity> {
  const identity = await findIdentity(stateDir);
  const keys = await NodeKeys.open(stateDir);
  if (identity === null) throw new NotEnrolledError(stateDir);
  if (keys === null)
    throw new StateFileError(`the key of ${identity.nodeId} is missing from "${stateDir}": enroll this node again`);
  const generation = await GenerationCounter.open(stateDir);
  return {
    nodeId: identity.nodeId,
    keys,
    serverPublicKey: publicKeyFromRaw(Buffer.from(identity.serverPublicKey, 'base64')),
    audience: identity.audience,
    controlUrls: identity.controlUrls,
    keepControlUrls: (urls) => keepControlUrls(stateDir, urls),
    nextGeneration: () => generation.next(),
  };
}

/** Writes the control URLs and preserves other changes to the file. */
async function keepControlUrls(stateDir: string, controlUrls: readonly string[]): Promise<void> {
  const identity = await findIdentity(stateDir);
  if (identity === null) throw new NotEnrolledError(stateDir);
  await saveIdentity(stateDir, { ...identity, controlUrls });
}

/** Parses an identity; null when a field is missing or has the wrong form. */
function parseIdentity(text: string): Identity | null {
  const fields = parseObject(text);
  if (fields === null) return null;
  const { node_id, name, control_urls, server_public_key, audience, enrolled_at, tls_pins } = fields;
  if (typeof node_id !== 'string' || !isId(idPrefixes.node, node_id)) return null;
  if (typeof name !== 'string' && name !== null) return null;
  if (!isUrlList(control_urls) || !isPublicKey(server_public_key)) return null;
  if (typeof audience !== 'string' || typeof enrolled_at !== 'string') return null;
  if (tls_pins !== undefined && !isPinList(tls_pins)) return null;
  const controlUrls = control_urls;
  const pins = tls_pins === undefined ? {} : { tlsPins: tls_pins };
  const urls = { controlUrls, audience, serverPublicKey: server_public_key };
  return { nodeId: node_id, name, ...urls, enrolledAt: enrolled_at, ...pins };
}

/** Pins that apply to the control plane's TLS key: those of the setting, else those of the enrollment. */
export function effectivePins(setting: readonly string[], identity: Pick<Identity, 'tlsPins'> | null) {
  return setting.length > 0 ? setting : (identity?.tlsPins ?? []);
}

function isPinList(value: unknown): value is readonly string[] {
  return Array.isArray(value) && value.every((item) => typeof item === 'string' && isTlsPin(item));
}

/** The JSON object in `text`, or null. */
export function parseObject(text: string): Record<string, unknown> | null {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null && !Array.isArray(value) ? { ...value } : null;
  } catch {
    return null;
  }
}

/** True if `value` is a list of at least one http or https URL. */
export function isUrlList(value: unknown): value is readonly string[] {
  const isUrl = (item: unknown) =>
    typeof item === 'string' && URL.canParse(item) && /^https?:$/.test(new URL(item).protocol);
  return Array.isArray(value) && value.length > 0 && value.every(isUrl);
}

/** True if `value` is the base64 of an Ed25519 key that can be relied on. */
export function isPublicKey(value: unknown): value is string {
  if (typeof value !== 'string') return false;
  try {
    publicKeyFromRaw(Buffer.from(value, 'base64'));
    return true;
  } catch {
    return false;
  }
}

function identityPath(stateDir: string): string {
  return join(stateDir, 'identity.json');
}
