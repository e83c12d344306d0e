import { type DecodedAgentFrame, MalformedFrameError, type ServerFrame } from '@vantage/shared/protocol/codec.js';
import { isSignatureValid, publicKeyFromRaw, UnsafePublicKeyError } from '@vantage/shared/protocol/ed25519.js';
import { rotationBytes } from '@vantage/shared/protocol/transcript.js';
import type { Logger } from 'pino';
import type { LinkStore } from '../records/link-store.js';

// A node's key is changed when its row asks for it: the request writes a nonce there, and the replica that holds the
// link, now or later, sends it. The reply is signed by both keys; one transaction replaces the old key by the new one, and
// the old one is never valid again. An agent that does not reply keeps its key, and is asked again over its next link.

type Answer = NonNullable<DecodedAgentFrame['keyRotation']>;

/** Values a rotation is checked against. */
export interface AskedRotation {
  readonly audience: string;
  readonly nodeId: string;
  /** Current key, raw. */
  readonly publicKey: Uint8Array;
  readonly nonce: Uint8Array;
}

/** Reason why a reply is refused, for the operator; null if both keys have signed it. Pure. */
export function judgeRotation(asked: AskedRotation, answer: Answer): string | null {
  if (Buffer.from(asked.publicKey).equals(answer.publicKey)) return 'it is the key the node has already';
  const { audience, nodeId, publicKey: oldPublicKey, nonce } = asked;
  const bytes = rotationBytes({ audience, nodeId, oldPublicKey, newPublicKey: answer.publicKey, nonce });
  if (!isSignatureValid(publicKeyFromRaw(oldPublicKey), bytes, answer.oldSignature))
    return 'the signature of the present key does not verify';
  try {
    const isHeld = isSignatureValid(publicKeyFromRaw(answer.publicKey), bytes, answer.newSignature);
    return isHeld ? null : 'the signature of the new key does not verify';
  } catch (error) {
    if (error instanceof UnsafePublicKeyError) return error.message;
    throw error;
  }
}

interface KeyRotationParts {
  readonly store: Pick<LinkStore, 'findRotationNonce' | 'rotateKey'>;
  readonly audience: string;
  /** Node and session of the link, once it is open. */
  readonly link: () => { readonly nodeId: string; readonly sessionId: string };
  readonly send: (frame: ServerFrame) => void;
  readonly log: Logger;
}

/** Server side of changing a node's key, on one link. */
export class KeyRotation {
  readonly #parts: KeyRotationParts;
  /** Time of the request that this link has sent; a reply without a request is malformed. */
  #askedMs: number | null = null;
  #isAnswerDue = false;

  constructor(parts: KeyRotationParts) {
    this.#parts = parts;
  }

  /**
   * Sends a request to the node, once; null for no request. A failure is retried with the next change of the node's
   * record.
   */
  async look(requestedAt: Date | null): Promise<void> {
    if (requestedAt === null || requestedAt.getTime() === this.#askedMs) return;
    this.#askedMs = requestedAt.getTime();
    const { store, link, send, log } = this.#parts;
    const { nodeId } = link();
    try {
      const nonce = await store.findRotationNonce(nodeId);
      if (nonce === null) return;
      this.#isAnswerDue = true;
      send({ rotateKey: { nonce } });
    } catch (error) {
      this.#askedMs = null;
      log.warn({ err: error, nodeId }, 'cannot request a new key from a node');
    }
  }

  /** @throws MalformedFrameError for a reply without a request */
  async take(answer: Answer): Promise<void> {
    if (!this.#isAnswerDue) throw new MalformedFrameError('key rotation that was not requested');
    this.#isAnswerDue = false;
    const { store, audience, link, send, log } = this.#parts;
    const { nodeId } = link();
    const judge = (asked: Pick<AskedRotation, 'publicKey' | 'nonce'>) =>
      judgeRotation({ audience, nodeId, ...asked }, answer);
    const { publicKey, refused } = await store.rotateKey({
      ...link(),
      publicKey: Buffer.from(answer.publicKey),
      judge,
    });
    if (refused === null) log.info({ nodeId }, 'node has a new key');
    else log.warn({ nodeId, reason: refused }, 'new key of a node refused');
    send({ keyRotated: { publicKey, refused: refused ?? '' } });
  }
}
