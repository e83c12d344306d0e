import { Type } from 'typebox';
import { ApiError } from '../../../http/errors.js';
import { defineRoute, type RawReply, type Services } from '../../../http/route.js';

const common = {
  method: 'GET',
  tag: 'Pages',
  auth: { kind: 'none' },
  replies: { 200: Type.String() },
  replyKind: 'html',
  isDocumented: false,
} as const;

/** GET /console: the document of the console. It is the same for every person and every address. */
export const consoleHome = defineRoute({
  ...common,
  operationId: 'getConsole',
  path: '/console',
  summary: 'Console',
  errors: [],
  handle: async (_request, services) => shellReply(services),
});

/** GET /console/…: the same document. */
export const consolePage = defineRoute({
  ...common,
  operationId: 'getConsolePage',
  path: '/console/{+path}',
  summary: 'Page of the console',
  params: Type.Object({ path: Type.String({ maxLength: 1_000 }) }),
  errors: ['NOT_FOUND'],
  handle: async ({ params }, services) => {
    // a file that is missing must not look like a page, or a browser would keep it
    if (/\.[^/]*$/.test(params.path) || params.path.startsWith('assets/')) throw new ApiError('NOT_FOUND');
    return shellReply(services);
  },
});

const permissions = ['camera', 'display-capture', 'geolocation', 'microphone', 'payment', 'usb'];

function shellReply({ console: { files } }: Services): RawReply {
  const { contentType, body, compress, etag, scriptHash } = files.shell;
  return {
    status: 200,
    raw: { contentType, body, compress },
    headers: {
      ETag: etag,
      'Cache-Control': 'no-cache',
      'Content-Security-Policy':
        `default-src 'none'; script-src 'self' ${scriptHash}; style-src 'self'; img-src 'self' data:; font-src 'self'; connect-src 'self'; ` +
        "base-uri 'none'; form-action 'self'; frame-ancestors 'none'; require-trusted-types-for 'script'; trusted-types 'none'",
      'Cross-Origin-Opener-Policy': 'same-origin',
      'Cross-Origin-Resource-Policy': 'same-origin',
      'Permissions-Policy': permissions.map((name) => `${name}=()`).join(', '),
    },
  };
}
