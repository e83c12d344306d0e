import { type AgentFrame, type DecodedServerFrame, MalformedFrameError } from '@vantage/shared/protocol/codec.js';
import { signBytes } from '@vantage/shared/protocol/ed25519.js';
import { NONCE_BYTES } from '@vantage/shared/protocol/limits.js';
import { rotationBytes } from '@vantage/shared/protocol/transcript.js';
import type { Logger } from 'pino';
import type { NodeIdentity } from '../identity/identity.js';

//   control plane              agent
//   RotateKey(nonce)     ->    makes a key next to the one it has, on the disk
//                        <-    KeyRotation(new key, signed by both)
//   takes it, commits
//   KeyRotated           ->    puts it in the place of the old one
//
// A failure is logged and ends the rotation: the old key remains valid, and the control plane requests it again.

interface KeyRotationParts {
  readonly identity: Pick<NodeIdentity, 'nodeId' | 'audience' | 'keys'>;
  readonly log: Logger;
  readonly send: (frame: AgentFrame) => void;
}

/** The agent's side of changing its key, on one link. */
export class KeyRotation {
  readonly #parts: KeyRotationParts;
  /** One step after another: they share files. */
  #steps: Promise<void> = Promise.resolve();

  constructor(parts: KeyRotationParts) {
    this.#parts = parts;
  }

  /** The link was opened with this key: what a process that died left undone is finished. */
  proved(publicKey: Uint8Array): void {
    this.#do(() => this.#parts.identity.keys.settle(publicKey));
  }

  /** The control plane asks for another key. @throws MalformedFrameError */
  asked({ nonce }: NonNullable<DecodedServerFrame['rotateKey']>): void {
    if (nonce.length !== NONCE_BYTES) throw new MalformedFrameError('rotation nonce of wrong length');
    this.#do(() => this.#answer(nonce));
  }

  /** The control plane says which key counts now. */
  answered({ publicKey, refused }: NonNullable<DecodedServerFrame['keyRotated']>): void {
    this.#do(async () => {
      const { identity, log } = this.#parts;
      await identity.keys.settle(publicKey);
      if (refused === '') log.info('key of this node changed');
      else log.warn({ reason: refused }, 'control plane refused the new key of this node');
    });
  }

  /** Resolves when the steps taken so far are done or have failed. */
  async settled(): Promise<void> {
    await this.#steps;
  }

  async #answer(nonce: Uint8Array): Promise<void> {
    const { identity, send } = this.#parts;
    const { nodeId, audience, keys } = identity;
    const { current } = keys;
    const next = await keys.makeNext();
    const bytes = rotationBytes({
      audience,
      nodeId,
      oldPublicKey: current.publicKey,
      newPublicKey: next.publicKey,
      nonce,
    });
    const oldSignature = signBytes(current.privateKey, bytes);
    const newSignature = signBytes(next.privateKey, bytes);
    send({ keyRotation: { publicKey: next.publicKey, oldSignature, newSignature } });
  }

  #do(step: () => Promise<void>): void {
    this.#steps = this.#steps.then(step).catch((error: unknown) => {
      this.#parts.log.error({ err: error }, 'cannot change the key of this node');
    });
  }
}
