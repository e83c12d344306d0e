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
import {
  agentProofBytes,
  type LinkTranscript,
  serverProofBytes,
  versionRefusalBytes,
} from '@vantage/shared/protocol/transcript.js';
import { olderSide } from '@vantage/shared/protocol/versions.js';
import type { NodeIdentity } from '../identity/identity.js';
import type { KeyPair } from '../identity/node-keys.js';

type Challenge = NonNullable<DecodedServerFrame['challenge']>;

/** The other side is not the control plane this node enrolled with. */
export class WrongServerError extends Error {
  override readonly name = 'WrongServerError';

  constructor() {
    super('this is not the control plane the node enrolled with: its identity key does not verify');
  }
}

/**
 * The control plane is the right one but knows another key of this node: the state directory is older than that key.
 */
export class OutdatedKeyError extends Error {
  override readonly name = 'OutdatedKeyError';

  constructor() {
    super('the control plane knows another key of this node: this state directory is from before its key was changed');
  }
}

/** Description of an agent in its hello. */
export interface AgentAbout {
  /** One per agent process. */
  readonly bootId: string;
  readonly agentVersion: string;
  readonly capabilities: readonly string[];
}

/** Position of this agent's lanes, for the proof. */
export interface ResumeState {
  readonly epoch: Uint8Array;
  readonly lanes: Readonly<Record<Lane, { readonly last: number; readonly acked: number }>>;
  readonly runningTaskIds: readonly string[];
  /** Digest of the node's assignments as it knows them; empty: none. */
  readonly assignmentsDigest: Uint8Array;
}

/** Both proofs of identity on one socket; its nonce is used once. */
export class Handshake {
  readonly #identity: NodeIdentity;
  readonly #about: AgentAbout;
  readonly #generation: number;
  readonly #agentNonce = randomBytes(NONCE_BYTES);
  #provedKey: KeyPair | null = null;

  constructor(identity: NodeIdentity, about: AgentAbout, generation: number) {
    this.#identity = identity;
    this.#about = about;
    this.#generation = generation;
  }

  /** The key the control plane knows the node by, once it has proved itself; null before that. */
  get provedKey(): KeyPair | null {
    return this.#provedKey;
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

  /**
   * Judges a refusal of this agent's versions: it ends the agent only when the control plane itself says, signed,
   * that it speaks newer ones. An older control plane is upgraded some day, and an unsigned refusal may come from
   * anyone.
   */
  judgeVersionRefusal(close: NonNullable<DecodedServerFrame['close']>): 'upgrade_required' | 'no_common_version' {
    const { nodeId, audience, serverPublicKey } = this.#identity;
    const said = versionRefusalBytes({ audience, nodeId, agentNonce: this.#agentNonce }, close.protocolVersions);
    const isProved = isSignatureValid(serverPublicKey, said, close.serverSignature);
    const isOlder = olderSide(PROTOCOL_VERSIONS, close.protocolVersions) === 'ours';
    return isProved && isOlder ? 'upgrade_required' : 'no_common_version';
  }

  /** The answer to a challenge by the right control plane. @throws MalformedFrameError, WrongServerError, OutdatedKeyError */
  prove(challenge: Challenge, resume: ResumeState): AgentFrame {
    const { serverNonce, protocolVersion } = challenge;
    if (serverNonce.length !== NONCE_BYTES) throw new MalformedFrameError('server nonce of wrong length');
    if (!PROTOCOL_VERSIONS.includes(protocolVersion))
      throw new MalformedFrameError(`protocol version ${protocolVersion} was not offered`);
    const key = this.#keyMeantBy(challenge);
    this.#provedKey = key;
    return {
      proof: {
        signature: signBytes(key.privateKey, agentProofBytes(this.#transcript(challenge, key.publicKey))),
        epoch: resume.epoch,
        lanes: lanes.map((lane) => ({ lane: laneCode(lane), ...resume.lanes[lane] })),
        runningTaskIds: [...resume.runningTaskIds],
        assignmentsDigest: resume.assignmentsDigest,
      },
    };
  }

  /** Key of the node that the control plane means: the one that it signed over. */
  #keyMeantBy(challenge: Challenge): KeyPair {
    const isMeant = (publicKey: Uint8Array) => {
      const bytes = serverProofBytes(this.#transcript(challenge, publicKey));
      return isSignatureValid(this.#identity.serverPublicKey, bytes, challenge.serverSignature);
    };
    const meant = this.#identity.keys.candidates.find(({ publicKey }) => isMeant(publicKey));
    if (meant !== undefined) return meant;
    throw isMeant(challenge.publicKey) ? new OutdatedKeyError() : new WrongServerError();
  }

  #transcript({ serverNonce, protocolVersion }: Challenge, publicKey: Uint8Array): LinkTranscript {
    return {
      audience: this.#identity.audience,
      nodeId: this.#identity.nodeId,
      publicKey,
      agentNonce: this.#agentNonce,
      serverNonce,
      protocolVersion,
      bootId: this.#about.bootId,
      generation: this.#generation,
    };
  }
}
