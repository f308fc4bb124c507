/** A partner's view of the sandbox over real HTTP: Node's fetch, redirects not followed, answers read to their end. */
export const TIME = { dateTime: '2026-03-01T06:15:00.0000000-06:00', timeZoneCode: 'CST', timeZoneOffset: 'UTC-6' };

export const MILESTONE = { eventCode: 'X1', loadNumber: 'L-1', time: TIME };

export const PATHS = {
  oauthToken: '/identityservices/oauth2/default/v1/token',
  plainToken: '/token',
  vehicles: '/fms/fleet/v1/vehicles',
  serviceHistory: '/fms/fleet/v1/serviceHistory',
  locations: '/fms/locations/v1/locations',
  milestones: '/rcsc/events/v1/loads/milestone-requests',
  traces: '/rcsc/events/v1/loads/trace-requests',
  loadMilestoneEvents: '/v1/load-milestone-events',
  orders: '/rcsc/order-requests/v1/',
  history: '/rcsc/order-status/v1/orders',
  tracks: '/rcsc/order-status/v1/tracks',
} as const;

export type Environment = 'test' | 'production';

export interface Heard {
  status: number;
  headers: Headers;
  text: string;
  /** The body as JSON; undefined when it is none. */
  // biome-ignore lint/suspicious/noExplicitAny: answers are looked into field by field
  json: any;
}

export interface Call {
  environment?: Environment;
  /** Null sends no subscription key at all. */
  key?: string | null;
  scac?: string | null;
  accept?: string | null;
  headers?: Record<string, string>;
  /** Text goes out as it is, anything else as JSON. */
  body?: unknown;
}

export class Client {
  readonly origin: string;

  constructor(origin: string) {
    this.origin = origin;
  }

  call(method: string, path: string, call: Call = {}): Promise<Heard> {
    const {
      environment = 'test',
      key = `sandbox-${environment}-key`,
      scac = 'DEMO',
      accept = 'application/json',
    } = call;
    const headers: Record<string, string> = {};
    if (key !== null) headers['Ocp-Apim-Subscription-Key'] = key;
    if (scac !== null) headers.carrierSCAC = scac;
    if (accept !== null) headers.Accept = accept;
    if (call.body !== undefined) headers['Content-Type'] = 'application/json';
    return this.send(method, `/${environment}${path}`, { ...headers, ...call.headers }, call.body);
  }

  async send(method: string, path: string, headers: Record<string, string> = {}, body?: unknown): Promise<Heard> {
    const text = body === undefined || typeof body === 'string' ? body : JSON.stringify(body);
    const init = { method, headers, redirect: 'manual' as const, signal: AbortSignal.timeout(15_000) };
    const response = await fetch(this.origin + path, text === undefined ? init : { ...init, body: text });
    const answered = await response.text();
    return { status: response.status, headers: response.headers, text: answered, json: parse(answered) };
  }

  /** How the call ends when no whole answer comes: before the headers, or in the body. */
  async failure(method: string, path: string, call: Call = {}): Promise<'no_failure' | 'fetch_failed' | 'body_failed'> {
    try {
      await this.call(method, path, call);
      return 'no_failure';
    } catch (error) {
      return error instanceof TypeError && error.message === 'fetch failed' ? 'fetch_failed' : 'body_failed';
    }
  }

  basicToken(
    environment: Environment = 'test',
    given: { headers?: Record<string, string>; form?: string } = {},
  ): Promise<Heard> {
    const key = `sandbox-${environment}-key`;
    const headers = {
      'Content-Type': 'application/x-www-form-urlencoded',
      Authorization: `Basic ${btoa(`${key}:sandbox-${environment}-secret`)}`,
      ...given.headers,
    };
    const body = given.form ?? 'grant_type=client_credentials&scope=APIM';
    return this.call('POST', PATHS.oauthToken, { environment, scac: null, headers, body });
  }

  formToken(environment: Environment = 'test', form?: string): Promise<Heard> {
    const secret = `client_id=sandbox-${environment}-client&client_secret=sandbox-${environment}-secret`;
    const headers = { 'Content-Type': 'application/x-www-form-urlencoded' };
    return this.send('POST', `/${environment}/token`, headers, form ?? `grant_type=client_credentials&${secret}`);
  }

  milestone(call: Call = {}, change: Record<string, unknown> = {}): Promise<Heard> {
    return this.call('POST', PATHS.milestones, { body: { ...MILESTONE, ...change }, ...call });
  }

  loadEvent(token: string | null, call: Call = {}): Promise<Heard> {
    const headers = token === null ? {} : { Authorization: `Bearer ${token}` };
    const body = { load_id: 'L-1', milestone_type: 'ARRIVED', event_time: '2026-03-01T06:15:00Z' };
    return this.call('POST', PATHS.loadMilestoneEvents, { scac: null, body, headers, ...call });
  }

  async createOrder(order: Record<string, unknown> = {}): Promise<{ id: string; orderRef: string }> {
    const orderRef = `PO-${crypto.randomUUID()}`;
    const { json } = await this.call('POST', PATHS.orders, { body: { orderRef, ...order } });
    return { id: json.id, orderRef: typeof order.orderRef === 'string' ? order.orderRef : orderRef };
  }

  async eventCodes(path: string): Promise<string[]> {
    const { json } = await this.call('GET', path);
    return json.events.map(({ code }: { code: string }) => code);
  }

  async control(method: string, path: string, body?: unknown): Promise<Heard['json']> {
    const heard = await this.send(method, `/_sandbox/${path}`, {}, body);
    if (heard.status !== 200) throw new Error(`/_sandbox/${path} answered ${heard.status}: ${heard.text}`);
    return heard.json;
  }

  fault(fault: Record<string, unknown>, rule: Record<string, unknown> = {}): Promise<unknown> {
    return this.control('PUT', 'faults', [{ times: 1, ...rule, fault }]);
  }

  async lastEntry(): Promise<Heard['json']> {
    const { entries } = await this.control('GET', 'journal?limit=1000');
    return entries.at(-1);
  }
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
