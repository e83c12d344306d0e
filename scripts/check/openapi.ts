import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import SwaggerParser from '@apidevtools/swagger-parser';
import { Validator } from '@seriousme/openapi-schema-validator';
import type { Check, Finding } from './check.js';
import { digestFile, digestOf, openApiWriter, writeOpenApi } from './openapi-document.js';

/** The document that the routes generate is valid OpenAPI 3.1, by two validators that share no code, and is the reviewed one. */
export const openapi: Check = {
  name: 'openapi',
  title: `the generated OpenAPI document is valid by two validators, and ${digestFile} is its digest`,
  run: async (root) => {
    const text = await writeOpenApi(root);
    return [
      ...(await complaintsOfValidator(text)),
      ...(await complaintsOfParser(text)),
      ...compareDigests(readFileSync(join(root, digestFile), 'utf8'), digestOf(text)),
    ];
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

/** Operations whose lines differ, and how to see the difference. */
function compareDigests(stored: string, generated: string): Finding[] {
  if (stored === generated) return [];
  const linesOf = (digest: string) =>
    new Map(
      digest
        .trimEnd()
        .split('\n')
        .map((line) => [line.slice(9), line]),
    );
  const [before, after] = [linesOf(stored), linesOf(generated)];
  const wordFor = (name: string) => (!before.has(name) ? 'new' : !after.has(name) ? 'removed' : 'changed');
  const names = [...new Set([...before.keys(), ...after.keys()])].filter(
    (name) => before.get(name) !== after.get(name),
  );
  return [
    ...names.map((name) => `${digestFile}: ${name}: ${wordFor(name)}`),
    `${digestFile}: npm run format renews it; to see the difference, compare what "node ${openApiWriter}" prints here and in a build of the previous commit`,
  ];
}
