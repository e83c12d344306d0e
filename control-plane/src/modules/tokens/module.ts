import { defineModule } from '../module.js';
import { tokenActions } from './actions.js';
import { Tokens } from './index.js';
import { tokenRoutes } from './routes.js';

/** API keys and personal access tokens. */
export const tokensModule = defineModule({
  name: 'tokens',
  actions: tokenActions,
  tags: {
    'API keys':
      'Keys for programs: shown only once, limited to scopes, valid for at most 90 days, revocable at any time.',
    'Personal access tokens':
      'Tokens that act as you, for scripts and the command line, with the scopes that you choose.',
  },
  routes: tokenRoutes,
  open({ db, clock, authentication }) {
    const tokens = new Tokens({ db, clock, authentication });
    return { service: tokens, credentials: tokens.sources, upkeep: [() => tokens.deleteOutdated()] };
  },
});
