/** An object with nothing left to do may be let go of: it ends, and the next call to it makes it again from its storage. */

/** Why it ended, as a call that met it is told. */
export const LET_GO = 'let go of: it had nothing left to do';

/**
 * The calls of an object; one that meets the moment in which it is let go of is made again: it had not begun, for nothing is let go of while a call is under way.
 * @param stub finds the object: one that ended is not reached by what was found before.
 */
export const reachable = <Stub extends object>(stub: () => Stub): Stub =>
  new Proxy({} as Stub, {
    get: (_, method) => {
      const call = (...args: unknown[]): Promise<unknown> =>
        (stub() as Record<string | symbol, Call>)[method]?.(...args) as Promise<unknown>;
      return (...args: unknown[]) =>
        call(...args).catch((thrown: unknown) => {
          if (isLetGo(thrown)) return call(...args);
          throw thrown;
        });
    },
  });

type Call = (...args: unknown[]) => Promise<unknown>;

const isLetGo = (thrown: unknown): boolean => thrown instanceof Error && thrown.message.includes(LET_GO);
