import createClient, { type Client } from "openapi-fetch";

import { RefusedError, Session, type Pair } from "../session/session";
import { Problem } from "./problem";
import type { paths } from "./schema";

export type ApiClient = Client<paths>;

/** reach turns a failure to get any answer into a Problem. */
async function reach(request: Request): Promise<Response> {
  try {
    return await fetch(request);
  } catch (error) {
    if (request.signal.aborted) throw error;
    throw Problem.offline();
  }
}

/** publicClient calls the routes that need no access token. */
export const publicClient: ApiClient = createClient<paths>({ fetch: reach });

/**
 * signedClient sends the session's access token along, and tries once more with
 * a new one when the server says that it has expired.
 */
export function signedClient(session: Session): ApiClient {
  return createClient<paths>({ fetch: signedFetch(session) });
}

/** signedFetch is what signedClient sends by; a single call may bring another way of sending. */
export function signedFetch(session: Session, send = reach): (request: Request) => Promise<Response> {
  return async (request) => {
    const again = request.clone();
    const token = await session.token();
    if (token === null) throw Problem.signedOut();
    const response = await send(authorized(request, token));
    if (response.status !== 401 || !(await tokenRefused(response))) return response;
    const fresh = await session.token(token);
    if (fresh === null) throw Problem.signedOut();
    return send(authorized(again, fresh));
  };
}

function authorized(request: Request, token: string): Request {
  request.headers.set("Authorization", `Bearer ${token}`);
  return request;
}

/** A wrong current password is 401 too; only a refused token is worth another try. */
async function tokenRefused(response: Response): Promise<boolean> {
  return (await Problem.of(response.clone())).code === "invalid_token";
}

interface Answer<T> {
  data?: T;
  error?: unknown;
  response: Response;
}

/** unwrap returns what a call yields, or throws the Problem it met. */
export async function unwrap<T>(call: Promise<Answer<T>>): Promise<NonNullable<T>> {
  const { data, error, response } = await call;
  if (!response.ok) throw Problem.from(response.status, error);
  return data as NonNullable<T>;
}

/** browserSession is a Session on what the browser offers. */
export function browserSession(name: string, refresh: (refreshToken: string) => Promise<Answer<Pair>>, logout: (refreshToken: string) => Promise<unknown>): Session {
  return new Session({
    name,
    refresh: async (refreshToken) => {
      const { data, error, response } = await refresh(refreshToken);
      if (response.status === 401) throw new RefusedError();
      if (!response.ok || !data) throw Problem.from(response.status, error);
      return data;
    },
    revoke: async (refreshToken) => {
      await logout(refreshToken);
    },
    storage: localStorage,
    locks: "locks" in navigator ? navigator.locks : undefined,
    channel: "BroadcastChannel" in window ? new BroadcastChannel(`ujumbe.${name}`) : undefined,
    now: () => Date.now(),
  });
}
