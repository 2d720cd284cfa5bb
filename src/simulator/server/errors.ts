/** One line of an error answer (part 1 section 7): the offending field by its dotted path, and why. */
export interface Reason {
  field?: string;
  reason: string;
}

/** Thrown anywhere below dispatch; becomes the answer `{errors: [...]}` with this status. */
export class ApiError extends Error {
  readonly status: number;
  readonly errors: readonly Reason[];
  readonly headers: Readonly<Record<string, string>>;

  constructor(status: number, errors: readonly Reason[], headers: Record<string, string> = {}) {
    super(errors.map((error) => error.reason).join("; "));
    this.name = "ApiError";
    this.status = status;
    this.errors = errors;
    this.headers = headers;
  }
}

/** The body of an error answer: `field` is left out where the error is not tied to one element. */
export function errorBody(errors: readonly Reason[]): { errors: Reason[] } {
  return { errors: errors.map(({ field, reason }) => (field === undefined ? { reason } : { field, reason })) };
}

/** 400: this field of the request is wrong. */
export function invalid(field: string, reason: string): ApiError {
  return new ApiError(400, [{ field, reason }]);
}

/** What two checks give; refused with the reasons of both. */
export function both<First, Second>(first: () => First, second: () => Second): [First, Second] {
  let given: First;
  try {
    given = first();
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    throw new ApiError(error.status, [...error.errors, ...reasonsOf(second)]);
  }
  return [given, second()];
}

function reasonsOf(check: () => unknown): readonly Reason[] {
  try {
    check();
  } catch (error) {
    if (error instanceof ApiError) return error.errors;
    throw error;
  }
  return [];
}

/** 400: the state of the resource forbids the operation. */
export function refused(reason: string): ApiError {
  return new ApiError(400, [{ reason }]);
}

/** 400: a job runs on the instance (not-shown sections 3 and 8). */
export function busy(): ApiError {
  return refused("Compute busy.");
}

/** 401: no valid token. */
export function unauthenticated(): ApiError {
  return new ApiError(401, [{ reason: "Invalid Token" }]);
}

/** 403: the token lacks the scope, or the user lacks the grant. */
export function forbidden(reason = "Unauthorized"): ApiError {
  return new ApiError(403, [{ reason }]);
}

/** 404: no such resource, or the user may not see it. */
export function notFound(): ApiError {
  return new ApiError(404, [{ reason: "Not found" }]);
}
