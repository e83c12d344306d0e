import fc from 'fast-check';
import t from 'tap';
import { faultInWords, findJsonFault } from './json-fault.js';

for (const [text, expected] of [
  ['', 'line 1, column 1: expected a value, found the end'],
  ['{', 'line 1, column 2: expected a name in double quotes, found the end'],
  ['{"a":1', 'line 1, column 7: expected a comma or "}", found the end'],
  ['{\n  "a": 1,\n}', 'line 3, column 1: expected a name in double quotes, found "}"'],
  ['{"a" 1}', 'line 1, column 6: expected a colon, found "1"'],
  ["{'a': 1}", 'line 1, column 2: expected a name in double quotes, found "\'"'],
  ['{"a": nil}', 'line 1, column 7: expected a value, found "nil"'],
  ['{"ä😀": x}', 'line 1, column 8: expected a value, found "x"'],
  ['[1 2]', 'line 1, column 4: expected a comma or "]", found "2"'],
  ['[1,]', 'line 1, column 4: expected a value, found "]"'],
  ['{}{}', 'line 1, column 3: expected the end, found "{"'],
  ['01', 'line 1, column 2: expected the end, found "1"'],
  ['"a\nb"', 'line 1, column 3: expected a closing double quote in this line, found "\\n"'],
  ['"a', 'line 1, column 3: expected a closing double quote, found the end'],
  ['"\\x"', 'line 1, column 2: expected an escape sequence of JSON, found "\\\\"'],
  ['\ufeff{}', 'line 1, column 1: expected a value, found "\ufeff"'],
] as const) {
  t.test(`${JSON.stringify(text)} stops being JSON at a named place`, async (t) => {
    t.equal(faultInWords(findJsonFault(text)), expected);
  });
}

t.test('a text up to the place is the start of JSON, and with what is found there it is not', async (t) => {
  const damaged = fc.tuple(fc.json({ maxDepth: 3 }), fc.nat(), fc.constantFrom('', ',', '}', 'x', '"', ':'));
  fc.assert(
    fc.property(damaged, ([json, where, extra]) => {
      const at = where % (json.length + 1);
      const text = json.slice(0, at) + extra + json.slice(at + 1);
      if (isJson(text)) return;
      const { line, found, column } = findJsonFault(text);
      t.equal(line, 1);
      t.ok(found === null ? column > [...text].length : column <= [...text].length, text);
    }),
  );
});

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}
