import { beforeEach, describe, expect, it, vi } from "vitest";

import { readClaims } from "./claims";
import { Exchanges } from "./exchanges";
import { RefusedError, Session, type Pair, type SessionEvent } from "./session";

/** tokenFor makes an access token as the server does, as far as a Session reads it. */
function tokenFor(name: string, accountId = "org-1", lifetime = 900): string {
  const encode = (value: unknown) => btoa(JSON.stringify(value)).replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", "");
  return `${encode({ alg: "EdDSA" })}.${encode({ sub: "user", accountId, iat: 1000, exp: 1000 + lifetime, jti: name })}.signature`;
}

/** A server that rotates refresh tokens and takes each one once. */
class Rotation {
  serial = 0;
  accountId = "org-1";
  live = new Set<string>();
  refreshes = 0;

  issue(): Pair {
    this.serial++;
    this.live.add(`refresh-${this.serial}`);
    return { accessToken: tokenFor(String(this.serial), this.accountId), refreshToken: `refresh-${this.serial}` };
  }

  async refresh(token: string): Promise<Pair> {
    this.refreshes++;
    await Promise.resolve();
    if (!this.live.delete(token)) throw new RefusedError();
    return this.issue();
  }
}

/** What the tabs of one browser share. */
class Shared {
  readonly values = new Map<string, string>();
  readonly storage = {
    getItem: (key: string) => this.values.get(key) ?? null,
    setItem: (key: string, value: string) => void this.values.set(key, value),
    removeItem: (key: string) => void this.values.delete(key),
  };
  private queue: Promise<unknown> = Promise.resolve();
  readonly locks = {
    request: (_name: string, work: () => Promise<unknown>) => {
      const turn = this.queue.then(work);
      this.queue = turn.catch(() => undefined);
      return turn;
    },
  } as unknown as Pick<LockManager, "request">;
  private readonly ears = new Map<object, (message: MessageEvent) => void>();

  channel() {
    const self = {};
    return {
      postMessage: (data: unknown) => {
        for (const [owner, ear] of this.ears) if (owner !== self) ear({ data } as MessageEvent);
      },
      addEventListener: (_type: string, ear: (message: MessageEvent) => void) => void this.ears.set(self, ear),
    } as Pick<BroadcastChannel, "postMessage" | "addEventListener">;
  }
}

let server: Rotation;
let shared: Shared;
let now: number;

function tab({ locks = true, channel = true, refresh = (token: string) => server.refresh(token) } = {}) {
  const session = new Session({
    name: "test",
    refresh,
    revoke: async (token) => void server.live.delete(token),
    storage: shared.storage,
    locks: locks ? shared.locks : undefined,
    channel: channel ? shared.channel() : undefined,
    now: () => now,
  });
  const events: string[] = [];
  session.on((event: SessionEvent, elsewhere) => events.push(elsewhere ? `${event} elsewhere` : event));
  return { session, events };
}

beforeEach(() => {
  server = new Rotation();
  shared = new Shared();
  now = 0;
});

