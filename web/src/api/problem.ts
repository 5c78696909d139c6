/** One part of the input that the server refuses. */
export interface ProblemField {
  location: string;
  message: string;
}

/** The body of an error answer, RFC 9457. */
export interface ProblemDocument {
  status: number;
  code: string;
  detail: string;
  errors?: ProblemField[] | null;
  requestId?: string;
}

/** Problem is every way in which a call to the server fails. */
export class Problem extends Error {
  override readonly name = "Problem";
  readonly status: number;
  readonly code: string;
  readonly fields: ProblemField[];
  readonly requestId: string | undefined;

  constructor(document: ProblemDocument) {
    super(document.detail);
    this.status = document.status;
    this.code = document.code;
    this.fields = document.errors ?? [];
    this.requestId = document.requestId;
  }

  /** The server could not be reached at all. */
  static offline(): Problem {
    return new Problem({ status: 0, code: "offline", detail: "The server can't be reached." });
  }

  /** Nobody is signed in any more. */
  static signedOut(): Problem {
    return new Problem({ status: 401, code: "signed_out", detail: "Your session has ended. Sign in again." });
  }

  /** of reads an error answer, whatever stands between may have written it. */
  static async of(response: Response): Promise<Problem> {
    return Problem.from(response.status, await response.json().catch(() => null));
  }

  /** from makes a Problem of a decoded body. */
  static from(status: number, body: unknown): Problem {
    if (isProblemDocument(body)) return new Problem({ ...body, status });
    return new Problem({ status, code: status >= 500 ? "internal" : "unexpected", detail: "" });
  }
}

function isProblemDocument(body: unknown): body is ProblemDocument {
  return typeof body === "object" && body !== null && "code" in body && "detail" in body;
}
