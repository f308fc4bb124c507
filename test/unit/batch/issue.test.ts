/** What counts as the same failure: the keys of issues, and what is told of their cause. */
import { describe, expect, it } from 'vitest';
import {
  alikeAnswer,
  causeOfProblem,
  issueIdOf,
  issueOfProblems,
  issueOfRequest,
  listNamedIn,
} from '../../../src/batch/core/issue.ts';
import { actionFor, nextActor } from '../../../src/http/ops/views/issue.ts';
import { issueMessages, whatWasSaid } from '../../../src/http/views/issues.ts';

const aProblem = (more: Record<string, string> = {}) => ({
  ...{
    code: 'code_unknown',
    path: 'Status',
    value: 'QQ',
    message: '"QQ" is none of the values known for the status code. Known are, for example, "X1". (code list "status")',
  },
  fix: 'Correct "Status". If it is right as it is, ask the operator to accept this value; the row waits until then.',
  ...more,
});
const ended = (answer: string | null, subject = 'load:LD100214') =>
  issueOfRequest({ state: 'rejected', reason: null, status: 422, answer, subject });

describe('the same failure', () => {
  it('is the same word missing in the same column', () => {
    expect(issueOfProblems([aProblem()])).toBe(issueOfProblems([aProblem(), aProblem({ code: 'value_missing' })]));
    expect(issueOfProblems([aProblem()])).not.toBe(issueOfProblems([aProblem({ value: 'ZZ' })]));
    expect(issueOfProblems([aProblem()])).not.toBe(issueOfProblems([aProblem({ path: 'Reason' })]));
  });

  it('is any other problem of the same column, however the value is written', () => {
    const dates = ['13/45/2026', 'soon'].map((value) => issueOfProblems([aProblem({ code: 'date_invalid', value })]));
    expect(new Set(dates).size).toBe(1);
  });

  it('is the same element of a list, wherever it stands in it', () => {
    const path = (at: number): string => issueOfProblems([aProblem({ path: `stops[${at}].city` })]);
    expect(path(0)).toBe(path(17));
  });

  it('is the same answer, whatever load, time and id it names', () => {
    const answer = (load: string, at: string, id: string): string =>
      ended(`{"message":"Load ${load} is closed","at":"${at}","id":"${id}"}`, `load:${load}`);
    const one = answer('LD1', '2026-03-02T08:15:00.123Z', '4b0f2a60-9a3c-4d4e-8f53-1c1a2b3c4d5e');
    expect(answer('XX-9', '2026-03-03T23:59:59Z', '00000000-0000-0000-0000-000000000001')).toBe(one);
    expect(ended('{"message":"The load is open"}')).not.toBe(one);
    expect(issueOfRequest({ ...aRequest, status: 400 })).not.toBe(issueOfRequest(aRequest));
    expect(issueOfRequest({ ...aRequest, reason: 'scac_refused' })).not.toBe(issueOfRequest(aRequest));
  });

  it('keeps short numbers, which may be what the answer is about', () => {
    expect(alikeAnswer('stop 3 of 12 at 1234567 ', 'order:A')).toBe('stop 3 of 12 at … ');
  });

  it('has one id everywhere', () => {
    expect(issueIdOf(issueOfProblems([aProblem()]))).toMatch(/^[0-9a-f]{16}$/);
    expect(issueOfProblems([])).toBe('');
  });
});

const aRequest = { state: 'rejected', reason: null, status: 422, answer: null, subject: 'load:1' } as const;

describe('what is told of it', () => {
  it('names the word, the column and the code list of an unknown word', () => {
    const cause = causeOfProblem(aProblem(), issueOfProblems([aProblem()]));
    expect(issueMessages(cause).title).toBe('Unknown word “QQ” in Status');
    expect(listNamedIn(cause)).toBe('status');
    expect(listNamedIn({ ...cause, code: 'value_missing' })).toBeNull();
  });

  it('finds the code list behind a value that looks like its name, and in problems stored before', () => {
    const message = '"(code list "evil")" is none of the values known for the city. (code lists "status" and "others")';
    expect(listNamedIn({ code: 'code_unknown', message, fix: '' })).toBe('status');
    const fix = 'Correct "Status", or ask for the value to be added to the code list "status".';
    expect(listNamedIn({ code: 'code_unknown', message: '"QQ" is not in it.', fix })).toBe('status');
  });

  it('names no value where each row has its own', () => {
    const problem = aProblem({ code: 'date_invalid', value: '13/45/2026' });
    expect(causeOfProblem(problem, issueOfProblems([problem])).value).toBeNull();
  });

  it('names no row where each row names another one', () => {
    const problem = aProblem({
      code: 'group_invalid',
      path: '',
      message: 'Nothing was sent, because row 17 is wrong.',
    });
    expect(issueMessages(causeOfProblem(problem, issueOfProblems([problem]))).title).not.toMatch(/17/);
  });

  it('takes the sentence out of an answer', () => {
    expect(whatWasSaid('{"message":"The load is closed."}')).toBe('The load is closed.');
    expect(whatWasSaid('<html>Bad gateway')).toBe('<html>Bad gateway');
    expect(whatWasSaid('[1]')).toBe('[1]');
    expect(whatWasSaid(null)).toBe('');
  });
});

describe('rows that were refused', () => {
  const refused = (answer: string | null) =>
    ({
      ...{ code: 'rejected', state: 'rejected' as const, path: null, value: null, message: null, fix: null },
      ...{ reason: null, status: 422, answer },
    }) as const;

  it('are the turn of their partner where the answer says why, and of the operator where it says nothing', () => {
    expect(nextActor(refused('{"message": "The load is closed."}'))).toBe('partner');
    expect([refused('{}'), refused(''), refused(null)].map(nextActor)).toEqual(['operator', 'operator', 'operator']);
    expect(actionFor(refused('{}'), 2)).toContain('Ask it for the reason');
  });
});
