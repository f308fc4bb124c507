import { expect, it } from 'vitest';
import { yamlType } from '../../../src/http/views/mapping-views.ts';

it.each([
  ['application/yaml', 'application/yaml'],
  ['text/yaml; charset=utf-8', 'text/yaml'],
  ['application/json;q=0.1, application/x-yaml, text/yaml', 'application/x-yaml'],
  [' TEXT/YAML ', 'text/yaml'],
])('gives YAML to a caller that takes %j', (accept, type) => expect(yamlType(accept)).toBe(type));

it.each([
  undefined,
  '',
  '*/*',
  'application/*',
  'application/json',
  'application/json, application/yaml;q=0.1',
  'text/html,application/xml;q=0.9,*/*;q=0.8',
  'yaml',
])('gives JSON to a caller that takes %j', (accept) => expect(yamlType(accept)).toBeUndefined());
