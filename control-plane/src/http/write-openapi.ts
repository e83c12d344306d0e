import { routes } from '../routes.js';
import { version } from '../version.js';
import { openApiDocument } from './reference.js';

// Prints the OpenAPI document of the whole API, as docs/openapi.json holds it. The address stands for wherever it runs.
const document = openApiDocument(routes, { publicUrl: 'http://localhost:8080', version });
process.stdout.write(`${JSON.stringify(document, null, 2)}\n`);
