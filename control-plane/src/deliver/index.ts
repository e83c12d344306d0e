export { OutboundError, type OutboundFailure } from './errors.js';
export { judge, type RefusalReason, type Verdict } from './judge.js';
export { Outbound, type OutboundRequest, type OutboundResponse } from './outbound.js';
export { type OutboundFetch, outboundFetch } from './outbound-fetch.js';
export { SecretMask } from './secrets.js';
