import type { AnyRoute } from '../../http/route.js';
import { createApiKey, listApiKeys, revokeApiKey } from './routes/api-keys.js';
import {
  createPersonalAccessToken,
  listPersonalAccessTokens,
  revokePersonalAccessToken,
} from './routes/personal-tokens.js';

/** All operations on API keys and personal access tokens. */
export const tokenRoutes: readonly AnyRoute[] = [
  listApiKeys,
  createApiKey,
  revokeApiKey,
  listPersonalAccessTokens,
  createPersonalAccessToken,
  revokePersonalAccessToken,
];
