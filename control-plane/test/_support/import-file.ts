import type { ApiAnswer, TestApi } from './stack.js';

/** Posts a file of monitors; returns status and parsed body. */
export async function importFile(
  { url, token }: TestApi,
  file: string | Buffer | object,
  query = '',
  contentType = 'application/json',
) {
  const response = await fetch(new URL(`/v1/monitors/import?${query}`, url), {
    method: 'POST',
    headers: { authorization: `Bearer ${token}`, 'content-type': contentType },
    body: typeof file === 'string' || Buffer.isBuffer(file) ? file : JSON.stringify(file),
  });
  const body = (await response.json()) as ApiAnswer['body'];
  return { status: response.status, error: body.error, report: body.data };
}

/** An export with these monitors, each a TCP monitor unless its fields differ. */
export function exportOf(...monitors: readonly object[]): object {
  const own = { type: 'tcp', target: '127.0.0.1:9', interval_s: 60 };
  return { kind: 'vantage.monitors', version: 1, monitors: monitors.map((one) => ({ ...own, ...one })) };
}
