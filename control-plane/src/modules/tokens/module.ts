import { MAX_EXPORTED } from '../../owners/index.js';
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
  open({ db, clock, authentication }, { accounts }) {
    const tokens = new Tokens({ db, clock, authentication, notify: (...to) => accounts.notices.enqueueTo(...to) });
    const all = { limit: MAX_EXPORTED, offset: 0 };
    return {
      service: tokens,
      credentials: tokens.sources,
      upkeep: [() => tokens.deleteOutdated()],
      export: async ({ id }) => ({
        api_keys: (await tokens.apiKeys.list(id, all)).keys,
        tokens: (await tokens.personal.list(id, all)).tokens,
      }),
    };
  },
});
