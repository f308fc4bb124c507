/** Stands in for the module `cloudflare:workers`: what the bridge's objects take from it. */
export class DurableObject<Bindings = unknown> {
  readonly ctx: unknown;
  readonly env: Bindings;

  constructor(ctx: unknown, env: Bindings) {
    this.ctx = ctx;
    this.env = env;
  }
}
