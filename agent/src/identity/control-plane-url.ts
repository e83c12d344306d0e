import { isPlainUrl } from '@vantage/shared/plain-url.js';
import { EnrollmentInputError } from './errors.js';

/**
 * The origin of a control plane, `scheme://host[:port]`, as an operator may have typed it. Plain http is for this very
 * machine, or for those who say that they know.
 * @throws EnrollmentInputError
 */
export function parseControlPlaneUrl(text: string, isInsecureAllowed: boolean): string {
  if (!URL.canParse(text)) {
    const example = URL.canParse(`https://${text}`) ? `https://${text}` : 'https://vantage.example';
    throw new EnrollmentInputError(`"${text}" is not a URL, for example ${example}`);
  }
  const url = new URL(text);
  if (url.username !== '' || url.password !== '')
    throw new EnrollmentInputError('the URL must not contain a user name or password');
  if (url.protocol !== 'https:' && url.protocol !== 'http:') {
    throw new EnrollmentInputError(`"${text}" is not an http or https URL, for example https://vantage.example`);
  }
  if (url.pathname !== '/' || url.search !== '' || url.hash !== '') {
    throw new EnrollmentInputError(`the URL must end after host and port: "${url.origin}"`);
  }
  if (isPlainUrl(url) && !isInsecureAllowed) {
    throw new EnrollmentInputError(
      `"${url.origin}" is not encrypted, and others on the network could use the token first: use https, or --insecure on a network that you trust`,
    );
  }
  return url.origin;
}
