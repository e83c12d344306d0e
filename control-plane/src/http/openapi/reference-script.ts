/**
 * Starts Swagger UI on the document: requests go to the origin of the page, error responses are folded, unnamed
 * controls get a name, and the page is dark if the reader prefers dark pages.
 */
export function referenceScript(documentPath: string): string {
  return `'use strict';
const dark = matchMedia('(prefers-color-scheme: dark)');
const follow = () => document.documentElement.classList.toggle('dark-mode', dark.matches);
dark.addEventListener('change', follow);
follow();

// a link inside the button that opens the operation cannot be reached by keyboard
const plainPath = (Original, { React }) => (props) =>
  props.path.includes('/') ? React.createElement('span', null, props.text) : React.createElement(Original, props);

const foldErrors = (Original, { React }) => (props) => {
  const [isFolded, fold] = React.useState(Number(props.code) >= 400);
  if (!(Number(props.code) >= 400)) return React.createElement(Original, props);
  const label = isFolded ? 'Show an example' : 'Hide the example';
  const button = React.createElement('button', {
    type: 'button', className: 'fold', 'aria-expanded': !isFolded, 'aria-label': label + ' of ' + props.code,
    onClick: () => fold(!isFolded),
  }, label);
  return React.createElement(React.Fragment, null,
    React.createElement(Original, { ...props, className: (props.className || '') + (isFolded ? ' folded' : '') }),
    React.createElement('tr', null, React.createElement('td', null), React.createElement('td', null, button)));
};

const names = [
  ['textarea.body-param__text', 'Request body'],
  ['.examples-select-element', 'Example'],
  ['select.content-type', 'Media type'],
  ['.close-modal', 'Close'],
  ['.auth-btn-wrapper .authorize', 'Authorize: apply these credentials'],
  ['.auth-btn-wrapper .btn-done', 'Close'],
  ['.auth-btn-wrapper [aria-label="Remove authorization"]', 'Logout: forget these credentials'],
];
const places = [['.information-container', 'region', 'Overview'], ['.modal-ux', 'dialog', 'Credentials']];
const nameControls = () => {
  for (const [selector, name] of names) {
    for (const control of document.querySelectorAll(selector)) {
      if (control.getAttribute('aria-label') !== name) control.setAttribute('aria-label', name);
    }
  }
  for (const [selector, role, name] of places) {
    const place = document.querySelector(selector);
    if (place && !place.hasAttribute('role')) {
      place.setAttribute('role', role);
      place.setAttribute('aria-label', name);
      // each of its inputs took the focus when it was rendered: the last one has it
      if (role === 'dialog') place.querySelector('input')?.focus();
    }
  }
  // a scrollable element must be reachable by keyboard
  for (const code of document.querySelectorAll('.highlight-code > pre, pre.microlight')) code.tabIndex = 0;
};
new MutationObserver(nameControls).observe(document.getElementById('reference'), { childList: true, subtree: true });

SwaggerUIBundle({
  url: '${documentPath}',
  dom_id: '#reference',
  // else the document would be sent to a public validator
  validatorUrl: null,
  deepLinking: true,
  tryItOutEnabled: true,
  displayRequestDuration: true,
  defaultModelsExpandDepth: 0,
  plugins: [{ wrapComponents: { DeepLink: plainPath, response: foldErrors } }],
  requestInterceptor: (request) => {
    const { pathname, search } = new URL(request.url, location.href);
    request.url = location.origin + pathname + search;
    return request;
  },
});
`;
}
