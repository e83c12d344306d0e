import { Redirect } from 'wouter-preact';
import type { View } from '../../shell/areas.js';
import { AuditView } from './audit.js';
import { KeysView } from './keys.js';
import { LimitsView } from './limits.js';
import { ProfileView } from './profile.js';
import { SessionsView } from './sessions.js';
import { TokensView } from './tokens.js';

export const views: readonly View[] = [
  { path: '/account', view: () => <Redirect to="/account/profile" replace /> },
  { path: '/account/profile', view: ProfileView },
  { path: '/account/keys', view: KeysView },
  { path: '/account/tokens', view: TokensView },
  { path: '/account/sessions', view: SessionsView },
  { path: '/account/limits', view: LimitsView },
  { path: '/account/audit', view: AuditView },
];
