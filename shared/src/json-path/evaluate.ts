import { compareValues } from './compare.js';
import type { JsonPathQuery } from './parse.js';
import type { StepBudget } from './step-budget.js';
import { descendants, elementOf, memberOf, membersOf, sliceOf } from './values.js';

type Segments = JsonPathQuery['segments'];
type Segment = Segments[number];
type Selection = Segment['node'];
type Selector =
  | Extract<Selection, { type: 'BracketedSelection' }>['selectors'][number]
  | Exclude<Selection, { type: 'BracketedSelection' }>;
type Logical = Extract<Selector, { type: 'FilterSelector' }>['value'];
type Comparison = Extract<Logical, { type: 'ComparisonExpr' }>;
type Index = Extract<Selector, { type: 'IndexSelector' }>;
type Comparable = Comparison['left'];

/** State shared by all steps of one evaluation: the document and the remaining budget. */
interface Scope {
  readonly root: unknown;
  readonly budget: StepBudget;
}

/**
 * The values that a query selects from a parsed JSON document, in document order, duplicates included (RFC 9535 section
 * 2.1.2). Every value and every selector looked at is a step, long texts compared are more; a document and a query of strangers end in bounded time.
 * @throws JsonPathBudgetError when `budget` is used up
 */
export function evaluateJsonPath(query: JsonPathQuery, document: unknown, budget: StepBudget): unknown[] {
  return walk(query.segments, document, { root: document, budget });
}

function walk(segments: Segments, start: unknown, scope: Scope): unknown[] {
  let nodes: unknown[] = [start];
  for (const segment of segments) {
    const next: unknown[] = [];
    for (const node of nodes) {
      for (const origin of originsOf(segment, node, scope)) select(segment.node, origin, { scope, found: next });
    }
    nodes = next;
  }
  return nodes;
}

/** The nodes whose children a segment selects from. */
function originsOf(segment: Segment, node: unknown, { budget }: Scope): Iterable<unknown> {
  return segment.type === 'DescendantSegment' ? descendants(node, budget) : [node];
}

function select(selection: Selection, node: unknown, into: { scope: Scope; found: unknown[] }): void {
  const selectors = selection.type === 'BracketedSelection' ? selection.selectors : [selection];
  for (const selector of selectors) {
    into.scope.budget.spend();
    for (const value of selected(selector, node, into.scope)) {
      into.scope.budget.spend();
      into.found.push(value);
    }
  }
}

function selected(selector: Selector, node: unknown, scope: Scope): readonly unknown[] {
  switch (selector.type) {
    case 'NameSelector':
    case 'MemberNameShorthand':
      return present(memberOf(node, selector.value));
    case 'IndexSelector':
      return present(elementOf(node, selector.value));
    case 'WildcardSelector':
      return membersOf(node, scope.budget);
    case 'SliceSelector':
      return Array.isArray(node) ? sliceOf(node, selector) : [];
    case 'FilterSelector':
      return membersOf(node, scope.budget).filter((member) => holds(selector.value, member, scope));
  }
}

function present(value: unknown): unknown[] {
  return value === undefined ? [] : [value];
}

function holds(expression: Logical, current: unknown, scope: Scope): boolean {
  scope.budget.spend();
  switch (expression.type) {
    case 'LogicalOrExpr':
      return holds(expression.left, current, scope) || holds(expression.right, current, scope);
    case 'LogicalAndExpr':
      return holds(expression.left, current, scope) && holds(expression.right, current, scope);
    case 'LogicalNotExpr':
      return !holds(expression.expression, current, scope);
    case 'TestExpr': {
      if (expression.expression.type === 'FunctionExpr') throw new RangeError('functions are refused by the parser');
      const { type, segments } = expression.expression.value;
      return walk(segments, type === 'RelQuery' ? current : scope.root, scope).length > 0;
    }
    case 'ComparisonExpr': {
      const left = valueOf(expression.left, current, scope);
      return compareValues(left, expression.op, valueOf(expression.right, current, scope), scope.budget);
    }
  }
}

/** Value of one side of a comparison; undefined is RFC 9535's Nothing. */
function valueOf(comparable: Comparable, current: unknown, { root, budget }: Scope): unknown {
  switch (comparable.type) {
    case 'Literal':
      return comparable.value;
    case 'FunctionExpr':
      throw new RangeError('functions are refused by the parser');
    default:
      budget.spend(comparable.segments.length);
      return comparable.segments.reduce<unknown>(
        (value, { node }) =>
          node.type === 'IndexSelector' ? elementOf(value, indexIn(node)) : memberOf(value, node.value),
        comparable.type === 'RelSingularQuery' ? current : root,
      );
  }
}

/** Index of a selector. In a comparison the parser (1.3.0) wraps an index once more than its types say. */
function indexIn(node: Index): number {
  return 'selector' in node ? indexIn(node.selector as Index) : node.value;
}
