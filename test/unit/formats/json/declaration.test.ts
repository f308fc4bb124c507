import { describe, expect, it } from 'vitest';
import * as z from 'zod';
import { jsonStart } from '../../../../src/formats/json/checkpoint.ts';
import { type JsonSource, jsonSource, ndjsonSource } from '../../../../src/formats/json/declaration.ts';
import { jsonSlices } from '../../../../src/formats/json/document.ts';

const issues = (source: object): string[] => {
  const parsed = jsonSource.safeParse({ format: 'json', ...source });
  return parsed.success ? [] : parsed.error.issues.map((issue) => `${issue.path.join('.')}: ${issue.message}`);
};

describe('the source block of a JSON file', () => {
  it('needs nothing but the format', () => {
    expect(jsonSource.parse({ format: 'json' })).toEqual({ format: 'json', records: '', encoding: 'utf-8' });
  });

  it.each(['shipments', 'data.events', '["odd.name"].list', 'a b#.c', '__proto__'])(
    'accepts the path %s',
    (records) => {
      expect(issues({ records })).toEqual([]);
    },
  );

  it.each([
    [{ record: 'data' }, /record/],
    [{ records: '.data' }, /^records: member names joined by dots/],
    [{ records: 'data.' }, /^records: member names joined by dots/],
    [{ records: 'data[0]' }, /^records: member names only/],
    [{ records: 'data.*[' }, /^records: /],
    [{ records: 7 }, /^records: /],
    [{ encoding: 'utf-16le' }, /^encoding: utf-8/],
    [{ encoding: 'windows-1252' }, /^encoding: utf-8/],
  ])('answers %j with %s', (source, message) => {
    expect(issues(source).join('\n')).toMatch(message);
  });

  it('can be given to editors as JSON Schema', () => {
    expect(z.toJSONSchema(jsonSource, { io: 'input' })).toMatchObject({
      type: 'object',
      required: ['format'],
      additionalProperties: false,
    });
  });

  it('that was never checked is a bug of the caller', () => {
    const source: JsonSource = { format: 'json', records: '[', encoding: 'utf-8' };
    expect(() => jsonSlices(source)(jsonStart, new Uint8Array(), true)).toThrow(/records is no path/);
  });
});

describe('the source block of an NDJSON file', () => {
  it('is its format and nothing else', () => {
    expect(ndjsonSource.parse({ format: 'ndjson' })).toEqual({ format: 'ndjson' });
    expect(ndjsonSource.safeParse({ format: 'ndjson', records: 'data' }).success).toBe(false);
    expect(ndjsonSource.safeParse({ format: 'json' }).success).toBe(false);
  });
});
