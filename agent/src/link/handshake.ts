import { randomBytes } from 'node:crypto';
import {
  type AgentFrame,
  type DecodedServerFrame,
  type Lane,
  laneCode,
  lanes,
  MalformedFrameError,
} from '@vantage/shared/protocol/codec.js';
import { isSignatureValid, signBytes } from '@vantage/shared/protocol/ed25519.js';
import { NONCE_BYTES, PROTOCOL_VERSIONS } from '@vantage/shared/protocol/limits.js';
import { agentProofBytes, serverProofBytes } from '@vantage/shared/protocol/transcript.js';
import type { NodeIdentity } from '../identity/identity.js';

/** The other side is not the control plane this node enrolled with. */
export class WrongServerError extends Error {
  override readonly name = 'WrongServerError';

  constructor() {
    super('this is not the control plane the node enrolled with: its identity key does not verify');
  }
}

/** What an agent says of itself in hello. */
export interface AgentAbout {
  /** One per agent process. */
  readonly bootId: string;
  readonly agentVersion: string;
  readonly capabilities: readonly string[];
}

/** Where this agent stands, for the proof. */
export interface ResumeState {
  readonly epoch: Uint8Array;
  readonly lanes: Readonly<Record<Lane, { readonly last: number; readonly acked: number }>>;
  readonly runningTaskIds: readonly string[];
}

/** Both proofs of identity on one socket; its nonce serves once. */
export class Handshake {
  readonly #identity: NodeIdentity;
  readonly #about: AgentAbout;
  readonly #generation: number;
  readonly #agentNonce = randomBytes(NONCE_BYTES);

  constructor(identity: NodeIdentity, about: AgentAbout, generation: number) {
    this.#identity = identity;
    this.#about = about;
    this.#generation = generation;
  }

  hello(): AgentFrame {
    const { bootId, agentVersion, capabilities } = this.#about;
    return {
      hello: {
        nodeId: this.#identity.nodeId,
        agentNonce: this.#agentNonce,
        protocolVersions: [...PROTOCOL_VERSIONS],
        bootId,
        generation: this.#generation,
        agentVersion,
        capabilities: [...capabilities],
      },
    };
  }

  /** The answer to a challenge by the right control plane. @throws MalformedFrameError, WrongServerError */
  prove(challenge: NonNullable<DecodedServerFrame['challenge']>, resume: ResumeState): AgentFrame {
    const { serverNonce, protocolVersion, serverSignature } = challenge;
    if (serverNonce.length !== NONCE_BYTES) throw new MalformedFrameError('server nonce of wrong length');
    if (!PROTOCOL_VERSIONS.includes(protocolVersion))
      throw new MalformedFrameError(`protocol version ${protocolVersion} was not offered`);
    const transcript = {
      audience: this.#identity.audience,
      nodeId: this.#identity.nodeId,
      publicKey: this.#identity.publicKey,
      agentNonce: this.#agentNonce,
      serverNonce,
      protocolVersion,
      bootId: this.#about.bootId,
      generation: this.#generation,
    };
    if (!isSignatureValid(this.#identity.serverPublicKey, serverProofBytes(transcript), serverSignature))
      throw new WrongServerError();
    return {
      proof: {
        signature: signBytes(this.#identity.privateKey, agentProofBytes(transcript)),
        epoch: resume.epoch,
        lanes: lanes.map((lane) => ({ lane: laneCode(lane), ...resume.lanes[lane] })),
        runningTaskIds: [...resume.runningTaskIds],
      },
    };
  }
}
