import { createRequire } from 'node:module';
import { join } from 'node:path';
import { Validator } from '@seriousme/openapi-schema-validator';
import type { Check, Finding } from './check.js';
import { writeOpenApi } from './openapi-document.js';

/** The document that the routes generate is valid OpenAPI 3.1, by two validators that share no code. */
export const openapi: Check = {
  name: 'openapi',
  title: 'the generated OpenAPI document is valid by two validators',
  run: async (root) => {
    const text = await writeOpenApi(root);
    return [...(await complaintsOfValidator(text)), ...(await complaintsOfParser(text, root))];
  },
};

async function complaintsOfValidator(text: string): Promise<Finding[]> {
  const { valid, errors } = await new Validator().validate(JSON.parse(text));
  if (valid) return [];
  return typeof errors === 'string' ? [errors] : (errors ?? []).map((error) => JSON.stringify(error));
}

/** The control plane's own tests use it too: it is found where they find it. */
async function complaintsOfParser(text: string, root: string): Promise<Finding[]> {
  const require = createRequire(join(root, 'control-plane/package.json'));
  const parser: { validate(document: object): Promise<unknown> } = require('@apidevtools/swagger-parser');
  return parser.validate(JSON.parse(text)).then(
    () => [],
    (error: Error) => [error.message],
  );
}
