import type { Clock } from '@vantage/shared/clock.js';
import { idPrefixes, newId } from '@vantage/shared/ids.js';
import { isCountry, isProvince, parseRegion, provinceCountry, regionOf } from '@vantage/shared/places/places.js';
import { isSignatureValid, publicKeyFromRaw, UnsafePublicKeyError } from '@vantage/shared/protocol/ed25519.js';
import { enrollmentProofBytes } from '@vantage/shared/protocol/transcript.js';
import { isSameHash, makeToken, parseToken, tokenPrefixes } from '@vantage/shared/tokens.js';
import type { FieldErrors } from '@vantage/shared/validation.js';
import type { Knex } from 'knex';
import type { Static } from 'typebox';
import type { Actor } from '../../actor.js';
import { ApiError } from '../../http/errors.js';
import { insertAuditEntry } from '../audit/index.js';
import type { EnrollmentTokenCreateSchema, EnrollRequestSchema } from './schema.js';
import {
  consumeEnrollmentToken,
  deleteEnrollmentToken,
  type EnrollmentTokenRow,
  insertEnrollmentToken,
  insertNode,
  listEnrollmentTokens,
  lockEnrollmentToken,
  type NewNode,
} from './store.js';

type TokenRequest = Static<typeof EnrollmentTokenCreateSchema>;
type EnrollRequest = Static<typeof EnrollRequestSchema>;

const HOUR_MS = 3_600_000;
const DEFAULT_VALID_HOURS = 24;

/** An enrollment token as lists show it. */
export interface EnrollmentToken {
  readonly id: string;
  readonly label: string | null;
  readonly status: 'active' | 'used' | 'expired';
  readonly created_at: string;
  readonly expires_at: string;
  readonly preview: string;
  readonly consumed_node_id: string | null;
}

interface EnrollmentOptions {
  readonly db: Knex;
  readonly clock: Clock;
  /** What agents sign as this control plane's name: its public URL. */
  readonly audience: string;
}

/** One-time tokens and the nodes they let in. */
export class Enrollment {
  constructor(private readonly options: EnrollmentOptions) {}

  /** Makes a token; the secret is in `token` this once. @throws ApiError VALIDATION_FAILED, FORBIDDEN */
  async createToken(
    userId: string,
    request: TokenRequest,
    actor: Actor,
  ): Promise<{ id: string; token: string; expires_at: string }> {
    if (request.sponsor_user_id !== undefined && request.sponsor_user_id !== userId) throw new ApiError('FORBIDDEN');
    const place = parsePlace(request.country_code, request.declared_province, 'country_code', 'declared_province');
    const { token, tokenId, secretHash } = makeToken(tokenPrefixes.enrollment);
    const now = this.options.clock.now();
    const expiresAt = new Date(now + (request.expires_in_hours ?? DEFAULT_VALID_HOURS) * HOUR_MS);
    const id = newId(idPrefixes.enrollmentToken, now);
    await this.options.db.transaction(async (trx) => {
      await insertEnrollmentToken(trx, {
        id,
        tokenId,
        secretHash,
        preview: `ent_***${token.slice(-4)}`,
        userId,
        label: request.label ?? null,
        countryCode: place.country,
        province: place.province,
        expiresAt,
      });
      await insertAuditEntry(trx, { actor, accountId: userId, action: 'enrollment_token.created', subject: id });
    });
    return { id, token, expires_at: expiresAt.toISOString() };
  }

  /** A user's tokens, newest first; everybody's for null. */
  async listTokens(
    userId: string | null,
    page: { limit: number; offset: number },
  ): Promise<{ tokens: EnrollmentToken[]; total: number }> {
    const { rows, total } = await listEnrollmentTokens(this.options.db, { userId, ...page });
    return { tokens: rows.map(toToken), total };
  }

  /** Deletes an unused token. @throws ApiError NOT_FOUND, NODE_STATE_CONFLICT when it was used */
  async revokeToken(id: string, userId: string | null, actor: Actor): Promise<void> {
    await this.options.db.transaction(async (trx) => {
      const outcome = await deleteEnrollmentToken(trx, id, userId);
      if (outcome === 'missing') throw new ApiError('NOT_FOUND');
      if (outcome === 'used') throw new ApiError('NODE_STATE_CONFLICT');
      await insertAuditEntry(trx, {
        actor,
        accountId: userId ?? outcome.userId,
        action: 'enrollment_token.revoked',
        subject: id,
      });
    });
  }

  /**
   * Turns a token and a proven key into a node. The same token with the same key gives the same node again, so that a
   * lost answer costs nothing. @throws ApiError NODE_ENROLLMENT_TOKEN_INVALID, VALIDATION_FAILED, CONFLICT
   */
  async enroll(request: EnrollRequest, actor: Actor): Promise<string> {
    const parsed = parseToken(tokenPrefixes.enrollment, request.token);
    if (!parsed) throw new ApiError('NODE_ENROLLMENT_TOKEN_INVALID');
    const publicKey = this.#checkProof(request);
    const place = parseDeclaredPlace(request.declared ?? {});
    return this.options.db.transaction(async (trx) => {
      const token = await lockEnrollmentToken(trx, parsed.tokenId);
      if (!token || !isSameHash(token.secret_hash, parsed.secretHash))
        throw new ApiError('NODE_ENROLLMENT_TOKEN_INVALID');
      if (token.consumed_node_id && token.consumed_public_key?.equals(publicKey)) return token.consumed_node_id;
      if (token.used_at || token.is_expired) throw new ApiError('NODE_ENROLLMENT_TOKEN_INVALID');
      return createNode(trx, token, newNode(this.options.clock, token, request, publicKey, place), actor);
    });
  }

