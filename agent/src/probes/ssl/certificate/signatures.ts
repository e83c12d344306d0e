import { verify, type X509Certificate } from 'node:crypto';
import { boundedKey } from '../../../net/tls/issuing.js';
import { signatureAlgorithmOf } from './algorithms.js';

/** True if the holder of the certificate signed `data`; null when that cannot be determined. */
export function isSignedBy(
  signer: X509Certificate,
  data: Buffer,
  { oid, signature }: { readonly oid: string; readonly signature: Buffer },
): boolean | null {
  const { hash, isVerifiable } = signatureAlgorithmOf(oid);
  const key = boundedKey(signer);
  if (!isVerifiable || key === null) return null;
  try {
    return verify(hash, data, key, signature);
  } catch {
    return false;
  }
}
