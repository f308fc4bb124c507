import { describe, expect, it } from 'vitest';
import { operatorOfAccess } from '../../../src/ops/people/access.ts';

const ROLES = JSON.stringify([
  { group: 'bridge-admins', role: 'admin', environments: ['test', 'production'] },
  { group: 'ops', role: 'operator', environments: ['test'] },
]);
const identity = (more: object) => ({ email: 'someone@bridge.example', user_uuid: 'u-1', ...more });

describe('whom Cloudflare Access signed in', () => {
  it('has the role of the first group in the setting that they are in', () => {
    const both = identity({
      groups: [
        { id: '1', name: 'ops' },
        { id: '2', name: 'bridge-admins' },
      ],
    });
    expect(operatorOfAccess(ROLES, both)).toEqual({
      ...{ keyId: 'access_u-1', name: 'someone@bridge.example', role: 'admin', environments: ['test', 'production'] },
    });
    expect(operatorOfAccess(ROLES, identity({ groups: ['ops'] }))?.role).toBe('operator');
    expect(operatorOfAccess(ROLES, identity({ groups: [{ id: 'ops' }] }))?.environments).toEqual(['test']);
  });

  it.each<[string, string | undefined, unknown]>([
    ['no group', ROLES, identity({})],
    ['a group without a role', ROLES, identity({ groups: ['sales'] })],
    ['no name', ROLES, { groups: ['ops'] }],
    ['no identity', ROLES, undefined],
    ['an identity of another form', ROLES, identity({ groups: 'ops' })],
    ['no setting', undefined, identity({ groups: ['ops'] })],
    ['a setting that is no JSON', '[', identity({ groups: ['ops'] })],
    [
      'a setting with a role that there is not',
      '[{"group":"ops","role":"root","environments":["test"]}]',
      identity({ groups: ['ops'] }),
    ],
  ])('comes in with nothing where there is %s', (_, roles, who) => {
    expect(operatorOfAccess(roles, who)).toBeNull();
  });
});
