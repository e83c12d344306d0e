import type { Clock } from '@vantage/shared/clock.js';
import { idPrefixes, newId } from '@vantage/shared/ids.js';
import { regionOf } from '@vantage/shared/places/places.js';
import { isSignatureValid, publicKeyFromRaw, UnsafePublicKeyError } from '@vantage/shared/protocol/ed25519.js';
import { enrollmentProofBytes } from '@vantage/shared/protocol/transcript.js';
import { isSameHash, parseToken, tokenPrefixes } from '@vantage/shared/tokens.js';
import type { Knex } from 'knex';
import type { Static } from 'typebox';
import type { Actor } from '../../audit-log/actor.js';
import { happened } from '../../audit-log/happened.js';
import { insertAuditEntry } from '../../audit-log/store.js';
import type { DerivedPlace } from '../../geo/index.js';
import { ApiError, fieldError, limitReached } from '../../http/errors.js';
import type { RateLimiter } from '../../http/rate-limit.js';
import { Turns } from '../../http/turns.js';
import { keyFingerprint } from '../../links/index.js';
import { lockOwner } from '../../owners/index.js';
import { effectiveLimits, type Plans } from '../../plans/index.js';
import { type ParsedPlace, parseDeclaredPlace } from './declared-place.js';
import type { NodeDirectory } from './directory.js';
import { checkNodeCap, countEnrollment, countWrongToken } from './enrollment-limits.js';
import {
  type EnrollmentTokenRow,
  findEnrollmentToken,
  insertNode,
  type NewNode,
  updateConsumedNode,
  useEnrollmentToken,
} from './enrollment-store.js';
import type { NodePlaces } from './node-places.js';
import type { DeclaredPlace } from './place/place.js';
import type { EnrollReplySchema, EnrollRequestSchema } from './schema.js';

type EnrollRequest = Static<typeof EnrollRequestSchema>;

interface EnrollmentOptions {
  readonly db: Knex;
  readonly clock: Clock;
  readonly plans: Plans;
  readonly limiter: RateLimiter;
  readonly directory: Pick<NodeDirectory, 'announce'>;
  readonly places: Pick<NodePlaces, 'locate'>;
  /** Public URL: agents sign it as the name of this control plane, and connect to it. */
  readonly publicUrl: string;
  /** URLs that enrolling nodes are given, best first; empty: the public URL. */
  readonly controlUrls: readonly string[];
  /** Public identity key of the control plane, raw, base64: agents pin it. */
  readonly serverPublicKey: string;
  readonly heartbeatMs: number;
}

/** Proven key and declared place of an enrolling agent. */
interface Applicant {
  readonly request: EnrollRequest;
  readonly publicKey: Buffer;
  readonly place: ParsedPlace;
  readonly actor: Actor;
}

/** Number of enrollments of one owner that run at once: they wait for the same row. */
const ENROLLMENTS_AT_ONCE = 2;
const MAX_WAITING = 500;
const PATIENCE_MS = 5_000;

/** Enrolls agents as nodes. */
export class Enrollment {
  /** Turns by owner: agents come from many addresses. */
  readonly #owners: Turns;

  constructor(private readonly options: EnrollmentOptions) {
    const { clock } = options;
    const bounds = { atOnce: ENROLLMENTS_AT_ONCE, maxWaiting: MAX_WAITING, patienceMs: PATIENCE_MS };
    this.#owners = new Turns({ ...bounds, clock });
  }

  /**
   * Enrolls an agent with a token and a proven key, and returns its settings. The same token with the same key gives the same
   * node again, so that a lost response does no harm.
   * @throws ApiError NODE_ENROLLMENT_TOKEN_INVALID, VALIDATION_FAILED, CONFLICT, FEATURE_LOCKED, RATE_LIMIT_EXCEEDED
   */
  async enroll(request: EnrollRequest, actor: Actor): Promise<Static<typeof EnrollReplySchema>> {
    const parsed = parseToken(tokenPrefixes.enrollment, request.token);
    if (!parsed) throw await this.#wrongToken(actor);
    const token = await findEnrollmentToken(this.options.db, parsed.tokenId);
    if (!token || !isSameHash(token.secret_hash, parsed.secretHash)) throw await this.#wrongToken(actor);
    // the token is the credential: of a well-formed body, nothing else is checked, or reported, before it
    const sentKey = Buffer.from(request.public_key, 'base64');
    if (!isOpenTo(token, sentKey)) await this.#refuseOther(token, { publicKey: sentKey, actor });
    const applicant = {
      request,
      publicKey: this.#checkProof(request),
      place: parseDeclaredPlace(request.declared ?? {}),
      actor,
    };
    return this.#reply(await this.#nodeFor(token, parsed.tokenId, applicant));
  }

