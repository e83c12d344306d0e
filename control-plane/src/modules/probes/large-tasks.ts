import { JsonText } from '../../http/json-text.js';
import { Slices } from '../../runtime/slices.js';
import type { TaskRow } from './store.js';

// Results of a task may be megabytes. Such a task is read, viewed and written once for all its readers:
//
//   id ──kept until a node task changes──> row ──until what it shows of nodes changes──> view ──> JSON

/** Bytes of results from which on a task is worth keeping: reading, judging and writing those of fewer takes less than a millisecond. */
const LARGE_BYTES = 64 * 1024;
/** Bytes of results of all tasks that are kept; their objects take a few times as much. */
const MAX_KEPT_BYTES = 16 * 1024 * 1024;
/** Characters of JSON that are one step, as `Slices` counts them. */
const CHARACTERS_PER_STEP = 50;

/** True if the results of a task take milliseconds to read, judge or write. */
export function isLarge({ bytes = 0 }: TaskRow): boolean {
  return bytes >= LARGE_BYTES;
}

/** Large tasks that were read last, by the id that named them, as one object each: whatever is made of it is made once. */
export class LargeTasks {
  readonly #tasks = new Map<string, TaskRow>();
  #bytes = 0;

  find(id: string): TaskRow | null {
    return this.#tasks.get(id) ?? null;
  }

  /** Keeps a task in place of the previous one of the id, if it is large; null if there is no such task. */
  put(id: string, task: TaskRow | null): void {
    this.#drop(id);
    if (task === null || !isLarge(task)) return;
    this.#tasks.set(id, task);
    this.#bytes += task.bytes ?? 0;
    for (const oldest of this.#tasks.keys()) {
      if (this.#bytes <= MAX_KEPT_BYTES) return;
      this.#drop(oldest);
    }
  }

  #drop(id: string): void {
    this.#bytes -= this.#tasks.get(id)?.bytes ?? 0;
    this.#tasks.delete(id);
  }
}

interface KnownView<V> {
  /** Requested id, and all that the view shows of nodes. */
  readonly key: string;
  readonly view: V;
}

/** Views of large tasks: one is built when its task or what it shows of nodes has changed, not for each reader. */
export class KnownViews<V extends object> {
  readonly #views = new WeakMap<TaskRow, KnownView<V>>();
  /** JSON of views, null until it is asked for. */
  readonly #texts = new WeakMap<V, Promise<JsonText> | null>();

  /** Data of a response with a view: the view itself, or the JSON of that of a large task. */
  async data(view: V): Promise<V | JsonText> {
    if (!this.#texts.has(view)) return view;
    const text = this.#texts.get(view) ?? write(view);
    this.#texts.set(view, text);
    return text;
  }

  /** `shown`: what the reader may see of the task's nodes. */
  view(id: string, task: TaskRow, { shown, build }: { shown: () => unknown; build: () => V }): V {
    if (!isLarge(task)) return build();
    const key = JSON.stringify([id, shown()]);
    const known = this.#views.get(task);
    if (known?.key === key) return known.view;
    const view = build();
    this.#views.set(task, { key, view });
    this.#texts.set(view, null);
    return view;
  }
}

/** JSON of a view, written in slices. */
async function write(view: object): Promise<JsonText> {
  const slices = new Slices();
  const pieces: Buffer[] = [];
  const add = async (text: string) => {
    pieces.push(Buffer.from(text));
    await slices.spend(1 + text.length / CHARACTERS_PER_STEP);
  };
  const members = Object.entries(view).filter(([, value]) => value !== undefined);
  for (const [index, [name, value]] of members.entries()) {
    await add(`${index === 0 ? '{' : ','}${JSON.stringify(name)}:`);
    if (!Array.isArray(value)) await add(JSON.stringify(value));
    else for (const piece of listPieces(value)) await add(piece);
  }
  await add('}');
  return new JsonText(pieces);
}

/** JSON of a list, one item after the other. */
function* listPieces(items: readonly unknown[]): Generator<string> {
  yield '[';
  for (const [index, item] of items.entries()) yield `${index === 0 ? '' : ','}${JSON.stringify(item)}`;
  yield ']';
}
