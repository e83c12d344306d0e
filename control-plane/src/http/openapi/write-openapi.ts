import { version } from '../../version.js';
import { apiTags, apiWebhooks, routes } from '../../wiring/modules.js';
import { printJson } from './print-json.js';
import { openApiDocument } from './reference.js';

// Prints the OpenAPI document of the whole API, whose digest is docs/openapi-digest.txt. The address is a placeholder.
const document = openApiDocument(routes, {
  publicUrl: 'http://localhost:8080',
  version,
  tags: apiTags,
  webhooks: apiWebhooks,
});
process.stdout.write(`${printJson(JSON.parse(JSON.stringify(document)))}\n`);
