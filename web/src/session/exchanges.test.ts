import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";

import { Exchanges, type Answer, type Order } from "./exchanges";

const order = (spends: string): Order => ({ spends, url: "/refresh", method: "POST", headers: [], body: "{}" });
const answer = (status: number, body = ""): Answer => ({ status, type: "application/json", body });

describe("Exchanges", () => {
  beforeEach(() => void vi.useFakeTimers());
  afterEach(() => void vi.useRealTimers());

  it("gives the answer that a page left behind to the page after it", async () => {
    let arrive: (answer: Answer) => void = () => undefined;
    const sending = vi.fn(() => new Promise<Answer>((resolve) => (arrive = resolve)));
    const exchanges = new Exchanges(sending);
    const before = exchanges.run(order("a"));
    const during = exchanges.run(order("a"));
    arrive(answer(200, "pair"));
    const after = exchanges.run(order("a"));
    expect((await Promise.all([before, during, after])).map(({ body }) => body)).toEqual(["pair", "pair", "pair"]);
    expect(sending).toHaveBeenCalledTimes(1);
  });

  it("sends another for another token", async () => {
    const exchanges = new Exchanges(({ spends }) => Promise.resolve(answer(200, spends)));
    expect((await exchanges.run(order("a"))).body).toBe("a");
    expect((await exchanges.run(order("b"))).body).toBe("b");
  });

  it("tries again what was refused or lost", async () => {
    const sending = vi.fn<(order: Order) => Promise<Answer>>();
    sending.mockResolvedValueOnce(answer(503)).mockRejectedValueOnce(new TypeError("network")).mockResolvedValueOnce(answer(200));
    const exchanges = new Exchanges(sending);
    expect((await exchanges.run(order("a"))).status).toBe(503);
    await expect(exchanges.run(order("a"))).rejects.toThrow("network");
    expect((await exchanges.run(order("a"))).status).toBe(200);
  });

  it("keeps an answer no longer than a reload may take", async () => {
    const sending = vi.fn(() => Promise.resolve(answer(200)));
    const exchanges = new Exchanges(sending);
    await exchanges.run(order("a"));
    await vi.advanceTimersByTimeAsync(61_000);
    await exchanges.run(order("a"));
    expect(sending).toHaveBeenCalledTimes(2);
  });
});
