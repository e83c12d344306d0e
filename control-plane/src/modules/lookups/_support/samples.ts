import { admin, publicScope, type Samples } from '../../../../test/_support/samples.js';

const readBack = publicScope('probe:read');

export const samples: Samples = {
  operations: {
    'GET /v1/info/ip': { callers: readBack },
    'GET /v1/info/whois': { callers: readBack },
    'GET /v1/info/ssl': { callers: readBack },
    'GET /v1/info/dns': { callers: readBack },
    'GET /v1/info/icp': { callers: readBack },
    'GET /v1/info/headers': { callers: readBack },
    'GET /v1/info/ip/me': { callers: readBack },
    'GET /v1/ip/reputation': { callers: readBack },
    'GET /v1/admin/lists': { callers: admin },
    'POST /v1/admin/lists/{name}/accept': { callers: admin },
  },
};
