/** What says its form is decoded where it is read; what is of a later one is refused, and nothing is guessed. */
import { describe, expect, it } from 'vitest';
import * as z from 'zod';
import { type DocumentForm, documentIn, PAYLOAD_FORM, requireKnownForm } from '../../../src/kernel/forms.ts';
import { isStoredNewer } from '../../../src/kernel/migrate.ts';

const NOTE: DocumentForm<object> = { of: 'note', known: 2, schema: z.looseObject({ text: z.string() }) };
const thrownBy = (run: () => unknown): unknown => {
  try {
    run();
  } catch (thrown) {
    return thrown;
  }
  throw new Error('nothing was thrown');
};

describe('a document', () => {
  it('of a form that is known is what was stored, with members that nobody names', () => {
    for (const form of [undefined, 1, 2]) {
      const note = { ...(form && { form }), text: 'a', more: { than: 'that' } };
      expect(documentIn(NOTE, note)).toEqual(note);
    }
  });

  it('of a later form is refused as all that a later release stored', () => {
    const thrown = thrownBy(() => documentIn(NOTE, { form: 3 }));
    expect(isStoredNewer(thrown)).toBe(true);
    expect(String(thrown)).toContain('this note is of form 3, and this release knows form 2');
  });

  it.each([[null], ['text'], [{}], [{ text: 1 }]])('that is none is not read: %j', (value) => {
    expect(String(thrownBy(() => documentIn(NOTE, value)))).toContain('this note cannot be read: ');
  });
});

describe('what objects pass to each other', () => {
  it('is taken in a form that is known; without a number it is the first', () => {
    for (const form of [undefined, 1, PAYLOAD_FORM]) expect(() => requireKnownForm('parcel', form)).not.toThrow();
  });

  it('is refused in a later form, with what is too new', () => {
    expect(() => requireKnownForm('outcomes', PAYLOAD_FORM + 1)).toThrow(
      'payload_newer: what came as outcomes is of form 2, and this release knows form 1. Nothing of it was taken.',
    );
  });
});
