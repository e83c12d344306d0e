import { randomBytes } from 'node:crypto';
import { type DecodedAgentFrame, MalformedFrameError, type ServerFrame } from '@vantage/shared/protocol/codec.js';
import { isSignatureValid, publicKeyFromRaw, signBytes } from '@vantage/shared/protocol/ed25519.js';
import { EPOCH_BYTES, NONCE_BYTES, PROTOCOL_VERSIONS } from '@vantage/shared/protocol/limits.js';
import {
  agentProofBytes,
  type LinkTranscript,
  serverProofBytes,
  versionRefusalBytes,
} from '@vantage/shared/protocol/transcript.js';
import { newestCommonVersion } from '@vantage/shared/protocol/versions.js';
import type { LinkStore } from '../records/link-store.js';
import type { CloseAdvice, CloseReason } from './closing.js';
import type { LinkPorts } from './link-ports.js';

type Hello = NonNullable<DecodedAgentFrame['hello']>;

/** Reason why a peer gets no link. */
interface Refusal {
  readonly refused: CloseReason;
  readonly message: string;
  /** Other fields of its Close frame. */
  readonly advice?: CloseAdvice;
}

/** A peer that has proved which node it is. */
export interface Proven {
  readonly refused: null;
  /** Epoch of the spool it delivers from. */
  readonly epoch: Buffer;
  /** Values to store when the link is opened. */
  readonly opening: Omit<Parameters<LinkStore['open']>[0], 'sessionId' | 'address'>;
}

/** Mutual authentication of the peer and this control plane: both sign one transcript. Each step is called once. */
export class Handshake {
  readonly #ports: Pick<LinkPorts, 'store' | 'identity' | 'audience' | 'log'>;
  readonly #serverNonce = randomBytes(NONCE_BYTES);
  #transcript: LinkTranscript | null = null;
  #hello: Pick<Hello, 'agentVersion' | 'capabilities'> | null = null;
  #isOldGeneration = false;

  constructor(ports: Pick<LinkPorts, 'store' | 'identity' | 'audience' | 'log'>) {
    this.#ports = ports;
  }

  /**
   * True if the node's generation was already used when the peer was challenged: a peer that then proves to be the node
   * holds a copy of its state. A generation that is first used between challenge and proof does not count: that proof
   * is honest but late, and the node's next process has linked meanwhile.
   */
  get isOldGeneration(): boolean {
    return this.#isOldGeneration;
  }

  /** @returns the challenge to send; @throws MalformedFrameError */
  async takeHello(hello: Hello): Promise<Refusal | { readonly refused: null; readonly challenge: ServerFrame }> {
    checkHello(hello);
    const protocolVersion = newestCommonVersion(PROTOCOL_VERSIONS, hello.protocolVersions);
    if (protocolVersion === null) return this.#refuseVersions(hello);
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
    this.#isOldGeneration = hello.generation <= node.generation;
    this.#hello = { agentVersion: hello.agentVersion, capabilities: hello.capabilities };
    const serverSignature = signBytes(this.#ports.identity.privateKey, serverProofBytes(transcript));
    return {
      refused: null,
      challenge: {
        challenge: { serverNonce: this.#serverNonce, protocolVersion, serverSignature, publicKey: node.public_key },
      },
    };
  }

  #refuseVersions({ nodeId, agentNonce, agentVersion, protocolVersions }: Hello): Refusal {
    const { identity, audience, log, store } = this.#ports;
    const refused = { nodeId, asked: protocolVersions, agentVersion: agentVersion.slice(0, 32) };
    store
      .noteRefusedVersion(refused)
      .catch((err: unknown) => log.warn({ err, nodeId }, 'cannot record a refused protocol version'));
    const asked = protocolVersions.join(', ') || 'none';
    log.warn(
      { nodeId, agentVersion, asked: protocolVersions, spoken: PROTOCOL_VERSIONS },
      'no common protocol version',
    );
    const serverSignature = signBytes(
      identity.privateKey,
      versionRefusalBytes({ audience, nodeId, agentNonce }, PROTOCOL_VERSIONS),
    );
    return {
      refused: 'CLOSE_UPGRADE_REQUIRED',
      message: `this control plane supports link protocol ${PROTOCOL_VERSIONS.join(', ')}, the agent ${asked}`,
      advice: { protocolVersions: PROTOCOL_VERSIONS, serverSignature },
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
    const { nodeId, publicKey, bootId, generation } = transcript;
    const agentVersion = hello.agentVersion.slice(0, 32);
    return {
      refused: null,
      epoch: Buffer.from(proof.epoch),
      opening: { nodeId, publicKey, bootId, generation, agentVersion, capabilities: hello.capabilities },
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
