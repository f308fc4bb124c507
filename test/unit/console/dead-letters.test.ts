import { describe, expect, it } from 'vitest';
import { reasonText } from '../../../src/console/pages/holds/dead-letter-parts.tsx';

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
