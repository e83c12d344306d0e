import { parentPort, workerData } from 'node:worker_threads';
import { type Alias, type Document, isAlias, isMap, isPair, isScalar, isSeq, LineCounter, parseDocument } from 'yaml';
import type { YamlLimits, YamlReply } from './yaml-reply.js';

// A thread: YAML of five MiB takes seconds to parse, and one that was made for it minutes.

/** Of a document: values and characters with every alias counted as what it stands for, and how deep they lie. */
interface Extent {
  readonly values: number;
  readonly texts: number;
  readonly depth: number;
}

function read(text: string, limits: YamlLimits): YamlReply {
  const lines = new LineCounter();
  // without the known ones a tag of any but the core schema is a warning
  const rules = { schema: 'core', resolveKnownTags: false, merge: true } as const;
  const document = parseDocument(text, { ...rules, lineCounter: lines, prettyErrors: false });
  const mistakeAt = (message: string, offset: number): YamlReply => {
    const { line, col } = lines.linePos(Math.min(offset, text.length));
    return { mistake: { message, line, column: col } };
  };
  const [problem] = [...document.errors, ...document.warnings];
  if (problem !== undefined) return mistakeAt(problem.message, problem.pos[0]);
  const extent = extentOf(document);
  if (isAlias(extent))
    return mistakeAt(`*${extent.source} stands for nothing that ends before it`, extent.range?.[0] ?? 0);
  const complaint = complaintAbout(extent, limits);
  if (complaint !== null) return { mistake: { message: complaint, line: null, column: null } };
  return { value: document.toJS({ maxAliasCount: limits.aliases }) };
}

function complaintAbout({ values, texts, depth }: Extent, limits: YamlLimits): string | null {
  if (depth > limits.depth) return `it is nested deeper than ${limits.depth}`;
  if (texts > limits.texts) return `it has more than ${limits.texts} characters, aliases written out`;
  return values > limits.values ? `it has more than ${limits.values} values, aliases written out` : null;
}

/** Aliases stand for what was anchored last before them; one that stands for nothing, or for what it is in, is returned. */
function extentOf(document: Document): Extent | Alias {
  const anchored = new Map<string, Extent>();
  let lost: Alias | null = null;
  const extentOfNode = (node: unknown): Extent => {
    if (isAlias(node)) {
      const extent = anchored.get(node.source);
      if (extent === undefined) lost ??= node;
      return extent ?? { values: 0, texts: 0, depth: 0 };
    }
    const extent = extentOfParts(node);
    if ((isMap(node) || isSeq(node) || isScalar(node)) && node.anchor !== undefined) anchored.set(node.anchor, extent);
    return extent;
  };
  const extentOfParts = (node: unknown): Extent => {
    if (isMap(node) || isSeq(node)) return sumOf(node.items.map(extentOfNode));
    if (isScalar(node)) return { values: 1, texts: String(node.value).length, depth: 0 };
    if (!isPair(node)) return { values: 1, texts: 0, depth: 0 };
    const [key, value] = [extentOfNode(node.key), extentOfNode(node.value)];
    return {
      values: key.values + value.values,
      texts: key.texts + value.texts,
      depth: Math.max(key.depth, value.depth),
    };
  };
  const whole = extentOfNode(document.contents);
  return lost ?? whole;
}

function sumOf(parts: readonly Extent[]): Extent {
  return {
    values: parts.reduce((sum, { values }) => sum + values, 1),
    texts: parts.reduce((sum, { texts }) => sum + texts, 0),
    depth: 1 + parts.reduce((most, { depth }) => Math.max(most, depth), 0),
  };
}

function readSafely({ text, limits }: { readonly text: string; readonly limits: YamlLimits }): YamlReply {
  try {
    return read(text, limits);
  } catch (error) {
    return { mistake: { message: error instanceof Error ? error.message : String(error), line: null, column: null } };
  }
}

const reply = readSafely(workerData);
parentPort?.postMessage(reply, []);
