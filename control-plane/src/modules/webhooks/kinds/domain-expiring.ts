import { defineExpiryKind } from './families.js';

/** domain.expiring */
export const domainExpiring = defineExpiryKind('A domain expires soon; sent once per threshold and expiry.');
