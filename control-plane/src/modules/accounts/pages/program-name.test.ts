import t from 'tap';
import { programName } from './program-name.js';

t.test('a browser is named with its system, and any other program as it names itself', async (t) => {
  const safari = 'Mozilla/5.0 (iPhone; CPU iPhone OS 18_0 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko)';
  const chrome =
    'Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/156.0.0.0 Safari/537.36';
  for (const [userAgent, name] of [
    [chrome, 'Chrome 156, Linux'],
    [`${chrome} Edg/156.0.0.0`, 'Edge 156, Linux'],
    [`${safari} Version/18.0 Mobile/15E148 Safari/604.1`, 'Safari 18, iPhone'],
    [`${safari} CriOS/156.0.1 Mobile/15E148 Safari/604.1`, 'Chrome 156, iPhone'],
    ['Mozilla/5.0 (Windows NT 10.0; rv:140.0) Gecko/20100101 Firefox/140.0', 'Firefox 140, Windows'],
    ['curl/8.5.0', 'curl/8.5.0'],
    ['', ''],
  ] as const)
    t.equal(programName(userAgent), name);
});
