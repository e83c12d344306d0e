export { OutboundError, type OutboundFailure } from './errors.js';
export { judge, type RefusalReason, type Verdict } from './judge.js';
export { Outbound, type OutboundRequest, type OutboundResponse } from './outbound.js';
export { SecretMask } from './secrets.js';
