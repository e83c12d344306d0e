import t from 'tap';
import { passkeySiteOf } from './passkey-site.js';

t.test(
  'passkeys belong to the host of the public URL; there are none at IP addresses and without https, except on localhost',
  async (t) => {
    const sites = {
      'https://vantage.example': { rpId: 'vantage.example', origin: 'https://vantage.example' },
      'https://status.example:8443': { rpId: 'status.example', origin: 'https://status.example:8443' },
      'http://localhost:8080': { rpId: 'localhost', origin: 'http://localhost:8080' },
      'http://vantage.example': null,
      'http://127.0.0.1:8080': null,
      'https://192.0.2.7': null,
      'https://[2001:db8::7]:8443': null,
    };
    for (const [url, site] of Object.entries(sites)) t.strictSame(passkeySiteOf(url), site, url);
  },
);
