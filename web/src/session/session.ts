import { readClaims } from "./claims";

/** The tokens that signing in and refreshing yield. */
export interface Pair {
  accessToken: string;
  refreshToken: string;
}

/**
 * What happened to the session, in this tab or in another one. "expired" means
 * that the server ended it; "switched" that the same person now works in another
 * organization.
 */
export type SessionEvent = "signed-in" | "signed-out" | "expired" | "switched";

/** RefusedError says that the server no longer takes the refresh token. */
export class RefusedError extends Error {
  override readonly name = "RefusedError";
}

/** What a Session needs of its surroundings, so that tests can bring their own. */
export interface SessionNeeds {
  /** Keeps customers and staff apart in storage, locks and channels. */
  name: string;
  /** Exchanges a refresh token. Rejects with RefusedError when it is used, expired or unknown. */
  refresh(refreshToken: string): Promise<Pair>;
  /** Tells the server that the session is over. */
  revoke(refreshToken: string): Promise<void>;
  storage: Pick<Storage, "getItem" | "setItem" | "removeItem">;
  /** Absent where the page is not a secure context. */
  locks?: Pick<LockManager, "request"> | undefined;
  channel?: Pick<BroadcastChannel, "postMessage" | "addEventListener"> | undefined;
  now(): number;
}

interface Access {
  token: string;
  accountId: string | undefined;
  staleAt: number;
}

/** Refresh this long before the end, so that no request leaves with a token that dies on its way. */
const MARGIN_MS = 30_000;

/**
 * Session holds the access token in memory and the refresh token in storage that
 * all tabs share. A refresh token works once, so a lock lets one tab at a time
 * exchange it, and the others read what that tab stored.
 */
export class Session {
  private access: Access | null = null;
  private lastAccount: string | undefined;
  private pending: Promise<string | null> | null = null;
  private replacing: Promise<unknown> | null = null;
  private readonly listeners = new Set<(event: SessionEvent, elsewhere: boolean) => void>();
  private readonly key: string;

  constructor(private readonly needs: SessionNeeds) {
    this.key = `ujumbe.${needs.name}.refresh`;
    needs.channel?.addEventListener("message", (message) => {
      this.access = null;
      this.tell(message.data as SessionEvent, true);
    });
  }

  /** Whether there is a session, as far as this browser knows. */
  get signedIn(): boolean {
    return this.needs.storage.getItem(this.key) !== null;
  }

  /** on hears of changes and returns how to stop. */
  on(listener: (event: SessionEvent, elsewhere: boolean) => void): () => void {
    this.listeners.add(listener);
    return () => this.listeners.delete(listener);
  }

  /** begin takes the tokens of a fresh sign-in. */
  begin(pair: Pair): void {
    this.keep(pair);
    this.announce("signed-in");
  }

  /**
   * token returns an access token that will live a while, or null when nobody is
   * signed in. Name a token that the server refused to have it replaced.
   */
  async token(refused?: string): Promise<string | null> {
    if (refused !== undefined && this.access?.token === refused) this.access = null;
    if (this.access && this.needs.now() < this.access.staleAt) return this.access.token;
    if (this.replacing) {
      // What replace itself sent was refused; waiting for it here would last for ever.
      if (refused !== undefined) return null;
      await this.replacing.catch(() => undefined);
      return this.token();
    }
    this.pending ??= this.renew().finally(() => {
      this.pending = null;
    });
    return this.pending;
  }

  /**
   * replace runs an operation that ends the stored refresh token and yields a new
   * pair, as a switch of organization does, while no tab refreshes. The operation is
   * told the token that it ends.
   */
  async replace<T extends Pair>(operation: (spends: string) => Promise<T>): Promise<T> {
    await this.token();
    const done = this.locked(async () => {
      const pair = await operation(this.needs.storage.getItem(this.key) ?? "");
      this.keep(pair);
      this.announce("switched");
      return pair;
    });
    this.replacing = done;
    return done.finally(() => {
      this.replacing = null;
    });
  }

  /** end signs out in every tab. It does so even when the server can't be told. */
  async end(): Promise<void> {
    const refreshToken = this.needs.storage.getItem(this.key);
    this.forget("signed-out");
    if (refreshToken !== null) await this.needs.revoke(refreshToken).catch(() => undefined);
  }

  private renew(): Promise<string | null> {
    return this.locked(async () => {
      const before = this.access?.accountId ?? this.lastAccount;
      for (let attempt = 0; ; attempt++) {
        const refreshToken = this.needs.storage.getItem(this.key);
        if (refreshToken === null) return null;
        try {
          const access = this.keep(await this.needs.refresh(refreshToken));
          // A switch in another tab whose message did not arrive here.
          if (before !== undefined && access.accountId !== before) this.tell("switched", true);
          return access.token;
        } catch (error) {
          if (!(error instanceof RefusedError)) throw error;
          // Without locks another tab may have been quicker: its token is stored by now.
          const now = this.needs.storage.getItem(this.key);
          if (attempt === 0 && now !== null && now !== refreshToken) continue;
          this.forget("expired");
          return null;
        }
      }
    });
  }

  private keep(pair: Pair): Access {
    const claims = readClaims(pair.accessToken);
    this.access = {
      token: pair.accessToken,
      accountId: claims?.accountId,
      // By the token's own lifetime, since the clock of this device may be wrong.
      staleAt: this.needs.now() + (claims?.lifetime ?? 60) * 1000 - MARGIN_MS,
    };
    this.lastAccount = claims?.accountId;
    this.needs.storage.setItem(this.key, pair.refreshToken);
    return this.access;
  }

  private forget(why: "signed-out" | "expired"): void {
    this.access = null;
    this.lastAccount = undefined;
    this.needs.storage.removeItem(this.key);
    this.announce(why);
  }

  private locked<T>(work: () => Promise<T>): Promise<T> {
    const { locks } = this.needs;
    return locks ? (locks.request(`${this.key}.lock`, work) as Promise<T>) : work();
  }

  private announce(event: SessionEvent): void {
    this.needs.channel?.postMessage(event);
    this.tell(event, false);
  }

  private tell(event: SessionEvent, elsewhere: boolean): void {
    if (event === "signed-out" || event === "expired") this.lastAccount = undefined;
    for (const listener of this.listeners) listener(event, elsewhere);
  }
}
