import { expect, it } from 'vitest';
import { ANY_ROW, type FilteredRow, isWanted, type RowFilter } from '../../../src/batch/core/row-filter.ts';
import { aProblem } from './samples.ts';

const problem = aProblem({ code: 'code_unknown', path: 'stops[2].Status', value: 'QQ', message: 'It is unknown.' });
const wrong: FilteredRow = { state: 'invalid', problems: JSON.stringify([problem]), requests: [] };
const refused: FilteredRow = {
  state: 'rejected',
  problems: null,
  requests: [
    { subject: 'load:LD-77', reason: 'load_unknown', status: 422, answer: '{"said":"No."}', body: '{"city":"Joliet"}' },
  ],
};
const wants = (filter: Partial<RowFilter>, row: FilteredRow): boolean => isWanted({ ...ANY_ROW, ...filter }, row);

it.each<[Partial<RowFilter>, FilteredRow]>([
  [{}, wrong],
  [{ states: ['invalid'] }, wrong],
  [{ code: 'code_unknown' }, wrong],
  [{ column: 'stops[2].Status' }, wrong],
  [{ column: 'stops[].Status', value: 'QQ' }, wrong],
  [{ text: 'qq' }, wrong],
  [{ code: 'load_unknown', status: 422 }, refused],
  [{ text: 'ld-77' }, refused],
  [{ text: 'joliet' }, refused],
])('a row is found by %j', (filter, row) => expect(wants(filter, row)).toBe(true));

it.each<[Partial<RowFilter>, FilteredRow]>([
  [{ states: ['delivered'] }, wrong],
  [{ code: 'other' }, wrong],
  [{ code: 'other', column: 'stops[].Status' }, wrong],
  [{ column: 'Status' }, wrong],
  [{ value: 'Q' }, wrong],
  [{ status: 400 }, refused],
  [{ text: 'city' }, refused],
  [{ text: 'code_unknown' }, wrong],
])('and not by %j', (filter, row) => expect(wants(filter, row)).toBe(false));
