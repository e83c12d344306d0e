import type { RateLimiter } from '../../http/rate-limit.js';
import { version } from '../../version.js';
import { defineModule } from '../module.js';
import { ConsoleFiles } from './console-files.js';
import { consoleRoutes } from './routes.js';

/** Areas of the console whose API exists. */
const features = ['probe', 'nodes', 'monitors', 'alerts', 'lookups', 'diagnose', 'account', 'admin'];

/** The web console: its files, and the access token of its pages. */
export const consoleModule = defineModule({
  name: 'console',
  routes: consoleRoutes,
  open({ config, db, clock, publicUrl, limiter }) {
    const files = new ConsoleFiles(db, clock);
    const facts = {
      version,
      public_url: publicUrl,
      features,
      verified_sign_in: config.needsVerifiedEmail,
      abuse_contact: config.abuseContact,
      is_secure: publicUrl.startsWith('https:'),
    };
    return { service: { files, facts, limiter }, startables: [files], upkeep: [() => files.upkeep()] };
  },
});

/** The console as its routes know it. */
export interface ConsoleService {
  readonly files: ConsoleFiles;
  readonly facts: {
    readonly version: string;
    readonly public_url: string;
    readonly features: string[];
    readonly verified_sign_in: boolean;
    readonly abuse_contact: string | null;
    readonly is_secure: boolean;
  };
  readonly limiter: RateLimiter;
}

declare module '../../http/route.js' {
  interface Services {
    readonly console: ConsoleService;
  }
}
