import { describe, expect, it } from 'vitest';
import { edifactSource } from '../../../../src/formats/edifact/declaration.ts';

const declared = (source: object): { path: string; message: string }[] => {
  const parsed = edifactSource.safeParse({ format: 'edifact', ...source });
  return parsed.error?.issues.map(({ path, message }) => ({ path: path.join('.'), message })) ?? [];
};

describe('the source block of a mapping for EDIFACT', () => {
  it('needs the message types alone', () => {
    expect(edifactSource.parse({ format: 'edifact', messages: ['IFTSTA'] })).toEqual({
      format: 'edifact',
      messages: ['IFTSTA'],
      loops: {},
      encoding: 'iso-8859-1',
      bare: 'reject',
    });
  });

  it.each([
    [{}, 'messages'],
    [{ messages: [] }, 'messages'],
    [{ messages: ['iftsta'] }, 'messages.0'],
    [{ messages: ['IFTSTAX'] }, 'messages.0'],
    [{ messages: ['IFTSTA'], bare: true }, 'bare'],
    [{ messages: ['IFTSTA'], encoding: 'utf-16le' }, 'encoding'],
    [{ messages: ['IFTSTA'], sets: ['214'] }, ''],
  ])('refuses %j at its path', (source, path) => {
    expect(declared(source).map((problem) => problem.path)).toEqual([path]);
  });

  it('refuses a message type that is both taken and passed over', () => {
    expect(declared({ messages: ['IFTSTA', 'CONTRL'], ignore: ['CONTRL'] })).toEqual([
      { path: 'ignore', message: 'CONTRL stands under messages too: keep one of them' },
    ]);
  });
});
