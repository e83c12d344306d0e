import {
  type AuthenticationResponseJSON,
  type RegistrationResponseJSON,
  verifyAuthenticationResponse,
  verifyRegistrationResponse,
  type WebAuthnCredential,
} from '@simplewebauthn/server';
import { decodeAttestationObject, isoBase64URL } from '@simplewebauthn/server/helpers';
import type { PasskeyRow } from './factor-store.js';
import type { PasskeySite } from './passkey-site.js';

/** Challenge, base64url, that a response must be for, and the site that sent it. */
interface Expected {
  readonly challenge: string;
  readonly site: PasskeySite;
}

/** Public key of a new passkey whose user was verified; null for any response that does not fit. */
export async function verifyRegistration(
  response: RegistrationResponseJSON,
  { challenge, site }: Expected,
): Promise<WebAuthnCredential | null> {
  const verify = async () => {
    if (hasCertificates(response)) return null;
    const { registrationInfo } = await verifyRegistrationResponse({
      response,
      expectedChallenge: challenge,
      expectedOrigin: site.origin,
      expectedRPID: site.rpId,
    });
    return registrationInfo?.credential ?? null;
  };
  return verify().catch(() => null);
}

/**
 * Attestation is not requested, and only its simple forms are accepted: for certificates, the library would fetch the
 * revocation lists that they name.
 */
function hasCertificates({ response }: RegistrationResponseJSON): boolean {
  const attestation = decodeAttestationObject(isoBase64URL.toBuffer(response.attestationObject));
  const isSelfSigned = attestation.get('fmt') === 'packed' && attestation.get('attStmt').get('x5c') === undefined;
  return attestation.get('fmt') !== 'none' && !isSelfSigned;
}

/**
 * Signature counter of a response that a passkey signed after it verified its user; null for any response that does not fit. The caller
 * compares the counter.
 */
export async function verifyAssertion(
  response: AuthenticationResponseJSON,
  { challenge, site, passkey }: Expected & { readonly passkey: PasskeyRow },
): Promise<number | null> {
  const verify = async () => {
    const { verified, authenticationInfo } = await verifyAuthenticationResponse({
      response,
      expectedChallenge: challenge,
      expectedOrigin: site.origin,
      expectedRPID: site.rpId,
      // -1: the library would compare the counter before the signature, and anyone could report a copy
      credential: { id: response.id, publicKey: new Uint8Array(passkey.public_key), counter: -1 },
    });
    return verified ? authenticationInfo.newCounter : null;
  };
  return verify().catch(() => null);
}
