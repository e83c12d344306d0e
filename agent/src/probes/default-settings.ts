import { defaultChromiumWish } from './browser/chromium.js';
import type { EngineSettings } from './engine-settings.js';
import { defaultSources } from './sources.js';

/** The settings of an operator who set none. */
export const defaultEngineSettings: EngineSettings = {
  allow: [],
  dnsServers: [],
  rootHints: [],
  sources: defaultSources,
  chromium: defaultChromiumWish,
};
