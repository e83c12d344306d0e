import { randomBytes } from 'node:crypto';
import { type DecodedAgentFrame, MalformedFrameError, type ServerFrame } from '@vantage/shared/protocol/codec.js';
import { isSignatureValid, publicKeyFromRaw, signBytes } from '@vantage/shared/protocol/ed25519.js';
import { EPOCH_BYTES, NONCE_BYTES, PROTOCOL_VERSIONS } from '@vantage/shared/protocol/limits.js';
import { agentProofBytes, type LinkTranscript, serverProofBytes } from '@vantage/shared/protocol/transcript.js';
import type { CloseReason } from './closing.js';
import type { LinkPorts } from './link-ports.js';
import type { LinkStore } from './link-store.js';

type Hello = NonNullable<DecodedAgentFrame['hello']>;

/** Why a peer gets no link. */
interface Refusal {
  readonly refused: CloseReason;
  readonly message: string;
}

/** A peer that has proved which node it is. */
interface Proven {
  readonly refused: null;
  /** Of the spool it delivers from. */
  readonly epoch: Buffer;
  /** What the database is asked to take for the live link. */
  readonly opening: Omit<Parameters<LinkStore['open']>[0], 'sessionId'>;
}

/** Who the peer is, and that it knows who we are: both sign one transcript. Each step is asked for once. */
export class Handshake {
  readonly #ports: Pick<LinkPorts, 'store' | 'identity' | 'audience'>;
  readonly #serverNonce = randomBytes(NONCE_BYTES);
  #transcript: LinkTranscript | null = null;
  #hello: Pick<Hello, 'agentVersion' | 'capabilities'> | null = null;

  constructor(ports: Pick<LinkPorts, 'store' | 'identity' | 'audience'>) {
    this.#ports = ports;
  }

  /** @returns the challenge to answer with; @throws MalformedFrameError */
  async takeHello(hello: Hello): Promise<Refusal | { readonly refused: null; readonly challenge: ServerFrame }> {
    checkHello(hello);
    const protocolVersion = PROTOCOL_VERSIONS.find((version) => hello.protocolVersions.includes(version));
    if (protocolVersion === undefined) {
      const spoken = PROTOCOL_VERSIONS.join(', ');
      return { refused: 'CLOSE_UPGRADE_REQUIRED', message: `this control plane speaks link protocol ${spoken}` };
    }
    const node = await this.#ports.store.findNode(hello.nodeId);
    if (!node) return { refused: 'CLOSE_UNAUTHENTICATED', message: 'unknown node' };
    const transcript: LinkTranscript = {
      audience: this.#ports.audience,
      nodeId: hello.nodeId,
      publicKey: node.public_key,
      agentNonce: hello.agentNonce,
      serverNonce: this.#serverNonce,
      protocolVersion,
      bootId: hello.bootId,
      generation: hello.generation,
    };
    this.#transcript = transcript;
    this.#hello = { agentVersion: hello.agentVersion, capabilities: hello.capabilities };
    const serverSignature = signBytes(this.#ports.identity.privateKey, serverProofBytes(transcript));
    return {
      refused: null,
      challenge: { challenge: { serverNonce: this.#serverNonce, protocolVersion, serverSignature } },
    };
  }

  /** @throws MalformedFrameError */
  takeProof(proof: NonNullable<DecodedAgentFrame['proof']>): Refusal | Proven {
    const transcript = this.#transcript;
    const hello = this.#hello;
    if (!transcript || !hello) throw new MalformedFrameError('proof before hello');
    const key = publicKeyFromRaw(transcript.publicKey);
    if (!isSignatureValid(key, agentProofBytes(transcript), proof.signature)) {
      return { refused: 'CLOSE_UNAUTHENTICATED', message: 'the proof does not verify' };
    }
    if (proof.epoch.length !== EPOCH_BYTES) throw new MalformedFrameError('epoch of wrong length');
    const { nodeId, bootId, generation } = transcript;
    const agentVersion = hello.agentVersion.slice(0, 32);
    return {
      refused: null,
      epoch: Buffer.from(proof.epoch),
      opening: { nodeId, bootId, generation, agentVersion, capabilities: hello.capabilities },
    };
  }
}

function checkHello(hello: Hello): void {
  const isSound =
    hello.nodeId.length <= 64 &&
    hello.bootId.length > 0 &&
    hello.bootId.length <= 64 &&
    hello.agentNonce.length === NONCE_BYTES &&
    hello.protocolVersions.length <= 16 &&
    hello.capabilities.length <= 32 &&
    hello.capabilities.every((name) => /^[a-z0-9_.-]{1,32}$/.test(name)) &&
    !/\0/.test(hello.nodeId + hello.bootId + hello.agentVersion) &&
    Number.isSafeInteger(hello.generation) &&
    hello.generation >= 1;
  if (!isSound) throw new MalformedFrameError('hello out of range');
}
