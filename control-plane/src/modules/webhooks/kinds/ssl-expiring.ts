import { defineExpiryKind } from './families.js';

/** ssl.expiring */
export const sslExpiring = defineExpiryKind('A certificate expires soon; sent once per threshold and expiry.');
