import { createHash } from 'node:crypto';
import type { Clock } from '@vantage/shared/clock.js';
import { idPrefixes, newId } from '@vantage/shared/ids.js';
import { regionOf } from '@vantage/shared/places/places.js';
import { isSignatureValid, publicKeyFromRaw, UnsafePublicKeyError } from '@vantage/shared/protocol/ed25519.js';
import { enrollmentProofBytes } from '@vantage/shared/protocol/transcript.js';
import { isSameHash, parseToken, tokenPrefixes } from '@vantage/shared/tokens.js';
import type { Knex } from 'knex';
import type { Static } from 'typebox';
import type { Actor } from '../../actor.js';
import type { DerivedPlace } from '../../geo/index.js';
import { ApiError, fieldError, limitReached } from '../../http/errors.js';
import type { RateLimiter } from '../../http/rate-limit.js';
import type { Plans } from '../../plans.js';
import { insertAuditEntry } from '../audit/index.js';
import { type ParsedPlace, parseDeclaredPlace } from './declared-place.js';
import type { NodeDirectory } from './directory.js';
import { checkNodeRoom, countEnrollment, countWrongToken } from './enrollment-limits.js';
import {
  claimEnrollmentToken,
  type EnrollmentTokenRow,
  findEnrollmentToken,
  insertNode,
  type NewNode,
  updateConsumedNode,
} from './enrollment-store.js';
import type { NodePlaces } from './node-places.js';
import type { DeclaredPlace } from './place.js';
import type { EnrollReplySchema, EnrollRequestSchema } from './schema.js';

type EnrollRequest = Static<typeof EnrollRequestSchema>;

interface EnrollmentOptions {
  readonly db: Knex;
  readonly clock: Clock;
  readonly plans: Plans;
  readonly limiter: RateLimiter;
  readonly directory: Pick<NodeDirectory, 'announce'>;
  readonly places: Pick<NodePlaces, 'locate'>;
  /** The public URL: what agents sign as this control plane's name, and where they connect. */
  readonly publicUrl: string;
  /** Told to nodes that enroll, best first; none: the public URL. */
  readonly controlUrls: readonly string[];
  /** The control plane's identity key, raw, base64: agents pin it. */
  readonly serverPublicKey: string;
  readonly heartbeatMs: number;
}

/** What an agent that asks for a node has proved and declared. */
interface Applicant {
  readonly request: EnrollRequest;
  readonly publicKey: Buffer;
  readonly place: ParsedPlace;
  readonly actor: Actor;
}

/** How agents become nodes. */
export class Enrollment {
  constructor(private readonly options: EnrollmentOptions) {}

  /**
   * Turns a token and a proven key into a node, and says what the agent needs. The same token with the same key gives
   * the same node again, so that a lost answer costs nothing.
   * @throws ApiError NODE_ENROLLMENT_TOKEN_INVALID, VALIDATION_FAILED, CONFLICT, FEATURE_LOCKED, RATE_LIMIT_EXCEEDED
   */
  async enroll(request: EnrollRequest, actor: Actor): Promise<Static<typeof EnrollReplySchema>> {
    const parsed = parseToken(tokenPrefixes.enrollment, request.token);
    if (!parsed) throw await this.#wrongToken(actor);
    const applicant = {
      request,
      publicKey: this.#checkProof(request),
      place: parseDeclaredPlace(request.declared ?? {}),
      actor,
    };
    const token = await findEnrollmentToken(this.options.db, parsed.tokenId);
    if (!token || !isSameHash(token.secret_hash, parsed.secretHash)) throw await this.#wrongToken(actor);
    return this.#reply(await this.#nodeFor(token, parsed.tokenId, applicant));
  }

  async #nodeFor(token: EnrollmentTokenRow, tokenId: string, applicant: Applicant): Promise<string> {
    const known = nodeOf(token, applicant.publicKey);
    if (known !== null) return known;
    const made = await this.#claim(token, applicant);
    if (made !== null) {
      await this.options.directory.announce([made]);
      return made;
    }
    // somebody was faster: perhaps the same agent, by another request
    const now = await findEnrollmentToken(this.options.db, tokenId);
    return (now && nodeOf(now, applicant.publicKey)) ?? (await this.#refuseOther(now ?? token, applicant));
  }

