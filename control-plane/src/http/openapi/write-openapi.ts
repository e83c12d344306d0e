import { version } from '../../version.js';
import { apiTags, apiWebhooks, routes } from '../../wiring/modules.js';
import { printJson } from './print-json.js';
import { openApiDocument } from './reference.js';

// Prints the OpenAPI document of the whole API, which is stored as docs/openapi.json. The address is a placeholder.
const document = openApiDocument(routes, {
  publicUrl: 'http://localhost:8080',
  version,
  tags: apiTags,
  webhooks: apiWebhooks,
});
process.stdout.write(`${printJson(JSON.parse(JSON.stringify(document)))}\n`);
