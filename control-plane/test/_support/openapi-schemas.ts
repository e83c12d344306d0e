import { Ajv2020 } from 'ajv/dist/2020.js';
import addFormatsModule from 'ajv-formats';

// ajv-formats is CommonJS whose default export arrives wrapped under nodenext
const addFormats = addFormatsModule as unknown as (ajv: Ajv2020) => void;

const ROOT = 'https://openapi.test/document';

/** Schemas of an OpenAPI document, as its readers understand them: independent of the product's own validation. */
export class OpenApiSchemas {
  readonly #ajv = new Ajv2020({
    strict: false,
    allErrors: true,
    validateSchema: false,
    // most schemas check a few values: shorter code, made faster, is worth more than fast code
    inlineRefs: false,
    code: { optimize: false },
  });

  /** Made once for equal schemas, wherever they stand: their references are absolute. */
  readonly #made = new Map<string, NonNullable<ReturnType<Ajv2020['getSchema']>>>();

  constructor(private readonly document: object) {
    addFormats(this.#ajv);
    this.#ajv.addSchema(document, ROOT);
  }

  /** Errors of a value by the schema at a place of the document (names from its root), or null. */
  complaintAbout(value: unknown, place: readonly (string | number)[]): string | null {
    const key = JSON.stringify(
      place.reduce<unknown>((part, name) => (part as Record<string, unknown>)[name], this.document),
    );
    const pointer = place.map((name) => encodeURIComponent(String(name).replaceAll('~', '~0').replaceAll('/', '~1')));
    const reference = `${ROOT}#/${pointer.join('/')}`;
    const validate = this.#made.get(key) ?? this.#ajv.getSchema(reference);
    if (validate === undefined) throw new RangeError(`the document has no schema at "${reference}"`);
    this.#made.set(key, validate);
    if (validate(value) === true) return null;
    return this.#ajv.errorsText(validate.errors?.slice(0, 5) ?? null, { dataVar: 'it' });
  }
}
