import type { AnyRoute } from '../../http/route.js';
import { consoleAsset } from './routes/asset.js';
import { consoleConfig } from './routes/config.js';
import { probePage } from './routes/probe-page.js';
import { sessionEnd, sessionToken } from './routes/session.js';
import { consoleHome, consolePage } from './routes/shell.js';

/** The console and its session; none is part of the documented API. */
export const consoleRoutes: readonly AnyRoute[] = [
  consoleHome,
  consolePage,
  consoleAsset,
  consoleConfig,
  probePage,
  sessionToken,
  sessionEnd,
];
