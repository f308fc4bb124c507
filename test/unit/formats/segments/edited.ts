/** Texts of segments with a few edits: pieces cut out, and pieces put in that mean something there. */
import fc from 'fast-check';

const EDITS_MAX = 3;
const CUT_MAX = 3;

/** @param texts each with another sound one behind it. @param put what may be put in. */
export function editedTexts(texts: readonly string[], put: readonly string[]): fc.Arbitrary<string> {
  const edit = fc.record({
    at: fc.nat(),
    length: fc.integer({ min: 0, max: CUT_MAX }),
    put: fc.oneof(fc.constant(''), fc.constantFrom(...put)),
  });
  return fc.tuple(fc.constantFrom(...texts), fc.array(edit, { maxLength: EDITS_MAX })).map(([text, edits]) =>
    edits.reduce((edited, { at, length, put: insert }) => {
      const from = at % edited.length;
      return edited.slice(0, from) + insert + edited.slice(from + length);
    }, text),
  );
}
