import type { KnownNames } from '../../net/known-names.js';
import type { ProbeContext } from '../engine.js';
import type { AskedServers } from './asked-servers.js';

/** Resources of one lookup: every address that `names` gives has passed the policy. */
export type RegistryContext = Pick<ProbeContext, 'signal' | 'clock' | 'userAgent'> & {
  readonly names: KnownNames;
  readonly asked: AskedServers;
};

/** Domain or address that a registry is asked about. */
export type RegistrySubject =
  | { readonly kind: 'domain'; readonly name: string }
  | { readonly kind: 'address'; readonly name: string; readonly family: 4 | 6 };
