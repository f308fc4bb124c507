import { describe, expect, it } from 'vitest';
import * as z from 'zod';
import { csvSource } from '../../../../src/formats/csv/declaration.ts';

const issues = (source: object): string[] => {
  const parsed = csvSource.safeParse({ format: 'csv', ...source });
  return parsed.success ? [] : parsed.error.issues.map((issue) => `${issue.path.join('.')}: ${issue.message}`);
};

describe('the source block of a CSV file', () => {
  it('needs nothing but the format', () => {
    expect(csvSource.parse({ format: 'csv' })).toEqual({
      format: 'csv',
      delimiter: ',',
      quote: '"',
      encoding: 'utf-8',
      header: true,
      skipLines: 0,
      trim: false,
    });
  });

  it.each([
    [{ delimeter: ';' }, /delimeter/],
    [{ delimiter: '' }, /^delimiter: /],
    [{ delimiter: '-----' }, /^delimiter: /],
    [{ delimiter: '\n' }, /^delimiter: a delimiter without line breaks/],
    [{ delimiter: 'tab' }, /^delimiter: for a tab write/],
    [{ delimiter: '\\t' }, /^delimiter: for a tab write/],
    [{ delimiter: '"' }, /^quote: /],
    [{ delimiter: '漢', encoding: 'windows-1252' }, /^delimiter: characters that windows-1252 can write/],
    [{ comment: '€', encoding: 'windows-1251' }, /^$/],
    [{ comment: '€', encoding: 'windows-1250' }, /^$/],
    [{ comment: '漢', encoding: 'iso-8859-15' }, /^comment: characters/],
    [{ comment: ',x' }, /^comment: /],
    [{ comment: '"' }, /^comment: /],
    [{ quote: 'é' }, /^quote: /],
    [{ quote: '""' }, /^quote: /],
    [{ encoding: 'ebcdic' }, /^encoding: /],
    [{ header: false }, /^columns: a file without header/],
    [{ header: true, columns: ['a'] }, /^columns: column names come from the header/],
    [{ header: false, columns: ['a', ' a'] }, /^columns: each column name once: "a"/],
    [{ header: false, columns: [''] }, /^columns\.0: /],
    [{ skipLines: -1 }, /^skipLines: /],
    [{ skipLines: 1.5 }, /^skipLines: /],
  ])('answers %j with %s', (source, message) => {
    expect(issues(source).join('\n')).toMatch(message);
  });

  it('accepts a file without quoting and without header', () => {
    expect(issues({ quote: '', header: false, columns: ['a', 'b'], delimiter: '"' })).toEqual([]);
  });

  it('reports every disagreement at once', () => {
    expect(issues({ header: false, comment: ',', encoding: 'utf-16le' })).toHaveLength(2);
  });

  it('can be given to editors as JSON Schema', () => {
    expect(z.toJSONSchema(csvSource, { io: 'input' })).toMatchObject({
      type: 'object',
      required: ['format'],
      additionalProperties: false,
    });
  });
});
