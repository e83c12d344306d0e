import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';

/** Prints the OpenAPI document of the routes, as docs/openapi.json holds it. */
export const openApiWriter = 'control-plane/dist/src/http/openapi/write-openapi.js';

/** The OpenAPI document as text. @throws when the writer fails or is not there */
export async function writeOpenApi(root: string): Promise<string> {
  if (!existsSync(join(root, openApiWriter))) throw new Error(`no "${openApiWriter}"`);
  const { stdout } = await promisify(execFile)(process.execPath, [join(root, openApiWriter)], {
    maxBuffer: 64 * 1024 * 1024,
  });
  return stdout;
}
