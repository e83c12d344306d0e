import { createSealer, type Sealer } from '../../../crypto/sealing.js';

/** Seals settings of monitors that are never shown again; `secretKey`: secret key of the installation, 32 bytes. */
export function monitorSealer(secretKey: Uint8Array): Sealer {
  return createSealer(secretKey, 'monitor settings');
}
