import type { AnyRoute } from '../../http/route.js';
import { clientFile } from './routes/client-file.js';
import { installScript } from './routes/install-script.js';
import { releaseFile } from './routes/release-file.js';

/** Paths for machines that are to become nodes. */
export const releaseRoutes: readonly AnyRoute[] = [installScript, clientFile, releaseFile];