  #checkProof(request: EnrollRequest): Buffer {
    const publicKey = Buffer.from(request.public_key, 'base64');
    try {
      const key = publicKeyFromRaw(publicKey);
      const bytes = enrollmentProofBytes(this.options.audience, request.token, publicKey);
      if (isSignatureValid(key, bytes, Buffer.from(request.proof, 'base64'))) return publicKey;
    } catch (error) {
      if (!(error instanceof UnsafePublicKeyError)) throw error;
      throw fieldError('public_key', error.message);
    }
    throw fieldError('proof', `does not verify; the control plane’s URL is "${this.options.audience}"`);
  }
}

async function createNode(
  trx: Knex.Transaction,
  token: EnrollmentTokenRow,
  node: NewNode,
  actor: Actor,
): Promise<string> {
  if (!(await insertNode(trx, node))) throw new ApiError('CONFLICT');
  if (!(await consumeEnrollmentToken(trx, token.id, node.id, node.publicKey))) {
    throw new ApiError('NODE_ENROLLMENT_TOKEN_INVALID');
  }
  await insertAuditEntry(trx, {
    actor: { ...actor, userId: token.user_id, credentialId: token.id },
    accountId: token.user_id,
    action: 'node.enrolled',
    subject: node.id,
    details: { name: node.name, hostname: node.hostname },
  });
  return node.id;
}

interface Place {
  readonly country: string | null;
  readonly province: string | null;
}

interface DeclaredPlace extends Place {
  readonly region: string | null;
}

function newNode(
  clock: Clock,
  token: EnrollmentTokenRow,
  request: EnrollRequest,
  publicKey: Buffer,
  declared: DeclaredPlace,
): NewNode {
  const country = declared.country ?? token.country_code;
  // what the token says of its own country is no news of another one
  const tokenProvince = country === token.country_code ? token.declared_province : null;
  return {
    id: newId(idPrefixes.node, clock.now()),
    userId: token.user_id,
    name: request.name ?? request.hostname.slice(0, 64),
    visibility: token.owner_role === 'admin' ? 'public' : 'private',
    publicKey,
    country,
    province: declared.province ?? tokenProvince,
    region: country === null ? declared.region : regionOf(country),
    city: request.declared?.city ?? null,
    asn: request.declared?.asn ?? null,
    provider: request.declared?.provider ?? null,
    tags: [...new Set((request.declared?.tags ?? []).map((tag) => tag.toLowerCase()))].sort(),
    hostname: request.hostname,
    agentVersion: request.version,
    os: request.os,
    arch: request.arch,
    capabilities: request.capabilities,
  };
}

/** Upper-cased country and province that exist and belong together; a province alone names its country. */
function parsePlace(
  country: string | undefined,
  province: string | undefined,
  countryField: string,
  provinceField: string,
): Place {
  const countryCode = country?.toUpperCase() ?? null;
  const provinceCode = province?.toUpperCase() ?? null;
  if (countryCode !== null && !isCountry(countryCode)) throw fieldError(countryField, 'is not an ISO 3166-1 country');
  if (provinceCode === null) return { country: countryCode, province: null };
  if (!isProvince(provinceCode)) throw fieldError(provinceField, 'is not an ISO 3166-2 subdivision');
  const owner = provinceCountry(provinceCode);
  if (countryCode !== null && owner !== countryCode) throw fieldError(provinceField, `is not in ${countryCode}`);
  return { country: owner, province: provinceCode };
}

/** As `parsePlace`, with a region that exists and is the country's. */
function parseDeclaredPlace({ country, province, region }: NonNullable<EnrollRequest['declared']>): DeclaredPlace {
  const place = parsePlace(country, province, 'declared.country', 'declared.province');
  if (region === undefined) return { ...place, region: null };
  const known = parseRegion(region);
  if (known === null) throw fieldError('declared.region', 'is not a UN M49 subregion');
  const own = place.country === null ? null : regionOf(place.country);
  if (own !== null && own !== known) throw fieldError('declared.region', `is not the region of ${place.country}`);
  return { ...place, region: known };
}

function fieldError(field: string, message: string): ApiError {
  const details: FieldErrors = { [field]: [{ code: 'format', message }] };
  return new ApiError('VALIDATION_FAILED', { details });
}

function toToken(row: EnrollmentTokenRow): EnrollmentToken {
  return {
    id: row.id,
    label: row.label,
    status: row.used_at ? 'used' : row.is_expired ? 'expired' : 'active',
    created_at: row.created_at.toISOString(),
    expires_at: row.expires_at.toISOString(),
    preview: row.preview,
    consumed_node_id: row.consumed_node_id,
  };
}
