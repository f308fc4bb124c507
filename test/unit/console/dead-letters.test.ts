import { describe, expect, it } from 'vitest';
import { DEAD_LETTER_FILTERS, reasonText } from '../../../src/console/pages/holds/dead-letter-parts.tsx';
import { REQUEST_KINDS } from '../../../src/mapping/request.ts';

describe('why something was not delivered', () => {
  const missing = { code: 'required', path: 'milestone.eventCode', message: 'missing', fix: 'Fill it in.', value: '' };
  const none = { reason: null, problems: [], status: null };

  it('is what is wrong with its row, with the name of the value before its path', () => {
    expect(reasonText({ ...none, problems: [missing] })).toBe(
      'Status code of the milestone (milestone.eventCode): missing',
    );
  });

  it('is the reason where there is one, whatever was wrong and answered', () => {
    expect(reasonText({ reason: 'closed', problems: [missing], status: 409 })).toMatch(/^The operator has closed it/);
  });

  it('is the answer where nothing else is known', () => {
    expect(reasonText({ ...none, status: 422 })).toBe('The receiving system answered 422.');
  });
});

describe('the filter by what it is', () => {
  it('has each word once, with every kind that is called so', () => {
    const kinds = DEAD_LETTER_FILTERS.find(({ name }) => name === 'kind')?.of ?? {};
    expect(new Set(Object.values(kinds)).size).toBe(Object.keys(kinds).length);
    expect(Object.entries(kinds)).toContainEqual(['milestone,loadMilestoneEvent', 'Milestone']);
    expect(
      Object.keys(kinds)
        .flatMap((each) => each.split(','))
        .toSorted(),
    ).toEqual(['', ...REQUEST_KINDS].toSorted());
  });
});
