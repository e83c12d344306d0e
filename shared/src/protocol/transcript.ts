import { createHash } from 'node:crypto';

// Bytes that both sides sign. Every field is length-prefixed (4 bytes, big endian), so that no two different lists of
// fields give the same bytes; the first field is the purpose, so that a signature is valid for that purpose only.

/** Fields both sides of a link know after hello and challenge. */
export interface LinkTranscript {
  /** The control plane's public URL as configured, never a Host header. */
  readonly audience: string;
  readonly nodeId: string;
  /** Raw Ed25519 public key of the node, 32 bytes. */
  readonly publicKey: Uint8Array;
  readonly agentNonce: Uint8Array;
  readonly serverNonce: Uint8Array;
  readonly protocolVersion: number;
  readonly bootId: string;
  readonly generation: number;
}

/** Bytes the agent signs to prove that it holds the node's key, on this socket, now. */
export function agentProofBytes(transcript: LinkTranscript): Buffer {
  return linkBytes('vantage link agent proof v1', transcript);
}

/** Bytes the control plane signs so that the agent knows the identity it pinned at enrollment. */
export function serverProofBytes(transcript: LinkTranscript): Buffer {
  return linkBytes('vantage link server proof v1', transcript);
}

/**
 * Bytes that the control plane signs if it supports none of an agent's versions: the agent ends, so no one else may
 * send that. `versions`: those the control plane speaks.
 */
export function versionRefusalBytes(
  { audience, nodeId, agentNonce }: Pick<LinkTranscript, 'audience' | 'nodeId' | 'agentNonce'>,
  versions: readonly number[],
): Buffer {
  return joinFields(['vantage link version refusal v1', audience, nodeId, agentNonce, versions.join(' ')]);
}

/** Bytes an agent signs to enroll: it holds the key it sends, and the token is meant for this control plane. */
export function enrollmentProofBytes(audience: string, token: string, publicKey: Uint8Array): Buffer {
  const tokenHash = createHash('sha256').update(token).digest();
  return joinFields(['vantage enrollment v1', audience, tokenHash, publicKey]);
}

/** Values that a change of a node's key is signed over. */
export interface RotationTranscript {
  /** The control plane's public URL as configured. */
  readonly audience: string;
  readonly nodeId: string;
  /** Raw Ed25519 public keys, 32 bytes each: the one that counts, and the one to follow it. */
  readonly oldPublicKey: Uint8Array;
  readonly newPublicKey: Uint8Array;
  /** Nonce of the request for this change, and for no other. */
  readonly nonce: Uint8Array;
}

/** Bytes an agent signs with both keys: it holds the new one, and the holder of the old one wants it to follow. */
export function rotationBytes({ audience, nodeId, oldPublicKey, newPublicKey, nonce }: RotationTranscript): Buffer {
  return joinFields(['vantage key rotation v1', audience, nodeId, oldPublicKey, newPublicKey, nonce]);
}

function linkBytes(purpose: string, t: LinkTranscript): Buffer {
  return joinFields([
    purpose,
    t.audience,
    t.nodeId,
    t.publicKey,
    t.agentNonce,
    t.serverNonce,
    String(t.protocolVersion),
    t.bootId,
    String(t.generation),
  ]);
}

function joinFields(fields: readonly (string | Uint8Array)[]): Buffer {
  const parts: Buffer[] = [];
  for (const field of fields) {
    const bytes = Buffer.from(field);
    const length = Buffer.alloc(4);
    length.writeUInt32BE(bytes.length);
    parts.push(length, bytes);
  }
  return Buffer.concat(parts);
}