  async #nodeFor(token: EnrollmentTokenRow, tokenId: string, applicant: Applicant): Promise<string> {
    const known = nodeOf(token, applicant.publicKey);
    if (known !== null) return known;
    const made = await this.#owners.run(token.owner_id, () => this.#useToken(token, applicant));
    if (made !== null) {
      await this.options.directory.announce([made]);
      return made;
    }
    // another request was faster, perhaps one of the same agent
    const now = await findEnrollmentToken(this.options.db, tokenId);
    return (now && nodeOf(now, applicant.publicKey)) ?? (await this.#refuseOther(now ?? token, applicant));
  }

  /** Uses the token and creates the node, in one transaction; null if the token can no longer be used. */
  #useToken(token: EnrollmentTokenRow, applicant: Applicant): Promise<string | null> {
    const { db, clock, plans, limiter } = this.options;
    return db.transaction(async (trx) => {
      // the owner before the token, in the order of account deletion
      const owner = await lockOwner(trx, { id: token.owner_id });
      if (owner.isDisabled || !(await useEnrollmentToken(trx, token.id, applicant.publicKey))) return null;
      await checkNodeCap(trx, owner, { plans, nowMs: clock.now() });
      const derived = this.options.places.locate(applicant.actor.address);
      const node = newNode(clock.now(), token, { ...applicant, derived });
      if (!(await insertNode(trx, node))) throw new ApiError('CONFLICT');
      await updateConsumedNode(trx, token.id, node.id);
      await happened(trx, {
        actor: { ...applicant.actor, userId: token.owner_user_id, credentialId: token.id },
        accountId: token.owner_id,
        action: 'node.enrolled',
        subject: node.id,
        details: { name: node.name, hostname: node.hostname },
        event: {
          kind: 'enrollment.used',
          ownerId: token.owner_id,
          isTest: false,
          subject: token.id,
          payload: { token_id: token.id, node_id: node.id },
        },
      });
      await countEnrollment(limiter, effectiveLimits(plans, owner), token.owner_id);
      return node.id;
    });
  }

  /**
   * Refuses a token that is expired, or was used with another key. If it was used, it may have leaked, so the owner's audit log
   * gets an entry.
   */
  async #refuseOther(
    token: EnrollmentTokenRow,
    { publicKey, actor }: Pick<Applicant, 'publicKey' | 'actor'>,
  ): Promise<never> {
    const refusal = await this.#wrongToken(actor);
    if (token.used_at !== null && refusal.code === 'NODE_ENROLLMENT_TOKEN_INVALID') {
      await insertAuditEntry(this.options.db, {
        actor: { ...actor, credentialId: token.id },
        accountId: token.owner_id,
        action: 'enrollment_token.refused',
        subject: token.id,
        details: { node_id: token.consumed_node_id, key: keyFingerprint(publicKey) },
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

/** True if a token can still enroll the holder of this key, as a new node or as the one that it enrolled before. */
function isOpenTo(token: EnrollmentTokenRow, publicKey: Buffer): boolean {
  return (token.used_at === null && !token.is_expired) || nodeOf(token, publicKey) !== null;
}

/** Node that this key enrolled with this token; null if there is none, or it was deleted. */
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
    ownerId: token.owner_id,
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

/** Place that the operator declared by the agent; missing fields are taken from the token. */
function declaredPlace(token: EnrollmentTokenRow, { place, request }: Applicant): DeclaredPlace {
  const country = place.country ?? token.country_code;
  // a province of the token is meaningless in another country
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
