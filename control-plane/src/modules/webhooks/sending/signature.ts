import { createHmac } from 'node:crypto';

// Standard Webhooks 1.0: webhook-signature = v1,<base64 of HMAC-SHA256(secret, id.timestamp.body)>, one for each secret, newest first.

/** Headers that name and sign one attempt; `atMs`: start of the attempt. */
export function signedHeaders(
  { id, body, atMs }: { readonly id: string; readonly body: string; readonly atMs: number },
  secrets: readonly Uint8Array[],
): Readonly<Record<'webhook-id' | 'webhook-timestamp' | 'webhook-signature', string>> {
  const timestamp = String(Math.floor(atMs / 1_000));
  const signatures = secrets.map((secret) => {
    const hmac = createHmac('sha256', secret).update(`${id}.${timestamp}.${body}`, 'utf8');
    return `v1,${hmac.digest('base64')}`;
  });
  return { 'webhook-id': id, 'webhook-timestamp': timestamp, 'webhook-signature': signatures.join(' ') };
}
