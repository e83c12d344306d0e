import { isOffline } from '../api/call.js';
import { person } from '../api/session.js';
import { isWithoutStream } from '../api/stream.js';
import { shellTexts } from './texts.js';

/** Notes that concern every view: no connection, an address that is not verified, a public URL without encryption. */
export function Banners() {
  const text = shellTexts();
  const who = person.value;
  const isLocal = ['localhost', '127.0.0.1', '[::1]'].includes(location.hostname);
  return (
    <div role="status">
      {isOffline.value && <p class="banner bad">{text.offline}</p>}
      {isWithoutStream.value && !isOffline.value && <p class="muted">{text.withoutStream}</p>}
      {who && !who.email_verified && (
        <p class="banner warn">
          {text.unverified} <a href="/account/security">{text.verify}</a>
        </p>
      )}
      {who?.role === 'admin' && location.protocol === 'http:' && !isLocal && <p class="banner warn">{text.insecure}</p>}
    </div>
  );
}