  /** One statement decides who gets the token; null: not this one. */
  #claim(token: EnrollmentTokenRow, applicant: Applicant): Promise<string | null> {
    const { db, clock, plans, limiter } = this.options;
    return db.transaction(async (trx) => {
      if (!(await claimEnrollmentToken(trx, token.id, applicant.publicKey))) return null;
      const plan = await checkNodeRoom(trx, plans, token.user_id);
      const derived = this.options.places.locate(applicant.actor.address);
      const node = newNode(clock.now(), token, { ...applicant, derived });
      if (!(await insertNode(trx, node))) throw new ApiError('CONFLICT');
      await updateConsumedNode(trx, token.id, node.id);
      await insertAuditEntry(trx, {
        actor: { ...applicant.actor, userId: token.user_id, credentialId: token.id },
        accountId: token.user_id,
        action: 'node.enrolled',
        subject: node.id,
        details: { name: node.name, hostname: node.hostname },
      });
      await countEnrollment(limiter, plan, token.user_id);
      return node.id;
    });
  }

  /** Whoever holds a token that was used by another key has it from somewhere: the owner should know. */
  async #refuseOther(token: EnrollmentTokenRow, { publicKey, actor }: Applicant): Promise<never> {
    const refusal = await this.#wrongToken(actor);
    if (token.used_at !== null && refusal.code === 'NODE_ENROLLMENT_TOKEN_INVALID') {
      await insertAuditEntry(this.options.db, {
        actor: { ...actor, credentialId: token.id },
        accountId: token.user_id,
        action: 'enrollment_token.refused',
        subject: token.id,
        details: { node_id: token.consumed_node_id, key: fingerprint(publicKey) },
      });
    }
    throw refusal;
  }

  async #wrongToken({ address }: Actor): Promise<ApiError> {
    const allowance = await countWrongToken(this.options.limiter, address);
    return allowance === null || allowance.isAllowed
      ? new ApiError('NODE_ENROLLMENT_TOKEN_INVALID')
      : limitReached('RATE_LIMIT_EXCEEDED', allowance);
  }

  #checkProof(request: EnrollRequest): Buffer {
    const { publicUrl } = this.options;
    const publicKey = Buffer.from(request.public_key, 'base64');
    try {
      const key = publicKeyFromRaw(publicKey);
      const bytes = enrollmentProofBytes(publicUrl, request.token, publicKey);
      if (isSignatureValid(key, bytes, Buffer.from(request.proof, 'base64'))) return publicKey;
    } catch (error) {
      if (!(error instanceof UnsafePublicKeyError)) throw error;
      throw fieldError('public_key', 'format', error.message);
    }
    throw fieldError('proof', 'format', `does not verify; the control plane’s URL is "${publicUrl}"`);
  }

  #reply(nodeId: string): Static<typeof EnrollReplySchema> {
    const { publicUrl, controlUrls, serverPublicKey, heartbeatMs } = this.options;
    return {
      node_id: nodeId,
      control_urls: controlUrls.length > 0 ? [...controlUrls] : [publicUrl],
      server_public_key: serverPublicKey,
      audience: publicUrl,
      config: { heartbeat_ms: heartbeatMs },
    };
  }
}

/** The node this key got for this token; null: none, or none any more. */
function nodeOf(token: EnrollmentTokenRow, publicKey: Buffer): string | null {
  if (token.is_node_deleted) return null;
  return token.consumed_public_key?.equals(publicKey) ? token.consumed_node_id : null;
}

function newNode(
  nowMs: number,
  token: EnrollmentTokenRow,
  applicant: Applicant & { readonly derived: DerivedPlace | null },
): NewNode {
  const { request, publicKey, derived } = applicant;
  return {
    id: newId(idPrefixes.node, nowMs),
    userId: token.user_id,
    name: request.name ?? request.hostname.slice(0, 64),
    visibility: token.owner_role === 'admin' ? 'public' : 'private',
    publicKey,
    place: { declared: declaredPlace(token, applicant), derived, confirmedAgainst: null },
    tags: [...new Set((request.declared?.tags ?? []).map((tag) => tag.toLowerCase()))].sort(),
    hostname: request.hostname,
    agentVersion: request.version,
    os: request.os,
    arch: request.arch,
    capabilities: request.capabilities,
  };
}

/** What the agent says, and what was known when the token was made where it says nothing. */
function declaredPlace(token: EnrollmentTokenRow, { place, request }: Applicant): DeclaredPlace {
  const country = place.country ?? token.country_code;
  // what the token says of its own country is no news of another one
  const tokenProvince = country === token.country_code ? token.declared_province : null;
  return {
    country,
    province: place.province ?? tokenProvince,
    region: country === null ? place.region : regionOf(country),
    city: request.declared?.city ?? null,
    asn: request.declared?.asn ?? null,
    provider: request.declared?.provider ?? null,
  };
}

/** SHA-256 of a public key, as `ssh-keygen -l` writes them. */
function fingerprint(publicKey: Buffer): string {
  return `SHA256:${createHash('sha256').update(publicKey).digest('base64url')}`;
}

declare module '../../http/route.js' {
  interface Services {
    readonly enrollment: Enrollment;
  }
}
