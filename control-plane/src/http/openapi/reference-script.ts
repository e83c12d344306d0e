import { commonHeaders, commonParameters } from './openapi-headers.js';

/**
 * Starts Swagger UI on the document: requests go to the origin of the page, error responses and headers that most operations have
 * are folded, operations that need credentials have a lock and no others, a box filters operations by words, unnamed controls get
 * a name, and the page is dark if the reader prefers dark pages.
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

// a lock for operations that need credentials; those that may be called without have none
const isOptional = (security) => !security || security.some((needed) => needed.size === 0);
const trueLock = (Original, { React }) => (props) => {
  const { operationProps } = props;
  const security = operationProps.get('security');
  const shown = isOptional(security) && security ? operationProps.set('security', security.clear()) : operationProps;
  return React.createElement(Original, { ...props, operationProps: shown });
};
const lockButton = (Original, { React }) => ({ isAuthorized, onClick }) =>
  React.createElement('button', {
    type: 'button', className: 'authorization__btn ' + (isAuthorized ? 'given' : 'needed'),
    'aria-label': isAuthorized ? 'Credentials are entered' : 'Needs credentials',
    title: isAuthorized ? 'Credentials are entered' : 'Needs credentials',
    onClick: (event) => { event.stopPropagation(); onClick?.(); },
  }, React.createElement('svg', { viewBox: '0 0 20 20', width: 20, height: 20, 'aria-hidden': true },
    React.createElement('path', { d: 'M5 9V6a5 5 0 0 1 10 0v3h1v9H4V9zm2 0h6V6a3 3 0 0 0-6 0z' })));

// every word must be in the tag, method, path, id or summary of an operation
const opsFilter = (tagged, phrase) => {
  const words = phrase.toLowerCase().split(/\\s+/).filter((word) => word !== '');
  const fits = (tag, item) => {
    const operation = item.get('operation');
    const parts = [tag, item.get('method'), item.get('path'), operation.get('operationId'), operation.get('summary')];
    const text = parts.join(' ').toLowerCase();
    return words.every((word) => text.includes(word));
  };
  return tagged
    .map((of, tag) => of.set('operations', of.get('operations').filter((item) => fits(tag, item))))
    .filter((of) => of.get('operations').size > 0);
};

// Swagger UI resolves the references of the whole document before it lists operations, and again for each that is opened:
// the list came after 15 s of processor time, and comes after 4 s if only what is shown is resolved (2026-11-30)
const isObject = (value) => typeof value === 'object' && value !== null && !Array.isArray(value);
const join = (one, other) => {
  if (Array.isArray(one) && Array.isArray(other)) return [...one, ...other];
  if (!isObject(one) || !isObject(other)) return other;
  return Object.entries(other).reduce((all, [key, value]) => ({ ...all, [key]: join(one[key], value) }), one);
};
const at = (of, path) => path.reduce((value, key) => value?.[key], of);
const resolveSubtree = async (of, path) => {
  const inline = (value, within) => {
    if (typeof value !== 'object' || value === null) return value;
    if (Array.isArray(value)) return value.map((one) => inline(one, within));
    const { $ref, ...fields } = value;
    const own = Object.fromEntries(Object.entries(fields).map(([key, one]) => [key, inline(one, within)]));
    if (Array.isArray(own.allOf)) {
      const { allOf, ...rest } = own;
      return [...allOf, rest].reduce(join);
    }
    if ($ref === undefined || within.includes($ref)) return own;
    return { ...inline(at(of, $ref.slice(2).split('/')), [...within, $ref]), ...own };
  };
  return { spec: inline(at(of, path), []), errors: [] };
};

const commonHeaders = ${JSON.stringify(commonHeaders)};
const foldHeaders = (Original, { React }) => (props) => {
  const isCommon = (_, name) => commonHeaders.includes(name);
  const [common, own] = [props.headers.filter(isCommon), props.headers.filterNot(isCommon)];
  return React.createElement(React.Fragment, null,
    own.size > 0 ? React.createElement(Original, { ...props, headers: own }) : null,
    common.size === 0 ? null : React.createElement('details', { className: 'common' },
      React.createElement('summary', null, 'Headers of most responses: ' + common.keySeq().join(', ')),
      React.createElement(Original, { ...props, headers: common })));
};
const commonParameters = ${JSON.stringify(commonParameters)};
const foldParameter = (Original, { React }) => (props) => {
  const row = React.createElement(Original, props);
  if (props.rawParam.get('in') !== 'header' || !commonParameters.includes(props.rawParam.get('name'))) return row;
  return React.createElement('tr', null, React.createElement('td', { colSpan: 2, className: 'common' },
    React.createElement('details', null,
      React.createElement('summary', null, props.rawParam.get('name') + ' (header)'),
      React.createElement('table', null, React.createElement('tbody', null, row)))));
};

const names = [
  ['textarea.body-param__text', 'Request body'],
  ['.examples-select-element', 'Example'],
  ['select.content-type', 'Media type'],
  ['.close-modal', 'Close'],
  ['.operation-filter-input', 'Filter operations'],
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
  for (const box of document.querySelectorAll('.operation-filter-input')) box.placeholder = 'Filter: words of a path, a tag or a summary';
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

const ui = SwaggerUIBundle({
  url: '${documentPath}',
  dom_id: '#reference',
  // else the document would be sent to a public validator
  validatorUrl: null,
  deepLinking: true,
  tryItOutEnabled: true,
  displayRequestDuration: true,
  defaultModelsExpandDepth: 0,
  filter: true,
  plugins: [{
    fn: { opsFilter, resolveSubtree },
    wrapComponents: {
      DeepLink: plainPath, response: foldErrors, headers: foldHeaders, parameterRow: foldParameter,
      OperationSummary: trueLock, authorizeOperationBtn: lockButton,
    },
  }],
  // a long list is scrolled to an operation before it is known where the list begins: once more, when it is
  onComplete: () => setTimeout(() => location.hash && ui.layoutActions.parseDeepLinkHash(location.hash), 100),
  requestInterceptor: (request) => {
    const { pathname, search } = new URL(request.url, location.href);
    request.url = location.origin + pathname + search;
    return request;
  },
});
`;
}
