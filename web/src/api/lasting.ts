import { PATIENCE_MS, send, type Answer, type Order } from "../session/exchanges";
import script from "../session/worker?worker&url";
import { Problem } from "./problem";

/** How long a page waits for its worker at most before it sends by itself. */
const START_MS = 1000;

const started = start();

/** start gets the service worker, where the browser has such a thing. */
async function start(): Promise<ServiceWorker | null> {
  if (!("serviceWorker" in navigator)) return null;
  try {
    const { active, installing, waiting } = await navigator.serviceWorker.register(script);
    const coming = installing ?? waiting;
    if (active || !coming) return active;
    return await new Promise((resolve) => {
      coming.addEventListener("statechange", () => {
        if (coming.state === "activated") resolve(coming);
        if (coming.state === "redundant") resolve(null);
      });
    });
  } catch {
    return null;
  }
}

/**
 * lasting sends a request that spends a refresh token. It goes on when the page is
 * reloaded meanwhile, and the page after it gets the answer.
 */
export function lasting(spends: string): (request: Request) => Promise<Response> {
  return async (request) => {
    const { url, method } = request;
    const order: Order = { spends, url, method, headers: [...request.headers], body: await request.text() };
    const worker = await Promise.race([started, new Promise<null>((resolve) => setTimeout(resolve, START_MS, null))]);
    const { status, type, body } = worker ? await ask(worker, order) : await send(order).catch(offline);
    return new Response(body || null, { status, headers: { "Content-Type": type } });
  };
}

function ask(worker: ServiceWorker, order: Order): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const { port1, port2 } = new MessageChannel();
    const lost = setTimeout(() => reject(Problem.offline()), PATIENCE_MS + START_MS);
    port1.onmessage = ({ data }: MessageEvent<Answer | null>) => {
      clearTimeout(lost);
      port1.close();
      if (data) resolve(data);
      else reject(Problem.offline());
    };
    worker.postMessage(order, [port2]);
  });
}

function offline(): never {
  throw Problem.offline();
}
