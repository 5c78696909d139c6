/** A request that spends a refresh token for a new pair, in parts that can be handed to a worker. */
export interface Order {
  /** The refresh token that it ends. */
  spends: string;
  url: string;
  method: string;
  headers: [string, string][];
  body: string;
}

/** What the server said to it. */
export interface Answer {
  status: number;
  /** The kind of the body. */
  type: string;
  body: string;
}

/** No network that answers at all takes longer. */
export const PATIENCE_MS = 60_000;

/** send runs an order. */
export async function send({ url, method, headers, body }: Order): Promise<Answer> {
  const response = await fetch(url, { method, headers, body, signal: AbortSignal.timeout(PATIENCE_MS) });
  return { status: response.status, type: response.headers.get("Content-Type") ?? "", body: await response.text() };
}

/** How long an answer waits for a page that is being reloaded. */
const KEEP_MS = 60_000;

/**
 * Exchanges sends one order at most for each token, and gives its answer to
 * everyone who asks for what became of that token: a page that was reloaded gets
 * the pair that the page before it was waiting for.
 */
export class Exchanges {
  private readonly known = new Map<string, Promise<Answer>>();

  constructor(private readonly sending: (order: Order) => Promise<Answer> = send) {}

  run(order: Order): Promise<Answer> {
    const known = this.known.get(order.spends);
    if (known) return known;
    const answer = this.sending(order);
    const forget = () => void this.known.delete(order.spends);
    this.known.set(order.spends, answer);
    // What was refused or never arrived has spent nothing, and may be tried again.
    answer.then(({ status }) => (status < 300 ? setTimeout(forget, KEEP_MS) : forget()), forget);
    return answer;
  }
}
