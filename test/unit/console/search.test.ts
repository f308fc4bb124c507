import { describe, expect, it } from 'vitest';
import { problemOf } from '../../../src/console/pages/search.tsx';

describe('a search', () => {
  const of = (status: number, code: string) => problemOf('Loads', { status, code, detail: 'As the API says.' });

  it('says what was not looked for, and where it can be', () => {
    for (const code of ['scac_required', 'partner_required'])
      expect(of(400, code)).toEqual([expect.stringMatching(/^Loads: not looked for.* name the partner\.$/)]);
    expect(of(503, 'register_unavailable')).toEqual(['Loads: As the API says.']);
  });

  it('has no problem where there is no such thing, or no such form of one', () => {
    expect([of(404, 'load_unknown'), of(400, 'parameter_unreadable')]).toEqual([[], []]);
  });
});
