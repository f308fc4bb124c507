/** A key that is limited to mappings reads loads where one of them makes events of loads, and orders where one makes orders. */
import type { MiddlewareHandler } from 'hono';
import { isOrderKind } from '../../mapping/document/targets.ts';
import type { HttpBindings } from '../edge/context.ts';
import type { AppPorts } from '../edge/ports.ts';
import { problem } from '../edge/problem.ts';
import { refusedUpload } from './upload.ts';

/** Stands after `signIn`. */
export function mappingsMake(
  what: 'orders' | 'loads',
  { catalog }: Pick<AppPorts, 'catalog'>,
): MiddlewareHandler<HttpBindings> {
  return async (context, next) => {
    const { environment, partner, mappings } = context.get('principal');
    if (mappings !== null) {
      const listed = await catalog(context.env).mappings({ environment, partner });
      if (!listed.ok) return refusedUpload(context, listed.error);
      const own = listed.value.filter(({ name }) => mappings.includes(name));
      const makes = own.some(({ summary: { kinds } }) =>
        kinds.some((kind) => isOrderKind(kind) === (what === 'orders')),
      );
      if (!makes) return notOfThisKey(context, what, mappings);
    }
    await next();
    return undefined;
  };
}

const notOfThisKey = (
  context: Parameters<MiddlewareHandler<HttpBindings>>[0],
  what: 'orders' | 'loads',
  mappings: readonly string[],
): Response =>
  problem(context, {
    status: 403,
    code: 'key_limited',
    title: 'Not for this key',
    detail: `This key is for ${mappings.join(', ')} alone, and none of these makes ${what === 'orders' ? 'orders' : 'events of loads'}.`,
    fix: 'Use another key of yours, or ask the operator for one.',
  });
