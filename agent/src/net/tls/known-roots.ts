import { lazily } from '@vantage/shared/lazily.js';
import { extraRootsFile } from '../../config.js';
import { publicRoots } from './public-roots.js';
import { Roots } from './roots.js';

/** Roots of this process: those of Node and of NODE_EXTRA_CA_CERTS. */
export const knownRoots = lazily(() => new Roots(publicRoots(extraRootsFile())));
