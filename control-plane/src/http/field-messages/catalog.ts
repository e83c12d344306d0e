import { accountMessages } from './catalog/accounts.js';
import { alertMessages } from './catalog/alerts.js';
import { monitorMessages } from './catalog/monitors.js';
import { operationMessages } from './catalog/operations.js';
import { probeMessages } from './catalog/probes.js';
import { requestMessages } from './catalog/requests.js';
import { schemaMessages } from './catalog/schemas.js';
import { targetMessages } from './catalog/targets.js';
import { transferMessages } from './catalog/transfer.js';
import type { CatalogEntry } from './template.js';

/** Every message of `details` with its translations. Strict routes, as tests have them, refuse one that is missing here. */
export const catalog: readonly CatalogEntry[] = [
  ...schemaMessages,
  ...requestMessages,
  ...targetMessages,
  ...accountMessages,
  ...probeMessages,
  ...monitorMessages,
  ...transferMessages,
  ...alertMessages,
  ...operationMessages,
];
