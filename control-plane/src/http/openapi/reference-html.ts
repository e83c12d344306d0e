import { type Html, html } from '../pages/html.js';
import { inlineHtml, markdownHtml } from './markdown-html.js';
import type { OpenApiDocument } from './openapi.js';
import { referenceLink, tagPath } from './reference-link.js';
import { contentsOf, type Operation, operationHtml, operationsOf, type Parameter } from './reference-operation.js';
import { fieldsOf, fieldTable, nameOf, type Schema, typeHtml } from './reference-schema.js';

interface Tag {
  readonly name: string;
  readonly description: string;
}

/** Title and content of a page of the reference. */
export interface ReferencePage {
  readonly title: string;
  readonly description: string;
  readonly content: Html;
}

/** The pages of groups of operations by their paths, one at a time. They are in English alone. */
export function* tagPages(document: OpenApiDocument): Generator<readonly [path: string, page: ReferencePage]> {
  const [{ url = '' } = {}] = document.servers as readonly { readonly url?: string }[];
  const operations = operationsOf(document);
  for (const { name, description } of tagsOf(document)) {
    const own = operations.filter(({ tag }) => tag === name);
    const content = html`
<p class="lead">${description}</p>
<ul class="contents">${own.map((operation) => operationLine(operation, `#${operation.operationId}`))}</ul>
${own.map((operation) => operationHtml(operation, url))}
${objectsHtml(document, own.flatMap(schemasOf))}`;
    yield [tagPath(name), { title: name, description, content }];
  }
}

/** Groups with their operations, each with a link to its place. */
export function operationList(document: OpenApiDocument): Html {
  const operations = operationsOf(document);
  return html`${tagsOf(document).map(
    ({ name, description }) => html`<section class="group">
<h2><a href="${tagPath(name)}">${name}</a></h2>
<p>${inlineHtml(description)}</p>
<ul class="contents">${operations
      .filter(({ tag }) => tag === name)
      .map((operation) => operationLine(operation, referenceLink(operation)))}</ul>
</section>`,
  )}`;
}

/** Conventions of every operation, and the objects that each response has. */
export function conventionsHtml(document: OpenApiDocument): Html {
  const { parameters, headers } = document.components as unknown as {
    readonly parameters: Readonly<Record<string, Parameter>>;
    readonly headers: Readonly<Record<string, Omit<Parameter, 'name'>>>;
  };
  const sent = Object.values(parameters).filter((one) => one.in === 'header');
  return html`<h2 id="conventions">Every request and response</h2>
${markdownHtml(String(document.info['description']))}
<h3>Headers of requests</h3>
${fieldTable(sent)}
<h3>Headers of responses</h3>
${fieldTable(Object.entries(headers).map(([name, header]) => ({ ...header, name })))}
${objectsHtml(
  document,
  ['Meta', 'Error'].map((name) => ({ $ref: `#/components/schemas/${name}` })),
)}`;
}

function tagsOf(document: OpenApiDocument): readonly Tag[] {
  return document.tags as unknown as readonly Tag[];
}

function operationLine({ method, path, summary }: Operation, link: string): Html {
  return html`<li><a href="${link}"><code>${method} ${path}</code></a><br>${summary}</li>`;
}

/** Schemas that the section of an operation shows. */
function schemasOf(operation: Operation): Schema[] {
  const { parameters, bodySchema } = operation;
  return [
    ...parameters.map(({ schema }) => schema),
    ...(bodySchema === null ? [] : [bodySchema]),
    ...contentsOf(operation),
  ];
}

/** The named objects in these schemas, and in one another. */
function objectsHtml(document: OpenApiDocument, from: readonly Schema[]): Html | false {
  const schemas = document.components['schemas'] as unknown as Readonly<Record<string, Schema>>;
  const names = new Set<string>();
  const collect = (part: unknown) => {
    for (const [reference] of JSON.stringify(part).matchAll(/#\/components\/schemas\/\w+/g)) {
      const name = nameOf(reference);
      const schema = schemas[name];
      if (schema === undefined || names.has(name)) continue;
      names.add(name);
      collect(schema);
    }
  };
  collect(from);
  const sorted = Object.entries(schemas).filter(([name]) => names.has(name));
  return (
    sorted.length > 0 &&
    html`<h2>Objects</h2>
${sorted.map(([name, schema]) => objectHtml(name, schema))}`
  );
}

function objectHtml(name: string, schema: Schema): Html {
  const { description } = schema;
  const fields = fieldsOf(schema);
  return html`<section id="${name}"><h3><a href="#${name}">${name}</a></h3>
${description !== undefined && html`<p>${inlineHtml(description)}</p>`}
${(fields.length === 0 || schema.anyOf !== undefined) && html`<p>${typeHtml(schema)}</p>`}
${fields.length > 0 && fieldTable(fields)}</section>`;
}
