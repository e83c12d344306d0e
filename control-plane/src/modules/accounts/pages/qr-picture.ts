import { renderSVG } from 'uqr';
import { Html, html } from '../../../http/pages/html.js';

/** Picture of a text for the camera of a phone. `alt`: empty if a text next to it says the same. */
export function qrPicture(content: string, alt: string): Html {
  // of our own making: `html` lets no address with a scheme like this through
  const source = new Html(` src="data:image/svg+xml,${encodeURIComponent(renderSVG(content))}"`);
  return html`<img class="qr"${source} alt="${alt}" width="220" height="220">`;
}
