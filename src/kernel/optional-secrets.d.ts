/** Secrets a deployment may do without: wrangler's generated types have only the required ones. */
interface Env {
  /** The key from which the signing keys of webhooks are derived. Without it there are no webhooks. */
  WEBHOOK_KEY?: string;
}
declare namespace Cloudflare {
  interface Env {
    WEBHOOK_KEY?: string;
  }
}