describe("Session", () => {
  it("has no token before anyone signed in", async () => {
    const { session } = tab();
    expect(session.signedIn).toBe(false);
    expect(await session.token()).toBeNull();
    expect(server.refreshes).toBe(0);
  });

  it("keeps the access token out of storage", () => {
    const { session } = tab();
    const pair = server.issue();
    session.begin(pair);
    expect([...shared.values.values()]).toEqual([pair.refreshToken]);
  });

  it("uses the access token until shortly before its end, then refreshes once for all who wait", async () => {
    const { session } = tab();
    session.begin(server.issue());
    now = 869_000;
    await session.token();
    expect(server.refreshes).toBe(0);
    now = 871_000;
    const tokens = await Promise.all([session.token(), session.token(), session.token()]);
    expect(server.refreshes).toBe(1);
    expect(new Set(tokens).size).toBe(1);
  });

  it("replaces a token that the server refused, but only that one", async () => {
    const { session } = tab();
    const first = server.issue();
    session.begin(first);
    const second = await session.token(first.accessToken);
    expect(second).not.toBe(first.accessToken);
    expect(await session.token(first.accessToken)).toBe(second);
    expect(server.refreshes).toBe(1);
  });

  it("lets two tabs refresh one after the other", async () => {
    const a = tab();
    a.session.begin(server.issue());
    const b = tab();
    now = 10_000_000;
    const [x, y] = await Promise.all([a.session.token(), b.session.token()]);
    expect(x).not.toBeNull();
    expect(y).not.toBeNull();
    expect(server.live.size).toBe(1);
    expect(a.events).not.toContain("expired");
  });

  it("takes the other tab's token when it lost a race without locks", async () => {
    const a = tab({ locks: false });
    a.session.begin(server.issue());
    const b = tab({ locks: false });
    now = 10_000_000;
    const [x, y] = await Promise.all([a.session.token(), b.session.token()]);
    expect([x, y]).not.toContain(null);
    expect(a.session.signedIn).toBe(true);
  });

  it("ends when the server refuses the refresh token", async () => {
    const { session, events } = tab();
    session.begin(server.issue());
    server.live.clear();
    now = 10_000_000;
    expect(await session.token()).toBeNull();
    expect(session.signedIn).toBe(false);
    expect(events).toEqual(["signed-in", "expired"]);
  });

  it("stays when the server can't be reached", async () => {
    const { session, events } = tab();
    session.begin(server.issue());
    now = 10_000_000;
    vi.spyOn(server, "refresh").mockRejectedValueOnce(new TypeError("network"));
    await expect(session.token()).rejects.toThrow("network");
    expect(session.signedIn).toBe(true);
    expect(events).toEqual(["signed-in"]);
    expect(await session.token()).not.toBeNull();
  });

  it("signs out in every tab", async () => {
    const a = tab();
    const b = tab();
    a.session.begin(server.issue());
    await a.session.end();
    expect(b.events).toEqual(["signed-in elsewhere", "signed-out elsewhere"]);
    expect(await b.session.token()).toBeNull();
    expect(server.live.size).toBe(0);
  });

  it("tells other tabs of a switch, whose old token is dropped", async () => {
    const a = tab();
    const b = tab();
    a.session.begin(server.issue());
    const before = await b.session.token();
    server.accountId = "org-2";
    await a.session.replace(async () => {
      server.live.clear();
      return server.issue();
    });
    expect(b.events).toContain("switched elsewhere");
    const after = await b.session.token();
    expect(after).not.toBe(before);
    expect(after).not.toBeNull();
  });

  it("notices a switch of which no message came", async () => {
    const a = tab({ channel: false });
    const b = tab({ channel: false });
    a.session.begin(server.issue());
    await b.session.token();
    server.accountId = "org-2";
    await a.session.replace(async () => {
      server.live.clear();
      return server.issue();
    });
    now = 10_000_000;
    await b.session.token();
    expect(b.events).toEqual(["switched elsewhere"]);
  });

  it("does not wait for itself when a switch is refused", async () => {
    const { session } = tab();
    const pair = server.issue();
    session.begin(pair);
    const refused = session.replace(async () => {
      expect(await session.token(pair.accessToken)).toBeNull();
      throw new Error("refused");
    });
    await expect(refused).rejects.toThrow("refused");
    expect(await session.token()).not.toBeNull();
  });

  describe("whose page is reloaded while its token is spent", () => {
    let release: () => void;
    let exchanges: Exchanges;

    /** page is a tab that spends its token through what outlives it. Locks end with a page. */
    const page = () => {
      const refresh = async (spends: string) => JSON.parse((await run(spends)).body) as Pair;
      return tab({ locks: false, refresh }).session;
    };
    const run = (spends: string) => exchanges.run({ spends, url: "", method: "POST", headers: [], body: "" });

    beforeEach(() => {
      const held = new Promise<void>((resolve) => (release = resolve));
      exchanges = new Exchanges(async ({ spends }) => {
        const pair = await server.refresh(spends); // spent, but the answer takes its time
        await held;
        return { status: 200, type: "application/json", body: JSON.stringify(pair) };
      });
    });

    it("goes on with the token that came of a refresh", async () => {
      page().begin(server.issue());
      now = 10_000_000;
      void page().token();
      const after = page().token();
      release();
      expect(await after).not.toBeNull();
      expect(server.refreshes).toBe(1);
    });

    it("goes on in the organization that it switched to", async () => {
      const before = page();
      before.begin(server.issue());
      server.accountId = "org-2";
      void before.replace(async (spends) => JSON.parse((await run(spends)).body) as Pair);
      await Promise.resolve();
      const after = page().token();
      release();
      expect(readClaims((await after) ?? "")?.accountId).toBe("org-2");
    });
  });
});
