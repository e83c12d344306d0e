import { type Html, html } from '../pages/html.js';
import { type PageCell, tableHtml } from '../pages/table-html.js';
import { inlineHtml, markdownHtml } from './markdown-html.js';
import type { OpenApiDocument } from './openapi.js';
import type { Json, JsonObject } from './openapi-components.js';
import { commonHeaders, commonParameters } from './openapi-headers.js';
import { printJson } from './print-json.js';
import { type Field, fieldsOf, fieldTable, type Schema, typeHtml } from './reference-schema.js';

/** Parameter or header of an operation. */
export interface Parameter extends Field {
  readonly in: string;
  readonly required?: boolean;
  readonly example?: Json;
}

interface Content {
  readonly schema: Schema;
  readonly example?: Json;
  readonly examples?: Readonly<Record<string, { readonly value: Json }>>;
}

interface Response {
  readonly description: string;
  readonly headers?: JsonObject;
  readonly content?: Readonly<Record<string, Content>>;
}

/** Operation of a document, or a request that the service sends, with every reference but those of schemas followed. */
export interface Operation {
  readonly method: string;
  /** Path; for a request that is sent, the kind of the event. */
  readonly path: string;
  readonly isSent: boolean;
  readonly operationId: string;
  readonly summary: string;
  readonly description: string;
  readonly tag: string;
  readonly security: readonly Readonly<Record<string, readonly string[]>>[];
  readonly parameters: readonly Parameter[];
  readonly body: { readonly description?: string; readonly content: Readonly<Record<string, Content>> } | null;
  /** Schema of a JSON body, that of its own name included. */
  readonly bodySchema: Schema | null;
  /** Responses by status. */
  readonly responses: readonly (readonly [string, Response])[];
}

/** Every operation of a document in its order, and after them the requests that are sent. */
export function operationsOf(document: OpenApiDocument): Operation[] {
  const of = (paths: unknown, isSent: boolean) =>
    Object.entries(paths as JsonObject).flatMap(([path, methods]) =>
      Object.entries(methods as JsonObject).map(([method, operation]) =>
        operationOf(document, operation as JsonObject, { path, method: method.toUpperCase(), isSent }),
      ),
    );
  return [...of(document.paths, false), ...of(document.webhooks, true)];
}

type Call = Pick<Operation, 'path' | 'method' | 'isSent'>;

// the parts are those that openapi-operation.ts writes
function operationOf(document: OpenApiDocument, operation: JsonObject, call: Call): Operation {
  const { operationId, summary, description = '', tags, security = [], parameters, requestBody, responses } = operation;
  const body = (requestBody as Operation['body'] | undefined) ?? null;
  const schema = body?.content['application/json']?.schema;
  return {
    ...call,
    operationId: String(operationId),
    summary: String(summary),
    description: String(description),
    tag: String((tags as readonly Json[])[0]),
    security: security as Operation['security'],
    parameters: (parameters as readonly JsonObject[]).map((one) => resolve(document, one) as unknown as Parameter),
    body,
    bodySchema: schema === undefined ? null : (resolve(document, schema as JsonObject) as Schema),
    responses: Object.entries(responses as JsonObject).map(([status, one]) => [
      status,
      resolve(document, one as JsonObject) as unknown as Response,
    ]),
  };
}

function resolve(document: OpenApiDocument, part: JsonObject): JsonObject {
  const { $ref } = part;
  if (typeof $ref !== 'string') return part;
  return $ref
    .slice(2)
    .split('/')
    .reduce((of: JsonObject, key) => of[key] as JsonObject, { ...document });
}

/** Section of an operation. `url`: address of the API. */
export function operationHtml(operation: Operation, url: string): Html {
  const { operationId, summary, description, method, path, parameters, isSent } = operation;
  const own = parameters.filter(({ in: place, name }) => place !== 'header' || !commonParameters.includes(name));
  return html`<section class="operation" id="${operationId}">
<h2><a href="#${operationId}">${summary}</a></h2>
<p class="call"><b>${method}</b> <code>${path}</code> ${isSent ? '' : html`<span class="pill none">${accessText(operation)}</span>`}</p>
${markdownHtml(description)}
${own.length > 0 && [html`<h3>Parameters</h3>`, fieldTable(own.map((one) => ({ ...one, isRequired: one.required === true, place: one.in })))]}
${bodyHtml(operation)}
<h3>Responses</h3>
${responsesHtml(operation)}
${exampleHtml(operation, url)}
</section>`;
}

