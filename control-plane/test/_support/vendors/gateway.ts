import {
  jsonBody,
  saysJson,
  startVendor,
  type Vendor,
  type VendorOptions,
} from '@vantage/shared/_support/vendors/vendor-server.js';

// A gateway of an operator as `VANTAGE_SMS_GATEWAY` describes one of kind `generic`; it follows no vendor's page.

/** Key that the stand-in knows, and a number that it refuses. */
export const gatewayAccount = { key: 'Bearer gateway-key-0123456789', invalid: '+15005550001' } as const;

/** Starts a gateway that takes JSON with `to`, `text` and `id`, and answers `{data: {id}}`. */
export async function startGateway(options: VendorOptions = {}): Promise<Vendor> {
  let last = 0;
  return startVendor(options, (request, take) => {
    if (request.headers.authorization !== gatewayAccount.key) return { status: 401, body: { error: 'unauthorized' } };
    const body = request.method === 'POST' && saysJson(request) ? jsonBody(request) : null;
    if (body === null || typeof body['text'] !== 'string') return { status: 500, body: { error: 'no message' } };
    if (body['to'] === gatewayAccount.invalid) return { status: 422, body: { error: 'invalid number' } };
    take({ text: body['text'], mentions: [], body });
    last += 1;
    return { status: 202, body: { data: { id: `gw-${last}` } } };
  });
}
