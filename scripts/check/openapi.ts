import SwaggerParser from '@apidevtools/swagger-parser';
import { Validator } from '@seriousme/openapi-schema-validator';
import type { Check, Finding } from './check.js';
import { writeOpenApi } from './openapi-document.js';

/** The document that the routes generate is valid OpenAPI 3.1, by two validators that share no code. */
export const openapi: Check = {
  name: 'openapi',
  title: 'the generated OpenAPI document is valid by two validators',
  run: async (root) => {
    const text = await writeOpenApi(root);
    return [...(await complaintsOfValidator(text)), ...(await complaintsOfParser(text))];
  },
};

async function complaintsOfValidator(text: string): Promise<Finding[]> {
  const { valid, errors } = await new Validator().validate(JSON.parse(text));
  if (valid) return [];
  return typeof errors === 'string' ? [errors] : (errors ?? []).map((error) => JSON.stringify(error));
}

async function complaintsOfParser(text: string): Promise<Finding[]> {
  return SwaggerParser.validate(JSON.parse(text)).then(
    () => [],
    (error: Error) => [error.message],
  );
}
