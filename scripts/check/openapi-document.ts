import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';

/** Prints the OpenAPI document of the routes. */
export const openApiWriter = 'control-plane/dist/src/http/openapi/write-openapi.js';

/** File with the digest of the document. */
export const digestFile = 'docs/openapi-digest.txt';

/** The OpenAPI document as text. @throws when the writer fails or is not there */
export async function writeOpenApi(root: string): Promise<string> {
  if (!existsSync(join(root, openApiWriter))) throw new Error(`no "${openApiWriter}"`);
  const { stdout } = await promisify(execFile)(process.execPath, [join(root, openApiWriter)], {
    maxBuffer: 64 * 1024 * 1024,
  });
  return stdout;
}

type Methods = Readonly<Record<string, unknown>>;

/**
 * Digest of a document: a line for each operation and webhook, and one for everything else. The hash of an operation covers the
 * components that it refers to, directly or not.
 */
export function digestOf(text: string): string {
  const { paths, webhooks, ...others } = JSON.parse(text) as {
    paths: Readonly<Record<string, Methods>>;
    webhooks: Readonly<Record<string, Methods>>;
  };
  const lines = [...Object.entries(paths), ...Object.entries(webhooks)].flatMap(([path, methods]) =>
    Object.entries(methods).map(
      ([method, operation]) => `${hashOf(withComponents(operation, others))} ${method.toUpperCase()} ${path}`,
    ),
  );
  return `${[...lines, `${hashOf([others])} everything else`].join('\n')}\n`;
}

/** The operation, followed by all components it refers to. */
function withComponents(operation: unknown, document: unknown): unknown[] {
  const values = [operation];
  const references = new Set<string>();
  for (const value of values) {
    for (const [, reference = ''] of JSON.stringify(value).matchAll(/"\$ref":"#\/([^"]+)"/g)) {
      if (references.has(reference)) continue;
      references.add(reference);
      values.push(componentAt(document, reference));
    }
  }
  return values;
}

function componentAt(document: unknown, reference: string): unknown {
  return reference.split('/').reduce((value, key) => (value as Readonly<Record<string, unknown>>)[key], document);
}

function hashOf(values: readonly unknown[]): string {
  return createHash('sha256').update(JSON.stringify(values)).digest('hex').slice(0, 8);
}
