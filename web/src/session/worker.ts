import { Exchanges, type Answer, type Order } from "./exchanges";

/** What the browser adds to a message when a service worker gets it. */
interface Message extends MessageEvent<Order> {
  /** Keeps the worker going, whatever becomes of the page. */
  waitUntil(work: Promise<unknown>): void;
}

// A service worker that sees no request of any page. It runs the few that must not
// be cut off by a reload, since their answers hold the only token that still works.
const exchanges = new Exchanges();

addEventListener("install", () => void (globalThis as unknown as { skipWaiting(): Promise<void> }).skipWaiting());

addEventListener("message", (event) => {
  const { data, ports, waitUntil } = event as Message;
  const reply = (answer: Answer | null) => ports[0]?.postMessage(answer);
  waitUntil.call(
    event,
    exchanges.run(data).then(reply, () => reply(null)),
  );
});
