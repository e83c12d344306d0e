import t from 'tap';
import { parseControlPlaneUrl } from './control-plane-url.js';

t.test('a control plane is known by scheme, host and port', async (t) => {
  const cases = [
    { text: 'https://vantage.example', expected: 'https://vantage.example' },
    { text: 'https://Vantage.Example:443/', expected: 'https://vantage.example' },
    { text: 'https://vantage.example:8443', expected: 'https://vantage.example:8443' },
    { text: 'http://127.0.0.1:8080/', expected: 'http://127.0.0.1:8080' },
    { text: 'http://127.1.2.3', expected: 'http://127.1.2.3' },
    { text: 'http://localhost:8080', expected: 'http://localhost:8080' },
    { text: 'http://[::1]:8080', expected: 'http://[::1]:8080' },
  ];
  for (const { text, expected } of cases) t.equal(parseControlPlaneUrl(text, false), expected, text);
});

t.test('an invalid or unsafe URL is refused with a remedy', async (t) => {
  const cases = [
    { text: 'vantage.example', expected: /not a URL, for example https:\/\/vantage\.example$/ },
    { text: '[::1]:8080', expected: /not a URL, for example https:\/\/\[::1\]:8080$/ },
    { text: '', expected: /not a URL/ },
    { text: 'ftp://vantage.example', expected: /not an http or https URL/ },
    { text: 'wss://vantage.example', expected: /not an http or https URL/ },
    { text: 'https://vantage.example/base', expected: /must end after host and port: "https:\/\/vantage\.example"/ },
    { text: 'https://vantage.example/?a=b', expected: /must end after host and port/ },
    { text: 'https://user:pass@vantage.example', expected: /must not contain a user name or password/ },
    { text: 'http://vantage.example', expected: /not encrypted/ },
    { text: 'http://10.0.0.1:8080', expected: /not encrypted/ },
    { text: 'http://127.0.0.1.example', expected: /not encrypted/ },
    { text: 'http://localhost.example', expected: /not encrypted/ },
    { text: 'http://[::ffff:127.0.0.1]', expected: /not encrypted/ },
  ];
  for (const { text, expected } of cases)
    t.throws(() => parseControlPlaneUrl(text, false), { name: 'EnrollmentInputError', message: expected }, text);
});

t.test('plain http to another machine must be requested explicitly', async (t) => {
  t.equal(parseControlPlaneUrl('http://10.0.0.1:8080', true), 'http://10.0.0.1:8080');
});