/** Scopes that the credentials of a caller must have. */
export function accessText({ security }: Pick<Operation, 'security'>): string {
  const scopes = [...new Set(security.flatMap((needed) => Object.values(needed).flat()))].join(', ');
  if (security.length === 0) return 'no credentials';
  if (security.some((needed) => Object.keys(needed).length === 0))
    return scopes === '' ? 'credentials optional' : `credentials optional: ${scopes}`;
  return scopes === '' ? 'access token' : scopes;
}

/** Content of the successful responses: `data` of the envelope, or the body itself. */
export function contentsOf({ responses }: Operation): Schema[] {
  return responses.flatMap(([status, response]) => (status.startsWith('2') ? (contentOf(response)?.schema ?? []) : []));
}

function contentOf({ content = {} }: Response): { readonly name: string; readonly schema: Schema } | null {
  const schema = Object.values(content)[0]?.schema;
  const data = schema?.properties?.['data'];
  if (data !== undefined) return { name: 'data', schema: data };
  return schema === undefined ? null : { name: 'body', schema };
}

function bodyHtml({ body, bodySchema }: Operation): Html | false {
  if (body === null) return false;
  const { description } = body;
  const fields = bodySchema === null ? [] : fieldsOf(bodySchema);
  const types = Object.keys(body.content).map((type) => html` <code>${type}</code>`);
  return html`<h3>Body</h3>
${description !== undefined && html`<p>${inlineHtml(description)} Media types:${types}</p>`}
${bodySchema?.anyOf !== undefined && html`<p>${typeHtml(bodySchema)}</p>`}
${fields.length > 0 && fieldTable(fields)}`;
}

function responsesHtml(operation: Operation): Html {
  const rows = operation.responses.map(([status, response]): PageCell[] => [
    { content: html`<code>${status}</code>`, look: 'name' },
    { content: meaningHtml(response), look: 'words' },
  ]);
  const fields = contentsOf(operation).flatMap((schema) => fieldsOf(schema));
  return html`${tableHtml({ head: ['Status', 'Meaning'], rows })}
${fields.length > 0 && [html`<h3>Fields of the response</h3>`, fieldTable(fields)]}`;
}

/** Codes of an error, or the description of a success, its content, and the headers that it alone has. */
function meaningHtml(response: Response): Html {
  const codes = [...response.description.matchAll(/^- \[`(\w+)`\]/gm)].map(([, code]) => code);
  if (codes.length > 0)
    return html`${codes.map((code, i) => html`${i > 0 && ', '}<a href="${`/docs/errors/${code}`}"><code>${code}</code></a>`)}`;
  const content = contentOf(response);
  const headers = Object.keys(response.headers ?? {}).filter((name) => !commonHeaders.includes(name));
  return html`${inlineHtml(response.description)}${content !== null && html`; <code>${content.name}</code>: ${typeHtml(content.schema)}`}${headers.map((name) => html`; header <code>${name}</code>`)}`;
}

function exampleHtml(operation: Operation, url: string): Html {
  const [, response] = operation.responses[0] ?? [];
  const shown = operation.isSent ? operation.body?.content : response?.content;
  const example = Object.values(shown ?? {}).flatMap(examplesOf)[0];
  return html`<h3>Example</h3>
${!operation.isSent && html`<pre tabindex="0">${curlOf(operation, url)}</pre>`}
${example !== undefined && html`<pre tabindex="0">${typeof example === 'string' ? example : printJson(example)}</pre>`}`;
}

function examplesOf({ example, examples = {} }: Content): Json[] {
  return example === undefined ? Object.values(examples).map(({ value }) => value) : [example];
}

/** The operation as a command of curl, with what it requires. */
function curlOf({ method, path, parameters, security, body }: Operation, url: string): string {
  const filled = path.replaceAll(/\{(\w+)\}/g, (_, name: string) => name.toUpperCase());
  const query = parameters
    .filter((one) => one.in === 'query' && one.required)
    .map(({ name, example = name.toUpperCase() }) => `${name}=${encodeURIComponent(String(example))}`)
    .join('&');
  const isOpen = security.length === 0 || security.some((needed) => Object.keys(needed).length === 0);
  const [[type, content] = []] = Object.entries(body?.content ?? {});
  const [sent] = content === undefined ? [] : examplesOf(content);
  const data = typeof sent === 'string' ? sent : JSON.stringify(sent);
  return [
    `curl -s ${method === 'GET' ? '' : `-X ${method} `}${quoted(`${url}${filled}${query === '' ? '' : `?${query}`}`)}`,
    ...(isOpen ? [] : ['-H "Authorization: Bearer $TOKEN"']),
    ...(sent === undefined ? [] : [`-H 'Content-Type: ${type === '*/*' ? 'text/plain' : type}'`, `-d ${quoted(data)}`]),
  ].join(' \\\n  ');
}

function quoted(word: string): string {
  return `'${word.replaceAll("'", "'\\''")}'`;
}
