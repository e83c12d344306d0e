import { Validator } from '@seriousme/openapi-schema-validator';
import type { Check } from './check.js';
import { writeOpenApi } from './openapi-document.js';

/** The document that the routes generate is valid OpenAPI 3.1. */
export const openapi: Check = {
  name: 'openapi',
  title: 'the generated OpenAPI document is valid',
  run: async (root) => {
    const { valid, errors } = await new Validator().validate(JSON.parse(await writeOpenApi(root)));
    if (valid) return [];
    return typeof errors === 'string' ? [errors] : (errors ?? []).map((error) => JSON.stringify(error));
  },
};
