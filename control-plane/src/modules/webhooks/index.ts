export { revokeWebhooks } from './webhook-release.js';
